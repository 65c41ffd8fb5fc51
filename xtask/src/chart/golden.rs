//! Golden renders: the exact objects of each example, so that a change of the chart shows as a
//! change of objects.

use super::findings::Findings;
use super::objects::Rendered;
use crate::repo::Repo;
use anyhow::{Result, anyhow};
use std::fs;

const FOLDER: &str = "helm/golden";

/// Compares every example with its golden render, or writes the render. A render without an example
/// is also a fault.
pub(super) fn check(repo: &Repo, examples: &[Rendered], update: bool, found: &mut Findings) -> Result<()> {
    let known: Vec<String> = examples.iter().map(|rendered| format!("{FOLDER}/{}.yaml", rendered.name)).collect();
    for (rendered, path) in examples.iter().zip(&known) {
        let text = rendered.text()?;
        if update {
            fs::create_dir_all(repo.at(FOLDER))?;
            fs::write(repo.at(path), &text)?;
        }
        let golden = fs::read_to_string(repo.at(path)).unwrap_or_default();
        found.judge(path, same(&golden, &text));
    }
    for path in repo.files()?.iter().filter(|path| path.starts_with(FOLDER) && !known.contains(path)) {
        if !examples.is_empty() {
            found.fault(format!("{path}: no example renders it any more"));
        }
    }
    Ok(())
}

/// Fails with the first differing line unless both texts are the same.
fn same(golden: &str, rendered: &str) -> Result<()> {
    if golden == rendered {
        return Ok(());
    }
    let mut lines = golden.lines().zip(rendered.lines()).enumerate().filter(|(_, (old, new))| old != new);
    let (line, old, new) = match lines.next() {
        Some((place, (old, new))) => (place + 1, old, new),
        None => (golden.lines().count().min(rendered.lines().count()) + 1, "the end", "more or less"),
    };
    Err(anyhow!("differs from line {line} on: {old:?} became {new:?}; `cargo xtask chart --update` writes it anew"))
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert!(same("a\nb\n", "a\nb\n").is_ok());
        let message = same("a\nb\n", "a\nc\n").unwrap_err().to_string();
        assert!(message.contains("line 2") && message.contains("\"b\" became \"c\""), "{message}");
        assert!(same("a\n", "a\nb\n").unwrap_err().to_string().contains("line 2"));
    }
}
