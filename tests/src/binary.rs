//! The binary under test.

use std::path::PathBuf;

use anyhow::{Context, Result};

/// Returns the path of the binary under test: `RIPOSTE_TEST_BIN`, or the one next to the test's own
/// target folder.
///
/// # Errors
/// If no binary exists.
pub fn binary() -> Result<PathBuf> {
    if let Some(given) = std::env::var_os("RIPOSTE_TEST_BIN") {
        return Ok(given.into());
    }
    let me = std::env::current_exe()?;
    // A test is in the folder `deps` of its profile, a program in the profile's folder itself.
    let mut beside = me.ancestors().skip(1).take(2).map(|folder| folder.join("riposte"));
    beside.find(|path| path.is_file()).context("no riposte binary: build it, or name it in RIPOSTE_TEST_BIN")
}
