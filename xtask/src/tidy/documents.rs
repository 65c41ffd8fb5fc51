//! Rules for documents: they contain no paths of a particular machine, the overview of the
//! architecture stays short, the documentation has its parts, the decision records have one form,
//! the SDKs begin with the install lines of README.md, and every link leads to something.

mod decisions;
mod install;
mod links;
pub(crate) mod transcoding;

use super::Violation;
use super::machine::starts_a_path;
use std::collections::BTreeMap;

const ARCHITECTURE: &str = "ARCHITECTURE.md";
/// The largest size of the overview, in bytes.
const ARCHITECTURE_BYTES: usize = 12_288;
const OVERVIEW: &str = "docs/README.md";
/// The parts of the documentation, in order: the table by task stands before the others.
const PARTS: [&str; 5] = ["## I want to …", "## Tutorials", "## How-to guides", "## Reference", "## Explanation"];

/// The beginnings of paths that exist on one machine only.
const MACHINE: [&str; 5] = ["/root/", "/home/", "/Users/", "/tmp/", "../shared"];

/// Checks all documents, by their paths; `files` are all files of the repository.
pub(crate) fn check(documents: &BTreeMap<&str, String>, files: &[String], faults: &mut Vec<Violation>) {
    for (path, text) in documents {
        machine_paths(path, text, faults);
    }
    let text = |path| documents.get(path).map_or("", String::as_str);
    let bytes = text(ARCHITECTURE).len();
    if !(1..=ARCHITECTURE_BYTES).contains(&bytes) {
        faults.push(Violation::new(ARCHITECTURE, 0, format!("{bytes} bytes; it has 1 to {ARCHITECTURE_BYTES}")));
    }
    if !text(OVERVIEW).lines().filter(|line| line.starts_with("## ")).eq(PARTS) {
        faults.push(Violation::new(OVERVIEW, 0, format!("its parts are {}", PARTS.join(", "))));
    }
    decisions::check(documents, faults);
    install::check(documents, faults);
    links::check(documents, files, faults);
}

/// Finds paths of a machine in one document.
fn machine_paths(path: &str, text: &str, faults: &mut Vec<Violation>) {
    for (number, line) in text.lines().enumerate() {
        for place in MACHINE {
            let found = line.match_indices(place).any(|(at, _)| starts_a_path(&line[..at]));
            if found {
                faults.push(Violation::new(path, number + 1, format!("`{place}` is a path of one machine")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let mut faults = Vec::new();
        machine_paths("docs/a.md", text, &mut faults);
        faults.iter().map(|fault| fault.line).collect()
    }

    #[test]
    fn a_path_of_a_machine_is_found() {
        assert_eq!(lines(&format!("fine\nsee `{}jo/riposte`\n", MACHINE[1])), [2]);
        assert_eq!(lines("cd /tmp/x"), [1]);
        assert_eq!(lines("data in ../shared/data"), [1]);
    }

    #[test]
    fn addresses_and_paths_in_the_repository_are_left_alone() {
        assert!(lines("https://example.org/home/a server/tmp/b $DIR/home/c").is_empty());
    }

    #[test]
    fn a_long_overview_and_a_missing_part_are_found() {
        let found = |bytes: usize, overview: &str| {
            let documents = [(ARCHITECTURE, "a".repeat(bytes)), (OVERVIEW, overview.to_owned())];
            let mut faults = Vec::new();
            check(&BTreeMap::from(documents), &[], &mut faults);
            faults.into_iter().map(|fault| fault.path).collect::<Vec<_>>()
        };
        let overview = PARTS.join("\n\ntext\n\n");
        assert_eq!(found(12_288, &overview), [""; 0]);
        assert_eq!(found(12_289, &overview), [ARCHITECTURE]);
        assert_eq!(found(0, &overview), [ARCHITECTURE]);
        assert_eq!(found(1, &overview.replace("## Reference", "Reference")), [OVERVIEW]);
    }
}
