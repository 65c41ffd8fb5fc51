//! `riposte serve`: the production server. It never migrates. On an old schema it starts, stays
//! `NOT_SERVING`, reports what each data source lacks, and becomes ready by itself once `riposte
//! migrate up` is done.

use super::{ConfigSources, exit, ports};
use crate::{
    app::{App, AppInputs},
    config::Config,
    decorators::Decorators,
    lifecycle::{REPEAT_INTERVAL, StopOutcome, StopSignals},
    open_files,
};
use riposte_grpc::audit;
use std::{process::ExitCode, sync::Arc, time::Instant};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Accept every insecure choice: any caller, plaintext, SQLite, page token keys generated at
    /// startup
    #[arg(long)]
    allow_insecure: bool,
}

impl Args {
    pub(super) async fn run(self, sources: &ConfigSources, decorators: &Decorators) -> anyhow::Result<ExitCode> {
        let begin = Instant::now();
        let loaded = sources.load_production(self.allow_insecure)?;
        let config = &loaded.config;
        let telemetry = riposte_telemetry::start(&config.log, &config.telemetry, audit::TARGET)?;
        warn_insecure(config);
        open_files::raise(config);
        let mut signals = StopSignals::listen(REPEAT_INTERVAL)?;
        ports::check(&[(config.server.listen, "server.listen"), (config.server.admin_listen, "server.admin_listen")])?;
        if config.telemetry.scrape {
            ports::check(&[(config.server.metrics_listen, "server.metrics_listen")])?;
        }

        let (metrics, unaudited) = (telemetry.metrics(), Arc::default());
        let inputs = AppInputs { config, metrics, unaudited, faults: None, decorators };
        let interrupted = async {
            signals.next().await;
        };
        let Some(app) = Box::pin(App::start_unless(inputs, interrupted)).await? else {
            tracing::info!("stopped by a signal during the start");
            telemetry.stop().await;
            return Ok(ExitCode::SUCCESS);
        };
        let addresses = app.addresses();
        let metrics = addresses.metrics.map(tracing::field::display);
        let roles = &config.server.roles;
        tracing::info!(grpc = %addresses.grpc, admin = %addresses.admin, metrics, %roles, "listening");
        tokio::select! {
            () = app.wait_ready() => {
                tracing::info!(elapsed_ms = begin.elapsed().as_millis(), "serving");
                signals.next().await;
            }
            _ = signals.next() => {}
        }
        tracing::info!("stopping: health is NOT_SERVING and running calls may finish");
        let stop = async {
            app.stop().await;
            telemetry.stop().await;
        };
        match Box::pin(signals.until_second_signal(stop)).await {
            StopOutcome::Graceful => {
                tracing::info!("stopped");
                Ok(ExitCode::SUCCESS)
            }
            StopOutcome::Immediate => {
                tracing::warn!("stopped at once by a second signal; running calls were cancelled");
                Ok(ExitCode::from(exit::ERROR))
            }
        }
    }
}

/// Warns of the insecure choices that `auth.allow_insecure` accepts.
fn warn_insecure(config: &Config) {
    if config.auth.allow_insecure && config.auth.callers_file.is_none() {
        tracing::warn!("every caller is admitted without a token: auth.callers_file is not set");
    }
    let is_plaintext = config.server.tls.cert_file.is_none() && !config.server.plaintext;
    if config.auth.allow_insecure && is_plaintext {
        tracing::warn!("tokens and texts cross the network in plaintext: server.tls.cert_file is not set");
    }
}
