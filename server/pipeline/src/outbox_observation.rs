//! The state of an outbox, as the last poll found it.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::ports::OutboxState;
use tokio::time::Instant;

/// The state of an outbox that a poll found. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct OutboxObservation {
    /// The state.
    pub state: Arc<OutboxState>,
    /// The beginning of the poll. The state is not older.
    pub begin: Instant,
    /// The age of the oldest commit that waited for a sequence number; zero if there was none.
    pub oldest: Duration,
}
