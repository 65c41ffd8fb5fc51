//! A storm of faults under the history checker, on the programs that the build step left.

use super::Run;
use super::summary::Report;
use crate::prove;
use anyhow::Result;

/// Runs it, and reports what the checker found.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let (kept, words) = prove::smoke(at.repo, at.live)?;
    Ok(if kept { Report::success(words) } else { Report::failure(words) })
}
