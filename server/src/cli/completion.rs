//! `riposte completion`: derived from the same declaration as parsing and help.

use super::output;
use clap_complete::{Shell, generate};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

impl Args {
    pub(super) fn run(self, mut command: clap::Command) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        generate(self.shell, &mut command, "riposte", &mut script);
        output::write(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}
