//! The breaker of a data source: while it is away, calls that need it end at once, and hold no room that those of other
//! sources could use.
//!
//! That a connection fails, or none can be had, does not say that the source is away: a failover cuts connections, and a pool
//! whose connections all wait for a lock has none to give. So the source is asked for a sign of life on a connection that is
//! no pool's, and without one it is left alone. It knows by the pool where the source is, since credentials may be exchanged there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use riposte_core::CircuitBreaker;
use sqlx::Connection;
use sqlx::mysql::{MySqlConnection, MySqlPool};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::error::StoreError;

/// A source that has not answered for so long is asked for a sign of life.
pub(super) const SILENT: Duration = Duration::from_secs(1);
/// How long that may take.
const SIGN_WITHIN: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Debug)]
pub(super) struct SourceBreaker {
    breaker: CircuitBreaker,
    /// Whether nobody knows yet that its tables are ours.
    unknown: AtomicBool,
    begin: Instant,
    silent: Duration,
    /// A pool of the source, which is asked for nothing but where the source is.
    pool: MySqlPool,
    /// What the last look for a sign of life saw, and when it began.
    seen: Mutex<Option<(Instant, bool)>>,
}

impl SourceBreaker {
    /// The breaker of the source of a pool, which is looked at when it was silent for so long.
    pub(super) fn new(pool: MySqlPool, silent: Duration) -> Self {
        let (breaker, begin, seen) = (CircuitBreaker::default(), Instant::now(), Mutex::new(None));
        Self { breaker, unknown: AtomicBool::new(false), begin, silent, pool, seen }
    }

    /// Whether to keep the source closed, because it was away whenever its schema was asked for.
    pub(super) fn withhold(&self, unknown: bool) {
        self.unknown.store(unknown, Ordering::Release);
    }

    /// Begins something at the source, or answers for it that it is away. What is begun may be given up while it waits.
    ///
    /// # Errors
    /// Those of `ask`, and [`StoreError::Away`].
    pub(super) async fn pass<T>(
        &self,
        source: usize,
        ask: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        // While it is left alone, one call now and then looks for a sign of life first: it would wait for its own work for as long as
        // its caller does.
        let left_alone = self.breaker.is_open();
        if self.unknown.load(Ordering::Acquire)
            || !self.breaker.may_try(self.begin.elapsed())
            || left_alone && !self.lives().await
        {
            return Err(StoreError::Away);
        }
        // Boxed: this is a part of every transaction's future.
        let mut ask = Box::pin(ask);
        let answer = match timeout(self.silent, &mut ask).await {
            Ok(answer) => {
                if answer.as_ref().is_err_and(|fault| fault.meaning().is_away()) && !self.lives().await {
                    self.leave_alone(source);
                }
                answer
            }
            Err(_) => {
                tokio::select! {
                    biased;
                    answer = &mut ask => answer,
                    lives = self.lives() => {
                        if !lives {
                            self.leave_alone(source);
                            return Err(StoreError::Away);
                        }
                        ask.await
                    }
                }
            }
        };
        if answer.is_ok() && self.breaker.succeeded() {
            tracing::info!(source = source + 1, "a data source answers again");
        }
        answer
    }

    fn leave_alone(&self, source: usize) {
        if self.breaker.open(self.begin.elapsed()) {
            tracing::warn!(source = source + 1, "a data source is away; calls that need it are refused");
        }
    }

    /// Whether the source answers on a connection of its own. One at a time looks; who has come meanwhile takes its word.
    async fn lives(&self) -> bool {
        let asked = Instant::now();
        let mut seen = self.seen.lock().await;
        if let Some((began, lives)) = *seen
            && began + self.silent >= asked
        {
            return lives;
        }
        let began = Instant::now();
        let look = async {
            let mut connection = MySqlConnection::connect_with(&*self.pool.connect_options()).await?;
            connection.ping().await?;
            connection.close().await
        };
        // A server that refuses us in its own words is there.
        let lives = matches!(timeout(SIGN_WITHIN, look).await, Ok(Ok(()) | Err(sqlx::Error::Database(_))));
        *seen = Some((began, lives));
        lives
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use sqlx::mysql::MySqlConnectOptions;

    use super::{MySqlPool, SILENT, SourceBreaker};
    use crate::error::StoreError;

    /// A door before nobody.
    fn door(silent: Duration) -> SourceBreaker {
        SourceBreaker::new(MySqlPool::connect_lazy_with(MySqlConnectOptions::new().host("127.0.0.1").port(1)), silent)
    }

    #[tokio::test]
    async fn a_source_that_fails_and_gives_no_sign_of_life_is_not_asked() {
        let door = door(SILENT);
        assert!(matches!(door.pass(0, ready(Err::<(), _>(StoreError::Silence))).await, Err(StoreError::Silence)));
        assert!(matches!(door.pass(0, ready(Ok(()))).await, Err(StoreError::Away)));
    }

    #[tokio::test]
    async fn nobody_waits_for_a_source_that_says_nothing_and_gives_no_sign_of_life() {
        let door = door(Duration::from_millis(5));
        assert!(matches!(door.pass(0, pending::<Result<(), StoreError>>()).await, Err(StoreError::Away)));
        assert!(matches!(door.pass(0, ready(Ok(()))).await, Err(StoreError::Away)));
    }

    #[tokio::test]
    async fn a_source_of_which_nobody_knows_what_it_has_is_not_asked() {
        let door = door(SILENT);
        door.withhold(true);
        assert!(matches!(door.pass(0, ready(Ok(()))).await, Err(StoreError::Away)));
        door.withhold(false);
        assert!(door.pass(0, ready(Ok(()))).await.is_ok());
    }

    #[tokio::test]
    async fn refusals_of_the_domain_are_answers_of_the_source() {
        let door = door(SILENT);
        for _ in 0..9 {
            let refused = riposte_core::Error::CommentNotFound;
            assert!(door.pass(0, ready(Err::<(), StoreError>(refused.into()))).await.is_err());
        }
        assert!(door.pass(0, ready(Ok(()))).await.is_ok());
    }
}
