//! `riposte version`.

use super::output;
use std::process::ExitCode;

/// The version of this build.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn run() -> anyhow::Result<ExitCode> {
    output::line(&format!("riposte {VERSION}"))?;
    Ok(ExitCode::SUCCESS)
}
