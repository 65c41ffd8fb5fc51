//! An SDK prepared for measurement: its installed package and the program that makes calls.

use super::language::Language;
use super::steps;
use super::toolchain::{Step, Toolchain};
use crate::live::Live;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// An SDK that is ready for measurement.
#[derive(Debug)]
pub(crate) struct Installed {
    toolchain: Toolchain,
}

impl Installed {
    /// Builds the package of an SDK and installs it. The error names the program that this machine
    /// lacks.
    pub(crate) fn make(repo: &Repo, live: &Arc<Live>, language: Language) -> Result<Self> {
        let toolchain = Toolchain::read(repo, language)?.with_context(|| format!("no SDK for {}", language.name()))?;
        if let Some(program) = toolchain.missing() {
            anyhow::bail!("this machine has no {program}");
        }
        steps::prepare_bench(repo, live, &toolchain)?;
        Ok(Self { toolchain })
    }

    /// Returns the program that calls the service at an address. The arguments are `first`, or a
    /// number of rounds and their seconds.
    pub(crate) fn program(&self, repo: &Repo, target: &str, arguments: &[&str]) -> Result<Command> {
        let words = self.toolchain.words(Step::Bench)?.last().context("a step without a command")?;
        let mut command = self.toolchain.command(repo, words)?;
        command.args(arguments).env("RIPOSTE_TARGET", target);
        Ok(command)
    }

    /// Returns the installed size in bytes: all installed files, or a program if nothing is
    /// installed.
    pub(crate) fn bytes(&self) -> Result<u64> {
        size(&self.toolchain.dir.join("bench/installed"))
    }
}

fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let kind = entry.file_type()?;
        bytes += if kind.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_as_large_as_all_in_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        fs::write(folder.path().join("a"), "12").unwrap();
        fs::write(folder.path().join("inner/b"), "345").unwrap();
        assert_eq!(size(folder.path()).unwrap(), 5);
    }

    #[test]
    fn every_sdk_has_a_program_to_measure() {
        let repo = Repo::find().unwrap();
        for language in Language::all() {
            let toolchain = Toolchain::read(&repo, language).unwrap().unwrap();
            assert!(toolchain.words(Step::Bench).unwrap().len() > 1, "{}", language.name());
        }
    }
}
