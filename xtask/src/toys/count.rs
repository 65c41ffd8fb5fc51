//! The number of files that a change touches, as STYLE.md counts them: files written by hand,
//! without tests, whose change is more than `mod`, `use` and `pub use` lines. A resource and its
//! service in proto/ are one file.

use crate::tidy::source::is_test_file;
use std::collections::BTreeSet;

/// Folders of tests in addition to those with the name `tests`.
const OF_TESTS: [&str; 1] = ["server/conformance/"];

/// One file before and after a change. It is `None` before if the change creates it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileChange<'a> {
    pub(super) path: &'a str,
    pub(super) before: Option<&'a str>,
    pub(super) after: &'a str,
}

/// Returns the files that count, in order.
pub(super) fn touched<'a>(changes: impl IntoIterator<Item = FileChange<'a>>) -> BTreeSet<String> {
    let counted = changes.into_iter().filter(FileChange::counts);
    let mut files: BTreeSet<String> = counted.map(|change| change.path.to_owned()).collect();
    // The service of a resource that changes too is no file of its own.
    let resources = files.clone();
    files.retain(|path| {
        path.strip_suffix("_service.proto").is_none_or(|name| !resources.contains(&format!("{name}.proto")))
    });
    files
}

impl FileChange<'_> {
    fn counts(&self) -> bool {
        let is_test = is_test_file(self.path) || OF_TESTS.iter().any(|folder| self.path.starts_with(folder));
        !is_test && substance(self.path, self.before.unwrap_or_default()) != substance(self.path, self.after)
    }
}

/// Returns the lines of a file without blank lines and, in Rust, without `mod` and `use` items.
fn substance<'t>(path: &str, text: &'t str) -> Vec<&'t str> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    if !path.ends_with(".rs") {
        return lines.collect();
    }
    let mut within_use = false;
    lines
        .filter(|line| {
            let is_import = within_use || is_item(line, "use");
            within_use = is_import && !line.trim_end().ends_with(';');
            !(is_import || is_item(line, "mod") && line.trim_end().ends_with(';'))
        })
        .collect()
}

/// Returns `true` if an item with this keyword begins in the line, at any visibility.
fn is_item(line: &str, keyword: &str) -> bool {
    let line = line.trim_start();
    let item = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')').map_or(rest, |(_, rest)| rest),
        Some(rest) => rest,
        None => line,
    };
    item.trim_start().strip_prefix(keyword).is_some_and(|rest| rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(changes: &[(&str, Option<&str>, &str)]) -> Vec<String> {
        let changes = changes.iter().map(|&(path, before, after)| FileChange { path, before, after });
        touched(changes).into_iter().collect()
    }

    #[test]
    fn lines_that_only_name_modules_do_not_count() {
        let before = "//! A module.\n\nmod a;\n\nuse x::{\n    a,\n};\npub(crate) use a::A;\n\nfn f() {}\n";
        let named = before.replace("mod a;", "mod a;\npub mod b;").replace("    a,\n", "    a, b,\n    c,\n");
        let named = named.replace("use a::A;", "use a::A;\npub use b::B;");
        assert_eq!(counted(&[("server/src/x.rs", Some(before), &named)]), Vec::<String>::new());
        for more in ["//! A module.\n//! More.", "mod a {\n}", "fn f() {}\nfn g() {}", "used();"] {
            let changed = format!("{before}{more}\n");
            assert_eq!(counted(&[("server/src/x.rs", Some(before), &changed)]), ["server/src/x.rs"], "{more}");
        }
    }

    #[test]
    fn tests_do_not_count_and_other_new_files_do() {
        let new = ["server/core/src/tests.rs", "server/grpc/src/parse/tests/x.rs", "tests/src/rank.rs"];
        let new = new.into_iter().chain([
            "server/conformance/src/model.rs",
            "server/core/src/x.rs",
            "migrations/steps/a.yaml",
        ]);
        let new: Vec<_> = new.map(|path| (path, None, "text\n")).collect();
        assert_eq!(counted(&new), ["migrations/steps/a.yaml", "server/core/src/x.rs"]);
    }

    #[test]
    fn a_resource_and_its_service_are_one_file() {
        let both = [
            ("proto/riposte/v1/like.proto", Some("a\n"), "b\n"),
            ("proto/riposte/v1/like_service.proto", Some("a\n"), "b\n"),
        ];
        assert_eq!(counted(&both), ["proto/riposte/v1/like.proto"]);
        assert_eq!(counted(&both[1..]), ["proto/riposte/v1/like_service.proto"]);
    }
}
