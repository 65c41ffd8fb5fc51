//! A short run of each fuzzer, from the stored corpora.

use super::Run;
use super::summary::Report;
use crate::fuzz;
use anyhow::Result;

/// The seconds for each target. The long run is `cargo xtask fuzz`.
const SECONDS: u32 = 10;

/// Fuzzes, and reports the targets that broke.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let sound = fuzz::run_targets(at.repo, at.live, &fuzz::Args::short(SECONDS))?;
    let note = format!("{SECONDS} s for each target; `cargo xtask fuzz --seconds 3600` runs longer");
    Ok(if sound { Report::success(note) } else { Report::failure("what comes from outside broke something") })
}
