//! One operation.

use serde::{Deserialize, Serialize};

use super::item::Item;
use super::owned::{OwnedCall, OwnedResponse};
use super::policy::{PolicyCall, PolicyResponse};
use super::review::{ReviewCall, ReviewResponse};
use crate::histcheck::names::CONTESTED_MEMBER;

/// Nanoseconds since the run began, by the machine's monotonic clock, which all clients share.
pub(crate) type Nanos = u64;
/// A request id: the two halves of its UUID. Zero for a read.
pub(crate) type RequestId = (u64, u64);

/// One attempt of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Op {
    /// The client. It has one write in flight at a time for each of its members, and for the member
    /// of all clients.
    pub(crate) client: u32,
    /// The server that was called.
    pub(crate) server: u8,
    /// Time before the call was sent.
    pub(crate) begun: Nanos,
    /// Time after its response arrived, or after the call was abandoned.
    pub(crate) ended: Nanos,
    pub(crate) request: RequestId,
    pub(crate) call: Call,
    pub(crate) outcome: Outcome,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Call {
    /// Creates a root comment.
    Root { subject: u32, member: u32, text: u64 },
    /// Creates a reply to a comment.
    Reply { subject: u32, parent: i64, member: u32, text: u64 },
    /// Replaces the text of a comment, by its author.
    Edit { subject: u32, comment: i64, member: u32, text: u64 },
    /// Deletes a comment, by its author.
    Delete { subject: u32, comment: i64, member: u32 },
    /// Undeletes a comment, by its author.
    Undelete { subject: u32, comment: i64, member: u32 },
    /// Hides a comment, by a moderator.
    Hide { subject: u32, comment: i64 },
    /// Shows a hidden comment again, by a moderator.
    Unhide { subject: u32, comment: i64 },
    /// Sets a member's value of a comment.
    Like { subject: u32, comment: i64, member: u32, value: Value },
    /// Reads a page of roots.
    List(PageOf),
    /// Reads a page of the replies of a root.
    Replies { root: i64, page: PageOf },
    /// Reads one comment.
    Get { subject: u32, comment: i64, view: View },
    /// Reads several comments in one call.
    Several { subject: u32, comments: CommentSelector, view: View },
    /// Reads the former texts of a comment.
    History { subject: u32, comment: i64 },
    /// Reads the counts of a subject.
    Counts { subject: u32, view: View },
    /// Reads the like states of a member for some comments.
    States { subject: u32, member: u32, comments: Box<[i64]>, fresh: bool },
    /// Reads the whole list of the members that like a comment.
    Likers { subject: u32, comment: i64 },
    /// Reads the whole list of a member's comments in the object type of a subject.
    OfMember { subject: u32, member: u32 },
    /// Sends a forbidden call, which must be refused.
    Misuse { subject: u32, misuse: Misuse },
    /// Exports all rows and likes of a subject and verifies its counts; only when there are no more
    /// writes.
    Export { subject: u32 },
    /// Watches the changes of a subject after a revision, until the watcher ends the stream or the
    /// stream breaks.
    Watch { subject: u32, after: i64 },
    /// A call about comments that wait for review.
    Review { subject: u32, call: ReviewCall },
    /// A call about a subject with an owner.
    Owned { subject: u32, call: OwnedCall },
    /// A call about comments that the policy judges.
    Policy { subject: u32, call: PolicyCall },
}

/// The comments of one read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CommentSelector {
    /// The comments of these ids.
    Batch(Box<[i64]>),
    /// A comment and its ancestors up to the root.
    Conversation(i64),
    /// A comment and its descendants: the first page.
    Thread(i64),
}

/// Page sizes of reads of threads and of histories: the largest ones allowed.
pub(crate) const THREAD_PAGE_SIZE: usize = 100;
pub(crate) const HISTORY_PAGE_SIZE: usize = 100;

/// A forbidden call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Misuse {
    /// Continues in a list of this order with the page token of another list.
    Token(Sort),
    /// Creates a comment of this author and text under the id of an acknowledged request.
    Request { id: RequestId, member: u32, text: u64 },
}

impl Misuse {
    /// Returns the reason for which it must be refused, as a slice of one.
    pub(crate) fn reasons(self) -> &'static [&'static str] {
        match self {
            Self::Token(_) => &["PAGE_TOKEN_MISMATCH"],
            Self::Request { .. } => &["REQUEST_ID_REUSED"],
        }
    }
}

/// The property of a comment that a change sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Property {
    Text(u64),
    Visible(bool),
}

/// The required freshness of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct View {
    /// The minimum revision of the subject; 0 for any.
    pub(crate) min_revision: i64,
    /// True for a read from the primary.
    pub(crate) fresh: bool,
}

/// Page size of the most frequent page: the newest roots with three replies each, as for a list
/// that all users open. Pages cached as a whole are served only to callers with the same request.
pub(crate) const USUAL_PAGE_SIZE: u8 = 20;

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageOf {
    pub(crate) subject: u32,
    pub(crate) sort: Sort,
    pub(crate) size: u8,
    /// The walk it belongs to, by a number that its client assigns.
    pub(crate) walk: u32,
    /// Its index in the walk, from 0.
    pub(crate) number: u32,
    pub(crate) view: View,
}

impl PageOf {
    /// Returns the number of replies requested below each root. The page size determines it, so
    /// that all numbers occur; the most frequent page has the usual three.
    pub(crate) fn previews(&self) -> u8 {
        if self.size == USUAL_PAGE_SIZE { 3 } else { self.size % 4 }
    }
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sort {
    Newest,
    Oldest,
    Hot,
    Top,
    Best,
    Controversial,
    MostReplies,
}

/// A member's value of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Value {
    None,
    Like,
    Dislike,
}

/// The known result of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// The response to a create, an edit, a delete or an undelete.
    Written(WriteResponse),
    Liked(LikeResponse),
    Page(PageResponse),
    Comment(Item),
    /// The comments in the order of the response.
    Comments(Box<[Item]>),
    Counts(Counts),
    /// Former texts of a comment and the subjects that they were written for, the latest first.
    Texts(Box<[(u32, u64)]>),
    /// The like states in the order of the request.
    States(Box<[Value]>),
    /// The members that like a comment, in the order of the list.
    Members(Box<[u32]>),
    /// The comments of a member in all subjects of an object type, in the order of the list.
    OfMember(Box<[Item]>),
    /// The subject, if it exists; its rows and likes; and descriptions of the counts that differ
    /// from their rows.
    Export {
        counts: Option<Counts>,
        rows: Box<[Item]>,
        likes: Box<[(i64, u32, Value)]>,
        drifts: Box<[String]>,
    },
    /// The changes of comments, in the order of the stream, up to the last revision. That is the
    /// last revision received or, when there are no more writes, the current revision of the
    /// subject.
    Changes {
        changes: Box<[WatchedChange]>,
        last: i64,
    },
    /// The first and the last revision of a gap that the stream reports.
    Gap {
        first: i64,
        last: i64,
    },
    /// The response to a call about comments that wait for review.
    Reviewed(ReviewResponse),
    /// The response to a call about a subject with an owner.
    Owned(OwnedResponse),
    /// The response to a call about comments that the policy judges.
    Policy(PolicyResponse),
    /// Refused as not executed, for this reason.
    Refused(Box<str>),
    /// It may have been executed, may be executed later, or never, for this reason. A read has no
    /// result.
    Unknown(Box<str>),
}

/// Number of latest revisions of a subject that a watcher can receive one by one, by the contract.
pub(crate) const WATCH_WINDOW: i64 = 1_024;

/// One change of a watched subject: its revision, and the changed comments with their kinds of
/// change. Most revisions change one comment.
pub(crate) type WatchedChange = (i64, Box<[(i64, ChangeKind)]>);

/// A kind of change of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ChangeKind {
    Created,
    Edited,
    /// Deleted, hidden or restored.
    State,
    /// A change that no call of the load makes.
    Other,
}

/// The response to a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WriteResponse {
    pub(crate) id: i64,
    /// 0 for a root.
    pub(crate) root: i64,
    pub(crate) floor: i32,
    /// The revision of the subject that the request made.
    pub(crate) revision: i64,
}

/// The response to a like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LikeResponse {
    pub(crate) value: Value,
    pub(crate) likes: i32,
    pub(crate) dislikes: i32,
    /// The comment's own revision.
    pub(crate) revision: i64,
}

/// A revision of a subject and its counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) revision: i64,
    pub(crate) roots: i32,
    pub(crate) comments: i32,
}

/// The response to a read of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PageResponse {
    /// The revision of the subject that the page shows.
    pub(crate) revision: i64,
    /// The subject's counts, if the page contains them.
    pub(crate) counts: Option<Counts>,
    /// True if no page follows.
    pub(crate) last: bool,
    pub(crate) items: Box<[Item]>,
}

impl Call {
    /// Returns the name of the kind of call.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Root { .. } => "comment",
            Self::Reply { .. } => "reply",
            Self::Edit { .. } => "edit",
            Self::Delete { .. } => "delete",
            Self::Undelete { .. } => "undelete",
            Self::Hide { .. } => "hide",
            Self::Unhide { .. } => "unhide",
            Self::Like { .. } => "like",
            Self::List(_) => "list roots",
            Self::Replies { .. } => "list replies",
            Self::Get { .. } => "read a comment",
            Self::Several { .. } => "read several comments",
            Self::History { .. } => "read a history",
            Self::Counts { .. } => "read counts",
            Self::States { .. } => "read like states",
            Self::Likers { .. } => "list likers",
            Self::OfMember { .. } => "list a member's comments",
            Self::Misuse { .. } => "misuse",
            Self::Export { .. } => "export",
            Self::Watch { .. } => "watch",
            Self::Review { call, .. } => call.kind(),
            Self::Owned { call, .. } => call.kind(),
            Self::Policy { call, .. } => call.kind(),
        }
    }

    /// Returns the subject of the call.
    pub(crate) fn subject(&self) -> u32 {
        match self {
            Self::Root { subject, .. }
            | Self::Reply { subject, .. }
            | Self::Edit { subject, .. }
            | Self::Delete { subject, .. }
            | Self::Undelete { subject, .. }
            | Self::Hide { subject, .. }
            | Self::Unhide { subject, .. }
            | Self::Like { subject, .. }
            | Self::Get { subject, .. }
            | Self::Several { subject, .. }
            | Self::History { subject, .. }
            | Self::Counts { subject, .. }
            | Self::States { subject, .. }
            | Self::Likers { subject, .. }
            | Self::OfMember { subject, .. }
            | Self::Misuse { subject, .. }
            | Self::Export { subject }
            | Self::Watch { subject, .. }
            | Self::Review { subject, .. }
            | Self::Owned { subject, .. }
            | Self::Policy { subject, .. } => *subject,
            Self::List(page) | Self::Replies { page, .. } => page.subject,
        }
    }

    /// Returns author, parent (0 for a root) and text of the comment that it creates.
    pub(crate) fn makes(&self) -> Option<(u32, i64, u64)> {
        if let Self::Root { member, text, .. } = self {
            return Some((*member, 0, *text));
        }
        let Self::Reply { member, parent, text, .. } = self else { return None };
        Some((*member, *parent, *text))
    }

    /// Returns the comment that it edits, deletes, hides or restores, and the property it sets.
    pub(crate) fn alters(&self) -> Option<(i64, Property)> {
        if let Self::Edit { comment, text, .. } = self {
            return Some((*comment, Property::Text(*text)));
        }
        if let Self::Delete { comment, .. } | Self::Hide { comment, .. } = self {
            return Some((*comment, Property::Visible(false)));
        }
        let (Self::Undelete { comment, .. } | Self::Unhide { comment, .. }) = self else { return None };
        Some((*comment, Property::Visible(true)))
    }

    /// Returns true if it sets a like that several clients set.
    pub(crate) fn is_contested(&self) -> bool {
        matches!(self, Self::Like { member: CONTESTED_MEMBER, .. })
    }

    /// Returns the kind of change that watchers receive for it; a like is not sent to watchers.
    pub(crate) fn changes(&self) -> Option<ChangeKind> {
        let altered = self
            .alters()
            .map(|(_, property)| if let Property::Text(_) = property { ChangeKind::Edited } else { ChangeKind::State });
        altered.or_else(|| self.makes().map(|_| ChangeKind::Created))
    }

    /// Returns the required freshness of a read that states one.
    pub(crate) fn view(&self) -> Option<View> {
        match self {
            Self::List(page) | Self::Replies { page, .. } => Some(page.view),
            Self::Get { view, .. } | Self::Several { view, .. } | Self::Counts { view, .. } => Some(*view),
            Self::States { fresh, .. } => Some(View { min_revision: 0, fresh: *fresh }),
            Self::Export { .. } | Self::Watch { .. } => Some(View { min_revision: 0, fresh: true }),
            Self::Review { call, .. } if call.writes() => None,
            Self::Policy { call, .. } if call.writes() => None,
            Self::Owned { call, .. } => call.reads().map(|fresh| View { min_revision: 0, fresh }),
            // They write nothing.
            Self::Review { .. }
            | Self::Policy { .. }
            | Self::Misuse { .. }
            | Self::History { .. }
            | Self::Likers { .. }
            | Self::OfMember { .. } => Some(View::default()),
            Self::Root { .. }
            | Self::Reply { .. }
            | Self::Edit { .. }
            | Self::Delete { .. }
            | Self::Undelete { .. }
            | Self::Hide { .. }
            | Self::Unhide { .. }
            | Self::Like { .. } => None,
        }
    }
}

impl Sort {
    /// All orders.
    pub(crate) const ALL: [Self; 7] =
        [Self::Newest, Self::Oldest, Self::Hot, Self::Top, Self::Best, Self::Controversial, Self::MostReplies];

    /// Returns true if the list is ordered by floors.
    pub(crate) fn is_stable(self) -> bool {
        matches!(self, Self::Newest | Self::Oldest)
    }
}

impl Outcome {
    /// Returns the reason of a refusal as not executed.
    pub(crate) fn refused(&self) -> Option<&str> {
        if let Self::Refused(reason) = self { Some(reason) } else { None }
    }

    /// Returns true for the result of an executed call.
    pub(crate) fn has_result(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::Unknown(_))
    }
}

impl Op {
    /// Returns the revision of the subject that the response shows.
    pub(crate) fn revision(&self) -> Option<i64> {
        if let Outcome::Written(written) = &self.outcome {
            return Some(written.revision);
        }
        if let Outcome::Page(page) = &self.outcome {
            return Some(page.revision);
        }
        self.counts().map(|counts| counts.revision)
    }

    /// Returns the counts of the subject in the response to a read of counts or roots.
    pub(crate) fn counts(&self) -> Option<Counts> {
        if let Outcome::Counts(counts) = &self.outcome {
            return Some(*counts);
        }
        let Outcome::Page(page) = &self.outcome else { return None };
        page.counts
    }

    /// Returns the comments in the response.
    pub(crate) fn items(&self) -> &[Item] {
        if let Outcome::Comment(item) = &self.outcome {
            return std::slice::from_ref(item);
        }
        let (Outcome::Page(PageResponse { items, .. })
        | Outcome::Comments(items)
        | Outcome::Export { rows: items, .. }) = &self.outcome
        else {
            return &[];
        };
        items
    }
}
