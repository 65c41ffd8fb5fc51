//! Calls about comments that wait for review, and their responses.

use serde::{Deserialize, Serialize};

/// The states of a comment, by the codes of the rows, which are also those of the contract.
pub(crate) mod state {
    pub(crate) const ACTIVE: i8 = 1;
    pub(crate) const PENDING: i8 = 2;
    pub(crate) const REJECTED: i8 = 3;
    pub(crate) const HIDDEN: i8 = 4;
    pub(crate) const DELETED: i8 = 6;
}

/// An act of a moderator, by its number in the contract and in the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum ModeratorAct {
    Approve = 1,
    Reject = 2,
    Hide = 3,
    Unhide = 4,
    Delete = 5,
    Withhold = 6,
    Keep = 7,
}

impl ModeratorAct {
    /// All acts, in the order of their numbers.
    pub(crate) const ALL: [Self; 7] =
        [Self::Approve, Self::Reject, Self::Hide, Self::Unhide, Self::Delete, Self::Withhold, Self::Keep];

    /// Returns the act of a number.
    pub(crate) fn of(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|act| *act as i32 == number)
    }
}

/// The number of an author's appeal in the contract and in the rows, where appeals are decisions.
pub(crate) const APPEAL: i32 = 8;

/// A public read of several comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PublicRead {
    /// A first page of roots with replies.
    List,
    /// The replies of a root.
    Replies(i64),
    /// One comment.
    Get(i64),
    /// One comment in a batch.
    Batch(i64),
    /// A comment with those below it.
    Thread(i64),
    /// A comment with those above it.
    Conversation(i64),
    /// The former texts of a comment.
    History(i64),
    /// The comments of a member in all subjects of the type.
    OfMember(u32),
    /// The comments that only their author sees; the viewer is the author.
    Unlisted,
}

/// A call about comments of the object type whose comments wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum ReviewCall {
    /// Creates a root, or a reply if the parent is not 0.
    Create { parent: i64, member: u32, text: u64 },
    /// Replaces the text of a comment, by its author.
    Edit { comment: i64, member: u32, text: u64 },
    /// Deletes a comment, by its author.
    Delete { comment: i64, member: u32 },
    /// Restores a comment, by its author.
    Undelete { comment: i64, member: u32 },
    /// Likes a comment.
    Like { comment: i64, member: u32 },
    /// Reports a comment. The reporter makes no other calls.
    Report { comment: i64, reporter: u8 },
    /// Contests a decision on a comment, in most cases by its author.
    Appeal { comment: i64, number: i32, member: u32 },
    /// Reads all statements of reasons to a member.
    Statements { member: u32 },
    /// Reads the reports of a reporter, which reports this comment alone, and what became of them.
    OwnReports { comment: i64, reporter: u8 },
    /// Leases work for a number of seconds.
    Claim { moderator: u32, seconds: u32 },
    /// Gives leases back.
    Release { moderator: u32, comments: Box<[i64]>, lease: Box<str> },
    /// Judges comments, each with the etag that was read.
    Judge { moderator: u32, act: ModeratorAct, targets: Box<[(i64, Box<str>)]>, lease: Box<str> },
    /// Reads the whole queue, with or without leased items.
    Queue { leased: bool },
    /// Reads comments as moderators do.
    Moderated { comments: Box<[i64]> },
    /// Reads all decisions on a comment.
    Decisions { comment: i64 },
    /// Reads on the public port, for a viewer where one is named.
    Public { read: PublicRead, viewer: Option<u32>, fresh: bool },
}

/// A comment as a response of the public port shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenComment {
    pub(crate) id: i64,
    /// The number of its text; 0 if it has none.
    pub(crate) text: u64,
    pub(crate) state: i8,
}

/// The states of a proposed edit, by the codes of the rows. The contract has the first two.
pub(crate) mod proposal_state {
    pub(crate) const WAITING: i8 = 1;
    pub(crate) const REJECTED: i8 = 2;
    pub(crate) const DROPPED: i8 = 3;
    pub(crate) const APPROVED: i8 = 4;
}

/// A proposed edit in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenProposal {
    pub(crate) number: i32,
    pub(crate) text: u64,
    pub(crate) state: i8,
}

/// A comment as a moderator reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModeratedItem {
    pub(crate) id: i64,
    pub(crate) text: u64,
    pub(crate) state: i8,
    pub(crate) etag: Box<str>,
    /// True if a question is open.
    pub(crate) open: bool,
    /// The number of the last decision; 0 without one.
    pub(crate) decisions: i32,
    /// The time in milliseconds at which it is due, in the queue and in claims; 0 elsewhere.
    pub(crate) due: i64,
    /// The proposed edit that waits or was refused last.
    pub(crate) proposal: Option<SeenProposal>,
    /// Names the proposed edit; empty if none waits.
    pub(crate) proposal_etag: Box<str>,
}

/// A decision in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenDecision {
    pub(crate) comment: i64,
    /// The number in its id.
    pub(crate) number: i32,
    pub(crate) act: i32,
    /// True if it judges a proposed edit.
    pub(crate) of_proposal: bool,
    pub(crate) from: i8,
    pub(crate) to: i8,
    /// The moderator; `u32::MAX` for another name.
    pub(crate) moderator: u32,
}

/// A statement of reasons in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenStatement {
    pub(crate) comment: i64,
    /// The number of the decision.
    pub(crate) number: i32,
    pub(crate) act: i32,
    /// True if it is about a proposed edit.
    pub(crate) of_proposal: bool,
    pub(crate) from: i8,
    pub(crate) to: i8,
    /// True if it says that the author may appeal.
    pub(crate) is_contestable: bool,
}

/// The outcomes of reports, by their numbers in the contract.
pub(crate) mod outcome {
    pub(crate) const OPEN: i32 = 1;
    pub(crate) const RESTRICTED: i32 = 2;
    pub(crate) const UNRESTRICTED: i32 = 3;
}

/// A report in a response to its reporter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenReport {
    pub(crate) comment: i64,
    pub(crate) outcome: i32,
    /// The second at which the day of the outcome began; 0 without one.
    pub(crate) day: i64,
}

/// The outcome of one target of a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JudgedTarget {
    pub(crate) comment: i64,
    pub(crate) decision: Option<SeenDecision>,
    /// The reason of an error; empty for a decision.
    pub(crate) reason: Box<str>,
    /// The etag after the act, or the present one in an ETAG_MISMATCH.
    pub(crate) etag: Box<str>,
    /// The decision that an ETAG_MISMATCH names; 0 for none.
    pub(crate) winner: i32,
    /// The revision that the act made; 0 for none.
    pub(crate) revision: i64,
}

/// The response to a call about comments that wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum ReviewResponse {
    /// The comment that was written, the revision that the write made, and the proposed edit that
    /// it became, if it waits or was refused.
    Written {
        comment: SeenComment,
        revision: i64,
        proposal: Option<SeenProposal>,
    },
    Liked,
    /// True if the reporter had not reported the comment before.
    Reported(bool),
    Appealed,
    /// The statements to a member, and true if the response has an id or words of a moderator.
    Statements {
        statements: Box<[SeenStatement]>,
        has_secret: bool,
    },
    /// The reports of a reporter, and true if the response has words or an id of one or of a
    /// moderator.
    OwnReports {
        reports: Box<[SeenReport]>,
        has_secret: bool,
    },
    /// The leased items, each with the end of its lease in milliseconds by the clock of its
    /// database, and the token.
    Claimed {
        items: Box<[(ModeratedItem, i64)]>,
        lease: Box<str>,
    },
    Released(i32),
    Judged(Box<[JudgedTarget]>),
    /// Comments as moderators see them.
    Moderated(Box<[ModeratedItem]>),
    Decisions(Box<[SeenDecision]>),
    /// Comments on the public port with the proposed edits of some, the counts of the subject if
    /// the response has them, and true if it has an id or words of a moderator or a reporter.
    Seen {
        comments: Box<[SeenComment]>,
        proposals: Box<[(i64, SeenProposal)]>,
        counts: Option<(i32, i32)>,
        has_secret: bool,
    },
}

impl ReviewResponse {
    /// Returns the comments that a moderator read.
    pub(crate) fn moderated(&self) -> impl Iterator<Item = &ModeratedItem> {
        let (read, claimed): (&[ModeratedItem], &[(ModeratedItem, i64)]) = match self {
            Self::Moderated(items) => (items, &[]),
            Self::Claimed { items, .. } => (&[], items),
            Self::Written { .. }
            | Self::Liked
            | Self::Reported(_)
            | Self::Appealed
            | Self::Statements { .. }
            | Self::OwnReports { .. }
            | Self::Released(_)
            | Self::Judged(_)
            | Self::Decisions(_)
            | Self::Seen { .. } => (&[], &[]),
        };
        read.iter().chain(claimed.iter().map(|(item, _)| item))
    }
}

impl ReviewCall {
    /// Returns the name of the kind of call.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Create { .. } => "write what waits",
            Self::Edit { .. } => "edit what waits",
            Self::Delete { .. } => "delete what waits",
            Self::Undelete { .. } => "undelete what waits",
            Self::Like { .. } => "like what may wait",
            Self::Report { .. } => "report",
            Self::Appeal { .. } => "appeal",
            Self::Statements { .. } => "read statements",
            Self::OwnReports { .. } => "read own reports",
            Self::Claim { .. } => "claim",
            Self::Release { .. } => "release",
            Self::Judge { .. } => "judge",
            Self::Queue { .. } => "read the queue",
            Self::Moderated { .. } => "read as a moderator",
            Self::Decisions { .. } => "read decisions",
            Self::Public { .. } => "read what may wait",
        }
    }

    /// Returns true if the call writes, so that it has a request id.
    pub(crate) fn writes(&self) -> bool {
        match self {
            Self::Create { .. }
            | Self::Edit { .. }
            | Self::Delete { .. }
            | Self::Undelete { .. }
            | Self::Like { .. }
            | Self::Report { .. }
            | Self::Appeal { .. }
            | Self::Claim { .. }
            | Self::Release { .. }
            | Self::Judge { .. } => true,
            Self::Statements { .. }
            | Self::OwnReports { .. }
            | Self::Queue { .. }
            | Self::Moderated { .. }
            | Self::Decisions { .. }
            | Self::Public { .. } => false,
        }
    }
}
