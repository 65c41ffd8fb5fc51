//! Deliberate bugs (mutants), which `cargo xtask prove` has to find. They exist only in builds with
//! the feature `planted`, which only tests use, and take effect only in a process whose variable
//! `RIPOSTE_PLANTED` names one.
//!
//! Each mutant wraps a port and breaks its contract, as a bug in the implementation would. So the
//! shipped code contains no switch for it, and no mutant can be reached without the feature. Page
//! tokens have no port: their mutants are queried at the code that binds a token, in a line that is
//! compiled only with the feature. Mutants of the Redis functions are in `riposte-cache`.

mod cache;
mod log;
mod reader;

use std::sync::Arc;

use riposte_cache::Cache;
use riposte_core::CommandLog;
use riposte_core::ports::Reader;

/// The environment variable that names the mutant.
const VARIABLE: &str = "RIPOSTE_PLANTED";

/// A mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bug {
    /// A repeated request is not recognised.
    RepeatsForgotten,
    /// A late older like of a client overwrites a newer one.
    LateLikes,
    /// Some committed writes are refused as not executed.
    RefusedAfterCommit,
    /// Some likes are acknowledged but not stored.
    LikesLost,
    /// Some deletes are acknowledged and then undone.
    DeletesUndone,
    /// The response to a write sometimes contains the revision before its own.
    RevisionBefore,
    /// A page after the first one leaves out its first comment.
    PageEdge,
    /// The end of a list is determined by its count, which does not include deleted comments.
    EndByCount,
    /// A comment is always shown as it was at the first read of the process.
    CommentsKept,
    /// The counts of a subject are those of the previous read.
    CountsBefore,
    /// Pages are cached by object id, without the object type.
    TypeForgotten,
    /// The content of a deleted comment is shown.
    DeletedShown,
    /// Some edits are acknowledged but not stored.
    EditsLost,
    /// The responses to some creates contain a floor that is too high by one.
    FloorsShifted,
    /// Some creates are executed twice.
    CreatedTwice,
    /// The response to a write sometimes contains a revision that is not reached yet.
    RevisionAfter,
    /// Some likes are stored for another member.
    LikesOfAnother,
    /// Two neighbours on a page are sometimes in the wrong order.
    OrderTorn,
    /// A page after the first one begins with the last comment of the page before.
    PageOverlap,
    /// A page sometimes leaves out its second comment.
    PageHole,
    /// A page sometimes reports that nothing follows it.
    EndTooEarly,
    /// A comment is sometimes shown with one like too many.
    LikesOff,
    /// The contents of two comments of a page are sometimes swapped.
    TextsSwapped,
    /// The like states of a member are always those of the first read of the process.
    StatesKept,
    /// A subject that did not exist at one read is reported as absent for ever.
    AbsentKept,
    /// A comment is sometimes shown with one reply too few.
    RepliesOff,
    /// Neither writers nor the relay report the commits of half of the partitions to the cache.
    CommitsUnheard,
    /// The same for likes of comments.
    LikesUnheard,
    /// The same for the like states of members.
    LikersUnheard,
    /// The rows of a page of roots are read before the subject whose revision and counts it
    /// contains.
    RowsBeforeRevision,
    /// The fingerprint of a request is ignored, so a request id is recognised for any content.
    PrintsIgnored,
    /// A page token is accepted for any list.
    TokensUnbound,
    /// A page token is accepted for the same list of any subject.
    TokensOfAnySubject,
    /// A read of a comment sometimes returns another comment of the subject.
    NeighboursShown,
    /// The reply previews of two roots are sometimes swapped.
    PreviewsSwapped,
    /// The last comment of a thread is sometimes left out.
    ThreadsCut,
    /// The first comment of a conversation is sometimes left out.
    ConversationsCut,
    /// Idempotency records are kept by the process that executed the request, instead of the
    /// database.
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

/// Returns true at random, once in `many` calls on average.
fn one_of(many: u32) -> bool {
    rand::random_range(0..many) == 0
}

/// Returns the mutant of this process. An unknown name selects none, so that a run with a
/// misspelled name fails because nothing is found.
fn planted() -> Option<Bug> {
    let name = std::env::var_os(VARIABLE)?;
    BUGS.into_iter().find(|(known, _)| *known == name.to_string_lossy()).map(|(_, bug)| bug)
}

/// Returns true if page tokens are bound to their list.
pub(crate) fn binds_tokens() -> bool {
    planted() != Some(Bug::TokensUnbound)
}

/// Returns true if page tokens are bound to their subject.
pub(crate) fn binds_tokens_to_subjects() -> bool {
    planted() != Some(Bug::TokensOfAnySubject)
}

/// Wraps the command log with the mutant, if there is one.
pub(crate) fn log(inner: Arc<dyn CommandLog>) -> Arc<dyn CommandLog> {
    match planted() {
        Some(bug) => Arc::new(log::Planted::new(inner, bug)),
        None => inner,
    }
}

/// Wraps the reader with the mutant, if there is one.
pub(crate) fn reader(inner: Arc<dyn Reader>) -> Arc<dyn Reader> {
    match planted() {
        Some(bug) => Arc::new(reader::Planted::new(inner, bug)),
        None => inner,
    }
}

/// Wraps the cache with the mutant, if there is one.
pub(crate) fn cache(inner: Arc<dyn Cache>) -> Arc<dyn Cache> {
    match planted() {
        Some(bug) => Arc::new(cache::Planted { inner, bug }),
        None => inner,
    }
}
