//! The feed of events: its subscriptions, and the rows that complete the entries of the outbox.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::caller::Caller;
use crate::domain::error::Result;
use crate::domain::feed::{EventComment, EventFilter, FeedEvent, FeedPosition, GapReason};
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;

/// The rows that events name, from the primary and past every cache.
#[async_trait]
pub trait EventRows: Send + Sync + Debug {
    /// Returns the keys of those of the subjects that exist.
    async fn event_subjects(&self, ids: BTreeSet<SubjectId>) -> Result<HashMap<SubjectId, SubjectKey>>;

    /// Returns those of the comments that exist.
    async fn event_comments(&self, ids: BTreeSet<CommentId>) -> Result<HashMap<CommentId, EventComment>>;
}

/// The grants of callers as they are now, for streams that outlive a change of them.
pub trait CallerGrants: Send + Sync + Debug {
    /// Returns a caller with its present grants; `None` if it was removed.
    fn present(&self, caller: &Caller) -> Option<Caller>;
}

/// The subscriptions of a process.
#[async_trait]
pub trait EventSubscriptions: Send + Sync + Debug {
    /// Opens a subscription. It begins at `from`, or with the next event without it.
    ///
    /// # Errors
    /// Those of the outbox; [`Error::ServerStopping`](crate::Error::ServerStopping).
    async fn open(&self, filter: EventFilter, from: Option<FeedPosition>) -> Result<Box<dyn EventSubscription>>;
}

/// One subscription. Events of one subject come in the order of its revisions.
#[async_trait]
pub trait EventSubscription: Send + Sync + Debug {
    /// Returns the times at which it begins.
    ///
    /// # Errors
    /// Those of the outbox.
    async fn times(&self) -> Result<FeedTimes>;

    /// Returns the position after the last item.
    fn position(&self) -> &FeedPosition;

    /// Returns the next event or gap; `None` after all events that the process knows. Cancel-safe:
    /// a dropped call loses no item.
    ///
    /// # Errors
    /// Those of [`next`](Self::next).
    async fn next_known(&mut self) -> Result<Option<FeedItem>>;

    /// Waits for the next item. At most 10 s pass between two items of progress. Cancel-safe as
    /// [`next_known`](Self::next_known).
    ///
    /// # Errors
    /// [`Error::WatchTooSlow`](crate::Error::WatchTooSlow) for a subscription that had all events
    /// and has fallen behind; [`Error::ServerStopping`](crate::Error::ServerStopping); those of the
    /// outbox, for one that is behind.
    async fn next(&mut self) -> Result<FeedItem>;
}

/// An item that a subscription returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedItem {
    /// An event.
    Event(Arc<FeedEvent>),
    /// Events that are no longer available.
    Gap(GapReason),
    /// Every event committed before this time was returned; `None` while that is not known.
    Progress(Option<Millis>),
}

/// The times at which a subscription begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedTimes {
    /// The time of the oldest event that is available.
    pub oldest: Millis,
    /// Every event committed from then on is returned.
    pub begin: Millis,
}
