//! `riposte config`: the effective configuration, its sources, and its validation.

use super::{ConfigSources, output};
use crate::config::{Config, EXAMPLE, Profile, schema, show};
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print every value, secrets masked
    Print {
        /// Print beside each value where it came from: default, profile, file and line, variable or flag
        #[arg(long)]
        show_origin: bool,
        /// As `riposte dev` reads it
        #[arg(long)]
        dev: bool,
    },
    /// Tell every fault at once, as `serve` would; exit code 2 if there is one. What it names outside itself, as files and
    /// servers, is `doctor`'s to judge
    Check,
    /// Print an annotated file with every default
    Example,
    /// Print the form of a file as JSON Schema, for editors and for checks before a server reads it
    Schema,
}

impl Args {
    pub(super) fn run(self, sources: &ConfigSources) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::Print { show_origin, dev } => {
                let profile = if dev { Profile::Dev } else { Profile::Serve };
                output::print(&show(&Config::load(&sources.inputs(profile))?, show_origin))?;
            }
            Action::Check => {
                Config::load(&sources.production())?;
                println!("the configuration holds");
            }
            Action::Example => output::print(EXAMPLE)?,
            Action::Schema => output::print(&format!("{:#}\n", schema()?))?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
