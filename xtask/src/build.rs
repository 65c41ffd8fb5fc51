//! The programs of the workspace, built once for all who run them.

use crate::live::Live;
use crate::repo::Repo;
use crate::run::run;
use anyhow::Result;
use std::sync::Arc;

/// What every build asks of cargo: the same, so that nothing is compiled twice. It gives the server that ships: no crate of it
/// has a feature that only tests ask for.
pub(crate) const EVERYTHING: [&str; 4] = ["--release", "--workspace", "--all-features", "--locked"];

/// Builds the server, the load programs and the rest of what can be run. With the examples, which take what tests take of
/// their dependencies, so that these are not compiled once more with less of it.
pub(crate) fn programs(repo: &Repo, live: &Arc<Live>) -> Result<()> {
    run(live, repo.cargo(&["build", "--bins", "--examples"]).args(EVERYTHING))
}
