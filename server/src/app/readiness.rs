//! Readiness: every data source has the schema of this version. Until then health says NOT_SERVING and the gate is
//! closed; the server becomes ready by itself, without a restart.

use std::time::Duration;

use riposte_store::Store;
use riposte_store::schema::SourceSchema;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::layers::Gate;
use crate::telemetry::Metrics;

/// How often a store that is not ready is asked again.
const AGAIN: Duration = Duration::from_millis(500);

/// The watch over a store that may not be ready yet.
#[derive(Debug)]
pub(super) struct Readiness {
    ready: watch::Receiver<bool>,
    health: Vec<HealthReporter>,
    task: JoinHandle<()>,
}

impl Readiness {
    /// Asks the store until it is ready; then opens the gate and turns health to SERVING.
    pub(super) fn watch(store: Store, gate: Gate, health: Vec<HealthReporter>, metrics: Metrics) -> Self {
        let (tell, ready) = watch::channel(false);
        let reporters = health.clone();
        let task = tokio::spawn(async move {
            report(&reporters, ServingStatus::NotServing).await;
            let mut last = Vec::new();
            loop {
                let schema = store.schema().await;
                if schema.iter().all(|source| *source == SourceSchema::Ready) {
                    break;
                }
                if schema != last {
                    explain(&schema);
                    last = schema;
                }
                tokio::time::sleep(AGAIN).await;
            }
            gate.set(true);
            metrics.ready(true);
            report(&reporters, ServingStatus::Serving).await;
            tell.send_replace(true);
        });
        Self { ready, health, task }
    }

    /// Waits until the store is ready.
    pub(super) async fn ready(&self) {
        let mut ready = self.ready.clone();
        // The sender is gone only after it has told, or when the server stops.
        let _ = ready.wait_for(|ready| *ready).await;
    }

    /// Says when the store is ready.
    pub(super) fn signal(&self) -> watch::Receiver<bool> {
        self.ready.clone()
    }

    /// Turns health to NOT_SERVING for good. Calls are still taken.
    pub(super) async fn stop(self) {
        self.task.abort();
        // An aborted task may still be about to say SERVING; only its end is the end.
        let _ = self.task.await;
        report(&self.health, ServingStatus::NotServing).await;
    }
}

/// The status of the server as a whole, and of each of its services.
async fn report(reporters: &[HealthReporter], status: ServingStatus) {
    for reporter in reporters {
        for service in [
            "",
            "riposte.v1.SubjectService",
            "riposte.v1.CommentService",
            "riposte.v1.ReplyService",
            "riposte.v1.LikeService",
            "riposte.v1.AdminService",
        ] {
            reporter.set_service_status(service, status).await;
        }
    }
}

fn explain(schema: &[SourceSchema]) {
    // People count the sources from 1, as the migrations do.
    for (source, state) in (1..).zip(schema) {
        match state {
            SourceSchema::Ready => {}
            SourceSchema::Missing(steps) => {
                tracing::warn!(source, ?steps, "not serving: this source lacks steps; run `riposte migrate up`");
            }
            SourceSchema::Mismatch(text) => tracing::error!(source, text, "not serving: other shard counts"),
            SourceSchema::Unreachable(text) => tracing::warn!(source, text, "not serving: this source is unreachable"),
        }
    }
}
