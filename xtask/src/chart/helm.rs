//! Helm as a program: it renders, lints and refuses.

use super::CHART;
use super::kubernetes::RECENT;
use crate::repo::Repo;
use crate::run::output_of;
use anyhow::{Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where releases of the renders would be.
pub(super) const NAMESPACE: &str = "comments";

/// The program and the chart that it works on.
#[derive(Debug)]
pub(crate) struct Helm<'a> {
    repo: &'a Repo,
    program: PathBuf,
    chart: PathBuf,
    namespace: String,
}

impl<'a> Helm<'a> {
    /// On the chart of the workspace.
    pub(crate) fn new(repo: &'a Repo, program: PathBuf) -> Self {
        Self { repo, program, chart: repo.at(CHART), namespace: NAMESPACE.to_owned() }
    }

    /// On another chart.
    pub(super) fn on(&self, chart: &Path) -> Self {
        Self { chart: chart.to_owned(), program: self.program.clone(), namespace: self.namespace.clone(), ..*self }
    }

    /// For a release in another namespace.
    pub(super) fn within(&self, namespace: &str) -> Self {
        Self { namespace: namespace.to_owned(), ..self.on(&self.chart) }
    }

    /// What the chart makes of files of values and of `--set-json` arguments, or in its own words why it does not.
    pub(super) fn template(&self, values: &[&str], sets: &[&str]) -> Result<String> {
        let mut command = self.command("template");
        command.arg("riposte").arg(&self.chart).args(["--namespace", &self.namespace]);
        command.args(values.iter().flat_map(|file| ["--values", file]));
        command.args(sets.iter().flat_map(|set| ["--set-json", set]));
        output_of(&mut command).map_err(|error| anyhow!("{}", words(&error.to_string())))
    }

    /// Whether the linter has nothing to say.
    pub(super) fn lint(&self, values: &str) -> Result<()> {
        let mut command = self.command("lint");
        command.arg(&self.chart).args(["--strict", "--quiet", "--values", values]);
        output_of(&mut command).map(drop)
    }

    /// What helm does with a release of an example on a cluster.
    pub(super) fn on_cluster(&self, verb: &str, kubeconfig: &Path) -> Command {
        let mut command = self.alone(verb);
        command.args(["riposte", "--namespace", &self.namespace]).env("KUBECONFIG", kubeconfig);
        if verb != "uninstall" {
            command.arg(&self.chart);
        }
        command
    }

    /// Helm for a cluster that is not there: built by Go, it takes an old one for granted.
    fn command(&self, verb: &str) -> Command {
        let mut command = self.alone(verb);
        command.args(["--kube-version", RECENT]);
        command
    }

    /// Helm with nobody's settings.
    fn alone(&self, verb: &str) -> Command {
        let mut command = self.repo.command(&self.program);
        command.arg(verb).env_remove("HELM_NAMESPACE").env_remove("KUBECONFIG").env("HELM_PLUGINS", "/nonexistent");
        command
    }
}

/// What helm said, without the command line before it.
fn words(error: &str) -> String {
    error.split_once("Error: ").map_or(error, |(_, words)| words).trim().to_owned()
}
