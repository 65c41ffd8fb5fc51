//! Where the figures stay: as JSON in the build directory, as a table in the documents.

use super::outcome::Outcome;
use super::{machine, table};
use crate::repo::Repo;
use anyhow::{Context, Result};

/// The file of figures, below cargo's build directory.
pub(super) const JSON: &str = "bench/write.json";
const DOCUMENT: &str = "docs/benchmarks/write.md";
/// Between them stands what the command wrote; everything else in the document is written by people.
const MARKS: [&str; 2] = ["<!-- written by cargo xtask bench write --record -->\n", "<!-- end of what it wrote -->\n"];

/// Writes the list of rows for programs.
pub(super) fn write_json(repo: &Repo, outcomes: &[Outcome]) -> Result<()> {
    let path = repo.target().join(JSON);
    std::fs::create_dir_all(path.parent().context("the file of figures has no folder")?)?;
    let rows: Vec<_> = outcomes.iter().map(Outcome::json).collect();
    Ok(std::fs::write(path, format!("{:#}\n", serde_json::Value::from(rows)))?)
}

/// Puts the table into the document, under the machine, the command line and `method`, and below it the rows that could
/// not be measured.
pub(super) fn write_document(repo: &Repo, outcomes: &[Outcome], failed: &[String], method: &str) -> Result<()> {
    let path = repo.at(DOCUMENT);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let mut versions: Vec<&str> = outcomes.iter().map(|outcome| outcome.version.as_str()).collect();
    versions.dedup();
    let versions = versions.join(", ");
    let (today, machine) = (machine::today()?, machine::describe()?);
    let command = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let table = table::markdown(outcomes);
    let missing: String = failed.iter().map(|row| format!("\nNot measured: {row}.\n")).collect();
    let section =
        format!("{today}, {machine}. Database: {versions}.\n\n`cargo xtask {command}`\n\n{method}\n\n{table}{missing}");
    std::fs::write(path, between_marks(&text, &section)?)?;
    println!("{DOCUMENT}");
    Ok(())
}

/// The document with `section` between its marks.
fn between_marks(document: &str, section: &str) -> Result<String> {
    let [begin, end] = MARKS;
    let (before, rest) = document.split_once(begin).context("the document has no mark where the table begins")?;
    let (_, after) = rest.split_once(end).context("the document has no mark where the table ends")?;
    Ok(format!("{before}{begin}\n{section}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_stays_when_the_table_is_replaced() {
        let [begin, end] = MARKS;
        let first = between_marks(&format!("Why.\n{begin}{end}After.\n"), "| 1 |").unwrap();
        let second = between_marks(&first, "| 2 |").unwrap();
        assert_eq!(second, format!("Why.\n{begin}\n| 2 |\n{end}After.\n"));
        assert!(between_marks("no marks", "").is_err());
    }

    #[test]
    fn the_document_in_the_repository_has_its_marks() {
        let text = std::fs::read_to_string(Repo::find().unwrap().at(DOCUMENT)).unwrap();
        assert!(between_marks(&text, "").is_ok());
    }
}
