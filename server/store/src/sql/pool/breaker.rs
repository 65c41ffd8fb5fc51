//! The circuit breaker of a data source. While the source is unavailable, calls that need it fail
//! at once and use no capacity that calls to other sources could use.
//!
//! A failed connection, or an exhausted pool, does not mean that the source is unavailable: a
//! failover closes connections, and a pool whose connections all wait for a lock has no free one.
//! So the source is probed on a connection outside the pools, and the breaker opens if the probe
//! fails. The probe takes the address from the pool, because its credentials may be replaced.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use riposte_sync::CircuitBreaker;
use sqlx::Connection;
use sqlx::mysql::{MySqlConnection, MySqlPool};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::error::StoreError;

/// The time without a response after which a source is probed.
pub(super) const PROBE_AFTER: Duration = Duration::from_secs(1);
/// The time limit of a probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// The circuit breaker of one source.
#[derive(Debug)]
pub(super) struct SourceBreaker {
    breaker: CircuitBreaker,
    /// True while the source counts as unavailable because its schema is unknown.
    schema_unknown: AtomicBool,
    begin: Instant,
    probe_after: Duration,
    /// A pool of the source, used only for its current address.
    pool: MySqlPool,
    /// The result of the last probe, and the time it began.
    last_probe: Mutex<Option<(Instant, bool)>>,
}

impl SourceBreaker {
    /// Creates the breaker of a pool's source, which is probed after `probe_after` without a
    /// response.
    pub(super) fn new(pool: MySqlPool, probe_after: Duration) -> Self {
        let (breaker, begin, last_probe) = (CircuitBreaker::default(), Instant::now(), Mutex::new(None));
        Self { breaker, schema_unknown: AtomicBool::new(false), begin, probe_after, pool, last_probe }
    }

    /// Sets whether the breaker stays open because the source was unavailable at every check of its
    /// schema.
    pub(super) fn set_schema_unknown(&self, unknown: bool) {
        self.schema_unknown.store(unknown, Ordering::Release);
    }

    /// Calls the source, or returns at once that it is unavailable. A call may be dropped while it
    /// waits.
    ///
    /// # Errors
    /// The errors of `work`, and [`StoreError::Unavailable`].
    pub(super) async fn call<T>(
        &self,
        source: usize,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        // While the breaker is open, it lets one call per pause through, which probes the source
        // first. Without the probe the call would wait for its own work until its caller gives up.
        let was_open = self.breaker.is_open();
        if self.schema_unknown.load(Ordering::Acquire)
            || !self.breaker.may_try(self.begin.elapsed())
            || was_open && !self.responds().await
        {
            return Err(StoreError::Unavailable);
        }
        // Boxed, because it is a part of every transaction's future.
        let mut work = Box::pin(work);
        let outcome = match timeout(self.probe_after, &mut work).await {
            Ok(outcome) => {
                if outcome.as_ref().is_err_and(|fault| fault.class().is_unavailable()) && !self.responds().await {
                    self.open_breaker(source);
                }
                outcome
            }
            Err(_) => {
                tokio::select! {
                    biased;
                    outcome = &mut work => outcome,
                    responds = self.responds() => {
                        if !responds {
                            self.open_breaker(source);
                            return Err(StoreError::Unavailable);
                        }
                        work.await
                    }
                }
            }
        };
        if outcome.is_ok() && self.breaker.succeeded() {
            tracing::info!(source = source + 1, "a data source is available again");
        }
        outcome
    }

    fn open_breaker(&self, source: usize) {
        if self.breaker.open(self.begin.elapsed()) {
            tracing::warn!(source = source + 1, "a data source is unavailable; calls that need it are rejected");
        }
    }

    /// Probes the source on a new connection and returns whether it responds. One probe runs at a
    /// time; calls that arrive at most `probe_after` after its start use its result.
    async fn responds(&self) -> bool {
        let arrival = Instant::now();
        let mut last_probe = self.last_probe.lock().await;
        if let Some((probe_start, responds)) = *last_probe
            && probe_start + self.probe_after >= arrival
        {
            return responds;
        }
        let probe_start = Instant::now();
        let probe = async {
            let mut connection = MySqlConnection::connect_with(&*self.pool.connect_options()).await?;
            connection.ping().await?;
            connection.close().await
        };
        // A server that refuses the connection with its own error is available.
        let responds = matches!(timeout(PROBE_TIMEOUT, probe).await, Ok(Ok(()) | Err(sqlx::Error::Database(_))));
        *last_probe = Some((probe_start, responds));
        responds
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use sqlx::mysql::MySqlConnectOptions;

    use super::{MySqlPool, PROBE_AFTER, SourceBreaker};
    use crate::error::StoreError;

    /// A breaker of an address where no server listens.
    fn breaker(probe_after: Duration) -> SourceBreaker {
        SourceBreaker::new(
            MySqlPool::connect_lazy_with(MySqlConnectOptions::new().host("127.0.0.1").port(1)),
            probe_after,
        )
    }

    #[tokio::test]
    async fn a_source_that_fails_and_does_not_respond_to_a_probe_is_not_called() {
        let breaker = breaker(PROBE_AFTER);
        assert!(matches!(
            breaker.call(0, ready(Err::<(), _>(StoreError::NoResponse))).await,
            Err(StoreError::NoResponse)
        ));
        assert!(matches!(breaker.call(0, ready(Ok(()))).await, Err(StoreError::Unavailable)));
    }

    #[tokio::test]
    async fn no_call_waits_for_a_source_that_does_not_respond_to_a_probe() {
        let breaker = breaker(Duration::from_millis(5));
        assert!(matches!(breaker.call(0, pending::<Result<(), StoreError>>()).await, Err(StoreError::Unavailable)));
        assert!(matches!(breaker.call(0, ready(Ok(()))).await, Err(StoreError::Unavailable)));
    }

    #[tokio::test]
    async fn a_source_whose_schema_was_never_read_is_not_called() {
        let breaker = breaker(PROBE_AFTER);
        breaker.set_schema_unknown(true);
        assert!(matches!(breaker.call(0, ready(Ok(()))).await, Err(StoreError::Unavailable)));
        breaker.set_schema_unknown(false);
        assert!(breaker.call(0, ready(Ok(()))).await.is_ok());
    }

    #[tokio::test]
    async fn rejections_by_the_domain_count_as_responses_of_the_source() {
        let breaker = breaker(PROBE_AFTER);
        for _ in 0..9 {
            let rejection = riposte_core::Error::CommentNotFound;
            assert!(breaker.call(0, ready(Err::<(), StoreError>(rejection.into()))).await.is_err());
        }
        assert!(breaker.call(0, ready(Ok(()))).await.is_ok());
    }
}
