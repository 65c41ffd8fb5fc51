//! The width of lines that no formatter limits: comments of hand-written files, and the code of the
//! Redis functions.

use super::Violation;
use super::source::Source;
use crate::sdk;

const CODE: usize = 120;
const COMMENT: usize = 100;

/// The marks of comments in one kind of file.
#[derive(Debug, Clone, Copy)]
struct Syntax {
    /// The mark of a comment that ends with its line.
    line: &'static str,
    /// The marks around a comment of several lines; the first begins a line.
    delimited: Option<(&'static str, &'static str)>,
}

impl Syntax {
    /// Returns the marks of a file by the end of its name, if its comments are checked. Rust and
    /// Lua have checks of their own.
    fn of(path: &str) -> Option<Self> {
        let (line, delimited) = match path.rsplit_once('.')?.1 {
            "proto" | "go" | "java" | "js" | "ts" => ("//", Some(("/*", "*/"))),
            "sh" | "toml" | "yaml" | "yml" => ("#", None),
            "py" => ("#", Some(("\"\"\"", "\"\"\""))),
            "tpl" => ("#", Some(("{{/*", "*/"))),
            _ => return None,
        };
        Some(Self { line, delimited })
    }

    /// Returns the mark that ends the comment which this line begins.
    fn end_of_delimited(self, line: &str) -> Option<(&str, &'static str)> {
        let (begin, end) = self.delimited?;
        let line = line.trim_start();
        // A template may trim the blanks before a comment.
        let rest = line.strip_prefix(begin).or_else(|| line.strip_prefix("{{- /*").filter(|_| begin == "{{/*"))?;
        Some((rest, end))
    }
}

/// Checks the lines of a Rust file that are comments or end with one; rustfmt limits the others.
pub(crate) fn rust(source: &Source, faults: &mut Vec<Violation>) {
    for (at, (line, code)) in std::iter::zip(source.text.lines(), source.code.lines()).enumerate() {
        if line.get(code.trim_end().len()..).is_some_and(|rest| rest.trim_start().starts_with("//")) {
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

/// Returns `true` if the comments of a file are checked by [`comments`].
pub(crate) fn has_comments(path: &str) -> bool {
    Syntax::of(path).is_some()
}

/// Checks the comments of a hand-written file of another kind.
pub(crate) fn comments(path: &str, text: &str, faults: &mut Vec<Violation>) {
    let Some(syntax) = Syntax::of(path).filter(|_| !is_generated(path, text)) else { return };
    let mut end = None;
    for (at, line) in text.lines().enumerate() {
        let opened = if end.is_none() { syntax.end_of_delimited(line) } else { None };
        let is_comment = end.is_some() || opened.is_some() || has_line_comment(line, syntax.line);
        let rest = opened.map_or(line, |(rest, _)| rest);
        end = end.or(opened.map(|(_, end)| end)).filter(|end| !rest.contains(end));
        if is_comment {
            check(path, at, line, ("comment", COMMENT), faults);
        }
    }
}

/// Returns `true` for the output of a generator and for a stored output that a test compares. Some
/// of the generated files of Java have no mark.
fn is_generated(path: &str, text: &str) -> bool {
    path.contains("/java-gen/") || path.contains("/golden/") || sdk::is_marked(text.as_bytes())
}

/// Returns `true` if the mark begins the line, or follows a blank outside of quotes.
fn has_line_comment(line: &str, mark: &str) -> bool {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open && before != '\\' => quote = None,
            Some(_) => {}
            None if line[at..].starts_with(mark) && before.is_whitespace() => return true,
            None if "\"`".contains(c) || c == '\'' && !before.is_alphanumeric() => quote = Some(c),
            None => {}
        }
        before = c;
    }
    false
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

    /// Returns the lines with faults.
    fn lines(path: &str, text: &str) -> Vec<usize> {
        let mut faults = Vec::new();
        comments(path, text, &mut faults);
        faults.iter().map(|fault| fault.line).collect()
    }

    /// Returns a line of this many columns that begins with a text.
    fn line(begin: &str, columns: usize) -> String {
        format!("{begin}{}\n", "a".repeat(columns - begin.len()))
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
        assert_eq!(of_rust(&format!("let a = \"{}\";\n", "/".repeat(110))), 0);
        assert_eq!(of_rust(&format!("let a = \"{}\"; // why\n", "/".repeat(110))), 1, "behind code");
        assert_eq!(of_rust(&format!("// {}\n", "é".repeat(97))), 0, "columns, not bytes");
    }

    #[test]
    fn a_comment_beyond_100_columns_is_found_in_every_kind_of_file() {
        for ending in ["proto", "go", "java", "js", "ts"] {
            let path = format!("sdk/a.{ending}");
            for begin in ["// ", "  /** ", "let a; // "] {
                assert!(lines(&path, &line(begin, 100)).is_empty(), "{path}: {begin}");
                assert_eq!(lines(&path, &line(begin, 101)), [1], "{path}: {begin}");
            }
            let delimited = ["/**\n".to_owned(), line(" * ", 101), " */\n".to_owned(), line("let a = ", 101)];
            assert_eq!(lines(&path, &delimited.concat()), [2], "{path}");
            assert!(lines(&path, &line("let a = \"http://", 101)).is_empty(), "{path}: code");
        }
        for ending in ["sh", "toml", "yaml", "yml", "py", "tpl"] {
            let path = format!("a.{ending}");
            for begin in ["# ", "  # ", "a: 'b' # "] {
                assert!(lines(&path, &line(begin, 100)).is_empty(), "{path}: {begin}");
                assert_eq!(lines(&path, &line(begin, 101)), [1], "{path}: {begin}");
            }
            assert!(lines(&path, &line("a: \" # ", 101)).is_empty(), "{path}: a text");
        }
    }

    #[test]
    fn a_comment_in_a_docstring_or_in_a_template_is_found() {
        let docstring = ["    \"\"\"A name.\n".to_owned(), line("    ", 101), "    end.\"\"\"\n".to_owned()];
        assert_eq!(lines("a.py", &[docstring.concat(), line("a = ", 101)].concat()), [2]);
        assert_eq!(lines("a.py", &format!("\"\"\"One line.\"\"\"\n{}", line("a = ", 101))), [0; 0]);
        for begin in ["{{/* ", "{{- /* "] {
            let text = [line(begin, 101), line("     ", 101), "end */}}\n".to_owned(), line("a: ", 101)];
            assert_eq!(lines("a.tpl", &text.concat()), [1, 2], "{begin}");
        }
    }

    #[test]
    fn generated_and_stored_files_and_other_kinds_are_left_alone() {
        let wide = line("# ", 101);
        assert!(lines("a.yaml", &format!("# @generated\n{wide}")).is_empty());
        assert!(lines("server/src/config/golden/a.toml", &wide).is_empty());
        assert!(lines("sdk/java/client/src/main/java-gen/A.java", &line("// ", 101)).is_empty());
        assert!(lines("a.md", &wide).is_empty() && !has_comments("a.md"));
    }
}
