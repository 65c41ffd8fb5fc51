//! The output of figures: JSON in the build directory, a table in the documents.

use super::book::Book;
use super::outcome::Outcome;
use super::{machine, table};
use crate::repo::Repo;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Display;

/// The end mark of generated text. People write everything outside the two marks.
const END: &str = "<!-- end of what it wrote -->\n";

/// Returns the begin mark of a benchmark.
fn begin(bench: impl Display) -> String {
    format!("<!-- written by cargo xtask bench {bench} --record -->\n")
}

/// Writes the rows as JSON.
pub(super) fn write_json(repo: &Repo, book: Book, outcomes: &[Outcome]) -> Result<()> {
    write_figures(repo, &book.json(), outcomes.iter().map(Outcome::json).collect())
}

/// Writes figures to a file below the build directory.
pub(super) fn write_figures(repo: &Repo, file: &str, rows: Vec<Value>) -> Result<()> {
    let path = repo.target().join(file);
    std::fs::create_dir_all(path.parent().context("the file of figures has no folder")?)?;
    Ok(std::fs::write(path, format!("{:#}\n", Value::from(rows)))?)
}

/// Writes the table into the document, under the machine, the command line and `method`. The rows
/// that could not be measured follow it.
pub(super) fn write_document(
    repo: &Repo,
    book: Book,
    outcomes: &[Outcome],
    failed: &[String],
    method: &str,
) -> Result<()> {
    let mut versions: Vec<&str> = outcomes.iter().map(|outcome| outcome.version.as_str()).collect();
    versions.dedup();
    let table = table::markdown(outcomes);
    let missing: String = failed.iter().map(|row| format!("\nNot measured: {row}.\n")).collect();
    let database = format!(" Database: {}.", versions.join(", "));
    write_section(repo, (book, &book.document()), &database, method, &format!("{table}{missing}"))
}

/// Writes a table between a benchmark's marks in its document, under the date, the machine with the
/// details of `more`, the command line and the method.
pub(super) fn write_section(
    repo: &Repo,
    (bench, document): (impl Display, &str),
    more: &str,
    method: &str,
    table: &str,
) -> Result<()> {
    let path = repo.at(document);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {document}"))?;
    let (today, machine) = (machine::today()?, machine::describe()?);
    let command = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let section = format!("{today}, {machine}.{more}\n\n`cargo xtask {command}`\n\n{method}\n\n{table}");
    std::fs::write(path, between_marks(&text, bench, &section)?)?;
    println!("{document}");
    Ok(())
}

/// Returns the document with `section` between its marks.
fn between_marks(document: &str, bench: impl Display, section: &str) -> Result<String> {
    let begin = begin(bench);
    let (before, rest) = document.split_once(&begin).context("the document has no mark where the table begins")?;
    let (_, after) = rest.split_once(END).context("the document has no mark where the table ends")?;
    Ok(format!("{before}{begin}\n{section}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_written_text_stays_when_the_table_is_replaced() {
        let begin = begin(Book::Read);
        let first = between_marks(&format!("Why.\n{begin}{END}After.\n"), Book::Read, "| 1 |").unwrap();
        let second = between_marks(&first, Book::Read, "| 2 |").unwrap();
        assert_eq!(second, format!("Why.\n{begin}\n| 2 |\n{END}After.\n"));
        assert!(between_marks("no marks", Book::Read, "").is_err());
    }

    #[test]
    fn the_documents_in_the_repository_have_their_marks() {
        for book in [Book::Write, Book::Read, Book::Events] {
            let text = std::fs::read_to_string(Repo::find().unwrap().at(&book.document())).unwrap();
            assert!(between_marks(&text, book, "").is_ok(), "{book}");
        }
        let text = std::fs::read_to_string(Repo::find().unwrap().at(super::super::sdk::DOCUMENT)).unwrap();
        assert!(between_marks(&text, super::super::sdk::NAME, "").is_ok());
        let text = std::fs::read_to_string(Repo::find().unwrap().at(super::super::overload::DOCUMENT)).unwrap();
        assert!(between_marks(&text, super::super::overload::NAME, "").is_ok());
    }
}
