//! The audit log: the calls of moderators and operators, their callers and their outcomes.
//!
//! A call leaves two records with one id: one before its work starts, one before it returns. Each
//! is on disk before the call continues. So a call that cannot be recorded has no effect, and no
//! response is sent without its records. A first record without a second one shows that the process
//! ended in between, or that the second record could not be written. A call that does not reach its
//! handler leaves one record, or is counted in one (`attempt`).

mod attempt;
mod file;
mod record;
mod settings;
mod sink;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::Error;
use riposte_core::ports::Clock;
use riposte_telemetry::Metrics;
use serde_json::Value;
use uuid::Uuid;

use attempt::RateWindows;
use sink::AuditSink;

pub use attempt::{CallAttempt, HandlerStarted};
pub use record::CallOutcome;
pub use settings::{AuditKind, AuditSettings};

/// The target of audit records in the log of the process.
pub const TARGET: &str = "riposte::audit";

/// The audit log. Clones write to the same destination.
#[derive(Debug, Clone)]
pub struct AuditLog {
    /// `None` writes to the log of the process.
    sink: Option<AuditSink>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
    /// The calls that were rejected before their handlers.
    windows: Arc<RateWindows>,
    /// While it is set, nothing is recorded.
    paused: Arc<AtomicBool>,
}

/// The fields of a call that are recorded from its beginning on.
#[derive(Debug, Clone)]
pub struct AuditedCall {
    /// The caller's name.
    pub caller: String,
    /// `AdminService/Method`.
    pub method: &'static str,
    /// The id of the call, which its response carries too.
    pub call_id: String,
    /// The ids, members and moderator's reason that the request names; never the text of a comment.
    pub about: Value,
}

/// A call that was rejected before its handler.
#[derive(Debug, Clone, Copy)]
struct RejectedCall<'a> {
    /// The name of its caller, if known.
    caller: Option<&'a str>,
    method: &'a str,
    call_id: &'a str,
}

/// A call with its two records. A dropped entry writes the records that are missing, so the second
/// record is written even if the call is cancelled.
#[derive(Debug)]
pub struct AuditEntry {
    audit: AuditLog,
    id: Uuid,
    call: AuditedCall,
    counts: BTreeMap<&'static str, u64>,
    has_begun: bool,
    is_open: bool,
}

impl AuditLog {
    /// Opens the configured log.
    ///
    /// # Errors
    /// When the file cannot be opened for appending.
    pub fn open(config: &AuditSettings, clock: Arc<dyn Clock>, metrics: Metrics) -> std::io::Result<Self> {
        let AuditSettings { kind, file } = config;
        let on_lost_record = {
            let metrics = metrics.clone();
            move || metrics.audit_failed()
        };
        let sink = match (kind, file) {
            (AuditKind::File, Some(path)) => Some(AuditSink::to(file::AuditFile::open(path)?, on_lost_record)?),
            (AuditKind::Stdout, _) => Some(AuditSink::to(std::io::stdout(), on_lost_record)?),
            (AuditKind::Log | AuditKind::File, _) => None,
        };
        Ok(Self { sink, clock, metrics, windows: Arc::default(), paused: Arc::default() })
    }

    /// Returns a log to the same destination that records nothing while the flag is set.
    #[must_use]
    pub fn paused_while(self, paused: Arc<AtomicBool>) -> Self {
        Self { paused, ..self }
    }

    /// Tests that a server with this account could write records as configured, and leaves nothing
    /// behind.
    ///
    /// # Errors
    /// When it could not; the server would not start.
    pub fn examine(config: &AuditSettings) -> std::io::Result<()> {
        match (config.kind, &config.file) {
            (AuditKind::File, Some(path)) => file::can_append(path),
            (AuditKind::Log | AuditKind::Stdout | AuditKind::File, _) => Ok(()),
        }
    }

    /// Creates the entry of a call whose details are not known yet; it does not begin the call.
    #[must_use]
    pub fn entry(&self, call: AuditedCall) -> AuditEntry {
        let (audit, id, counts) = (self.clone(), Uuid::now_v7(), BTreeMap::new());
        AuditEntry { audit, id, call, counts, has_begun: false, is_open: true }
    }

    /// Records that a call begins.
    ///
    /// # Errors
    /// [`Error::Internal`] when the record cannot be written: the call must not be made.
    pub async fn begin(&self, call: AuditedCall) -> Result<AuditEntry, Error> {
        let mut entry = self.entry(call);
        entry.begin().await.map(|()| entry)
    }

    /// Writes the counts of omitted records and waits until all records are written.
    pub async fn flush(&self) {
        for (caller, left_out) in self.windows.take_all() {
            self.record_left_out(caller.as_deref(), left_out);
        }
        if let Some(sink) = &self.sink {
            // The caller of a failed write has already received its error.
            let _ = sink.write(String::new()).await;
        }
    }

    async fn write(&self, line: String) -> Result<(), Error> {
        if self.paused.load(Ordering::Acquire) {
            return Ok(());
        }
        let Some(sink) = &self.sink else {
            log(&line);
            return Ok(());
        };
        sink.write(line).await.map_err(|error| {
            self.metrics.audit_failed();
            Error::internal(format!("the audit log cannot be written: {error}"))
        })
    }

    /// Records the number of rejected calls of a caller that got no record of their own.
    fn record_left_out(&self, caller: Option<&str>, left_out: u64) {
        if left_out > 0 {
            self.enqueue(record::left_out(self.clock.now(), caller, left_out));
        }
    }

    /// Writes a record that no call waits for, after those that are already queued. A failure is
    /// counted as a lost record.
    fn enqueue(&self, line: String) {
        if self.paused.load(Ordering::Acquire) {
            return;
        }
        match &self.sink {
            Some(sink) => sink.enqueue(line),
            None => log(&line),
        }
    }
}

/// Writes a record into the log of the process.
fn log(line: &str) {
    tracing::info!(target: TARGET, record = line.trim_end(), "audit");
}

impl AuditEntry {
    /// Sets the details of the request, for a call whose details were not known before.
    pub fn set_about(&mut self, about: Value) {
        self.call.about = about;
    }

    /// Records that the call begins.
    ///
    /// # Errors
    /// [`Error::Internal`] when the record cannot be written: the call must not be made.
    pub async fn begin(&mut self) -> Result<(), Error> {
        // Set before the wait, so that a call cancelled here records its end and no second
        // beginning.
        self.has_begun = true;
        let line = self.line(None);
        let result = self.audit.write(line).await;
        self.is_open = result.is_ok();
        result
    }

    /// Counts one more result of this kind. The end record contains the counts.
    pub fn count(&mut self, kind: &'static str) {
        *self.counts.entry(kind).or_default() += 1;
    }

    /// Records the outcome of the call.
    ///
    /// # Errors
    /// [`Error::Internal`] when the record cannot be written: the effects of the call remain, and
    /// must not be reported as done.
    pub async fn end(mut self, outcome: CallOutcome) -> Result<(), Error> {
        let line = self.line(Some(&outcome));
        self.is_open = false;
        self.audit.write(line).await
    }

    fn line(&self, outcome: Option<&CallOutcome>) -> String {
        let Self { audit, id, call, counts, has_begun: _, is_open: _ } = self;
        record::line(audit.clock.now(), *id, call, outcome.map(|outcome| (outcome, counts)))
    }
}

impl Drop for AuditEntry {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        if !self.has_begun {
            self.audit.enqueue(self.line(None));
        }
        let outcome = if std::thread::panicking() { CallOutcome::panicked() } else { CallOutcome::cancelled() };
        self.audit.enqueue(self.line(Some(&outcome)));
    }
}

#[cfg(test)]
mod tests;
