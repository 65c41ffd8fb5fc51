//! Generated files: compared with the working tree, then written or reported.

use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The output of generation: files with their content, and stale files, by their paths in the
/// workspace.
#[derive(Debug, Default)]
pub(crate) struct Files {
    made: BTreeMap<String, Vec<u8>>,
    stale: BTreeSet<String>,
}

impl Files {
    /// Adds a file. Fails if another generator makes it too.
    pub(crate) fn add(&mut self, path: String, content: impl Into<Vec<u8>>) -> Result<()> {
        ensure!(!self.made.contains_key(&path), "{path} is generated twice");
        self.made.insert(path, content.into());
        Ok(())
    }

    /// Marks those of the paths as stale that no generator makes.
    pub(crate) fn only(&mut self, existing: impl IntoIterator<Item = String>) {
        let made = &self.made;
        self.stale.extend(existing.into_iter().filter(|path| !made.contains_key(path)));
    }

    /// Marks the files of a folder of generated code as stale that no generator makes.
    pub(crate) fn only_in(&mut self, repo: &Repo, folder: &str) {
        let entries = fs::read_dir(repo.at(folder)).into_iter().flatten().flatten();
        let entries = entries.filter(|entry| entry.path().is_file());
        self.only(entries.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy())));
    }

    /// Writes the files that differ and removes those that are stale. With `check` it changes
    /// nothing and fails with their names.
    pub(crate) fn write_or_check(&self, repo: &Repo, check: bool) -> Result<()> {
        let differs = |path: &str, content: &[u8]| fs::read(repo.at(path)).ok().as_deref() != Some(content);
        let changed: Vec<_> = self.made.iter().filter(|(path, content)| differs(path, content)).collect();
        let names: Vec<&str> = changed.iter().map(|(path, _)| *path).chain(&self.stale).map(String::as_str).collect();
        if check {
            let message = "run `cargo xtask gen`: these files are not what is generated";
            ensure!(names.is_empty(), "{message}: {}", names.join(", "));
            return Ok(());
        }
        for (path, content) in &changed {
            let path = repo.at(path);
            fs::create_dir_all(path.parent().context("a generated file has no folder")?)?;
            fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
        }
        for path in &self.stale {
            fs::remove_file(repo.at(path)).with_context(|| format!("cannot remove {path}"))?;
        }
        names.iter().for_each(|name| println!("changed {name}"));
        Ok(())
    }
}
