//! Bugs on purpose, which `cargo xtask prove` has to find. They exist only in builds with the feature `planted`, as tests
//! make them, and there only in a process that the variable `RIPOSTE_PLANTED` names one for.
//!
//! Each stands in front of a port and breaks its contract, as a mistake behind it would. So the code that ships has no switch in it,
//! and nothing here can be reached without the feature. Page tokens have no port: theirs is asked for where they are bound, in a line
//! that is compiled with the feature alone. Bugs in the functions of Redis stand in `riposte-cache`.

mod cache;
mod log;
mod reader;

use std::sync::Arc;

use riposte_cache::Cache;
use riposte_core::ports::{CommandLog, Reader};

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
    /// Some edits are acknowledged and not kept.
    EditsLost,
    /// Some new comments are told to stand one floor higher than they do.
    FloorsShifted,
    /// Some creates are done twice.
    CreatedTwice,
    /// A write is answered with a revision that is not reached yet.
    RevisionAfter,
    /// Some likes are set for another member.
    LikesOfAnother,
    /// Two neighbours on a page stand the other way round, now and then.
    OrderTorn,
    /// The page behind another one begins with its last comment.
    PageOverlap,
    /// A page leaves out a comment in its middle, now and then.
    PageHole,
    /// A page says that nothing follows it, now and then.
    EndTooEarly,
    /// A comment is shown with one like too many, now and then.
    LikesOff,
    /// Two comments of a page say each other's words, now and then.
    TextsSwapped,
    /// What a member likes is remembered from its first reading, for ever.
    StatesKept,
    /// A subject that was not there once is never there.
    AbsentKept,
    /// A comment is shown with one reply too few, now and then.
    RepliesOff,
    /// Neither writers nor the relay tell the copies of some partitions what was committed.
    CommitsUnheard,
    /// The same for likes of comments.
    LikesUnheard,
    /// The same for what members like.
    LikersUnheard,
    /// A page of roots is read before the subject whose revision and counts it is said to be of.
    RowsBeforeRevision,
    /// A request id is known whatever is asked for under it.
    PrintsIgnored,
    /// A token goes on in any list.
    TokensUnbound,
    /// A token goes on in the same list of any subject.
    TokensOfAnySubject,
    /// A comment is answered with another one, now and then.
    NeighboursShown,
    /// The previews of two roots stand below each other's, now and then.
    PreviewsSwapped,
    /// A thread is answered without its last comment, now and then.
    ThreadsCut,
    /// A conversation leaves out what the comment answers, now and then.
    ConversationsCut,
    /// What was done is remembered by the process that did it, and not where it was done.
    KeysApart,
}

const BUGS: [(&str, Bug); 38] = [
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
    ("edits-lost", Bug::EditsLost),
    ("floors-shifted", Bug::FloorsShifted),
    ("created-twice", Bug::CreatedTwice),
    ("revision-after", Bug::RevisionAfter),
    ("likes-of-another", Bug::LikesOfAnother),
    ("order-torn", Bug::OrderTorn),
    ("page-overlap", Bug::PageOverlap),
    ("page-hole", Bug::PageHole),
    ("end-too-early", Bug::EndTooEarly),
    ("likes-off", Bug::LikesOff),
    ("texts-swapped", Bug::TextsSwapped),
    ("states-kept", Bug::StatesKept),
    ("absent-kept", Bug::AbsentKept),
    ("replies-off", Bug::RepliesOff),
    ("commits-unheard", Bug::CommitsUnheard),
    ("likes-unheard", Bug::LikesUnheard),
    ("likers-unheard", Bug::LikersUnheard),
    ("rows-before-revision", Bug::RowsBeforeRevision),
    ("keys-apart", Bug::KeysApart),
    ("prints-ignored", Bug::PrintsIgnored),
    ("tokens-unbound", Bug::TokensUnbound),
    ("tokens-of-any-subject", Bug::TokensOfAnySubject),
    ("neighbours-shown", Bug::NeighboursShown),
    ("previews-swapped", Bug::PreviewsSwapped),
    ("threads-cut", Bug::ThreadsCut),
    ("conversations-cut", Bug::ConversationsCut),
];

/// Now and then: once in so many.
fn one_of(many: u32) -> bool {
    rand::random_range(0..many) == 0
}

/// The bug of this process. An unknown name is none, so that a misspelled run misses it loudly.
fn planted() -> Option<Bug> {
    let name = std::env::var_os(VARIABLE)?;
    BUGS.into_iter().find(|(known, _)| *known == name.to_string_lossy()).map(|(_, bug)| bug)
}

/// Whether page tokens say what they are of.
pub(crate) fn binds_tokens() -> bool {
    planted() != Some(Bug::TokensUnbound)
}

/// Whether they say of which subject they are.
pub(crate) fn binds_tokens_to_subjects() -> bool {
    planted() != Some(Bug::TokensOfAnySubject)
}

/// The road of writes, perhaps with a bug.
pub(crate) fn log(inner: Arc<dyn CommandLog>) -> Arc<dyn CommandLog> {
    match planted() {
        Some(bug) => Arc::new(log::Planted::new(inner, bug)),
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
