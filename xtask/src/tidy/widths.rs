//! The width of lines that no formatter limits: code and comments of the Redis functions.

use super::Violation;

const CODE: usize = 120;
const COMMENT: usize = 100;

/// Checks a Lua file.
pub(crate) fn check(path: &str, text: &str, faults: &mut Vec<Violation>) {
    for (at, line) in text.lines().enumerate() {
        let (what, limit) = if line.trim_start().starts_with("--") { ("comment", COMMENT) } else { ("line", CODE) };
        let width = line.chars().count();
        if width > limit {
            faults.push(Violation::new(path, at + 1, format!("a {what} of {width} columns; at most {limit}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> usize {
        let mut faults = Vec::new();
        check("a.lua", text, &mut faults);
        faults.len()
    }

    #[test]
    fn a_comment_beyond_100_columns_and_code_beyond_120_are_found() {
        assert_eq!(faults(&format!("-- {}\n", "a".repeat(97))), 0);
        assert_eq!(faults(&format!("  -- {}\n", "a".repeat(97))), 1);
        assert_eq!(faults(&"a".repeat(120)), 0);
        assert_eq!(faults(&"a".repeat(121)), 1);
    }
}
