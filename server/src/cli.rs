//! The command line: one declaration for parsing, help and completion, and one file per subcommand.

pub(crate) mod exit;

mod ask;
mod completion;
mod config;
mod dev;
mod doctor;
mod errors;
mod export;
mod healthcheck;
mod import;
mod migrate;
mod output;
mod ports;
mod rebuild;
mod serve;
mod smoke;
mod sweep;
mod token;
mod verify;
mod version;

use crate::config::{Config, Inputs, Loaded, Profile};
use clap::{CommandFactory, Parser, Subcommand};
use riposte_settings::ConfigErrors;
use std::{path::PathBuf, process::ExitCode};

/// A comment service: comments, replies and likes under anything you own, over gRPC.
#[derive(Debug, Parser)]
#[command(name = "riposte", version, max_term_width = 100, after_help = exit::HELP)]
struct Cli {
    #[command(flatten)]
    sources: ConfigSources,
    #[command(subcommand)]
    command: Command,
}

/// Where the configuration comes from, beside the environment.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigSources {
    /// A configuration file (TOML); may be given again, the last wins
    #[arg(long = "config", value_name = "FILE", global = true)]
    files: Vec<PathBuf>,
    /// One configuration value, as in --set server.listen=127.0.0.1:0; reaches every key
    #[arg(long = "set", value_name = "KEY=VALUE", global = true)]
    sets: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a server for development: SQLite, nothing to install, nothing to set up
    Dev(dev::Args),
    /// Run a server for production
    ///
    /// One process does everything, unless server.roles names a part: --set 'server.roles=["api"]' serves calls and leaves to others
    /// what is done once for all (numbers of events, histories, ranked lists, shared copies), --set 'server.roles=["worker"]' does only
    /// that. A service needs both.
    Serve(serve::Args),
    /// Bring the tables of every data source to this version's schema
    Migrate(migrate::Args),
    /// Bring comments in from another system
    Import(import::Args),
    /// Hand comments out as JSON lines that import accepts
    Export(export::Args),
    /// Compare every count with the rows it counts, and repair what differs
    Verify(verify::Args),
    /// Make derived state anew from the rows
    Rebuild(rebuild::Args),
    /// Show, check and explain the configuration
    Config(config::Args),
    /// Make a bearer token for a caller, and the hash by which the server knows it
    Token(token::Args),
    /// Ask the configured server for its health
    Healthcheck(healthcheck::Args),
    /// Examine everything the configured server stands on
    Doctor(doctor::Args),
    /// Do what callers do on a few subjects of a running service, and take it back
    Smoke(smoke::Args),
    /// Explain the reasons that errors carry
    Errors(errors::Args),
    /// Print the version
    Version,
    /// Print the completion script of a shell
    Completion(completion::Args),
}

/// Runs the command line of this process and returns its exit code.
pub fn run() -> ExitCode {
    // clap ends the process itself, with 0 for help and 2 for a usage error.
    let Cli { sources, command } = Cli::parse();
    // A server has data threads in addition to these: see `app/threads.rs`.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.saturating_sub(1).max(1);
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return exit::report(&error.into()),
    };
    let code = runtime.block_on(Box::pin(command.run(&sources))).unwrap_or_else(|error| exit::report(&error));
    // A task that still hangs must not keep the process alive after its result is known.
    runtime.shutdown_background();
    code
}

impl Command {
    async fn run(self, sources: &ConfigSources) -> anyhow::Result<ExitCode> {
        match self {
            Command::Dev(args) => Box::pin(args.run(sources)).await,
            Command::Serve(args) => Box::pin(args.run(sources)).await,
            Command::Migrate(args) => args.run(sources).await,
            Command::Import(args) => args.run().await,
            Command::Export(args) => args.run().await,
            Command::Verify(args) => args.run().await,
            Command::Rebuild(args) => args.run().await,
            Command::Config(args) => args.run(sources),
            Command::Token(args) => args.run(),
            Command::Healthcheck(args) => args.run(sources).await,
            Command::Doctor(args) => args.run(sources).await,
            Command::Smoke(args) => args.run().await,
            Command::Errors(args) => args.run(),
            Command::Version => version::run(),
            Command::Completion(args) => args.run(Cli::command()),
        }
    }
}

impl ConfigSources {
    /// Returns the inputs of the configuration, to which a command may add named flags.
    fn inputs(&self, profile: Profile) -> Inputs {
        let ConfigSources { files, sets } = self;
        Inputs { files: files.clone(), sets: sets.clone(), ..Inputs::of_process(profile) }
    }

    /// Returns the inputs of a production server.
    fn production(&self) -> Inputs {
        Inputs { production: true, ..self.inputs(Profile::Serve) }
    }

    /// Loads the configuration that `serve` reads, for commands that do not serve.
    fn load(&self) -> Result<Loaded, ConfigErrors> {
        Config::load(&self.inputs(Profile::Serve))
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_declaration_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
