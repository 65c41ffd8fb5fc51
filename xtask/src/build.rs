//! The programs of the workspace, built once for all uses.

use crate::live::Live;
use crate::repo::Repo;
use crate::run::run;
use anyhow::Result;
use std::sync::Arc;

/// The cargo arguments of every build. They are the same everywhere, so that nothing is compiled
/// twice. The server is byte for byte the output of `cargo build --release`: no crate takes a
/// feature here that it does not take there. The task runner is left out for that reason: it shares
/// dependencies with the server and enables more of their features.
pub(crate) const EVERYTHING: [&str; 5] = ["--release", "--workspace", "--exclude", "xtask", "--locked"];

/// The cargo arguments of a build of what ships.
pub(crate) const EVERYTHING_SHIPPED: [&str; 6] = ["--profile", "dist", "--workspace", "--exclude", "xtask", "--locked"];

/// Builds the server, the load programs and the other programs. The build includes the examples,
/// which use the tests' features of their dependencies, so that these are not compiled again with
/// fewer features.
pub(crate) fn programs(repo: &Repo, live: &Arc<Live>) -> Result<()> {
    run(live, repo.cargo(&["build", "--bins", "--examples"]).args(EVERYTHING))
}

/// Builds the programs, and the server with the profile that ships. Benchmarks measure that server.
pub(crate) fn programs_to_measure(repo: &Repo, live: &Arc<Live>) -> Result<()> {
    programs(repo, live)?;
    run(live, repo.cargo(&["build", "--bin", "riposte"]).args(EVERYTHING_SHIPPED))
}
