//! The retry policy of transactions: the number of retries and their pauses.

use std::time::Duration;

use crate::error::ErrorClass;

/// The retries that one batch has used.
#[derive(Debug, Default)]
pub(crate) struct RetryPolicy {
    conflicts: u32,
    duplicates: u32,
    losses: u32,
}

impl RetryPolicy {
    /// Returns whether to try again, after the pause that goes with it. A batch that may have been
    /// committed is worth another wait for a connection: only a retry resolves its outcome.
    pub(crate) async fn again(&mut self, meaning: ErrorClass, outcome_unknown: bool) -> bool {
        let (used, most, pause) = match meaning {
            ErrorClass::Conflict => (&mut self.conflicts, 5, Duration::from_millis(4)),
            // The other transaction has committed: the next read finds its row.
            ErrorClass::Duplicate => (&mut self.duplicates, 3, Duration::ZERO),
            ErrorClass::Unreachable if !outcome_unknown => return false,
            ErrorClass::Lost | ErrorClass::Unreachable => (&mut self.losses, 3, Duration::from_millis(50)),
            // Some of the commands that waited for the whole lock wait may need other rows: see
            // `commit/bisect.rs`.
            ErrorClass::Fatal | ErrorClass::Locked => return false,
        };
        if *used == most {
            return false;
        }
        *used += 1;
        // Two transactions that conflicted once would conflict again after equal pauses.
        let jitter = rand::random_range(0.5..1.5);
        tokio::time::sleep((pause * *used).mul_f64(jitter)).await;
        true
    }
}
