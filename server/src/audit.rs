//! The audit log: who moderated, changed or exported what by AdminService, and how it ended.
//!
//! A call leaves two records with one id: one before anything is done, one before it is answered. Each is on disk when
//! the call goes on. So a call that cannot be recorded does nothing, an answer without its records was never given, and
//! one record without the other shows a process that died, or a reader that went away, in between.

mod file;
mod record;
mod sink;

use std::collections::BTreeMap;
use std::sync::Arc;

use riposte_core::Error;
use riposte_core::ports::Clock;
use serde_json::Value;
use uuid::Uuid;

use crate::config::{self, AuditKind};
use crate::telemetry::Metrics;
use sink::Sink;

pub use record::Outcome;

/// The target of its lines in the log of the process.
const TARGET: &str = "riposte::audit";

/// Where records go. Clones write to the same place.
#[derive(Debug, Clone)]
pub struct Audit {
    /// `None`: into the log of the process.
    sink: Option<Sink>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
}

/// What is recorded of a call from its beginning on.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The caller's name.
    pub caller: String,
    /// `AdminService/Method`.
    pub method: &'static str,
    /// The id of the call, which its answer carries too.
    pub call_id: String,
    /// What its request names: ids, members, and a moderator's reason; never a text of a comment.
    pub about: Value,
}

/// A call whose beginning is recorded. Its end will be too, whatever happens: dropped, it leaves a record that says so.
#[derive(Debug)]
pub struct Entry {
    audit: Audit,
    id: Uuid,
    subject: Subject,
    told: BTreeMap<&'static str, u64>,
    open: bool,
}

impl Audit {
    /// As the configuration says.
    ///
    /// # Errors
    /// When the file cannot be opened for appending.
    pub fn open(config: &config::Audit, clock: Arc<dyn Clock>, metrics: Metrics) -> std::io::Result<Self> {
        let config::Audit { kind, file } = config;
        let sink = match (kind, file) {
            (AuditKind::File, Some(path)) => Some(Sink::to(file::Appended::open(path)?)?),
            (AuditKind::Stdout, _) => Some(Sink::to(std::io::stdout())?),
            (AuditKind::Log | AuditKind::File, _) => None,
        };
        Ok(Self { sink, clock, metrics })
    }

    /// Records that a call begins.
    ///
    /// # Errors
    /// [`Error::Internal`] when that cannot be recorded: the call must not be made.
    pub async fn begin(&self, subject: Subject) -> Result<Entry, Error> {
        // Made first, so that a call given up while it waits here leaves its end too.
        let mut entry = Entry { audit: self.clone(), id: Uuid::now_v7(), subject, told: BTreeMap::new(), open: true };
        let begun = self.write(entry.line(None)).await;
        entry.open = begun.is_ok();
        begun.map(|()| entry)
    }

    /// Waits until everything that was recorded is where it goes.
    pub async fn flush(&self) {
        if let Some(sink) = &self.sink {
            // A failure was told by whoever wrote what failed.
            let _ = sink.write(String::new()).await;
        }
    }

    async fn write(&self, line: String) -> Result<(), Error> {
        let Some(sink) = &self.sink else {
            tell(&line);
            return Ok(());
        };
        sink.write(line).await.map_err(|error| {
            self.metrics.audit_failed();
            Error::internal(format!("the audit log cannot be written: {error}"))
        })
    }
}

/// Writes a record into the log of the process.
fn tell(line: &str) {
    tracing::info!(target: TARGET, record = line.trim_end(), "audit");
}

impl Entry {
    /// One more answer of this kind was given; its end tells how many.
    pub fn count(&mut self, kind: &'static str) {
        *self.told.entry(kind).or_default() += 1;
    }

    /// Records how the call ended.
    ///
    /// # Errors
    /// [`Error::Internal`] when that cannot be recorded: what was done stays, and must not be answered as done.
    pub async fn end(mut self, outcome: Outcome) -> Result<(), Error> {
        let line = self.line(Some(&outcome));
        self.open = false;
        self.audit.write(line).await
    }

    fn line(&self, outcome: Option<&Outcome>) -> String {
        let Self { audit, id, subject, told, open: _ } = self;
        record::line(audit.clock.now(), *id, subject, outcome.map(|outcome| (outcome, told)))
    }
}

impl Drop for Entry {
    /// Nobody waits here: the record is written behind those that wait already, or told as lost.
    fn drop(&mut self) {
        if self.open {
            let outcome = if std::thread::panicking() { Outcome::panicked() } else { Outcome::abandoned() };
            let line = self.line(Some(&outcome));
            match &self.audit.sink {
                Some(sink) => sink.leave(line),
                None => tell(&line),
            }
        }
    }
}

#[cfg(test)]
mod tests;
