//! The checks of the Helm chart: it accepts the server's configuration, renders the golden objects,
//! and rejects the values that it must reject. Helm itself renders; this module checks everything
//! else.

mod cluster;
mod custom;
mod findings;
mod golden;
mod helm;
mod kubernetes;
mod monitoring;
mod objects;
mod patches;
mod policy;
mod rejections;
mod removed;
mod schema;
mod server;

pub(crate) use cluster::check as check_on_a_cluster;
pub(crate) use findings::Findings;
pub(crate) use helm::Helm;

use crate::live::Live;
use crate::repo::Repo;
use crate::run::run as command;
use crate::{build, tools};
use anyhow::Result;
use objects::Rendered;
use std::sync::Arc;

/// The chart.
const CHART: &str = "helm/riposte";

/// `cargo xtask chart`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write the schema of `config` and the golden renders instead of comparing them
    #[arg(long)]
    update: bool,
}

/// Builds the server, gets helm and checks everything. Returns `true` if there are no faults.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    command(live, repo.cargo(&["build", "--bin", "riposte"]).args(build::EVERYTHING))?;
    let helm = tools::helm(repo, live)?;
    let found = check(repo, live, Some(helm), args.update)?;
    found.show();
    Ok(found.faults.is_empty())
}

/// Checks everything that can be checked. Without helm that is the schema alone, and the rest is
/// reported as skipped.
///
/// # Errors
///
/// Fails when a tool fails for a reason other than the chart.
pub(crate) fn check(repo: &Repo, live: &Arc<Live>, helm: Option<std::path::PathBuf>, update: bool) -> Result<Findings> {
    let mut found = Findings::default();
    schema::check(repo, update, &mut found)?;
    monitoring::check(repo, live, &mut found)?;
    let Some(helm) = helm else {
        found.skip("the chart: helm is not on this machine; `cargo xtask test --chart` builds it");
        return Ok(found);
    };
    let helm = Helm::new(repo, helm);
    let mut examples = Vec::new();
    for name in examples_of(repo)? {
        found.judge(format!("helm lint, {name}"), helm.lint(&example(&name)));
        match helm.template(&[&example(&name)], &[]) {
            Ok(text) => examples.push(Rendered::read(&name, &text)?),
            Err(error) => found.fault(format!("{name} does not render: {error}")),
        }
    }
    golden::check(repo, &examples, update, &mut found)?;
    for rendered in &examples {
        policy::check(rendered, &mut found);
        custom::check(repo, rendered, &mut found)?;
    }
    server::check(repo, live, &examples, &mut found)?;
    kubernetes::check(repo, live, &examples, &mut found)?;
    rejections::check(repo, live, &helm, &mut found)?;
    removed::check(repo, live, &helm, &mut found)?;
    patches::check(repo, &helm, &examples, &mut found)?;
    Ok(found)
}

/// Returns the names of all examples, sorted.
fn examples_of(repo: &Repo) -> Result<Vec<String>> {
    let files = repo.files()?;
    let names = files.iter().filter_map(|path| path.strip_prefix("helm/examples/")?.strip_suffix(".yaml"));
    Ok(names.map(str::to_owned).collect())
}

/// Returns the file of an example.
fn example(name: &str) -> String {
    format!("helm/examples/{name}.yaml")
}
