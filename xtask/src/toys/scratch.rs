//! The files of the working tree with the changes of toys, below cargo's build directory.

use super::tree::Tree;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The tree on disk. The next one replaces it; equal files stay, so that cargo does not compile an
/// unchanged crate again.
#[derive(Debug)]
pub(super) struct ScratchTree(Repo);

impl ScratchTree {
    /// Writes the files of a workspace and the changes.
    pub(super) fn make(repo: &Repo, tree: &Tree) -> Result<Self> {
        let folder = repo.target().join("toys/src");
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let scratch = Repo::of(folder.clone(), repo.target().join("toys/target"));
        if !folder.join(".git").exists() {
            // The generators take the list of files from git.
            scratch.git(&["init", "--quiet"])?;
        }
        share_tools(repo, &folder)?;
        let mut files: BTreeSet<String> = repo.files()?.into_iter().collect();
        for path in &files {
            let from = repo.at(path);
            write(&folder.join(path), &fs::read(&from).with_context(|| from.display().to_string())?, &from)?;
        }
        for (path, text) in tree.changed() {
            write(&folder.join(path), text.as_bytes(), &folder)?;
            files.insert(path.clone());
        }
        for path in scratch.files()? {
            if !files.contains(&path) {
                fs::remove_file(folder.join(&path)).with_context(|| path.clone())?;
            }
        }
        Ok(Self(scratch))
    }

    /// Returns the tree as a workspace.
    pub(super) fn repo(&self) -> &Repo {
        &self.0
    }

    /// Returns a cargo command that runs in the tree, with the build directory of `repo`. The
    /// crates of the tree have other file names there than those of `repo`, and dependencies are
    /// shared.
    pub(super) fn cargo(&self, repo: &Repo, arguments: &[&str]) -> Command {
        let mut command = self.0.cargo(arguments);
        // The lock file lacks the crate of the fixture.
        command.arg("--offline").env("CARGO_TARGET_DIR", repo.target());
        command
    }

    /// Returns the names of the packages of the scratch.
    pub(super) fn packages(&self) -> Result<Vec<String>> {
        let manifest = |folder: &str| -> Result<toml::Table> {
            let path = self.0.at(folder).join("Cargo.toml");
            Ok(fs::read_to_string(&path).with_context(|| path.display().to_string())?.parse()?)
        };
        let root = manifest("")?;
        let members = root.get("workspace").and_then(|workspace| workspace.get("members"));
        let members = members.and_then(toml::Value::as_array).context("Cargo.toml has no members")?;
        let name = |member: &toml::Value| {
            let member = manifest(member.as_str().context("a member is not a text")?)?;
            let name = member.get("package").and_then(|package| package.get("name")).and_then(toml::Value::as_str);
            name.map(str::to_owned).context("a package has no name")
        };
        members.iter().map(name).collect()
    }
}

/// Lets the tree use the tools of `repo`.
fn share_tools(repo: &Repo, folder: &Path) -> Result<()> {
    let (tools, link) = (repo.tools(""), folder.join(".tools"));
    fs::create_dir_all(&tools)?;
    if fs::read_link(&link).ok().as_deref() != Some(tools.as_path()) {
        drop(fs::remove_file(&link));
        std::os::unix::fs::symlink(&tools, &link).with_context(|| link.display().to_string())?;
    }
    Ok(())
}

/// Writes a file unless it has this content already, with the permissions of the file `like`.
fn write(path: &Path, content: &[u8], like: &Path) -> Result<()> {
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    let fault = || path.display().to_string();
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(fault)?;
    }
    fs::write(path, content).with_context(fault)?;
    if like.is_file() {
        fs::set_permissions(path, fs::metadata(like)?.permissions()).with_context(fault)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toys::toy::Toy;

    #[test]
    fn a_scratch_tree_has_the_files_of_the_tree_with_the_changes_and_no_others() {
        let (tree, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let repo = Repo::of(tree.path().to_owned(), target.path().to_owned());
        repo.git(&["init", "--quiet"]).unwrap();
        fs::create_dir(tree.path().join("a")).unwrap();
        fs::write(repo.at("Cargo.toml"), "workspace.members = ['a']\n").unwrap();
        fs::write(repo.at("a/Cargo.toml"), "package.name = 'alpha'\n").unwrap();
        fs::write(repo.at("a/old.rs"), "fn old() {}\n").unwrap();
        let scratch = ScratchTree::make(&repo, &Tree::of(repo.at(""))).unwrap();
        assert_eq!(scratch.repo().files().unwrap(), ["Cargo.toml", "a/Cargo.toml", "a/old.rs"]);
        assert_eq!(scratch.packages().unwrap(), ["alpha"]);

        let toy = "about = 'x'\n[[change]]\nfile = 'a/new.rs'\ncreate = 'fn new() {}'\n";
        let mut changed = Tree::of(repo.at(""));
        changed.apply(&Toy::parse("sample", toy).unwrap()).unwrap();
        fs::remove_file(repo.at("a/old.rs")).unwrap();
        let scratch = ScratchTree::make(&repo, &changed).unwrap();
        assert_eq!(scratch.repo().files().unwrap(), ["Cargo.toml", "a/Cargo.toml", "a/new.rs"]);
        assert!(!repo.at("a/new.rs").exists());
    }
}
