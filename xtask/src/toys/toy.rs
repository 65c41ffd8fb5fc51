//! The toys as their files describe them.

use super::patch::Change;
use crate::repo::Repo;
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::fs;

/// The folder of the toys, with a file for each.
const FOLDER: &str = "xtask/toys";
/// The file of the crate that contains the tests of all toys.
const FIXTURE: &str = "fixture";

/// One toy change.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Toy {
    /// The name of its file, which is also that of its test module.
    #[serde(skip)]
    pub(super) name: String,
    /// A sentence about what it shows.
    pub(super) about: String,
    /// The highest number of files that it may touch, as they are counted.
    #[serde(default)]
    pub(super) files: usize,
    /// The beginnings of the recipes in CONTRIBUTING.md that it follows.
    #[serde(default)]
    pub(super) recipes: Vec<String>,
    /// The test command leaves it out, if `true`.
    #[serde(default)]
    pub(super) only_full: bool,
    /// The changes, in order.
    #[serde(rename = "change")]
    pub(super) changes: Vec<Change>,
}

/// All toys.
#[derive(Debug)]
pub(super) struct Toys {
    /// In the order of their names.
    pub(super) all: Vec<Toy>,
    /// The change under every toy: the crate of their tests.
    pub(super) fixture: Toy,
}

impl Toys {
    /// Reads the toys of a workspace.
    pub(super) fn read(repo: &Repo) -> Result<Self> {
        let folder = fs::read_dir(repo.at(FOLDER)).with_context(|| format!("cannot read {FOLDER}"))?;
        let mut paths = folder.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
        paths.sort();
        let mut all = Vec::new();
        for path in paths {
            let name = path.file_stem().and_then(|name| name.to_str()).context("a toy has no name")?;
            let text = fs::read_to_string(&path)?;
            all.push(Toy::parse(name, &text).with_context(|| path.display().to_string())?);
        }
        let at = all.iter().position(|toy| toy.name == FIXTURE).context("xtask/toys has no fixture.toml")?;
        let fixture = all.remove(at);
        for toy in &all {
            ensure!(toy.files > 0 && !toy.recipes.is_empty(), "{}: it has no target or no recipe", toy.name);
        }
        Ok(Self { all, fixture })
    }

    /// Returns the toys that the test command applies together.
    pub(super) fn of_the_test_command(&self) -> Vec<&Toy> {
        self.all.iter().filter(|toy| !toy.only_full).collect()
    }

    /// Returns the toy with this name.
    pub(super) fn named(&self, name: &str) -> Result<&Toy> {
        let Some(toy) = self.all.iter().find(|toy| toy.name == name) else {
            let names = self.all.iter().map(|toy| toy.name.as_str()).collect::<Vec<_>>().join(", ");
            bail!("there is no toy {name}; the toys are {names}");
        };
        Ok(toy)
    }
}

impl Toy {
    /// Parses the file of the toy `name`.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self> {
        Ok(Self { name: name.to_owned(), ..toml::from_str(text)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_key_of_a_toy_is_an_error() {
        let toy = "about = 'It shows a change.'\nfile = 3\n[[change]]\nfile = 'a'\ncreate = 'b'\n";
        assert!(format!("{:#}", Toy::parse("a", toy).unwrap_err()).contains("unknown field `file`"));
        assert_eq!(Toy::parse("a", &toy.replace("file = 3", "files = 3")).unwrap().files, 3);
    }
}
