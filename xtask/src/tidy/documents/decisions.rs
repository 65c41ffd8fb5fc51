//! The form of the decision records, and their index.

use crate::tidy::Violation;
use std::collections::BTreeMap;

const FOLDER: &str = "docs/decisions/";
const INDEX: &str = "docs/decisions/README.md";
const HEADINGS: [&str; 4] = ["## Status", "## Context", "## Decision", "## Consequences"];
const LINES: std::ops::RangeInclusive<usize> = 15..=40;

/// Checks the records among the documents, and that the index lists each once.
pub(super) fn check(documents: &BTreeMap<&str, String>, faults: &mut Vec<Violation>) {
    let listed: Vec<(usize, &str)> = documents.get(INDEX).map(|text| links(text)).unwrap_or_default();
    let is_record = |path: &str| path.starts_with(FOLDER) && path != INDEX;
    let mut numbers: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, text) in documents.iter().filter(|(path, _)| is_record(path)) {
        let name = &path[FOLDER.len()..];
        let number = name.split('-').next().unwrap_or_default();
        if let Some(other) = numbers.insert(number, path) {
            faults.push(Violation::new(path, 0, format!("has the number of {other}")));
        }
        record(path, number, text, faults);
        let entries = listed.iter().filter(|(_, link)| *link == name).count();
        if entries != 1 {
            faults.push(Violation::new(INDEX, 0, format!("lists {name} {entries} times")));
        }
    }
    for (line, link) in listed {
        if !documents.contains_key(format!("{FOLDER}{link}").as_str()) {
            faults.push(Violation::new(INDEX, line, format!("{link} does not exist")));
        }
    }
}

fn record(path: &str, number: &str, text: &str, faults: &mut Vec<Violation>) {
    let lines = text.lines().count();
    if !LINES.contains(&lines) {
        let what = format!("{lines} lines; a record has {} to {}", LINES.start(), LINES.end());
        faults.push(Violation::new(path, 0, what));
    }
    if number.len() != 4 || !text.starts_with(&format!("# {number}. ")) {
        faults.push(Violation::new(path, 1, "the title of a record begins with its number, as `# 0001. Title`"));
    }
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    if headings != HEADINGS {
        faults.push(Violation::new(path, 0, format!("the headings of a record are {}", HEADINGS.join(", "))));
    }
}

/// Returns the records that the index links to, each with its line.
fn links(text: &str) -> Vec<(usize, &str)> {
    let link = |line: &'_ str| -> Option<(usize, usize)> {
        let from = line.starts_with("* [").then(|| line.find("]("))?? + 2;
        Some((from, from + line[from..].find(')')?))
    };
    let lines = text.lines().enumerate();
    lines.filter_map(|(number, line)| link(line).map(|(from, to)| (number + 1, &line[from..to]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "docs/decisions/0001-a.md";

    fn sound() -> String {
        format!("# 0001. A\n\n{}\n", HEADINGS.map(|heading| format!("{heading}\n\nwhy\n")).join("\n"))
    }

    fn found(record: (&str, String), index: &str) -> Vec<String> {
        let mut faults = Vec::new();
        check(&BTreeMap::from([(INDEX, index.to_owned()), (record.0, record.1)]), &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_record_of_another_form_is_found() {
        let index = "* [0001](0001-a.md), 2026-11-21:\n  A.\n";
        assert_eq!(found((PATH, sound()), index), [""; 0]);
        let broken = [
            sound().replace("## Status", "* Status"),
            sound().replace("# 0001. A", "# 0001: A"),
            sound() + &"line\n".repeat(40),
            sound().replace("why\n", ""),
        ];
        for text in broken {
            assert_eq!(found((PATH, text.clone()), index).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_record_outside_the_index_and_an_entry_without_a_record_are_found() {
        assert_eq!(found((PATH, sound()), "# Index\n"), [format!("{INDEX}: lists 0001-a.md 0 times")]);
        let index = "* [0001](0001-a.md), 2026-11-21:\n* [0002](0002-b.md), 2026-11-21:\n";
        assert_eq!(found((PATH, sound()), index), [format!("{INDEX}:2: 0002-b.md does not exist")]);
    }

    #[test]
    fn two_records_of_one_number_are_found() {
        let index = "* [0001](0001-a.md)\n* [0001](0001-b.md)\n";
        let documents = [(INDEX, index.to_owned()), (PATH, sound()), ("docs/decisions/0001-b.md", sound())];
        let mut faults = Vec::new();
        check(&BTreeMap::from(documents), &mut faults);
        assert_eq!(faults.len(), 1, "{faults:?}");
    }
}
