//! The runner of all work on the connections, and the observer of its outcomes.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tracing::Span;

use crate::error::{ErrorClass, StoreError};
use crate::error_log::StoreErrorLog;

/// The target of every trace span: a filter admits all of them or none.
const SPAN_TARGET: &str = "riposte::span";

/// Observes the outcomes of a store's work. It is called where the work runs, and must not block.
pub trait TransactionObserver: fmt::Debug + Send + Sync {
    /// Called when a transaction of this name ended. `duration` includes the wait for its
    /// connection and all its retries. `failed` is the class of the database error; a rejection by
    /// the domain is not a failure. The call is made within the span of the transaction.
    fn transaction(&self, system: &'static str, name: &'static str, duration: Duration, failed: Option<&'static str>);

    /// Called when a transaction has waited `duration` for a connection of a pool (`read`, `write`)
    /// of a data source, counted from 0; `begun` is true if it then began. The pool `read_limit` is
    /// the wait of a read for the read limit.
    fn connection(&self, source: usize, pool: &'static str, duration: Duration, begun: bool);

    /// Called when the ids of a data source, counted from 0, are found to be ahead of the clock by
    /// more than the second that a partition may borrow.
    fn clock_was_ahead(&self, source: usize);

    /// Called when a claim takes over the review of a comment of this object type whose lease ended
    /// without a verdict. `leases` is the number of such leases so far.
    fn lease_expired(&self, object_type: &str, leases: i32);
}

/// Runs work on the connections and reports its outcomes to the observer. Cloning is cheap.
#[derive(Debug, Clone)]
pub(crate) struct TransactionRunner {
    handle: Handle,
    system: &'static str,
    observer: Arc<OnceLock<Arc<dyn TransactionObserver>>>,
    logs: Arc<[StoreErrorLog]>,
}

impl TransactionRunner {
    /// Creates a runner in this runtime for `sources` databases of this kind (`mysql`, `sqlite`).
    pub(crate) fn new(handle: Handle, system: &'static str, sources: usize) -> Self {
        Self { handle, system, observer: Arc::default(), logs: (0..sources).map(StoreErrorLog::new).collect() }
    }

    /// Sets the observer. Later calls have no effect.
    pub(crate) fn observe(&self, observer: Arc<dyn TransactionObserver>) {
        if self.observer.set(observer).is_err() {
            tracing::debug!("the store has an observer already; the second one is ignored");
        }
    }

    /// Runs work to its end.
    pub(crate) fn spawn<F>(&self, work: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(work)
    }

    /// Creates the span of a transaction; it is disabled if traces are off.
    pub(crate) fn span(&self, name: &'static str) -> Span {
        tracing::debug_span!(
            target: SPAN_TARGET,
            "transaction",
            otel.kind = "client",
            db.system.name = self.system,
            db.operation.name = name,
            "error.type" = tracing::field::Empty,
            otel.status_code = tracing::field::Empty,
        )
    }

    /// Reports that the ids of a source, counted from 0, are ahead of the clock.
    pub(crate) fn clock_was_ahead(&self, source: usize) {
        if let Some(observer) = self.observer.get() {
            observer.clock_was_ahead(source);
        }
    }

    /// Reports the expired lease of a review.
    pub(crate) fn lease_expired(&self, object_type: &str, leases: i32) {
        if let Some(observer) = self.observer.get() {
            observer.lease_expired(object_type, leases);
        }
    }

    /// Logs a fault of a source, counted from 0.
    pub(crate) fn log_fault(&self, source: usize, fault: &StoreError) {
        if let Some(logs) = self.logs.get(source) {
            logs.log(fault);
        }
    }

    /// Does the work of a transaction on a source, counted from 0, and reports its outcome.
    pub(crate) async fn observed<T>(
        &self,
        (source, name): (usize, &'static str),
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let begin = Instant::now();
        let outcome = work.await;
        let failed = outcome.as_ref().err().and_then(error_type);
        if let Some(error_type) = failed {
            Span::current().record("error.type", error_type).record("otel.status_code", "ERROR");
        }
        if let Err(fault) = &outcome {
            self.log_fault(source, fault);
        }
        if let Some(observer) = self.observer.get() {
            observer.transaction(self.system, name, begin.elapsed(), failed);
        }
        outcome
    }

    /// Begins a transaction on a pool of a data source, counted from 0, and reports the time it
    /// took.
    pub(crate) async fn timed_begin<T, E>(
        &self,
        (source, pool): (usize, &'static str),
        begin: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let start = Instant::now();
        let begun = begin.await;
        if let Some(observer) = self.observer.get() {
            observer.connection(source, pool, start.elapsed(), begun.is_ok());
        }
        begun
    }
}

/// Returns the class of a fault for the observer; `None` for a rejection by the domain.
fn error_type(fault: &StoreError) -> Option<&'static str> {
    if let StoreError::Domain(error) = fault
        && fault.class() == ErrorClass::Fatal
        && !matches!(error, riposte_core::Error::Internal(_))
    {
        return None;
    }
    Some(match fault.class() {
        ErrorClass::Conflict | ErrorClass::SecondShard => "conflict",
        ErrorClass::Locked => "locked",
        ErrorClass::Duplicate => "duplicate",
        ErrorClass::Lost => "lost",
        ErrorClass::Unreachable => "unreachable",
        ErrorClass::Fatal => "fatal",
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use riposte_core::Error;
    use tokio::runtime::Handle;

    use super::{TransactionObserver, TransactionRunner};
    use crate::error::StoreError;

    #[derive(Debug, Default)]
    struct RecordedTransactions(Mutex<Vec<(&'static str, Option<&'static str>)>>);

    impl TransactionObserver for RecordedTransactions {
        fn transaction(&self, _: &'static str, name: &'static str, _: Duration, failed: Option<&'static str>) {
            self.0.lock().unwrap().push((name, failed));
        }

        fn connection(&self, source: usize, pool: &'static str, _: Duration, begun: bool) {
            assert_eq!(source, 1);
            self.0.lock().unwrap().push((pool, (!begun).then_some("no connection")));
        }

        fn clock_was_ahead(&self, source: usize) {
            assert_eq!(source, 1);
            self.0.lock().unwrap().push(("clock", None));
        }

        fn lease_expired(&self, _: &str, _: i32) {
            self.0.lock().unwrap().push(("lease", None));
        }
    }

    #[tokio::test]
    async fn faults_of_the_database_are_recorded_and_rejections_of_the_domain_are_not() {
        let (runner, recorded) =
            (TransactionRunner::new(Handle::current(), "sqlite", 2), Arc::new(RecordedTransactions::default()));
        runner.observe(Arc::clone(&recorded) as _);
        let work = |outcome: Result<(), StoreError>| runner.observed((1, "read"), std::future::ready(outcome));
        assert!(work(Ok(())).await.is_ok());
        assert!(work(Err(Error::CommentNotFound.into())).await.is_err());
        assert!(work(Err(Error::internal("a row makes no sense").into())).await.is_err());
        assert!(work(Err(StoreError::NoResponse)).await.is_err());
        assert!(runner.timed_begin((1, "write"), std::future::ready(Err::<(), ()>(()))).await.is_err());
        assert!(runner.timed_begin((1, "read"), std::future::ready(Ok::<(), ()>(()))).await.is_ok());
        let expected = [
            ("read", None),
            ("read", None),
            ("read", Some("fatal")),
            ("read", Some("unreachable")),
            ("write", Some("no connection")),
            ("read", None),
        ];
        assert_eq!(*recorded.0.lock().unwrap(), expected);
    }
}
