//! The composition root. [`startup`] has the steps of a start; it creates the store, the cache, the
//! queues and the event consumers, and [`components`] builds the ports from them. Both belong to
//! the composition, as do `cache_stack.rs` and `observers.rs`: `cargo xtask tidy` lists the files
//! that may name concrete types (docs/decisions/0114).

mod accept;
mod background_thread;
mod backpressure;
mod components;
mod connection_limit;
mod control_frames;
mod credentials;
mod greeting;
mod listener;
mod metrics_server;
mod outside_services;
mod readiness;
mod reload;
mod review_gauges;
mod socket;
mod sqlite_folder;
mod startup;
mod steps;
mod threads;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use riposte_grpc::audit::AuditLog;
use riposte_grpc::middleware::InjectedFaults;
use riposte_pipeline::LocalPolicy;
use riposte_settings::{ConfigError, ConfigErrors};
use riposte_telemetry::Metrics;
use tokio::sync::watch;

pub(crate) use self::sqlite_folder::check_sqlite_folder;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::decorators::Decorators;
use credentials::ServerCredentials;
use startup::Startup;
use steps::StartedSteps;

/// The inputs of a server.
#[derive(Debug, Clone)]
pub struct AppInputs<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// The receiver of all measurements.
    pub metrics: Metrics,
    /// While it is set, the audit log records nothing: for data that the process itself imports.
    pub unaudited: Arc<AtomicBool>,
    /// The injection of faults, if calls may request it.
    pub faults: Option<InjectedFaults>,
    /// The replacements for parts of the server.
    pub decorators: &'a Decorators,
}

/// A running server.
#[derive(Debug)]
pub struct App {
    steps: StartedSteps,
    addresses: Addresses,
    ready: watch::Receiver<bool>,
    /// The time limit of a stop.
    stop_limit: Duration,
}

/// The time that a stop has beyond the delay and the time limits of its drain. Supervisors allow
/// five seconds (docs/upgrade.md).
const STOP_MARGIN: Duration = Duration::from_secs(4);

/// The addresses on which a server listens.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// The public services.
    pub grpc: SocketAddr,
    /// The services of moderators and operators.
    pub admin: SocketAddr,
    /// The metrics, over HTTP, if they can be scraped.
    pub metrics: Option<SocketAddr>,
}

impl App {
    /// Opens the store and both listeners. Calls are admitted once the store can be used: see
    /// [`App::wait_ready`].
    ///
    /// The schema of an embedded store is migrated here, since no other process could do it;
    /// servers of the MySQL family are never migrated here.
    ///
    /// # Errors
    /// When a port is taken, a file that the configuration names cannot be used, or the store
    /// cannot be opened. Every step that succeeded before is then undone.
    pub async fn start(inputs: AppInputs<'_>) -> anyhow::Result<Self> {
        let started = Self::start_unless(inputs, std::future::pending()).await?;
        started.context("a start that nothing cancels was cancelled")
    }

    /// Starts as [`App::start`] does, unless `cancelled` ends first. Then every step that succeeded
    /// before is undone, and the result is `None`.
    ///
    /// # Errors
    /// Those of [`App::start`].
    pub async fn start_unless(
        inputs: AppInputs<'_>,
        cancelled: impl Future<Output = ()>,
    ) -> anyhow::Result<Option<Self>> {
        let server = &inputs.config.server;
        let stop_limit = server.drain_delay.duration() + 2 * server.drain_timeout.duration() + STOP_MARGIN;
        let (mut steps, (signal, ready)) = (StartedSteps::default(), watch::channel(false));
        let started = tokio::select! {
            started = Startup::new(inputs, &mut steps).run(signal) => started.map(Some),
            () = cancelled => Ok(None),
        };
        match started {
            Ok(Some(addresses)) => Ok(Some(Self { steps, addresses, ready, stop_limit })),
            Ok(None) => {
                steps.undo(stop_limit).await;
                Ok(None)
            }
            Err(error) => {
                steps.undo(stop_limit).await;
                Err(error)
            }
        }
    }

    /// Returns the addresses on which the server listens, with the actual ports.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// Waits until the store can be used and health is SERVING. A data source that is unavailable
    /// at the start delays this for a limited time only.
    pub async fn wait_ready(&self) {
        let mut ready = self.ready.clone();
        // The sender is dropped only after it has reported readiness, or when the server stops.
        let _ = ready.wait_for(|ready| *ready).await;
    }

    /// Stops the server. Health turns to NOT_SERVING, and calls are accepted for
    /// `server.drain_delay`, so that load balancers notice. Then watches end, so that they continue
    /// on another server, and running calls finish within `server.drain_timeout`. Last the store is
    /// closed. A server that serves no calls does not wait for load balancers and releases its
    /// leases at once. The whole stop takes at most `server.drain_delay`, twice
    /// `server.drain_timeout` and four seconds; what has not ended by then is left behind.
    pub async fn stop(self) {
        self.steps.undo(self.stop_limit).await;
    }
}

/// Reads every file that the configuration names and a start reads, and opens nothing else. Returns
/// remarks on files that can be used.
///
/// # Errors
/// Every file that cannot be used, by its key.
pub(crate) fn check_files(config: &Config) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut record = |read: Result<(), ConfigErrors>| faults.extend(read.err().into_iter().flat_map(|errors| errors.0));
    record(ServerCredentials::open(config, Arc::new(SystemClock), Metrics::new()?).map(drop));
    record(config.page_tokens.ring().map(drop));
    record(config.store.to_config().map(drop));
    record(config.cache.address().map(drop).map_err(ConfigErrors::from));
    let metrics = Metrics::new()?;
    let open = |rules| LocalPolicy::open(&config.policy, rules, reload::today(), metrics);
    let mut remarks = Vec::new();
    record(config.rules().and_then(open).map(|policy| remarks.extend(policy.remarks())));
    record(config.filter.check_files());
    record(config.accounts.check_files());
    record(config.events.kafka.check_files());
    if let Err(error) = AuditLog::examine(&config.audit) {
        record(Err(ConfigError::at("audit.file", format!("cannot be appended to: {error}")).into()));
    }
    if faults.is_empty() { Ok(remarks) } else { Err(ConfigErrors(faults).into()) }
}

/// Reads and compiles the word lists and the rules of the configuration.
///
/// # Errors
/// Those of the files that cannot be used.
pub(crate) fn local_policy(config: &Config) -> anyhow::Result<LocalPolicy> {
    Ok(LocalPolicy::open(&config.policy, config.rules()?, reload::today(), Metrics::new()?)?)
}

/// Checks that callers, keys of JWTs and certificates can be used as configured. Returns the object
/// types that callers were granted and that this configuration does not serve.
///
/// # Errors
/// Those of the files that cannot be used.
pub(crate) fn admission(config: &Config) -> anyhow::Result<Vec<String>> {
    Ok(ServerCredentials::open(config, Arc::new(SystemClock), Metrics::new()?)?.ungranted())
}
