//! A short run of `cargo xtask kill`, on the programs of the build step.

use super::Run;
use super::summary::Report;
use crate::{kill, tools};
use anyhow::Result;

/// One round of each kind: a server, a database, both at once. The long run is `cargo xtask kill`.
const ROUNDS: u32 = 3;

/// Runs the rounds, and reports the findings of the load program.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    tools::mariadb(at.live)?;
    let passed = kill::rounds(at.repo, at.live, &kill::Args::short(ROUNDS))?;
    let note = format!("{ROUNDS} rounds; `cargo xtask kill` runs 20");
    Ok(if passed { Report::success(note) } else { Report::failure("acknowledged writes were lost or doubled") })
}
