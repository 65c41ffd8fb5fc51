//! Helm as a program, used to render, to lint and to test rejections.

use super::CHART;
use super::kubernetes::RECENT;
use crate::repo::Repo;
use crate::run::output_of;
use anyhow::{Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The namespace of the rendered releases.
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
    /// Returns helm with the workspace's chart.
    pub(crate) fn new(repo: &'a Repo, program: PathBuf) -> Self {
        Self { repo, program, chart: repo.at(CHART), namespace: NAMESPACE.to_owned() }
    }

    /// Returns helm with another chart.
    pub(super) fn on(&self, chart: &Path) -> Self {
        Self { chart: chart.to_owned(), program: self.program.clone(), namespace: self.namespace.clone(), ..*self }
    }

    /// Returns helm for a release in another namespace.
    pub(super) fn within(&self, namespace: &str) -> Self {
        Self { namespace: namespace.to_owned(), ..self.on(&self.chart) }
    }

    /// Renders the chart with files of values and `--set-json` arguments. An error has helm's own
    /// message.
    pub(super) fn template(&self, values: &[&str], sets: &[&str]) -> Result<String> {
        let mut command = self.command("template");
        command.arg("riposte").arg(&self.chart).args(["--namespace", &self.namespace]);
        command.args(values.iter().flat_map(|file| ["--values", file]));
        command.args(sets.iter().flat_map(|set| ["--set-json", set]));
        output_of(&mut command).map_err(|error| anyhow!("{}", words(&error.to_string())))
    }

    /// Fails if the linter reports anything.
    pub(super) fn lint(&self, values: &str) -> Result<()> {
        let mut command = self.command("lint");
        command.arg(&self.chart).args(["--strict", "--quiet", "--values", values]);
        output_of(&mut command).map(drop)
    }

    /// Returns a helm command for the release of an example on a cluster.
    pub(super) fn on_cluster(&self, verb: &str, kubeconfig: &Path) -> Command {
        let mut command = self.alone(verb);
        command.args(["riposte", "--namespace", &self.namespace]).env("KUBECONFIG", kubeconfig);
        if verb != "uninstall" {
            command.arg(&self.chart);
        }
        command
    }

    /// Returns a helm command without a cluster. Helm built by Go assumes an old cluster version,
    /// so the command names one.
    fn command(&self, verb: &str) -> Command {
        let mut command = self.alone(verb);
        command.args(["--kube-version", RECENT]);
        command
    }

    /// Returns a helm command without any user's settings.
    fn alone(&self, verb: &str) -> Command {
        let mut command = self.repo.command(&self.program);
        command.arg(verb).env_remove("HELM_NAMESPACE").env_remove("KUBECONFIG").env("HELM_PLUGINS", "/nonexistent");
        command
    }
}

/// Returns helm's message without the command line before it.
fn words(error: &str) -> String {
    error.split_once("Error: ").map_or(error, |(_, words)| words).trim().to_owned()
}
