//! The words that the glossary retires. A budget that only shrinks limits their occurrences.

mod budget;
mod glossary;
mod text;

use super::source::Source;
use super::{Report, Violation};
use crate::repo::Repo;
use anyhow::{Context, Result};
use budget::Budget;
use glossary::Glossary;
use std::collections::{BTreeMap, BTreeSet};

const GLOSSARY: &str = "docs/glossary.md";
const BUDGET: &str = "xtask/words-budget.txt";
/// This rule's own files, which have to spell the words.
const OWN: &str = "xtask/src/tidy/words";
/// The number of words that a plain run prints.
const TOP: usize = 15;

/// One occurrence of a retired word.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    path: String,
    line: usize,
    /// The index of the word in the glossary's table.
    word: usize,
}

/// All occurrences in the working tree, with the table that names them.
#[derive(Debug)]
pub(crate) struct Words {
    glossary: Glossary,
    occurrences: Vec<Occurrence>,
}

impl Words {
    /// Finds the occurrences in the working tree. Faults of the glossary go to `faults`.
    pub(crate) fn find(repo: &Repo, sources: &[Source], faults: &mut Vec<Violation>) -> Result<Self> {
        let text = std::fs::read_to_string(repo.at(GLOSSARY)).with_context(|| format!("cannot read {GLOSSARY}"))?;
        let glossary = Glossary::parse(&text, faults);
        let mut occurrences = Vec::new();
        for source in sources.iter().filter(|source| !source.generated && !source.path.starts_with(OWN)) {
            text::rust(&glossary, source, &mut occurrences);
        }
        for path in repo.files()?.iter().filter(|path| *path != GLOSSARY) {
            let Some(kind) = text::FileKind::of(path) else { continue };
            let text = std::fs::read_to_string(repo.at(path)).with_context(|| format!("cannot read {path}"))?;
            text::prose_file(&glossary, path, kind, &text, &mut occurrences);
        }
        occurrences.sort();
        Ok(Self { glossary, occurrences })
    }

    /// Compares the counts with the budget and notes the most frequent words.
    pub(crate) fn check(&self, repo: &Repo, report: &mut Report) -> Result<()> {
        let text = std::fs::read_to_string(repo.at(BUDGET)).with_context(|| format!("cannot read {BUDGET}"))?;
        Budget::parse(&text, &mut report.faults).check(&self.counts(), report);
        report.notes.extend(self.top());
        Ok(())
    }

    /// Prints every occurrence with the term that replaces it.
    pub(crate) fn show(&self) {
        for Occurrence { path, line, word } in &self.occurrences {
            let word = &self.glossary.words[*word];
            println!("{path}:{line}: {} -> {}", word.key, word.instead);
        }
    }

    /// Lowers the budget to today's counts. A word that the budget lacks gets today's count.
    pub(crate) fn update(&self, repo: &Repo) -> Result<()> {
        let path = repo.at(BUDGET);
        let text = if path.exists() { std::fs::read_to_string(&path)? } else { String::new() };
        let mut faults = Vec::new();
        let lowered = Budget::parse(&text, &mut faults).lowered(&self.counts());
        std::fs::write(&path, lowered.to_string()).with_context(|| format!("cannot write {BUDGET}"))?;
        println!("{BUDGET}: {} words", self.glossary.words.len());
        Ok(())
    }

    /// Returns the number of occurrences of every word of the table, by its key.
    fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts: BTreeMap<&str, usize> = self.glossary.words.iter().map(|word| (word.key.as_str(), 0)).collect();
        for occurrence in &self.occurrences {
            *counts.entry(&self.glossary.words[occurrence.word].key).or_default() += 1;
        }
        counts
    }

    fn top(&self) -> Vec<String> {
        let mut found: BTreeMap<usize, (usize, BTreeSet<&str>)> = BTreeMap::new();
        for occurrence in &self.occurrences {
            let (count, files) = found.entry(occurrence.word).or_default();
            *count += 1;
            files.insert(&occurrence.path);
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_by_key(|(word, (count, _))| (std::cmp::Reverse(*count), *word));
        let note = |(word, (count, files)): &(usize, (usize, BTreeSet<&str>))| {
            let key = &self.glossary.words[*word].key;
            format!("retired word {key:?}: {count} occurrence(s) in {} file(s)", files.len())
        };
        let mut notes: Vec<String> = found.iter().take(TOP).map(note).collect();
        if let Some(rest) = found.len().checked_sub(TOP).filter(|rest| *rest > 0) {
            notes.push(format!("retired words: {rest} more occur; `cargo xtask tidy --words` lists every occurrence"));
        }
        notes
    }
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
    fn the_budget_names_every_retired_word_once() {
        let repo = Repo::find().unwrap();
        let mut faults = Vec::new();
        let glossary = Glossary::parse(&std::fs::read_to_string(repo.at(GLOSSARY)).unwrap(), &mut faults);
        let budget = Budget::parse(&std::fs::read_to_string(repo.at(BUDGET)).unwrap(), &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
        let words: BTreeSet<&str> = glossary.words.iter().map(|word| word.key.as_str()).collect();
        assert_eq!(budget.keys().collect::<BTreeSet<_>>(), words);
    }
}
