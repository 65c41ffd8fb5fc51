//! The command line: one declaration for parsing, help and completion, and one file per subcommand.

pub(crate) mod exit;

mod check_text;
mod comment;
mod completion;
mod config;
mod conformance;
mod connect;
mod consumers;
mod dev;
mod doctor;
mod errors;
mod events;
mod export;
mod healthcheck;
mod import;
mod layout;
mod migrate;
mod moderate;
mod output;
mod output_file;
mod ports;
mod rebuild;
mod serve;
mod smoke;
mod sweep;
mod token;
mod verify;
mod version;

use crate::config::{Config, Inputs, Loaded, Profile, misspelt_variables};
use crate::decorators::Decorators;
use crate::listener::ServerSettings;
use clap::{CommandFactory, Parser, Subcommand};
use riposte_settings::{ConfigErrors, ValueOrigin};
use std::{path::PathBuf, process::ExitCode};

/// The line after the errors of a server without a configuration file.
const BEGIN: &str = "No file is named. `riposte config example --minimal mysql > riposte.toml` writes a short one to \
                     begin with (or sqlite, mysql+redis); then add --config riposte.toml. `riposte dev` needs none.";

/// A comment service: comments, replies and likes under anything you own, over gRPC.
#[derive(Debug, Parser)]
#[command(name = "riposte", version, max_term_width = 100, after_help = exit::HELP)]
struct Cli {
    #[command(flatten)]
    sources: ConfigSources,
    #[command(subcommand)]
    command: Command,
}

/// The sources of the configuration besides the environment.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigSources {
    /// A configuration file (TOML); may be repeated, the last one wins
    #[arg(long = "config", value_name = "FILE", global = true)]
    files: Vec<PathBuf>,
    /// Set one configuration value, as in --set server.listen=127.0.0.1:0; accepts every key
    #[arg(long = "set", value_name = "KEY=VALUE", global = true)]
    sets: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a server for development on SQLite, without installation or configuration
    Dev(dev::Args),
    /// Run a server for production
    ///
    /// By default one process has both roles. With --set 'server.roles=["api"]' a process only
    /// serves calls; with --set 'server.roles=["worker"]' it only does the work that is done once
    /// for all processes: sequence numbers of events, member histories, rank indexes, the shared
    /// cache. A service needs both roles.
    Serve(serve::Args),
    /// List and write comments of a running service
    Comment(comment::Args),
    /// Review comments of a running service: the queue, verdicts and decisions
    Moderate(moderate::Args),
    /// Follow the events of all comments of a running service
    Events(events::Args),
    /// Say what word lists find in a text, without a server
    CheckText(check_text::Args),
    /// Check a filter or an account service of another team against its contract
    Conformance(conformance::Args),
    /// Migrate the tables of every data source to the schema of this version
    Migrate(migrate::Args),
    /// Import comments from another system
    Import(import::Args),
    /// Export comments as JSON lines that `import` accepts
    Export(export::Args),
    /// Compare every count with the rows that it counts, and repair differences
    Verify(verify::Args),
    /// Rebuild derived state from the rows
    Rebuild(rebuild::Args),
    /// Manage the positions of event consumers
    Consumers(consumers::Args),
    /// Print and check the configuration, or write one to begin with
    Config(config::Args),
    /// Generate a bearer token for a caller, and the hash that the server stores
    Token(token::Args),
    /// Query the health of the configured server
    Healthcheck(healthcheck::Args),
    /// Check everything that the configured server depends on
    Doctor(doctor::Args),
    /// Write, read and delete on a few subjects of a running service
    Smoke(smoke::Args),
    /// List and explain error reasons
    Errors(errors::Args),
    /// Print the version
    Version,
    /// Print the completion script for a shell
    Completion(completion::Args),
}

/// Runs the command line of this process and returns its exit code.
pub fn run(decorators: &Decorators) -> ExitCode {
    // clap ends the process itself, with 0 for help and 2 for a usage error.
    let Cli { sources, command } = Cli::parse();
    // A server has data threads in addition to these: see `app/threads.rs`.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.saturating_sub(1).max(1);
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return exit::report(&error.into()),
    };
    if command.reads_settings() {
        ConfigSources::report_misspelt();
    }
    let code =
        runtime.block_on(Box::pin(command.run(&sources, decorators))).unwrap_or_else(|error| exit::report(&error));
    // A task that still hangs must not keep the process alive after its result is known.
    runtime.shutdown_background();
    code
}

impl Command {
    /// Returns true if the command reads the configuration of a server.
    fn reads_settings(&self) -> bool {
        match self {
            Command::Dev(_)
            | Command::Serve(_)
            | Command::Migrate(_)
            | Command::Consumers(_)
            | Command::Config(_)
            | Command::Healthcheck(_)
            | Command::Doctor(_) => true,
            Command::CheckText(args) => args.reads_settings(),
            Command::Comment(_)
            | Command::Moderate(_)
            | Command::Events(_)
            | Command::Conformance(_)
            | Command::Import(_)
            | Command::Export(_)
            | Command::Verify(_)
            | Command::Rebuild(_)
            | Command::Token(_)
            | Command::Smoke(_)
            | Command::Errors(_)
            | Command::Version
            | Command::Completion(_) => false,
        }
    }

    async fn run(self, sources: &ConfigSources, decorators: &Decorators) -> anyhow::Result<ExitCode> {
        match self {
            Command::Dev(args) => Box::pin(args.run(sources, decorators)).await,
            Command::Serve(args) => Box::pin(args.run(sources, decorators)).await,
            Command::Comment(args) => args.run().await,
            Command::Moderate(args) => args.run().await,
            Command::Events(args) => args.run().await,
            Command::CheckText(args) => args.run(sources),
            Command::Conformance(args) => Box::pin(args.run()).await,
            Command::Migrate(args) => args.run(sources).await,
            Command::Import(args) => Box::pin(args.run()).await,
            Command::Export(args) => args.run().await,
            Command::Verify(args) => args.run().await,
            Command::Rebuild(args) => args.run().await,
            Command::Consumers(args) => args.run(sources).await,
            Command::Config(args) => args.run(sources),
            Command::Token(args) => args.run(),
            Command::Healthcheck(args) => args.run(sources).await,
            Command::Doctor(args) => Box::pin(args.run(sources)).await,
            Command::Smoke(args) => args.run().await,
            Command::Errors(args) => args.run(),
            Command::Version => version::run(),
            Command::Completion(args) => args.run(Cli::command()),
        }
    }
}

impl ConfigSources {
    /// Reports each variable that was probably meant to be a setting. Called once, by commands that
    /// read the configuration of a server.
    fn report_misspelt() {
        misspelt_variables().iter().for_each(|sentence| output::note(&format!("riposte: warning: {sentence}")));
    }

    /// Returns the inputs of the configuration, to which a command may add named flags.
    fn inputs(&self, profile: Profile) -> Inputs {
        let ConfigSources { files, sets } = self;
        Inputs { files: files.clone(), sets: sets.clone(), ..Inputs::of_process(profile) }
    }

    /// Returns the inputs of a production server, which may accept every insecure choice.
    fn production(&self, allow_insecure: bool) -> Inputs {
        let mut inputs = Inputs { production: true, ..self.inputs(Profile::Serve) };
        if allow_insecure {
            inputs.flag("--allow-insecure", "auth.allow_insecure", true);
        }
        inputs
    }

    /// Loads the part of the configuration with the addresses of the server. Errors of other parts
    /// do not concern a command that only calls it.
    fn load_server(&self) -> Result<ServerSettings, ConfigErrors> {
        Ok(self.load_part(&["server."])?.server)
    }

    /// Loads the part of the configuration with the word lists and the object types.
    fn load_policy(&self) -> Result<Config, ConfigErrors> {
        self.load_part(&["policy.", "object_type", "open_object_types"])
    }

    /// Loads the configuration. Errors of keys that begin with none of these texts are left out,
    /// but for those of complete sources.
    fn load_part(&self, keys: &[&str]) -> Result<Config, ConfigErrors> {
        let (loaded, errors) = Config::load_with_errors(&self.inputs(Profile::Serve));
        let mut errors = errors.map_or_else(Vec::new, |errors| errors.0);
        if loaded.is_some() {
            errors.retain(|error| error.path.is_empty() || keys.iter().any(|key| error.path.starts_with(key)));
        }
        match loaded {
            Some(loaded) if errors.is_empty() => Ok(loaded.config),
            Some(_) | None => Err(ConfigErrors(errors)),
        }
    }

    /// Loads the configuration of a production server.
    ///
    /// # Errors
    /// All errors; without a file also the command that writes one.
    fn load_production(&self, allow_insecure: bool) -> anyhow::Result<Loaded> {
        let lacks = |errors: &ConfigErrors| errors.0.iter().any(|error| error.source == Some(ValueOrigin::Default));
        match Config::load(&self.production(allow_insecure)) {
            Err(errors) if self.files.is_empty() && lacks(&errors) => {
                Err(exit::Failure::new(exit::USAGE, format!("{errors}\n{BEGIN}")).into())
            }
            loaded => Ok(loaded?),
        }
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

    /// Texts with line ends of their own would be wrapped a second time on a narrow terminal.
    #[test]
    fn paragraphs_of_the_help_are_wrapped_by_the_terminal_alone() {
        fn check(command: &clap::Command) {
            let texts = [command.get_after_help(), command.get_after_long_help()];
            for text in texts.into_iter().flatten().map(ToString::to_string) {
                let lines: Vec<&str> = text.lines().collect();
                for pair in lines.windows(2) {
                    let is_wrapped = pair.iter().all(|line| !line.is_empty() && !line.starts_with(' '));
                    let ends = pair[0].ends_with(':') || pair[1].starts_with('-');
                    let is_hanging = pair[1].starts_with("     ");
                    assert!((!is_wrapped || ends) && !is_hanging, "{}: {:?}", command.get_name(), pair);
                }
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }

    #[test]
    fn the_declaration_of_the_command_line_is_valid() {
        Cli::command().debug_assert();
    }
}
