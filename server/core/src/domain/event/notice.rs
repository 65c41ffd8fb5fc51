//! Notices: the members that may be notified of a comment, with the reasons.

use crate::domain::member::MemberId;

/// The maximum number of notices that one commit gives for one comment. The limits of a content
/// keep below it.
pub const MAX_NOTICES: usize = 64;

/// One member that may be notified of a comment. A comment names each member at most once, for the
/// strongest reason, and never its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The member.
    pub member: MemberId,
    /// The reason.
    pub reason: NoticeReason,
}

/// The reason for which a member may be notified of a comment. The first ones are the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticeReason {
    /// The comment replies to one of the member's.
    Reply,
    /// The comment mentions the member.
    Mention,
    /// The member owns the subject.
    Owner,
    /// The member wrote the root of the thread; only where the object type says so.
    Thread,
    /// A reason that only a newer version knows.
    Unknown,
}
