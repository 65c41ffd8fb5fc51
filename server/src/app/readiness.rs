//! Readiness: every data source has the schema of this version. Until then health is NOT_SERVING
//! and the readiness gate is closed; the server becomes ready without a restart.
//!
//! An unavailable source delays the others for a limited time only, because usually all of them
//! come up together. After that, calls to a source whose schema has not been checked are rejected
//! until the source is available and has the right schema.

use std::time::{Duration, Instant};

use riposte_pipeline::{StandingFeed, StandingLoadError};
use riposte_store::schema::SourceSchema;
use riposte_store::{SourceTransport, SqlStore};
use riposte_telemetry::Metrics;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::config::Config;
use crate::listener::ServerRole;
use riposte_grpc::middleware::ReadinessGate;

/// The interval between checks of a store that is not ready.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// The maximum time for which available sources wait for unavailable ones.
const UNAVAILABLE_WAIT_MAX: Duration = Duration::from_secs(10);

/// The services whose health is reported if they are served.
const SERVICES: [&str; 9] = [
    "riposte.v1.SubjectService",
    "riposte.v1.CommentService",
    "riposte.v1.ReplyService",
    "riposte.v1.LikeService",
    "riposte.v1.ReportService",
    "riposte.v1.EventService",
    "riposte.v1.AdminService",
    "riposte.v1.ModerationService",
    "riposte.v1.PolicyService",
];

/// The reported services, and the health reporters of the listeners. Cloning is cheap.
#[derive(Debug, Clone)]
pub(super) struct HealthStatus {
    reporters: Vec<HealthReporter>,
    services: &'static [&'static str],
}

/// The task that waits for a store to become ready.
#[derive(Debug)]
pub(super) struct ReadinessWatch {
    health: HealthStatus,
    metrics: Metrics,
    task: JoinHandle<()>,
}

/// The last known state of a store's sources.
struct SourceStates {
    store: SqlStore,
    start: Instant,
    last: Vec<SourceSchema>,
}

impl SourceStates {
    /// Checks all sources, logs changes, and returns true if the store can be used.
    async fn check(&mut self) -> bool {
        let schema = self.store.schema().await;
        if schema != self.last {
            log_problems(&schema);
            self.last = schema;
        }
        let some_are = |predicate: fn(&SourceSchema) -> bool| self.last.iter().any(predicate);
        let has_other_fault = some_are(|source| !is_ready(source) && !is_unavailable(source));
        self.is_complete() || (self.start.elapsed() >= UNAVAILABLE_WAIT_MAX && some_are(is_ready) && !has_other_fault)
    }

    fn is_complete(&self) -> bool {
        self.last.iter().all(is_ready)
    }

    /// Admits calls to the sources that are ready, and to no others.
    fn admit_ready(&self) {
        for (source, schema) in self.store.sources().all().iter().zip(&self.last) {
            source.set_schema_unknown(!is_ready(schema));
        }
    }

    /// Admits calls to each of the other sources once it is ready too.
    async fn admit_remaining(&mut self) {
        let mut missing: Vec<usize> = (0..self.last.len()).filter(|source| !is_ready(&self.last[*source])).collect();
        while !missing.is_empty() {
            tokio::time::sleep(CHECK_INTERVAL).await;
            self.check().await;
            missing.retain(|source| {
                let ready = is_ready(&self.last[*source]);
                if ready {
                    self.store.sources().all()[*source].set_schema_unknown(false);
                    tracing::info!(source = source + 1, "the data source is served");
                }
                !ready
            });
        }
    }
}

fn is_ready(source: &SourceSchema) -> bool {
    *source == SourceSchema::Ready
}

fn is_unavailable(source: &SourceSchema) -> bool {
    matches!(source, SourceSchema::Unreachable(_))
}

impl ReadinessWatch {
    /// Checks the store until it is ready and the standings of members are in memory; then opens
    /// the gate, turns health to SERVING and reports it to `ready`.
    pub(super) fn start(
        ready: watch::Sender<bool>,
        (store, standings): (SqlStore, StandingFeed),
        gate: ReadinessGate,
        health: HealthStatus,
        metrics: Metrics,
    ) -> Self {
        let (reported, ready_metric) = (health.clone(), metrics.clone());
        let task = tokio::spawn(async move {
            reported.report(ServingStatus::NotServing).await;
            let mut states = SourceStates { store, start: Instant::now(), last: Vec::new() };
            while !states.check().await {
                tokio::time::sleep(CHECK_INTERVAL).await;
            }
            states.admit_ready();
            load(&standings).await;
            gate.set(true);
            ready_metric.ready(true);
            reported.report(ServingStatus::Serving).await;
            ready.send_replace(true);
            log_transports(&states.store.transports().await);
            states.admit_remaining().await;
        });
        Self { health, metrics, task }
    }

    /// Turns health permanently to NOT_SERVING and returns its reporters. Calls are still accepted.
    pub(super) async fn stop(self) -> HealthStatus {
        self.task.abort();
        // An aborted task may still be about to report SERVING, so wait for its end.
        let _ = self.task.await;
        self.metrics.ready(false);
        self.health.report(ServingStatus::NotServing).await;
        self.health
    }
}

impl HealthStatus {
    /// Creates the health that `reporters` report for a server with this configuration.
    pub(super) fn of(config: &Config, reporters: Vec<HealthReporter>) -> Self {
        let services: &[_] = if config.server.roles.has(ServerRole::Api) { &SERVICES } else { &[] };
        Self { reporters, services }
    }

    /// Ends every watch of health, which would otherwise last as long as its connection. From now
    /// on every service is unknown.
    pub(super) async fn end(mut self) {
        for reporter in &mut self.reporters {
            for service in [""].iter().chain(self.services) {
                reporter.clear_service_status(service).await;
            }
        }
    }

    /// Reports the status of the whole server and of each of its services.
    async fn report(&self, status: ServingStatus) {
        for reporter in &self.reporters {
            for service in [""].iter().chain(self.services) {
                reporter.set_service_status(*service, status).await;
            }
        }
    }
}

/// Loads the standings of members. Without them the server would admit what they refuse.
async fn load(standings: &StandingFeed) {
    let mut last: Option<StandingLoadError> = None;
    while let Err(error) = standings.load().await {
        if last.as_ref() != Some(&error) {
            tracing::error!("not serving: {error}");
        }
        last = Some(error);
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}

/// Logs for each data source of the MySQL family whether its connections are encrypted.
fn log_transports(transports: &[Option<SourceTransport>]) {
    for (source, transport) in (1..).zip(transports) {
        match transport {
            Some(SourceTransport { tls: Some(tls), .. }) => {
                tracing::info!(source, tls, "the data source is reached over TLS");
            }
            Some(SourceTransport { tls: None, is_local: true }) => {
                tracing::info!(source, "the data source is reached over plaintext, within this machine");
            }
            Some(SourceTransport { tls: None, is_local: false }) => tracing::warn!(
                source,
                "the data source is reached over plaintext and a network; see docs/secure.md for TLS"
            ),
            None => {}
        }
    }
}

fn log_problems(schema: &[SourceSchema]) {
    // Sources are counted from 1 for people, as in the migrations.
    for (source, state) in (1..).zip(schema) {
        match state {
            SourceSchema::Ready => {}
            SourceSchema::Missing(steps) => {
                tracing::warn!(
                    source,
                    ?steps,
                    "not serving: the data source lacks migration steps; run `riposte migrate up`"
                );
            }
            SourceSchema::Mismatch(text) => {
                tracing::error!(source, error = text, "not serving: the data source has other shard counts")
            }
            SourceSchema::Unreadable(text) => {
                tracing::error!(source, error = text, "not serving: the data source cannot be read")
            }
            SourceSchema::Unreachable(text) => {
                tracing::warn!(source, error = text, "not serving: the data source is unreachable")
            }
        }
    }
}
