//! `riposte config`: the effective configuration, its sources, and its validation.

use super::{ConfigSources, output};
use crate::app;
use crate::config::{Config, EXAMPLE, MinimalStore, Profile, minimal, schema, show};
use clap::Subcommand;
use riposte_settings::ConfigErrors;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print every value, with secrets masked
    #[command(name = "print")]
    Show {
        /// Print the source of each value: default, profile, file and line, variable or flag
        #[arg(long)]
        show_origin: bool,
        /// Print the configuration of `riposte dev`
        #[arg(long)]
        dev: bool,
    },
    /// Report all errors that `serve` would report, with exit code 2 if there is one: those of the
    /// keys, and if there are none, those of the files that they name. `doctor` tries the servers
    /// too
    Check {
        /// Check a file for `serve --allow-insecure`
        #[arg(long)]
        allow_insecure: bool,
        /// Leave out the files that the configuration names: this machine need not have them
        #[arg(long)]
        no_files: bool,
    },
    /// Print an annotated file with every default, or a short one to begin with
    Example {
        /// Print a short file for this store, complete but for the lines marked FILL IN [default:
        /// mysql]
        #[arg(long, value_enum, value_name = "STORE", num_args = 0..=1, default_missing_value = "mysql")]
        minimal: Option<MinimalStore>,
    },
    /// Print the JSON Schema of a configuration file, for editors and automated checks
    Schema,
}

impl Args {
    pub(super) fn run(self, sources: &ConfigSources) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::Show { show_origin, dev } => {
                let profile = if dev { Profile::Dev } else { Profile::Serve };
                // The values can be read, whatever is wrong with some of them.
                let (loaded, errors) = Config::load_with_errors(&sources.inputs(profile));
                if let Some(loaded) = loaded {
                    output::write(&show(&loaded, show_origin))?;
                }
                errors.map_or(Ok::<_, ConfigErrors>(()), Err)?;
            }
            Action::Check { allow_insecure, no_files } => {
                let config = sources.load_production(allow_insecure)?.config;
                if !no_files {
                    app::check_files(&config)?.iter().for_each(|remark| output::note(&format!("remark: {remark}")));
                }
                output::line("the configuration is valid")?;
            }
            Action::Example { minimal: None } => output::write(EXAMPLE)?,
            Action::Example { minimal: Some(store) } => output::write(&minimal(store))?,
            Action::Schema => output::write(&format!("{:#}\n", schema()))?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
