//! Bugs on purpose, which `cargo xtask prove` has to find. They exist only in builds with the feature `planted`, as tests
//! make them, and there only in a process that the variable `RIPOSTE_PLANTED` names one for.
//!
//! Each stands in front of a port and breaks its contract, as a mistake behind it would. So the code that ships has no
//! switch in it, and nothing here can be reached without the feature.

mod cache;
mod log;
mod reader;

use std::sync::Arc;

use riposte_cache::Cache;
use riposte_core::ports::{Log, Reader};

/// The variable that names the bug.
const VARIABLE: &str = "RIPOSTE_PLANTED";

/// A bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bug {
    /// A repeat of a request is not recognised.
    RepeatsForgotten,
    /// An older like of a client that comes late undoes a newer one.
    LateLikes,
    /// Some writes are refused as not executed when they have been committed.
    RefusedAfterCommit,
    /// Some likes are acknowledged and not kept.
    LikesLost,
    /// Some deletes are acknowledged and undone.
    DeletesUndone,
    /// A write is answered with the revision before its own.
    RevisionBefore,
    /// The page behind another one leaves out its first comment.
    PageEdge,
    /// The end of a list is found by its count, in which deleted comments are missing.
    EndByCount,
    /// A comment that was read once is shown as it was then, for a while without end.
    CommentsKept,
    /// The counts of a subject are those of the read before.
    CountsBefore,
    /// Pages are kept by object id, without the object type.
    TypeForgotten,
    /// What a deleted comment said is shown.
    DeletedShown,
    /// Neither writers nor the relay tell the copies of some partitions what was committed.
    CommitsUnheard,
    /// The same for likes of comments.
    LikesUnheard,
    /// The same for what members like.
    LikersUnheard,
}

const BUGS: [(&str, Bug); 15] = [
    ("repeats-forgotten", Bug::RepeatsForgotten),
    ("late-likes", Bug::LateLikes),
    ("refused-after-commit", Bug::RefusedAfterCommit),
    ("likes-lost", Bug::LikesLost),
    ("deletes-undone", Bug::DeletesUndone),
    ("revision-before", Bug::RevisionBefore),
    ("page-edge", Bug::PageEdge),
    ("end-by-count", Bug::EndByCount),
    ("comments-kept", Bug::CommentsKept),
    ("counts-before", Bug::CountsBefore),
    ("type-forgotten", Bug::TypeForgotten),
    ("deleted-shown", Bug::DeletedShown),
    ("commits-unheard", Bug::CommitsUnheard),
    ("likes-unheard", Bug::LikesUnheard),
    ("likers-unheard", Bug::LikersUnheard),
];

/// The bug of this process. An unknown name is none, so that a misspelled run misses it loudly.
fn planted() -> Option<Bug> {
    let name = std::env::var_os(VARIABLE)?;
    BUGS.into_iter().find(|(known, _)| *known == name.to_string_lossy()).map(|(_, bug)| bug)
}

/// The road of writes, perhaps with a bug.
pub(crate) fn log(inner: Arc<dyn Log>) -> Arc<dyn Log> {
    match planted() {
        Some(bug) => Arc::new(log::Planted { inner, bug }),
        None => inner,
    }
}

/// Reads, perhaps with a bug.
pub(crate) fn reader(inner: Arc<dyn Reader>) -> Arc<dyn Reader> {
    match planted() {
        Some(bug) => Arc::new(reader::Planted::new(inner, bug)),
        None => inner,
    }
}

/// Copies, perhaps with a bug.
pub(crate) fn cache(inner: Arc<dyn Cache>) -> Arc<dyn Cache> {
    match planted() {
        Some(bug) => Arc::new(cache::Planted { inner, bug }),
        None => inner,
    }
}
