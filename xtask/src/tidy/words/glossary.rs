//! The glossary's tables of retired words and of exceptions.

use super::{GLOSSARY, Violation};
use std::collections::{BTreeSet, HashMap};

const WORDS: &str = "## Retired words";
const EXCEPTIONS: &str = "## Exceptions";

/// The texts in which a word is retired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Names in code, split at underscores and capitals.
    Identifier,
    /// Comments, string literals and documents.
    Prose,
    /// Names and prose.
    Both,
    /// The whole name of a struct, enum, trait or type alias.
    Type,
    /// The first word of a doc comment.
    DocComment,
}

impl Scope {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "identifier" => Self::Identifier,
            "prose" => Self::Prose,
            "both" => Self::Both,
            "type" => Self::Type,
            "doc comment" => Self::DocComment,
            _ => return None,
        })
    }
}

/// A row of the table of retired words.
#[derive(Debug)]
pub(super) struct Word {
    /// The scope and the first form, as `prose: who`: the name in reports.
    pub(super) key: String,
    /// The term that replaces the word.
    pub(super) instead: String,
    /// The parts of that term in backticks.
    pub(super) names: Vec<String>,
    /// The line of the row.
    pub(super) line: usize,
}

/// A row of the table of exceptions.
#[derive(Debug)]
pub(super) struct Exception {
    /// The text whose words are kept; `None` for the whole file.
    pub(super) text: Option<String>,
    /// The beginning of the paths that the exception applies to; empty for all files.
    pub(super) path: String,
    /// The line of the row.
    pub(super) line: usize,
}

/// Forms of words, looked up by their first part.
#[derive(Debug, Default)]
pub(super) struct Forms(HashMap<String, Vec<(Vec<String>, usize)>>);

impl Forms {
    fn add(&mut self, parts: Vec<String>, word: usize) {
        if let Some(first) = parts.first().cloned() {
            self.0.entry(first).or_default().push((parts, word));
        }
    }

    /// Returns the number of parts and the word of the longest form that begins `parts`. The last
    /// part may be a plural.
    pub(super) fn longest(&self, parts: &[String]) -> Option<(usize, usize)> {
        let first = parts.first()?;
        let candidates = [Some(first.as_str()), first.strip_suffix('s')];
        let forms = candidates.into_iter().flatten().filter_map(|first| self.0.get(first)).flatten();
        forms.filter(|(form, _)| begins(parts, form)).map(|(form, word)| (form.len(), *word)).max_by_key(|it| it.0)
    }
}

fn begins(parts: &[String], form: &[String]) -> bool {
    let Some((last, before)) = form.split_last() else { return false };
    let Some(found) = parts.get(before.len()) else { return false };
    parts.starts_with(before) && (found == last || found.strip_suffix('s') == Some(last))
}

/// Both tables.
#[derive(Debug, Default)]
pub(super) struct Glossary {
    pub(super) words: Vec<Word>,
    pub(super) exceptions: Vec<Exception>,
    pub(super) identifiers: Forms,
    pub(super) prose: Forms,
    /// Whole type names, spelled as in code.
    pub(super) types: HashMap<String, usize>,
    /// First words of doc comments.
    pub(super) openings: HashMap<String, usize>,
}

impl Glossary {
    /// Parses the document. A row that does not parse is a fault.
    pub(super) fn parse(text: &str, faults: &mut Vec<Violation>) -> Self {
        let mut glossary = Self::default();
        let mut keys = BTreeSet::new();
        for (line, row) in rows(text, WORDS) {
            match glossary.word(line, &row) {
                Ok(key) if keys.insert(key.clone()) => {}
                Ok(key) => faults.push(Violation::new(GLOSSARY, line, format!("{key:?} has two rows"))),
                Err(what) => faults.push(Violation::new(GLOSSARY, line, what)),
            }
        }
        for (line, row) in rows(text, EXCEPTIONS) {
            match exception(line, &row) {
                Some(exception) => glossary.exceptions.push(exception),
                None => faults.push(Violation::new(GLOSSARY, line, "a row is | `text` | everywhere or `path` | why |")),
            }
        }
        if glossary.words.is_empty() || glossary.exceptions.is_empty() {
            faults.push(Violation::new(GLOSSARY, 0, "the tables of retired words and exceptions are missing"));
        }
        glossary
    }

    fn word(&mut self, line: usize, row: &[&str]) -> Result<String, &'static str> {
        let [word, scope, sense, instead] = row else {
            return Err("a row is | `word` | where | sense | use instead |");
        };
        let scope = Scope::parse(scope)
            .ok_or("the second column is `identifier`, `prose`, `both`, `type` or `doc comment`, without quotes")?;
        let forms = quoted(word);
        let first = *forms.first().ok_or("the first column is the word and its forms, each in backticks")?;
        if sense.is_empty() || instead.is_empty() {
            return Err("a row says in which sense the word is retired and what replaces it");
        }
        let index = self.words.len();
        for form in &forms {
            self.form(form, scope, index);
        }
        let key = format!("{}: {first}", row[1]);
        let names = quoted(instead).into_iter().map(str::to_owned).collect();
        self.words.push(Word { key: key.clone(), instead: instead.replace('`', ""), names, line });
        Ok(key)
    }

    fn form(&mut self, form: &str, scope: Scope, word: usize) {
        let parts: Vec<String> = form.split([' ', '_', '-']).map(str::to_lowercase).collect();
        match scope {
            Scope::Identifier => self.identifiers.add(parts, word),
            Scope::Prose => self.prose.add(parts, word),
            Scope::Both => {
                self.identifiers.add(parts.clone(), word);
                self.prose.add(parts, word);
            }
            Scope::Type => drop(self.types.insert(form.to_owned(), word)),
            Scope::DocComment => drop(self.openings.insert(form.to_owned(), word)),
        }
    }
}

/// Returns the rows of the tables below a heading, without header and rule, with their lines.
fn rows<'a>(text: &'a str, heading: &str) -> Vec<(usize, Vec<&'a str>)> {
    let lines = text.lines().enumerate().skip_while(|(_, line)| *line != heading).skip(1);
    let section: Vec<_> = lines.take_while(|(_, line)| !line.starts_with("## ")).collect();
    let rule = |line: &str| line.starts_with("|-") || line.starts_with("| -");
    let mut found = Vec::new();
    for (at, (number, line)) in section.iter().enumerate() {
        let header = section.get(at + 1).is_some_and(|(_, next)| rule(next));
        if let Some(row) = line.strip_prefix('|').filter(|_| !rule(line) && !header) {
            let row = row.trim_end().strip_suffix('|').unwrap_or(row);
            found.push((number + 1, row.split('|').map(str::trim).collect()));
        }
    }
    found
}

fn exception(line: usize, row: &[&str]) -> Option<Exception> {
    let [text, path, why] = row else { return None };
    let text = *quoted(text).first()?;
    let path = if *path == "everywhere" { "" } else { quoted(path).first().copied()? };
    let whole = text == "*";
    let faulty = why.is_empty() || text.contains('"') || whole && path.is_empty();
    (!faulty).then(|| Exception { text: (!whole).then(|| text.to_owned()), path: path.to_owned(), line })
}

/// Returns the parts of a cell in backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(words: &str, exceptions: &str) -> Vec<usize> {
        let mut faults = Vec::new();
        Glossary::parse(&document(words, exceptions), &mut faults);
        faults.iter().map(|fault| fault.line).collect()
    }

    fn document(words: &str, exceptions: &str) -> String {
        format!(
            "# G\n{WORDS}\n| a | b | c | d |\n|---|---|---|---|\n{words}\n{EXCEPTIONS}\n| a |\n|---|\n{exceptions}\n"
        )
    }

    const WORD: &str = "| `lane` | both | a queue | write queue |";
    const EXCEPTION: &str = "| `fast lane` | everywhere | English |";

    #[test]
    fn a_sound_glossary_has_no_fault() {
        assert!(faults(WORD, EXCEPTION).is_empty());
    }

    #[test]
    fn a_row_that_does_not_parse_is_found() {
        let broken = ["| lane | both | a queue | x |", "| `lane` | all | a queue | x |", "| `lane` | both | a queue |"];
        for row in broken.into_iter().chain(["| `lane` | both | | x |", WORD]) {
            assert_eq!(faults(&format!("{WORD}\n{row}"), EXCEPTION), [6], "{row}");
        }
    }

    #[test]
    fn an_exception_without_a_reason_or_for_everything_is_found() {
        assert_eq!(faults(WORD, &format!("{EXCEPTION}\n| `x` | everywhere | |")), [10]);
        assert_eq!(faults(WORD, &format!("{EXCEPTION}\n| `*` | everywhere | why |")), [10]);
    }

    #[test]
    fn a_glossary_without_tables_is_found() {
        assert_eq!(faults("", ""), [0]);
    }

    #[test]
    fn the_longest_form_wins_and_a_plural_counts() {
        let words = "| `lane` | both | a | b |\n| `lane queue` | both | a | b |";
        let glossary = Glossary::parse(&document(words, EXCEPTION), &mut Vec::new());
        let parts = ["lane", "queues", "full"].map(str::to_owned);
        assert_eq!(glossary.prose.longest(&parts), Some((2, 1)));
        assert_eq!(glossary.prose.longest(&parts[1..]), None);
        assert_eq!(glossary.identifiers.longest(&["lanes".to_owned()]), Some((1, 0)));
    }
}
