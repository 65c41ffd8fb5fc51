//! The topic outside of the service that receives the public events.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::error::Result;
use crate::domain::feed::{FeedEvent, GapReason};

/// A topic that receives events. What it has stored of the events of one subject is always a
/// prefix of what was sent, whatever fails; sending them again repeats that prefix.
#[async_trait]
pub trait EventTopic: Send + Sync + Debug {
    /// Sends events of a data source in their order. When the call returns, the topic has stored
    /// all of them.
    ///
    /// # Errors
    /// [`Error::ShardUnavailable`](crate::Error::ShardUnavailable) if it has not stored all of
    /// them in time. What was not stored yet is not sent any more.
    async fn send(&self, source: usize, events: &[Arc<FeedEvent>]) -> Result<()>;

    /// Reports a gap to every reader.
    ///
    /// # Errors
    /// Those of [`send`](Self::send).
    async fn send_gap(&self, source: usize, gap: TopicGap) -> Result<()>;

    /// Examines whether events can be sent, unless that was done within the last 10 s.
    async fn check(&self);

    /// Ends what is being sent of a source: another process may send its events.
    async fn stop(&self, source: usize);
}

/// Events of a source that the topic does not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicGap {
    /// The reason.
    pub reason: GapReason,
    /// The sequence number of the first event after the gap.
    pub next: i64,
}
