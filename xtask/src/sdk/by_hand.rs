//! The amount of hand-written code of each SDK, counted by one rule.
//!
//! The count includes every line of the shipped code (client, and server for tests) that is neither
//! blank nor a comment. It excludes files with the mark of a generator, and tests, benchmarks,
//! examples and the build of the package.

use super::language::Language;
use super::toolchain::{Toolchain, is_marked};
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::fs;

/// Folders whose files are not shipped, and the folder of Java's generated code, of which some
/// files have no mark.
const APART: [&str; 8] = ["tests", "test", "bench", "examples", "plugins", "templates", "node_modules", "java-gen"];

/// The lines of one SDK and their limit: its plugins.toml has the reason if the limit is above 500.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByHand {
    pub(crate) language: Language,
    pub(crate) lines: usize,
    pub(crate) limit: usize,
}

/// Counts all SDKs.
pub(crate) fn count(repo: &Repo) -> Result<Vec<ByHand>> {
    let files = repo.files()?;
    let mut counts = Vec::new();
    for language in Language::all() {
        let Some(toolchain) = Toolchain::read(repo, language)? else { continue };
        let mut lines = 0;
        for path in files.iter().filter(|path| is_counted(language, path)) {
            let text = fs::read_to_string(repo.at(path)).with_context(|| format!("cannot read {path}"))?;
            lines += if is_marked(text.as_bytes()) { 0 } else { lines_of(language, &text) };
        }
        counts.push(ByHand { language, lines, limit: toolchain.lines_by_hand() });
    }
    Ok(counts)
}

/// Returns `true` if a path of the workspace is a shipped source of the SDK.
fn is_counted(language: Language, path: &str) -> bool {
    let Some(rest) = path.strip_prefix("sdk/").and_then(|rest| rest.strip_prefix(language.name())) else {
        return false;
    };
    let Some(rest) = rest.strip_prefix('/') else { return false };
    let folders = rest.rsplit_once('/').map_or("", |(folders, _)| folders);
    let (ending, test) = match language {
        Language::Rust => (".rs", "/tests.rs"),
        Language::Go => (".go", "_test.go"),
        Language::Java => (".java", "Test.java"),
        Language::Python => (".py", "_test.py"),
        Language::Typescript => (".ts", ".test.ts"),
    };
    rest.ends_with(ending) && !rest.ends_with(test) && !folders.split('/').any(|folder| APART.contains(&folder))
}

/// Returns the number of lines that are neither blank nor a comment, and in Rust are no part of the
/// tests at the end of the file.
pub(crate) fn lines_of(language: Language, text: &str) -> usize {
    let production = match language {
        Language::Rust => text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or(text),
        Language::Go | Language::Java | Language::Python | Language::Typescript => text,
    };
    let (line, open, close) = if language == Language::Python { ("#", "\"\"\"", "\"\"\"") } else { ("//", "/*", "*/") };
    let (mut lines, mut within) = (0, false);
    for text in production.lines().map(str::trim) {
        let opens = !within && text.starts_with(open);
        if within || opens {
            let rest = if opens { &text[open.len()..] } else { text };
            within = !rest.contains(close);
        } else if !text.is_empty() && !text.starts_with(line) {
            lines += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blanks_and_tests_are_no_lines() {
        let rust = "//! What.\nuse a;\n\n/// Does.\nfn f() {} // here\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n";
        assert_eq!(lines_of(Language::Rust, rust), 2);
        let java = "/**\n * What.\n */\nclass A {\n  /** One. */\n  int a;\n}\n";
        assert_eq!(lines_of(Language::Java, java), 3);
        let python = "\"\"\"What.\n\nMore.\"\"\"\nclass A:\n    \"\"\"One.\"\"\"\n    # Why.\n    a = \"\"\"b\"\"\"\n";
        assert_eq!(lines_of(Language::Python, python), 2);
    }

    #[test]
    fn only_shipped_files_are_counted() {
        for path in ["sdk/go/client.go", "sdk/go/internal/a.go"] {
            assert!(is_counted(Language::Go, path), "{path}");
        }
        for path in ["sdk/go/error_test.go", "sdk/go/tests/pack/main.go", "sdk/go/go.mod", "sdk/rust/src/dev.rs"] {
            assert!(!is_counted(Language::Go, path), "{path}");
        }
    }

    #[test]
    fn every_sdk_has_lines_and_a_limit() {
        let counts = count(&Repo::find().unwrap()).unwrap();
        assert_eq!(counts.len(), Language::all().len());
        assert!(counts.iter().all(|found| found.lines > 100 && found.limit >= 500), "{counts:?}");
    }
}
