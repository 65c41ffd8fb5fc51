//! The requirements and commands of an SDK: its plugins.toml.

use super::language::Language;
use crate::repo::Repo;
use crate::run::filtered;
use crate::tools::on_path;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The contents of plugins.toml: the generators and the steps of one SDK.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PluginsFile {
    /// The limit on the lines written by hand.
    lines_by_hand: usize,
    /// System programs without which nothing here can run.
    #[serde(default)]
    requires: Vec<String>,
    /// The commands that format rendered templates, by file extension, from standard input to
    /// standard output.
    #[serde(default)]
    format: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    plugin: Vec<Plugin>,
    #[serde(default)]
    steps: BTreeMap<Step, Vec<Vec<String>>>,
}

/// A program that buf calls.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plugin {
    /// The program.
    pub(super) name: String,
    /// The command that installs it into `{dir}`, with its version.
    pub(super) install: Vec<String>,
}

/// The steps of an SDK, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Step {
    /// Builds its packages in `{out}`.
    Build,
    /// Fetches the tools of the next two steps into `{dir}`; optional.
    Fetch,
    /// Checks the packages in `{out}` as their registry would; nothing is published.
    Check,
    /// Writes the software bill of materials of a package to `{bill}`; optional.
    Sbom,
    /// Installs a package from `{out}` and tests it.
    Test,
    /// All commands but the last install a package from `{out}` into `{dir}/bench/installed`; the
    /// last is the program to measure.
    Bench,
}

/// The plugins.toml of one SDK, with its places filled in.
#[derive(Debug)]
pub(super) struct Toolchain {
    pub(super) language: Language,
    /// The folder for its generators and other private files: `{dir}`.
    pub(super) dir: PathBuf,
    /// The folder for its packages: `{out}`.
    pub(super) out: PathBuf,
    written: PluginsFile,
}

impl Toolchain {
    /// Reads the toolchain of a language; returns `None` if the language has no SDK yet.
    pub(super) fn read(repo: &Repo, language: Language) -> Result<Option<Self>> {
        let file = format!("sdk/{}/plugins.toml", language.name());
        if !repo.at(&file).is_file() {
            return Ok(None);
        }
        let text = fs::read_to_string(repo.at(&file)).with_context(|| format!("cannot read {file}"))?;
        let written = toml::from_str(&text).with_context(|| file.clone())?;
        let dir = repo.tools(&format!("sdk/{}", language.name()));
        Ok(Some(Self { language, dir, out: repo.target().join("sdk").join(language.name()), written }))
    }

    /// Returns the folder of the SDK in the workspace.
    pub(super) fn folder(&self) -> String {
        format!("sdk/{}", self.language.name())
    }

    /// Returns the first required program that this machine lacks.
    pub(super) fn missing(&self) -> Option<&str> {
        self.written.requires.iter().find(|program| on_path(program).is_none()).map(String::as_str)
    }

    /// Returns the limit on the lines written by hand.
    pub(super) fn lines_by_hand(&self) -> usize {
        self.written.lines_by_hand
    }

    /// Returns the programs that buf calls.
    pub(super) fn plugins(&self) -> &[Plugin] {
        &self.written.plugin
    }

    /// Returns the commands of a step, which run in the folder of the SDK.
    pub(super) fn commands(&self, repo: &Repo, step: Step) -> Result<Vec<Command>> {
        self.words(step)?.iter().map(|words| self.command(repo, words)).collect()
    }

    /// Returns `true` if the SDK has a step that is optional.
    pub(super) fn has_step(&self, step: Step) -> bool {
        self.written.steps.contains_key(&step)
    }

    /// Returns the commands of a step as they are written; there is at least one.
    pub(super) fn words(&self, step: Step) -> Result<&[Vec<String>]> {
        let commands = self.written.steps.get(&step).filter(|commands| !commands.is_empty());
        let commands = commands.with_context(|| format!("{}/plugins.toml has no step {step:?}", self.folder()))?;
        Ok(commands)
    }

    /// Returns a command of plugins.toml with its places filled in. The SDK's own tools come first
    /// on its path.
    pub(super) fn command(&self, repo: &Repo, words: &[String]) -> Result<Command> {
        let words: Vec<String> = words.iter().map(|word| self.filled(word)).collect();
        let (program, arguments) = words.split_first().context("an empty command")?;
        let mut command = repo.clean(program);
        command.args(arguments).current_dir(repo.at(&self.folder())).env("PATH", self.path()?);
        Ok(command)
    }

    /// Returns `true` if the SDK's own tools contain a program.
    pub(super) fn has(&self, program: &str) -> bool {
        self.places().any(|place| place.join(program).is_file())
    }

    /// Returns the path on which the SDK's own tools come first.
    pub(super) fn path(&self) -> Result<OsString> {
        let system = std::env::var_os("PATH").unwrap_or_default();
        Ok(std::env::join_paths(self.places().chain(std::env::split_paths(&system)))?)
    }

    fn places(&self) -> impl Iterator<Item = PathBuf> {
        ["bin", "node_modules/.bin", ""].map(|place| self.dir.join(place)).into_iter()
    }

    fn filled(&self, word: &str) -> String {
        let bill = self.out.join(format!("../../sbom/riposte-sdk-{}.cdx.json", self.language.name()));
        let word = word.replace("{dir}", &self.dir.to_string_lossy()).replace("{out}", &self.out.to_string_lossy());
        word.replace("{bill}", &bill.to_string_lossy())
    }

    /// Returns a rendered file, formatted for its language.
    pub(super) fn formatted(&self, repo: &Repo, path: &str, text: String) -> Result<Vec<u8>> {
        let ending = path.rsplit('.').next().unwrap_or_default();
        let Some(words) = self.written.format.get(ending) else { return Ok(text.into_bytes()) };
        let mut command = self.command(repo, words)?;
        filtered(&mut command, text).with_context(|| path.to_owned())
    }

    /// Returns the files of the SDK that have the mark of a generator.
    pub(super) fn generated(&self, repo: &Repo) -> Result<Vec<String>> {
        let folder = self.folder() + "/";
        let mut files = repo.files()?;
        // A template contains the mark of its output.
        files.retain(|path| path.starts_with(&folder) && !path.ends_with(".j2"));
        files.retain(|path| fs::read(repo.at(path)).is_ok_and(|text| is_marked(&text)));
        Ok(files)
    }
}

/// Returns `true` if a file has the mark of a generator in its first lines.
pub(crate) fn is_marked(content: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&content[..content.len().min(600)]).into_owned();
    let marks = ["DO NOT EDIT", "@generated", "enerated by the protocol buffer compiler"];
    head.lines().take(8).any(|line| marks.iter().any(|mark| line.contains(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_file_is_known_by_its_mark() {
        assert!(is_marked(b"// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a"));
        assert!(is_marked(b"# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n"));
        assert!(!is_marked(b"package riposte\n"));
    }
}
