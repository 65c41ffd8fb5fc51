//! `riposte completion`: made from the same declaration as parsing and help.

use clap_complete::{Shell, generate};
use std::{io, process::ExitCode};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell to complete for
    shell: Shell,
}

impl Args {
    pub(super) fn run(self, mut command: clap::Command) -> anyhow::Result<ExitCode> {
        generate(self.shell, &mut command, "riposte", &mut io::stdout());
        Ok(ExitCode::SUCCESS)
    }
}
