//! The width of lines that no formatter limits: comments of Rust, and code and comments of the
//! Redis functions.

use super::Violation;
use super::source::Source;

const CODE: usize = 120;
const COMMENT: usize = 100;

/// Checks the lines of a Rust file that are comments; rustfmt limits the others.
pub(crate) fn rust(source: &Source, faults: &mut Vec<Violation>) {
    for (at, (line, code)) in std::iter::zip(source.text.lines(), source.code.lines()).enumerate() {
        if line.trim_start().starts_with("//") && code.trim().is_empty() {
            check(&source.path, at, line, ("comment", COMMENT), faults);
        }
    }
}

/// Checks a Lua file.
pub(crate) fn lua(path: &str, text: &str, faults: &mut Vec<Violation>) {
    for (at, line) in text.lines().enumerate() {
        let limit = if line.trim_start().starts_with("--") { ("comment", COMMENT) } else { ("line", CODE) };
        check(path, at, line, limit, faults);
    }
}

fn check(path: &str, at: usize, line: &str, (what, limit): (&str, usize), faults: &mut Vec<Violation>) {
    let width = line.chars().count();
    if width > limit {
        faults.push(Violation::new(path, at + 1, format!("a {what} of {width} columns; at most {limit}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_lua(text: &str) -> usize {
        let mut faults = Vec::new();
        lua("a.lua", text, &mut faults);
        faults.len()
    }

    fn of_rust(text: &str) -> usize {
        let mut faults = Vec::new();
        rust(&Source::new("a.rs", text.to_owned()), &mut faults);
        faults.len()
    }

    #[test]
    fn a_comment_of_lua_beyond_100_columns_and_code_beyond_120_are_found() {
        assert_eq!(of_lua(&format!("-- {}\n", "a".repeat(97))), 0);
        assert_eq!(of_lua(&format!("  -- {}\n", "a".repeat(97))), 1);
        assert_eq!(of_lua(&"a".repeat(120)), 0);
        assert_eq!(of_lua(&"a".repeat(121)), 1);
    }

    #[test]
    fn a_comment_of_rust_beyond_100_columns_is_found_and_code_is_not() {
        for mark in ["//", "///", "//!"] {
            let fits = format!("{mark} {}", "a".repeat(99 - mark.len()));
            assert_eq!((fits.len(), of_rust(&fits), of_rust(&format!("  {fits}"))), (100, 0, 1), "{mark}");
        }
        assert_eq!(of_rust(&format!("let a = \"{}\"; // why\n", "/".repeat(110))), 0);
        assert_eq!(of_rust(&format!("// {}\n", "é".repeat(97))), 0, "columns, not bytes");
    }
}
