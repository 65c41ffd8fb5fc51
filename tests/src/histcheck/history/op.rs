//! One operation.

use serde::{Deserialize, Serialize};

/// Nanoseconds since the run began, by the machine's monotonic clock, which all clients share.
pub(crate) type Nanos = u64;
/// A request id: the two halves of its UUID. Zero for a read.
pub(crate) type RequestId = (u64, u64);

/// One attempt of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Op {
    /// Who asked. A client writes one thing at a time for each of its members.
    pub(crate) client: u32,
    /// Which server was asked.
    pub(crate) server: u8,
    /// Before the call was sent.
    pub(crate) begun: Nanos,
    /// After its answer came, or was given up.
    pub(crate) ended: Nanos,
    pub(crate) request: RequestId,
    pub(crate) call: Call,
    pub(crate) outcome: Outcome,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Call {
    /// A root comment.
    Root { subject: u32, member: u32, text: u64 },
    /// A reply to a comment.
    Reply { subject: u32, parent: i64, member: u32, text: u64 },
    /// Another text, by the author.
    Edit { subject: u32, comment: i64, member: u32, text: u64 },
    /// The end of a comment, by its author.
    Delete { subject: u32, comment: i64, member: u32 },
    /// The return of a comment, by its author.
    Undelete { subject: u32, comment: i64, member: u32 },
    /// A member's value of a comment.
    Like { subject: u32, comment: i64, member: u32, value: Value },
    /// A page of roots.
    List(PageOf),
    /// A page of the replies of a root.
    Replies { root: i64, page: PageOf },
    /// One comment.
    Get { subject: u32, comment: i64, view: View },
    /// Several comments in one answer.
    Several { subject: u32, which: Which, view: View },
    /// The counts of a subject.
    Counts { subject: u32, view: View },
    /// What a member likes of some comments.
    States { subject: u32, member: u32, comments: Box<[i64]>, fresh: bool },
    /// What has to be refused.
    Misuse { subject: u32, how: Misuse },
    /// All rows and likes of a subject, and whether its counts are theirs; only when nobody writes any more.
    Export { subject: u32 },
    /// The changes of a subject behind a revision, as a watcher is told them until it leaves, or its stream breaks.
    Watch { subject: u32, after: i64 },
}

/// Which comments are read at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Which {
    /// These.
    Batch(Box<[i64]>),
    /// One, and what it answers, and what that answers, up to the root.
    Conversation(i64),
    /// One, and what stands below it: the first page.
    Thread(i64),
}

/// Comments that are asked for of what stands below another: the most there are on a page.
pub(crate) const THREAD: usize = 100;

/// What a caller may not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Misuse {
    /// To go on in this list behind a page of another one.
    Token(Sort),
    /// To ask for a comment of this author and text under the id of a request that was acknowledged.
    Request { id: RequestId, member: u32, text: u64 },
}

impl Misuse {
    /// The reason it is refused for, which is one.
    pub(crate) fn reasons(self) -> &'static [&'static str] {
        match self {
            Self::Token(_) => &["PAGE_TOKEN_MISMATCH"],
            Self::Request { .. } => &["REQUEST_ID_REUSED"],
        }
    }
}

/// How new an answer has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct View {
    /// At least this revision of the subject; 0: any.
    pub(crate) min_revision: i64,
    /// By the primary.
    pub(crate) fresh: bool,
}

/// Roots of the page that callers ask for most, the newest ones with three replies each, as of a list that everybody opens: what is
/// kept of a page as a whole is seen by those alone who ask for the same.
pub(crate) const USUAL: u8 = 20;

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageOf {
    pub(crate) subject: u32,
    pub(crate) sort: Sort,
    pub(crate) size: u8,
    /// The walk it belongs to, by a number of its client's.
    pub(crate) walk: u32,
    /// Its place in the walk, from 0.
    pub(crate) number: u32,
    pub(crate) view: View,
}

impl PageOf {
    /// Replies that are asked for below each root: of all numbers, by the size that was drawn; on the page that everybody asks
    /// for, the usual three.
    pub(crate) fn previews(&self) -> u8 {
        if self.size == USUAL { 3 } else { self.size % 4 }
    }
}

/// An order of a list.
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

/// What a member says of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Value {
    None,
    Like,
    Dislike,
}

/// What is known of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// A create, an edit, a delete or an undelete.
    Written(Written),
    Liked(Liked),
    Page(Shown),
    Comment(Item),
    /// In the order they were answered.
    Comments(Box<[Item]>),
    Counts(Counts),
    /// In the order they were asked for.
    States(Box<[Value]>),
    /// The subject, if there is one; rows, likes, and counts that differ from their rows, in words.
    Export {
        counts: Option<Counts>,
        rows: Box<[Item]>,
        likes: Box<[(i64, u32, Value)]>,
        drifts: Box<[String]>,
    },
    /// The changes of comments, in the order they were told, up to the revision that was the last: of those told or, when
    /// nobody wrote any more, of the subject.
    Changes {
        told: Box<[Told]>,
        last: i64,
    },
    /// Revisions that a watcher is told of as left out, from the first to the last.
    Gap {
        first: i64,
        last: i64,
    },
    /// Refused, with the word that nothing was done; by this reason.
    Refused(Box<str>),
    /// It may have been done, be done later, or never; by this reason. A read tells nothing.
    Unknown(Box<str>),
}

/// Revisions of a subject that can be told one by one, as the contract says.
pub(crate) const TOLD: i64 = 1_024;

/// One change of a watched subject: its revision, and the comments that changed and how. Most have one.
pub(crate) type Told = (i64, Box<[(i64, How)]>);

/// How a comment changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum How {
    Created,
    Edited,
    /// Deleted, or back again.
    State,
    /// In a way that nobody asked for.
    Other,
}

/// What a write was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) id: i64,
    /// 0 for a root.
    pub(crate) root: i64,
    pub(crate) floor: i32,
    /// The revision of the subject that the request made.
    pub(crate) revision: i64,
}

/// What a like was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Liked {
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

/// A page as it was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shown {
    /// The revision of the subject that it is of.
    pub(crate) revision: i64,
    /// The subject's counts, where the page tells them.
    pub(crate) counts: Option<Counts>,
    /// Whether nothing follows.
    pub(crate) last: bool,
    pub(crate) items: Box<[Item]>,
}

/// What part of an answer a comment was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Place {
    /// A member of the list.
    Row,
    /// A reply shown below its root.
    Preview,
    /// The root above a page of replies.
    Head,
}

/// A comment as it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Packed", from = "Packed")]
pub(crate) struct Item {
    pub(crate) place: Place,
    pub(crate) id: i64,
    /// 0 for a root, as the parent.
    pub(crate) root: i64,
    pub(crate) parent: i64,
    pub(crate) floor: i32,
    /// The author; `u32::MAX` where none is told, as in a tombstone.
    pub(crate) member: u32,
    /// The number that marks its text; 0 for a tombstone, which has none.
    pub(crate) text: u64,
    /// The subject that the comment says it belongs to, and the one that its text was written for.
    pub(crate) subject: u32,
    pub(crate) marked: u32,
    pub(crate) likes: i32,
    pub(crate) dislikes: i32,
    pub(crate) replies: i32,
    /// Its own revision.
    pub(crate) revision: i64,
}

impl Item {
    /// Whether it is what is left of a deleted comment.
    pub(crate) fn is_tombstone(&self) -> bool {
        self.text == 0 && self.member == u32::MAX
    }
}

/// The same as a list, so that a line of the file does not repeat the names.
type Packed = (Place, i64, i64, i64, i32, u32, u64, (u32, u32), (i32, i32, i32), i64);

impl From<Item> for Packed {
    fn from(item: Item) -> Self {
        let Item { place, id, root, parent, floor, member, text, subject, marked, likes, dislikes, replies, revision } =
            item;
        (place, id, root, parent, floor, member, text, (subject, marked), (likes, dislikes, replies), revision)
    }
}

impl From<Packed> for Item {
    fn from(packed: Packed) -> Self {
        let (place, id, root, parent, floor, member, text, (subject, marked), (likes, dislikes, replies), revision) =
            packed;
        Self { place, id, root, parent, floor, member, text, subject, marked, likes, dislikes, replies, revision }
    }
}

impl Call {
    /// What kind of call it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Root { .. } => "comment",
            Self::Reply { .. } => "reply",
            Self::Edit { .. } => "edit",
            Self::Delete { .. } => "delete",
            Self::Undelete { .. } => "undelete",
            Self::Like { .. } => "like",
            Self::List(_) => "list roots",
            Self::Replies { .. } => "list replies",
            Self::Get { .. } => "read a comment",
            Self::Several { .. } => "read several comments",
            Self::Counts { .. } => "read counts",
            Self::States { .. } => "read like states",
            Self::Misuse { .. } => "misuse",
            Self::Export { .. } => "export",
            Self::Watch { .. } => "watch",
        }
    }

    /// The subject it is about.
    pub(crate) fn subject(&self) -> u32 {
        match self {
            Self::Root { subject, .. }
            | Self::Reply { subject, .. }
            | Self::Edit { subject, .. }
            | Self::Delete { subject, .. }
            | Self::Undelete { subject, .. }
            | Self::Like { subject, .. }
            | Self::Get { subject, .. }
            | Self::Several { subject, .. }
            | Self::Counts { subject, .. }
            | Self::States { subject, .. }
            | Self::Misuse { subject, .. }
            | Self::Export { subject }
            | Self::Watch { subject, .. } => *subject,
            Self::List(page) | Self::Replies { page, .. } => page.subject,
        }
    }

    /// Author, parent (0 for a root) and text of the comment that it makes.
    pub(crate) fn makes(&self) -> Option<(u32, i64, u64)> {
        match self {
            Self::Root { member, text, .. } => Some((*member, 0, *text)),
            Self::Reply { member, parent, text, .. } => Some((*member, *parent, *text)),
            Self::Edit { .. }
            | Self::Delete { .. }
            | Self::Undelete { .. }
            | Self::Like { .. }
            | Self::List(_)
            | Self::Replies { .. }
            | Self::Get { .. }
            | Self::Several { .. }
            | Self::Counts { .. }
            | Self::States { .. }
            | Self::Misuse { .. }
            | Self::Export { .. }
            | Self::Watch { .. } => None,
        }
    }

    /// How it changes a comment, as watchers are told; a like is told to nobody.
    pub(crate) fn changes(&self) -> Option<How> {
        match self {
            Self::Root { .. } | Self::Reply { .. } => Some(How::Created),
            Self::Edit { .. } => Some(How::Edited),
            Self::Delete { .. } | Self::Undelete { .. } => Some(How::State),
            Self::Like { .. }
            | Self::List(_)
            | Self::Replies { .. }
            | Self::Get { .. }
            | Self::Several { .. }
            | Self::Counts { .. }
            | Self::States { .. }
            | Self::Misuse { .. }
            | Self::Export { .. }
            | Self::Watch { .. } => None,
        }
    }

    /// How new its answer has to be, for a read that says.
    pub(crate) fn view(&self) -> Option<View> {
        match self {
            Self::List(page) | Self::Replies { page, .. } => Some(page.view),
            Self::Get { view, .. } | Self::Several { view, .. } | Self::Counts { view, .. } => Some(*view),
            Self::States { fresh, .. } => Some(View { min_revision: 0, fresh: *fresh }),
            Self::Export { .. } | Self::Watch { .. } => Some(View { min_revision: 0, fresh: true }),
            // Nothing is written by it.
            Self::Misuse { .. } => Some(View::default()),
            Self::Root { .. }
            | Self::Reply { .. }
            | Self::Edit { .. }
            | Self::Delete { .. }
            | Self::Undelete { .. }
            | Self::Like { .. } => None,
        }
    }
}

impl Sort {
    /// All of them.
    pub(crate) const ALL: [Self; 7] =
        [Self::Newest, Self::Oldest, Self::Hot, Self::Top, Self::Best, Self::Controversial, Self::MostReplies];

    /// Whether a walk goes by floors.
    pub(crate) fn is_stable(self) -> bool {
        matches!(self, Self::Newest | Self::Oldest)
    }
}

impl Outcome {
    /// The reason of a refusal that says that nothing was done.
    pub(crate) fn refused(&self) -> Option<&str> {
        if let Self::Refused(reason) = self { Some(reason) } else { None }
    }

    /// Whether it is an answer to what was asked.
    pub(crate) fn is_answer(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::Unknown(_))
    }
}

impl Op {
    /// The revision of the subject that the answer is of.
    pub(crate) fn revision(&self) -> Option<i64> {
        match &self.outcome {
            Outcome::Written(written) => Some(written.revision),
            Outcome::Page(shown) => Some(shown.revision),
            Outcome::Counts(counts) => Some(counts.revision),
            Outcome::Liked(_)
            | Outcome::Comment(_)
            | Outcome::Comments(_)
            | Outcome::States(_)
            | Outcome::Export { .. }
            | Outcome::Changes { .. }
            | Outcome::Gap { .. }
            | Outcome::Refused(_)
            | Outcome::Unknown(_) => None,
        }
    }

    /// The comments that the answer shows.
    pub(crate) fn items(&self) -> &[Item] {
        match &self.outcome {
            Outcome::Page(shown) => &shown.items,
            Outcome::Comment(item) => std::slice::from_ref(item),
            Outcome::Comments(items) | Outcome::Export { rows: items, .. } => items,
            Outcome::Written(_)
            | Outcome::Liked(_)
            | Outcome::Counts(_)
            | Outcome::States(_)
            | Outcome::Changes { .. }
            | Outcome::Gap { .. }
            | Outcome::Refused(_)
            | Outcome::Unknown(_) => &[],
        }
    }
}
