//! The rule of one concept per term: a public type name stands for one type. A few names are used
//! twice, where two crates that never meet have the same concept, and none is used three times.
//!
//! The rule counts structs, enums, unions and traits that are `pub` or `pub(…)` in production code.
//! It leaves out generated code, the `Model` and `Relation` of entities, `Args` and `Action` of
//! subcommands, `Error`, and the record types of the transfer tool, which mirror the domain.

use std::collections::BTreeMap;

use super::source::{Source, in_name, line_of, words};
use super::{Report, Violation};

/// The number of names that may stand for two types.
const TWICE: usize = 10;
const PRODUCT: [&str; 3] = ["server/", "migrations/", "sdk/rust/src/"];
const LEFT_OUT: [&str; 3] = ["server/conformance/", "server/transfer/", "server/store/src/sql/entity/"];
const FREE: [&str; 3] = ["Args", "Action", "Error"];

/// Returns the paths that the rule names.
pub(super) fn paths() -> impl Iterator<Item = &'static str> {
    PRODUCT.into_iter().chain(LEFT_OUT)
}

/// Counts the types of each public name.
pub(crate) fn check(sources: &[Source], report: &mut Report) {
    let mut named: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| counts(source)) {
        for (name, line) in public_types(&source.production) {
            named.entry(name).or_default().push((&source.path, line));
        }
    }
    named.retain(|name, types| types.len() > 1 && !FREE.contains(name));
    report.notes.push(format!("public type names used twice: {} (≤ {TWICE})", named.len()));
    for (name, types) in &named {
        let (path, line) = types[types.len() - 1];
        if types.len() > 2 {
            report.faults.push(Violation::new(path, line, format!("`{name}` names {} public types", types.len())));
        } else if named.len() > TWICE {
            report.faults.push(Violation::new(path, line, format!("`{name}` names a type of {} too", types[0].0)));
        }
    }
}

fn counts(source: &Source) -> bool {
    let starts = |places: &[&str]| places.iter().any(|place| source.path.starts_with(place));
    !source.generated && starts(&PRODUCT) && !starts(&LEFT_OUT) && !source.path.contains("/tests")
}

/// Returns the name and the line of each public type.
fn public_types(code: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    for keyword in ["struct", "enum", "union", "trait"] {
        for at in words(code, keyword) {
            let start = code[..at].rfind('\n').map_or(0, |end| end + 1);
            if !code[start..at].trim_start().starts_with("pub") {
                continue;
            }
            let rest = code[at + keyword.len()..].trim_start();
            let name = &rest[..rest.find(|c| !in_name(c)).unwrap_or(rest.len())];
            // A macro that declares types has a variable here.
            if !name.is_empty() {
                found.push((name, line_of(code, at)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(texts: &[(&str, String)]) -> usize {
        let sources: Vec<Source> = texts.iter().map(|(path, text)| Source::new(path, text.clone())).collect();
        let mut report = Report::default();
        check(&sources, &mut report);
        report.faults.len()
    }

    #[test]
    fn a_name_of_three_public_types_is_found() {
        let text = |kind: &str| format!("pub(crate) {kind} Place {{}}\n");
        let paths = ["server/src/a.rs", "server/core/src/b.rs", "migrations/src/c.rs"];
        let all: Vec<_> =
            paths.iter().zip(["struct", "enum", "trait"]).map(|(path, kind)| (*path, text(kind))).collect();
        assert_eq!(faults(&all), 1);
        assert_eq!(faults(&all[..2]), 0);
    }

    #[test]
    fn the_eleventh_name_of_two_types_is_found() {
        let types = |count: usize| (0..count).map(|i| format!("pub struct Type{i};\n")).collect::<String>();
        let both = |count| [("server/src/a.rs", types(count)), ("server/core/src/b.rs", types(count))];
        assert_eq!(faults(&both(TWICE)), 0);
        assert_eq!(faults(&both(TWICE + 1)), TWICE + 1);
    }

    #[test]
    fn private_types_and_subcommands_are_free() {
        let text = "struct Place;\npub(crate) struct Args;\n".to_owned();
        let paths = ["server/src/a.rs", "server/src/b.rs", "server/src/c.rs"];
        assert_eq!(faults(&paths.map(|path| (path, text.clone()))), 0);
    }
}
