//! `riposte version`.

use std::process::ExitCode;

/// The version of this build.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn run() -> anyhow::Result<ExitCode> {
    println!("riposte {VERSION}");
    Ok(ExitCode::SUCCESS)
}
