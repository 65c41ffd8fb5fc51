//! The rule that the names which replace retired words exist in the Rust code of the tree.

use super::GLOSSARY;
use super::glossary::Glossary;
use crate::tidy::Violation;
use crate::tidy::source::{Source, in_name};
use std::collections::BTreeSet;

/// Finds replacements in the form of a Rust name that no file has.
pub(super) fn check(glossary: &Glossary, sources: &[Source], faults: &mut Vec<Violation>) {
    let code = sources.iter().flat_map(|source| source.code.split(|c| !in_name(c)));
    let names: BTreeSet<&str> = code.collect();
    for word in &glossary.words {
        let missing = word.names.iter().flat_map(|name| rust_names(name)).filter(|name| !names.contains(name));
        faults.extend(missing.map(|name| {
            Violation::new(GLOSSARY, word.line, format!("`{name}` replaces {:?}, and no Rust code has it", word.key))
        }));
    }
}

/// Returns the parts of a path that are Rust names; none for another text, such as a key of the
/// configuration.
fn rust_names(text: &str) -> impl Iterator<Item = &str> {
    let is_path = text.chars().all(|c| in_name(c) || c == ':');
    text.split("::").filter(move |name| is_path && (is_camel_case(name) || is_snake_case(name)))
}

fn is_camel_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase()) && name.contains(|c: char| c.is_lowercase())
}

/// Returns `true` for a name in small letters with an underscore: a single word may be prose.
fn is_snake_case(name: &str) -> bool {
    name.contains('_') && !name.contains(|c: char| c.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(instead: &str) -> Vec<String> {
        let text =
            format!("## Retired words\n| a | b | c | d |\n|--|--|--|--|\n| `lane` | both | a queue | {instead} |\n");
        let glossary = Glossary::parse(&text, &mut Vec::new());
        let code = "// GoneType\nstruct WriteQueues { write_set: &str }\nfn f() { \"gone_name\" }\n";
        let mut faults = Vec::new();
        check(&glossary, &[Source::new("server/src/a.rs", code.to_owned())], &mut faults);
        assert!(faults.iter().all(|fault| fault.line == 4), "{faults:?}");
        faults.into_iter().filter_map(|fault| Some(fault.what.split('`').nth(1)?.to_owned())).collect()
    }

    #[test]
    fn a_replacement_that_the_code_does_not_have_is_found() {
        assert_eq!(
            missing("`GoneType`, `gone_name` or `WriteQueues::gone_too`"),
            ["GoneType", "gone_name", "gone_too"]
        );
    }

    #[test]
    fn prose_keys_and_names_of_the_code_are_left_alone() {
        assert!(missing("`WriteQueues`, `write_set`, write queue, `lower`, key `[gone_key]`, GoneType").is_empty());
    }
}
