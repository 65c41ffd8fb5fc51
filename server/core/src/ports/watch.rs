//! Watches of subjects: the revisions of a subject, dense and in order.

use std::fmt::{self, Debug, Formatter};
use std::future::Future;
use std::pin::Pin;

use async_trait::async_trait;

use crate::domain::error::{Error, Result};
use crate::domain::event::Changes;
use crate::domain::subject::{Subject, SubjectKey};

/// An item that a watch receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchItem {
    /// One revision and its changes.
    Change {
        /// The revision.
        revision: i64,
        /// The changes.
        changes: Changes,
    },
    /// Revisions that can no longer be delivered one by one. If `last` is below `first`, the
    /// revisions from `last + 1` to `first - 1` that a client has seen are gone, and the next
    /// change follows `last`: the data source was restored to an earlier state.
    Gap {
        /// The first of them.
        first: i64,
        /// The last of them.
        last: i64,
    },
}

impl WatchItem {
    /// Returns the newest revision that the item covers.
    #[must_use]
    pub fn last(&self) -> i64 {
        match self {
            Self::Change { revision, .. } => *revision,
            Self::Gap { last, .. } => *last,
        }
    }
}

/// A read of a subject that runs only if its result is needed. An absent subject that its first
/// comment may create has version and revision 0.
pub type SubjectLoad<'a> = Pin<Box<dyn Future<Output = Result<Subject>> + Send + 'a>>;

/// The reads of a subject as the caller of a watch may see it.
pub struct SubjectLoads<'a> {
    /// Through the cache.
    pub cached: SubjectLoad<'a>,
    /// From the rows. It runs if the client has seen a newer revision than this process knows.
    pub primary: SubjectLoad<'a>,
}

impl Debug for SubjectLoads<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubjectLoads").finish_non_exhaustive()
    }
}

/// The watches of a process.
#[async_trait]
pub trait SubjectWatches: Send + Sync + Debug {
    /// Opens a watch. With `after` 0 the watch begins with the next change. Otherwise its client
    /// has seen every revision up to `after`; if the subject has no such revision, the watch begins
    /// at the subject's own with a gap that says so.
    ///
    /// # Errors
    /// Those of `loads` and of the outbox; [`Error::Overloaded`] at the maximum number of watches;
    /// [`Error::ServerStopping`].
    async fn join(&self, key: &SubjectKey, after: i64, loads: SubjectLoads<'_>) -> Result<Box<dyn SubjectWatch>>;
}

/// One watch of one subject.
#[async_trait]
pub trait SubjectWatch: Send + Debug {
    /// Returns the revision up to which everything was delivered, or seen before.
    fn seen(&self) -> i64;

    /// Waits for the next change or gap. Returns `None` after an error. Cancel-safe: a dropped call
    /// loses no item.
    ///
    /// # Errors
    /// [`Error::WatchTooSlow`] when items that this watch has not received were dropped;
    /// [`Error::ServerStopping`].
    async fn next(&mut self) -> Option<Result<WatchItem>>;

    /// Ends the watch with this error, which it returns.
    fn end(&mut self, error: Error) -> Option<Result<WatchItem>>;
}
