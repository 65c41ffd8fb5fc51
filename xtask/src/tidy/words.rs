//! The words that the glossary retires. Each occurrence is a fault.

mod glossary;
mod names;
mod text;

use super::Violation;
use super::source::Source;
use crate::repo::Repo;
use anyhow::{Context, Result};
use glossary::Glossary;

const GLOSSARY: &str = "docs/glossary.md";
/// This rule's own files, which have to spell the words.
const OWN: &str = "xtask/src/tidy/words";

/// One occurrence of a retired word.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    path: String,
    line: usize,
    /// The index of the word in the glossary's table.
    word: usize,
}

/// Finds the retired words in the working tree, and the rows of the glossary that do not parse.
pub(crate) fn check(repo: &Repo, sources: &[Source], faults: &mut Vec<Violation>) -> Result<()> {
    let text = std::fs::read_to_string(repo.at(GLOSSARY)).with_context(|| format!("cannot read {GLOSSARY}"))?;
    let glossary = Glossary::parse(&text, faults);
    names::check(&glossary, sources, faults);
    let mut occurrences = Vec::new();
    for source in sources.iter().filter(|source| !source.generated && !source.path.starts_with(OWN)) {
        text::rust(&glossary, source, &mut occurrences);
    }
    let files = repo.files()?;
    dead_exceptions(&glossary, &files, faults);
    for path in files.iter().filter(|path| *path != GLOSSARY) {
        let Some(kind) = text::FileKind::of(path) else { continue };
        let text = std::fs::read_to_string(repo.at(path)).with_context(|| format!("cannot read {path}"))?;
        text::prose_file(&glossary, path, kind, &text, &mut occurrences);
    }
    report(&glossary, occurrences, faults);
    Ok(())
}

/// Finds exceptions for paths that do not exist.
fn dead_exceptions(glossary: &Glossary, files: &[String], faults: &mut Vec<Violation>) {
    let is_dead = |path: &str| !files.iter().any(|file| file.starts_with(path));
    faults.extend(glossary.exceptions.iter().filter(|exception| is_dead(&exception.path)).map(|exception| {
        Violation::new(GLOSSARY, exception.line, format!("an exception for `{}`, which does not exist", exception.path))
    }));
}

fn report(glossary: &Glossary, mut occurrences: Vec<Occurrence>, faults: &mut Vec<Violation>) {
    occurrences.sort();
    faults.extend(occurrences.iter().map(|Occurrence { path, line, word }| {
        let word = &glossary.words[*word];
        Violation::new(path, *line, format!("a retired word, {:?}; use instead: {}", word.key, word.instead))
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_the_glossary_parse() {
        let repo = Repo::find().unwrap();
        let mut faults = Vec::new();
        let glossary = Glossary::parse(&std::fs::read_to_string(repo.at(GLOSSARY)).unwrap(), &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
        assert!(glossary.words.len() > 100, "{}", glossary.words.len());
        assert!(glossary.exceptions.len() > 10, "{}", glossary.exceptions.len());
    }

    #[test]
    fn an_exception_for_a_path_that_does_not_exist_is_found() {
        let text = "## Exceptions\n| a | b | c |\n|---|---|---|\n| `x` | `docs/a` | why |\n| `x` | `docs/b` | why |\n";
        let glossary = Glossary::parse(text, &mut Vec::new());
        let mut faults = Vec::new();
        dead_exceptions(&glossary, &["docs/a.md".to_owned()], &mut faults);
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [5]);
    }

    #[test]
    fn an_occurrence_is_a_fault_with_file_line_and_replacement() {
        let text =
            "## Retired words\n| a | b | c | d |\n|---|---|---|---|\n| `lane` | both | a queue | `WriteQueues` |\n";
        let glossary = Glossary::parse(text, &mut Vec::new());
        let mut occurrences = Vec::new();
        text::prose_file(&glossary, "a.md", text::FileKind::Document, "fine\nthe lane\n", &mut occurrences);
        let mut faults = Vec::new();
        report(&glossary, occurrences, &mut faults);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults, ["a.md:2: a retired word, \"both: lane\"; use instead: WriteQueues"]);
    }
}
