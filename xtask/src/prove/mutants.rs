//! The mutants that a run can be started with.

use anyhow::{Result, ensure};

/// The lists of mutants: those of ports and of page tokens, those of the functions of Redis, and
/// those of text queries, which the proxies of a run contain.
const SOURCES: [&str; 3] = [
    include_str!("../../../tests/mutants/src/mutant.rs"),
    include_str!("../../../tests/mutants/src/lua.rs"),
    include_str!("../../../tests/src/histcheck/fault/query_mutant.rs"),
];

/// The mutant that only a run with a topic can show.
const OF_TOPIC: &str = "topic-acked-early";

/// Returns true if a run with the mutant needs a topic.
pub(super) fn has_topic(mutant: &str) -> bool {
    mutant == OF_TOPIC
}

/// Returns the names of all mutants.
pub(super) fn all() -> Vec<&'static str> {
    SOURCES.into_iter().flat_map(str::lines).filter_map(name).collect()
}

/// Returns the named mutants, or all if none is named.
pub(super) fn chosen(named: &[String]) -> Vec<&'static str> {
    let is_chosen = |mutant: &&str| named.is_empty() || named.iter().any(|name| name == mutant);
    all().into_iter().filter(is_chosen).collect()
}

/// Fails if one of the names is not a mutant.
pub(super) fn check_names(named: &[String]) -> Result<()> {
    let all = all();
    let unknown = named.iter().find(|name| !all.contains(&name.as_str()));
    ensure!(unknown.is_none(), "no such mutant: {}; there are {}", unknown.map_or("", String::as_str), all.join(", "));
    Ok(())
}

/// Returns the name in `("name", …` or `name: "name", …`.
fn name(line: &'static str) -> Option<&'static str> {
    let line = line.trim().trim_start_matches("LuaMutant { ");
    let name = line.strip_prefix("(\"").or_else(|| line.strip_prefix("name: \""))?;
    name.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_reads_every_mutant_of_the_lists() {
        // The counts of the lists. The parser must not overlook an entry because of its layout.
        assert_eq!(all().len(), 98 + 11 + 2, "{:?}", all());
        assert!(all().contains(&OF_TOPIC) && has_topic(OF_TOPIC) && !has_topic("late-likes"));
        assert!(check_names(&["late-likes".to_owned()]).is_ok() && check_names(&["late".to_owned()]).is_err());
        assert!(
            ["late-likes", "edits-not-applied", "content-version-unchanged"].iter().all(|name| all().contains(name))
        );
    }
}
