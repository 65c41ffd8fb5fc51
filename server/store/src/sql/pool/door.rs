//! The breaker of a data source: while it is away, calls that need it end at once, and hold no room that those of other
//! sources could use.

use std::pin::pin;
use std::time::{Duration, Instant};

use riposte_core::Breaker;
use tokio::time::timeout;

use crate::error::{Fault, Meaning};

/// A source that has not answered for so long counts as one that failed. Longer than a read may take: a pool whose
/// connections are all in use answers now and then, and each answer is proof that the source is there.
pub(super) const SILENT: Duration = Duration::from_secs(2);

/// See the module.
#[derive(Debug)]
pub(super) struct Door {
    breaker: Breaker,
    begin: Instant,
    silent: Duration,
}

impl Door {
    /// A source that is silent for so long counts as one that failed.
    pub(super) fn new(silent: Duration) -> Self {
        Self { breaker: Breaker::default(), begin: Instant::now(), silent }
    }

    /// Asks the source, or answers for it that it is away.
    ///
    /// # Errors
    /// Those of `ask`, and [`Fault::Away`].
    pub(super) async fn pass<T>(&self, source: usize, ask: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        if !self.breaker.may_try(self.begin.elapsed()) {
            return Err(Fault::Away);
        }
        let mut ask = pin!(ask);
        let answer = match timeout(self.silent, &mut ask).await {
            Ok(answer) => {
                let failed = answer.as_ref().is_err_and(|fault| is_away(fault.meaning()));
                if failed {
                    self.failed(source);
                }
                answer
            }
            Err(_) => {
                self.failed(source);
                ask.await
            }
        };
        if answer.is_ok() && self.breaker.succeeded() {
            tracing::info!(source, "a data source answers again");
        }
        answer
    }

    fn failed(&self, source: usize) {
        if self.breaker.failed(self.begin.elapsed()) {
            tracing::warn!(source, "a data source is away; calls that need it are refused");
        }
    }
}

/// Whether it is the source itself that fails.
fn is_away(meaning: Meaning) -> bool {
    match meaning {
        Meaning::Lost | Meaning::Unreachable => true,
        Meaning::Conflict | Meaning::Locked | Meaning::Duplicate | Meaning::Fatal => false,
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use super::{Door, SILENT};
    use crate::error::Fault;

    /// So short that a test can wait for it.
    const SHORT: Duration = Duration::from_millis(5);

    #[tokio::test]
    async fn a_source_that_fails_again_and_again_is_not_asked() {
        let door = Door::new(SILENT);
        for _ in 0..5 {
            assert!(matches!(door.pass(0, ready(Err::<(), _>(Fault::Silence))).await, Err(Fault::Silence)));
        }
        assert!(matches!(door.pass(0, ready(Ok(()))).await, Err(Fault::Away)));
    }

    #[tokio::test]
    async fn a_source_that_says_nothing_counts_before_anybody_gives_up() {
        let door = Door::new(SHORT);
        let mut silent: Vec<_> = (0..5).map(|_| Box::pin(door.pass(0, pending::<Result<(), Fault>>()))).collect();
        let refused = async {
            while !door.breaker.is_open() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = futures::future::select_all(&mut silent) => panic!("it says nothing"),
            () = refused => {}
        }
    }

    #[tokio::test]
    async fn refusals_of_the_domain_are_answers_of_the_source() {
        let door = Door::new(SILENT);
        for _ in 0..9 {
            let refused = riposte_core::Error::CommentNotFound;
            assert!(door.pass(0, ready(Err::<(), Fault>(refused.into()))).await.is_err());
        }
        assert!(door.pass(0, ready(Ok(()))).await.is_ok());
    }
}
