//! The retry policy of transactions: the number of retries and their pauses.

use std::time::Duration;

use crate::error::ErrorClass;

/// The most retries after a second shard. Each connection of a pool may need one, and so may each
/// statement with which transactions begin.
const SECOND_SHARDS_MAX: u32 = 64;

/// The retries that one batch has used.
#[derive(Debug, Default)]
pub(crate) struct RetryPolicy {
    conflicts: u32,
    second_shards: u32,
    duplicates: u32,
    losses: u32,
}

impl RetryPolicy {
    /// Waits before the next attempt and returns true, or returns false at once if no further
    /// attempt is allowed. A batch that may have been committed waits for a connection again,
    /// because only a retry resolves its outcome.
    pub(crate) async fn wait_before_retry(&mut self, class: ErrorClass, outcome_unknown: bool) -> bool {
        let (used, limit, pause) = match class {
            ErrorClass::Conflict => (&mut self.conflicts, 5, Duration::from_millis(4)),
            // No other transaction is in the way.
            ErrorClass::SecondShard => (&mut self.second_shards, SECOND_SHARDS_MAX, Duration::ZERO),
            // The other transaction has committed: the next read finds its row.
            ErrorClass::Duplicate => (&mut self.duplicates, 3, Duration::ZERO),
            ErrorClass::Unreachable if !outcome_unknown => return false,
            ErrorClass::Lost | ErrorClass::Unreachable => (&mut self.losses, 3, Duration::from_millis(50)),
            // Not all commands of the batch need the locked row; `commit/bisect.rs` separates them.
            ErrorClass::Fatal | ErrorClass::Locked => return false,
        };
        if *used == limit {
            return false;
        }
        *used += 1;
        // Two transactions that conflicted once would conflict again after equal pauses.
        let jitter = rand::random_range(0.5..1.5);
        tokio::time::sleep((pause * *used).mul_f64(jitter)).await;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{RetryPolicy, SECOND_SHARDS_MAX};
    use crate::error::ErrorClass;

    #[tokio::test]
    async fn a_second_shard_is_retried_more_often_than_any_pool_has_connections_and_uses_no_other_retry() {
        let mut policy = RetryPolicy::default();
        for _ in 0..SECOND_SHARDS_MAX {
            assert!(policy.wait_before_retry(ErrorClass::SecondShard, false).await);
        }
        assert!(!policy.wait_before_retry(ErrorClass::SecondShard, false).await);
        assert!(policy.wait_before_retry(ErrorClass::Conflict, false).await);
    }
}
