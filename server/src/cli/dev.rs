//! `riposte dev`: one process without dependencies, ready in a fraction of a second.

mod banner;
mod endpoint;
mod exec;
mod seed;

use self::banner::Banner;
use super::{ConfigSources, exit, output, output_file, ports};
use crate::{
    app::{App, AppInputs},
    config::{Config, Loaded, Profile},
    decorators::Decorators,
    lifecycle::{REPEAT_INTERVAL, StopOutcome, StopSignals},
};
use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use riposte_grpc::{audit, middleware::InjectedFaults};
use riposte_settings::ValueOrigin;
use std::{
    ffi::OsString,
    io::Write,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// The default ports of the services of moderators and operators, and of the metrics.
const ADMIN_PORT: u16 = 7172;
const METRICS_PORT: u16 = 7173;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    /// Address of the gRPC services; port 0 selects any free port [default: 127.0.0.1:7171]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    listen: Option<SocketAddr>,
    /// Address of the services of moderators and operators [default: 127.0.0.1:7172; any free port
    /// if --listen has port 0, or is given while 7172 is in use]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    admin_listen: Option<SocketAddr>,
    /// Address of the metrics [default: 127.0.0.1:7173; any free port if --listen has port 0, or
    /// is given while 7173 is in use]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    metrics_listen: Option<SocketAddr>,
    /// Store the data in this folder; without it the data is lost when the server ends
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Write the addresses to this file once the server is ready, as JSON: {"grpc": "…", "admin":
    /// "…", "metrics": "…", "pid": …}
    #[arg(long, value_name = "FILE")]
    endpoint_file: Option<PathBuf>,
    /// The initial content of the database
    #[arg(long, value_enum, default_value_t = Seed::Demo)]
    seed: Seed,
    /// The new comments of all object types that wait for review: none, or all of them
    #[arg(long, value_enum)]
    moderate: Option<Moderate>,
    /// Run the command after `--` with RIPOSTE_TARGET and RIPOSTE_ADMIN_TARGET set; stop when it
    /// ends and return its exit code
    #[arg(long, requires = "command")]
    exec: bool,
    /// The command for --exec
    #[arg(last = true, requires = "exec", value_name = "CMD")]
    command: Vec<OsString>,
    #[command(subcommand)]
    action: Option<Action>,
}

/// The initial content of the database of a development server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Seed {
    /// The subject article/1 with 50 comments and their likes
    Demo,
    /// Nothing
    None,
}

/// The new comments that wait for review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Moderate {
    /// None
    Post,
    /// Those of new members
    PreNewMembers,
    /// All
    Pre,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print shell lines that point clients to a server on the default addresses: eval "$(riposte
    /// dev env)"
    Env,
}

/// Parses an address to listen on.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let local = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let local = local.map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    local.or_else(|| text.parse().ok()).ok_or("write an IP address and a port, as 127.0.0.1:7171, or localhost:7171")
}

impl Args {
    pub(super) async fn run(self, sources: &ConfigSources, decorators: &Decorators) -> anyhow::Result<ExitCode> {
        let begin = Instant::now();
        let loaded = self.load(sources)?;
        if let Some(Action::Env) = self.action {
            output::write(&endpoint::shell(loaded.config.server.listen, loaded.config.server.admin_listen))?;
            return Ok(ExitCode::SUCCESS);
        }
        let telemetry = riposte_telemetry::start(&loaded.config.log, &loaded.config.telemetry, audit::TARGET)?;
        // Installed before the first port is open: from here on, a signal stops the server
        // gracefully.
        let mut signals = StopSignals::listen(REPEAT_INTERVAL)?;
        let server = &loaded.config.server;
        ports::check(&[(server.listen, "--listen"), (server.admin_listen, "--admin-listen")])?;
        if loaded.config.telemetry.scrape {
            ports::check(&[(server.metrics_listen, "--metrics-listen")])?;
        }
        if let Some(path) = &self.endpoint_file {
            output_file::check(path, "--endpoint-file FILE")?;
            endpoint::remove(path)?;
        }
        // The demo is no act of a caller: its own import is not audited.
        let unaudited = Arc::new(AtomicBool::new(self.seed == Seed::Demo));
        let faults = Some(InjectedFaults::default());
        let (config, metrics) = (&loaded.config, telemetry.metrics());
        let inputs = AppInputs { config, metrics, unaudited: Arc::clone(&unaudited), faults, decorators };
        let interrupted = async {
            signals.next().await;
        };
        let Some(app) = Box::pin(App::start_unless(inputs, interrupted)).await? else {
            telemetry.stop().await;
            return Ok(ExitCode::SUCCESS);
        };
        let outcome = self.serve(&loaded.config, &app, &mut signals, begin, &unaudited).await;
        let stop = async {
            app.stop().await;
            telemetry.stop().await;
        };
        match Box::pin(signals.until_second_signal(stop)).await {
            StopOutcome::Graceful => {
                if !self.exec {
                    // Standard error may be closed.
                    let _ = writeln!(std::io::stderr(), "stopped");
                }
                outcome
            }
            StopOutcome::Immediate => Ok(ExitCode::from(exit::ERROR)),
        }
    }

    /// Runs from the open ports to the stop signal.
    async fn serve(
        &self,
        config: &Config,
        app: &App,
        signals: &mut StopSignals,
        begin: Instant,
        unaudited: &AtomicBool,
    ) -> anyhow::Result<ExitCode> {
        tokio::select! {
            () = app.wait_ready() => {}
            _ = signals.next() => return Ok(ExitCode::SUCCESS),
        }
        let serving = begin.elapsed();
        let addresses = app.addresses();
        if self.seed == Seed::Demo {
            tokio::select! {
                seeded = seed::import(addresses.admin) => {
                    seeded.context("cannot seed the demo; --seed none leaves it out")?;
                }
                _ = signals.next() => return Ok(ExitCode::SUCCESS),
            }
        }
        unaudited.store(false, Ordering::Release);
        if let Some(path) = &self.endpoint_file {
            endpoint::write(path, addresses)?;
        }
        if self.exec {
            return exec::run(&self.command, addresses, signals).await;
        }
        let program = banner::program();
        output::write(&Banner { seed: self.seed, config, addresses, serving, program }.text())?;
        signals.next().await;
        Ok(ExitCode::SUCCESS)
    }

    fn load(&self, sources: &ConfigSources) -> anyhow::Result<Loaded> {
        let mut inputs = sources.inputs(Profile::Dev);
        if let Some(listen) = self.listen {
            inputs.flag("--listen", "server.listen", listen.to_string());
            let (loaded, _) = Config::load_with_errors(&inputs);
            // A second server of its own address takes free ports for what was not named; the
            // banner says which.
            let is_taken = |key: &str, port: u16| {
                let source = loaded.as_ref().map(|loaded| loaded.source_of(key));
                let is_named = !matches!(source, None | Some(ValueOrigin::Default | ValueOrigin::Profile(_)));
                listen.port() == 0 || !is_named && !ports::is_free(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            };
            let unnamed = [
                ("server.metrics_listen", METRICS_PORT, self.metrics_listen),
                ("server.admin_listen", ADMIN_PORT, self.admin_listen),
            ];
            for (key, port, _) in unnamed.into_iter().filter(|(_, _, flag)| flag.is_none()) {
                if is_taken(key, port) {
                    inputs.flag("--listen", key, "127.0.0.1:0");
                }
            }
        }
        if let Some(listen) = self.admin_listen {
            inputs.flag("--admin-listen", "server.admin_listen", listen.to_string());
        }
        if let Some(listen) = self.metrics_listen {
            inputs.flag("--metrics-listen", "server.metrics_listen", listen.to_string());
        }
        if let Some(folder) = &self.data {
            inputs.flag("--data", "store.data_dir", folder.display().to_string());
        }
        if let Some(moderate) = self.moderate {
            let mode = match moderate {
                Moderate::Post => "post",
                Moderate::PreNewMembers => "pre_new_members",
                Moderate::Pre => "pre",
            };
            inputs.flag("--moderate", "object_type_defaults.moderation", mode);
        }
        Ok(Config::load(&inputs)?)
    }
}
