//! The files and folders at the top of the repository: a fixed list, so that a new one is a
//! decision, and no note or log gets there by mistake.

use super::Violation;
use std::collections::BTreeSet;

/// The names of all entries; a folder has a slash at its end.
const ENTRIES: [&str; 35] = [
    ".cargo/",
    ".ci/",
    ".dockerignore",
    ".gitattributes",
    ".github/",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "Dockerfile",
    "LICENSE",
    "README.md",
    "README.zh-CN.md",
    "SECURITY.md",
    "SUPPORT.md",
    "UPGRADING.md",
    "bench/",
    "buf.yaml",
    "clippy.toml",
    "compose.yaml",
    "deny.toml",
    "deploy/",
    "docs/",
    "examples/",
    "helm/",
    "migrations/",
    "proto/",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "sdk/",
    "server/",
    "tests/",
    "xtask/",
];

/// Compares the list with the files of the repository, in both directions.
pub(crate) fn check(files: &[String], faults: &mut Vec<Violation>) {
    let found: BTreeSet<&str> =
        files.iter().map(|path| &path[..path.find('/').map_or(path.len(), |at| at + 1)]).collect();
    for entry in &found {
        if !ENTRIES.contains(entry) {
            let what =
                "the top folder has a fixed list: move it into a folder, or add it to xtask/src/tidy/top_folder.rs";
            faults.push(Violation::new(entry, 0, what));
        }
    }
    for entry in ENTRIES.iter().filter(|entry| !found.contains(*entry)) {
        faults.push(Violation::new(entry, 0, "stands in the list of the top folder, and does not exist"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(change: impl FnOnce(&mut Vec<String>)) -> Vec<String> {
        let file = |entry: &&str| if entry.ends_with('/') { format!("{entry}a/b.rs") } else { (*entry).to_owned() };
        let mut files: Vec<String> = ENTRIES.iter().map(file).collect();
        change(&mut files);
        let mut faults = Vec::new();
        check(&files, &mut faults);
        faults.into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn a_new_entry_and_a_lost_one_are_found() {
        assert_eq!(faults(|_| ()), [""; 0]);
        assert_eq!(faults(|files| files.push("notes.md".into())), ["notes.md"]);
        assert_eq!(faults(|files| files.push("scratch/a.rs".into())), ["scratch/"]);
        assert_eq!(faults(|files| files.retain(|file| file != "deny.toml")), ["deny.toml"]);
        assert_eq!(faults(|files| files.retain(|file| !file.starts_with("helm/"))), ["helm/"]);
    }
}
