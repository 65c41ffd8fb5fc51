//! The mutants that a run can be started with.

use anyhow::{Result, ensure};

/// The lists of mutants: those of ports and of page tokens, those of the functions of Redis, and
/// those of text queries, which the proxies of a run contain.
const SOURCES: [&str; 3] = [
    include_str!("../../../tests/mutants/src/mutant.rs"),
    include_str!("../../../tests/mutants/src/lua.rs"),
    include_str!("../../../tests/src/histcheck/fault/query_mutant.rs"),
];

/// Returns the names of all mutants.
pub(super) fn all() -> Vec<&'static str> {
    SOURCES.into_iter().flat_map(str::lines).filter_map(name).collect()
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
        assert_eq!(all().len(), 72 + 11 + 2, "{:?}", all());
        assert!(check_names(&["late-likes".to_owned()]).is_ok() && check_names(&["late".to_owned()]).is_err());
        assert!(
            ["late-likes", "edits-not-applied", "content-version-unchanged"].iter().all(|name| all().contains(name))
        );
    }
}
