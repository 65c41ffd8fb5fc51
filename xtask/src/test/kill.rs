//! A short run of the killing, on the programs that the build step left.

use super::Run;
use super::summary::Report;
use crate::{kill, tools};
use anyhow::Result;

/// One round of each kind: a server, a database, both at once. The long run is `cargo xtask kill`.
const ROUNDS: u32 = 3;

/// Kills, and reports what the load program found.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    tools::mariadb(at.live)?;
    let passed = kill::rounds(at.repo, at.live, &kill::Args::short(ROUNDS))?;
    let note = format!("{ROUNDS} rounds; `cargo xtask kill` runs 20");
    Ok(if passed { Report::success(note) } else { Report::failure("acknowledged writes were lost or doubled") })
}
