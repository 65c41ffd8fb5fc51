//! The quick starts of the READMEs: extracts of programs that the tests compile and run.
//!
//! A README names the program between two comments; this module writes the text between them.

use crate::generate::files::Files;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::fs;

const READMES: [&str; 6] = [
    "README.md",
    "README.zh-CN.md",
    "sdk/go/README.md",
    "sdk/java/README.md",
    "sdk/rust/README.md",
    "sdk/typescript/README.md",
];
const BEGIN: &str = "<!-- quickstart: ";
const END: &str = "<!-- quickstart end -->";
/// The marks in comments of the program, before the first shown line and after the last.
const MARKS: [&str; 2] = ["[quickstart]", "[/quickstart]"];

/// Adds the READMEs with the quick starts from the programs.
pub(super) fn add(repo: &Repo, files: &mut Files) -> Result<()> {
    for readme in READMES {
        let text = fs::read_to_string(repo.at(readme)).with_context(|| format!("cannot read {readme}"))?;
        let program = |path: &str| {
            let text = fs::read_to_string(repo.at(path)).with_context(|| format!("cannot read {path}"))?;
            shown(&text).with_context(|| format!("{path} has nothing between two lines with {}", MARKS[0]))
        };
        files.add(readme.to_owned(), filled(&text, program).with_context(|| format!("in {readme}"))?)?;
    }
    Ok(())
}

/// Returns the text with each place filled in; `program` returns the shown part of a file.
fn filled(text: &str, program: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut parts = text.split(BEGIN);
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (path, rest) = part.split_once(" -->").context("a place without its end of comment")?;
        let (_, rest) = rest.split_once(END).with_context(|| format!("the place of {path} has no {END}"))?;
        let language = path.rsplit('.').next().unwrap_or_default();
        filled += &format!("{BEGIN}{path} -->\n\n```{language}\n{}```\n\n{END}{rest}", program(path)?);
    }
    Ok(filled)
}

/// Returns the lines between the marks, with their common indentation and blank lines at their end
/// removed.
fn shown(program: &str) -> Option<String> {
    let marks = |line: &&str| MARKS.iter().any(|mark| line.contains(mark));
    let lines = program.lines().skip_while(|line| !marks(line)).skip(1);
    let mut lines: Vec<&str> = lines.take_while(|line| !marks(line)).collect();
    while lines.pop_if(|line| line.trim().is_empty()).is_some() {}
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let left = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min()?;
    Some(lines.iter().map(|line| format!("{}\n", line.get(left..).unwrap_or_default())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_the_marks_is_shown_without_indentation() {
        let program = "fn main() {\n    // [quickstart]\n    if a {\n        b\n\n    }\n\n    // [quickstart]\n}\n";
        assert_eq!(shown(program).unwrap(), "if a {\n    b\n\n}\n");
        assert_eq!(shown("nothing"), None);
    }

    #[test]
    fn sections_are_replaced_repeatedly_and_one_without_an_end_is_an_error() {
        let text = "a\n<!-- quickstart: x/q.go -->\nold\n<!-- quickstart end -->\nb\n";
        let once = filled(text, |path| Ok(format!("{path}\n"))).unwrap();
        assert_eq!(once, "a\n<!-- quickstart: x/q.go -->\n\n```go\nx/q.go\n```\n\n<!-- quickstart end -->\nb\n");
        assert_eq!(filled(&once, |path| Ok(format!("{path}\n"))).unwrap(), once);
        assert!(filled("<!-- quickstart: x -->\n", |_| Ok(String::new())).is_err());
    }
}
