//! The programs of the workspace, built once for all who run them.

use crate::live::Live;
use crate::repo::Repo;
use crate::run::run;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::sync::Arc;

/// What every build asks of cargo: the same, so that nothing is compiled twice. It gives the server that ships, byte for byte
/// what `cargo build --release` gives: no crate takes a feature here that it does not take there. That is why the task
/// runner is left out, which shares dependencies with the server and asks for more of them.
pub(crate) const EVERYTHING: [&str; 5] = ["--release", "--workspace", "--exclude", "xtask", "--locked"];

/// Builds the server, the load programs and the rest of what can be run. With the examples, which take what tests take of
/// their dependencies, so that these are not compiled once more with less of it.
pub(crate) fn programs(repo: &Repo, live: &Arc<Live>) -> Result<()> {
    run(live, repo.cargo(&["build", "--bins", "--examples"]).args(EVERYTHING))
}

/// Builds a server that bugs can be planted in, beside the one that ships.
pub(crate) fn with_bugs(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let build = ["build", "--bin", "riposte", "--features", "riposte/planted"];
    run(live, repo.cargo(&build).args(EVERYTHING))?;
    let planted = repo.target().join("prove/riposte");
    std::fs::copy(repo.server_binary(), &planted).with_context(|| planted.display().to_string())?;
    // The name in cargo's build directory is the shipped one's again.
    programs(repo, live)?;
    Ok(planted)
}
