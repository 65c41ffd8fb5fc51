//! The audit log: who did what by AdminService, and how it ended.
//!
//! A call leaves two records with one id: one before anything is done, one before it is answered. Each is on disk when
//! the call goes on. So a call that cannot be recorded does nothing, an answer without its records was never given, and
//! one record without the other shows a process that died, or a reader that went away, in between. A call that does not come as
//! far as its handler leaves one, or is counted in one (`door`).

mod file;
mod record;
mod refused;
mod sink;

use std::collections::BTreeMap;
use std::sync::Arc;

use riposte_core::Error;
use riposte_core::ports::Clock;
use serde_json::Value;
use uuid::Uuid;

use crate::config::{self, AuditKind};
use crate::telemetry::Metrics;
use refused::RateWindows;
use sink::AuditSink;

pub use record::CallOutcome;
pub use refused::{CallAttempt, HandlerStarted};

/// The target of its lines in the log of the process.
pub(crate) const TARGET: &str = "riposte::audit";

/// Where records go. Clones write to the same place.
#[derive(Debug, Clone)]
pub struct AuditLog {
    /// `None`: into the log of the process.
    sink: Option<AuditSink>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
    /// What was refused at the door.
    windows: Arc<RateWindows>,
}

/// What is recorded of a call from its beginning on.
#[derive(Debug, Clone)]
pub struct AuditedCall {
    /// The caller's name.
    pub caller: String,
    /// `AdminService/Method`.
    pub method: &'static str,
    /// The id of the call, which its answer carries too.
    pub call_id: String,
    /// What its request names: ids, members, and a moderator's reason; never a text of a comment.
    pub about: Value,
}

/// A call that came no further than the door.
#[derive(Debug, Clone, Copy)]
struct Refused<'a> {
    /// Its caller's name, if it was known.
    caller: Option<&'a str>,
    method: &'a str,
    call_id: &'a str,
}

/// A call with its two records. The second will be written whatever happens, and the first before it: dropped, it leaves what is
/// missing.
#[derive(Debug)]
pub struct AuditEntry {
    audit: AuditLog,
    id: Uuid,
    subject: AuditedCall,
    told: BTreeMap<&'static str, u64>,
    begun: bool,
    open: bool,
}

impl AuditLog {
    /// As the configuration says.
    ///
    /// # Errors
    /// When the file cannot be opened for appending.
    pub fn open(config: &config::AuditSettings, clock: Arc<dyn Clock>, metrics: Metrics) -> std::io::Result<Self> {
        let config::AuditSettings { kind, file } = config;
        let lost = {
            let metrics = metrics.clone();
            move || metrics.audit_failed()
        };
        let sink = match (kind, file) {
            (AuditKind::File, Some(path)) => Some(AuditSink::to(file::AuditFile::open(path)?, lost)?),
            (AuditKind::Stdout, _) => Some(AuditSink::to(std::io::stdout(), lost)?),
            (AuditKind::Log | AuditKind::File, _) => None,
        };
        Ok(Self { sink, clock, metrics, windows: Arc::default() })
    }

    /// Tries whether a server of this account could write records as the configuration says, and leaves nothing behind.
    ///
    /// # Errors
    /// When it could not: it would not start.
    pub fn examine(config: &config::AuditSettings) -> std::io::Result<()> {
        match (config.kind, &config.file) {
            (AuditKind::File, Some(path)) => file::can_append(path),
            (AuditKind::Log | AuditKind::Stdout | AuditKind::File, _) => Ok(()),
        }
    }

    /// A call that will begin once what it is about is known.
    #[must_use]
    pub fn entry(&self, subject: AuditedCall) -> AuditEntry {
        let (audit, id, told) = (self.clone(), Uuid::now_v7(), BTreeMap::new());
        AuditEntry { audit, id, subject, told, begun: false, open: true }
    }

    /// Records that a call begins.
    ///
    /// # Errors
    /// [`Error::Internal`] when that cannot be recorded: the call must not be made.
    pub async fn begin(&self, subject: AuditedCall) -> Result<AuditEntry, Error> {
        let mut entry = self.entry(subject);
        entry.begin().await.map(|()| entry)
    }

    /// Waits until everything that was recorded is where it goes, and what was left out is told.
    pub async fn flush(&self) {
        for (caller, left_out) in self.windows.take_all() {
            self.tell_left_out(caller.as_deref(), left_out);
        }
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

    /// Records how many calls of a caller got no record of their own at the door.
    fn tell_left_out(&self, caller: Option<&str>, left_out: u64) {
        if left_out > 0 {
            self.leave(record::left_out(self.clock.now(), caller, left_out));
        }
    }

    /// Writes a record for which nobody waits: behind those that wait already, or told as lost.
    fn leave(&self, line: String) {
        match &self.sink {
            Some(sink) => sink.leave(line),
            None => tell(&line),
        }
    }
}

/// Writes a record into the log of the process.
fn tell(line: &str) {
    tracing::info!(target: TARGET, record = line.trim_end(), "audit");
}

impl AuditEntry {
    /// What the call is about, where that is known only now.
    pub fn about(&mut self, about: Value) {
        self.subject.about = about;
    }

    /// Records that the call begins.
    ///
    /// # Errors
    /// [`Error::Internal`] when that cannot be recorded: the call must not be made.
    pub async fn begin(&mut self) -> Result<(), Error> {
        // Before it waits, so that a call given up here leaves its end, and no second beginning.
        self.begun = true;
        let line = self.line(None);
        let begun = self.audit.write(line).await;
        self.open = begun.is_ok();
        begun
    }

    /// One more answer of this kind was given; its end tells how many.
    pub fn count(&mut self, kind: &'static str) {
        *self.told.entry(kind).or_default() += 1;
    }

    /// Records how the call ended.
    ///
    /// # Errors
    /// [`Error::Internal`] when that cannot be recorded: what was done stays, and must not be answered as done.
    pub async fn end(mut self, outcome: CallOutcome) -> Result<(), Error> {
        let line = self.line(Some(&outcome));
        self.open = false;
        self.audit.write(line).await
    }

    fn line(&self, outcome: Option<&CallOutcome>) -> String {
        let Self { audit, id, subject, told, begun: _, open: _ } = self;
        record::line(audit.clock.now(), *id, subject, outcome.map(|outcome| (outcome, told)))
    }
}

impl Drop for AuditEntry {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        if !self.begun {
            self.audit.leave(self.line(None));
        }
        let outcome = if std::thread::panicking() { CallOutcome::panicked() } else { CallOutcome::abandoned() };
        self.audit.leave(self.line(Some(&outcome)));
    }
}

#[cfg(test)]
mod tests;
