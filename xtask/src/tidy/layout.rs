//! The positions and names of modules.

use super::Violation;
use super::source::{Source, line_of, words};

/// Names that do not describe the contents.
const EMPTY_NAMES: [&str; 6] = ["util", "utils", "common", "misc", "manager", "managers"];

/// Checks the name and the order of one file.
pub(crate) fn check(source: &Source, faults: &mut Vec<Violation>) {
    let path = &source.path;
    if path.ends_with("/mod.rs") {
        faults.push(Violation::new(path, 0, "a module `foo` is foo.rs beside foo/, never foo/mod.rs"));
    }
    let parts = path.trim_end_matches(".rs").split('/');
    if let Some(name) = parts.into_iter().find(|part| EMPTY_NAMES.contains(part)) {
        faults.push(Violation::new(path, 0, format!("`{name}` says nothing: name what the module is about")));
    }
    for name in EMPTY_NAMES {
        for at in words(&source.code, &format!("mod {name}")) {
            faults.push(Violation::new(path, line_of(&source.code, at), format!("a module called `{name}`")));
        }
    }
    order(source, faults);
    promise(source, faults);
}

/// Checks that `mod` lines stand before `use` lines: a file opens with its map.
fn order(source: &Source, faults: &mut Vec<Violation>) {
    let mut used = false;
    for (number, line) in source.production.lines().enumerate() {
        let item = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub ")).unwrap_or(line);
        used |= item.starts_with("use ");
        if used && item.starts_with("mod ") && item.trim_end().ends_with(';') {
            faults.push(Violation::new(&source.path, number + 1, "`mod` lines stand before `use` lines"));
        }
    }
}

/// Checks that each crate root says what its crate must never do.
fn promise(source: &Source, faults: &mut Vec<Violation>) {
    let root = source.path.ends_with("/src/lib.rs") || source.path == "xtask/src/main.rs";
    let documented = source.text.lines().take_while(|line| line.starts_with("//!")).collect::<Vec<_>>().join(" ");
    if root && !documented.contains("This crate must never") {
        faults.push(Violation::new(&source.path, 1, "a crate root says: This crate must never …"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> usize {
        let mut faults = Vec::new();
        check(&Source::new(path, text.to_owned()), &mut faults);
        faults.len()
    }

    #[test]
    fn wrong_layouts_are_found() {
        assert_eq!(faults("server/grpc/src/mod.rs", ""), 1);
        assert_eq!(faults("server/src/utils.rs", ""), 1);
        assert_eq!(faults("server/src/common/ids.rs", ""), 1);
        assert_eq!(faults("server/src/app.rs", "mod misc {}"), 1);
        assert_eq!(faults("server/src/app.rs", "use std::fmt;\nmod shard;\n"), 1);
        assert_eq!(faults("server/store/src/lib.rs", "//! The store.\n"), 1);
    }

    #[test]
    fn a_tidy_file_is_left_alone() {
        let text = "//! This crate must never block.\nmod shard;\nuse std::fmt;\n#[cfg(test)]\nmod tests;\n";
        assert_eq!(faults("server/store/src/lib.rs", text), 0);
    }
}
