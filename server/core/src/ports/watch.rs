//! Watches of subjects: the revisions of a subject, dense and in order.

use std::fmt::Debug;
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
    /// Revisions that can no longer be delivered one by one.
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

/// A read of a subject that runs only if its result is needed.
pub type SubjectLoad<'a> = Pin<Box<dyn Future<Output = Result<Subject>> + Send + 'a>>;

/// The watches of a process.
#[async_trait]
pub trait SubjectWatches: Send + Sync + Debug {
    /// Opens a watch. With `after` 0 the watch begins with the next change. Otherwise its client
    /// has seen every revision up to `after`. `load` reads the subject as the caller may see it.
    ///
    /// # Errors
    /// Those of `load` and of the outbox; [`Error::Overloaded`] at the maximum number of watches;
    /// [`Error::ServerStopping`].
    async fn join(&self, key: &SubjectKey, after: i64, load: SubjectLoad<'_>) -> Result<Box<dyn SubjectWatch>>;
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
