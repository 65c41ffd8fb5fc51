//! The rows that a batch writes. New values are in the unit of work; the write set has their keys,
//! and the old values of changed rows.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::comment::Comment;
use crate::domain::content::{ClientInfo, Content};
use crate::domain::decision::Decision;
use crate::domain::event::{ActorKind, Changes, DecisionNumbers, Notice};
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::member::MemberId;
use crate::domain::origin::ImportOrigin;
use crate::domain::proposal::ProposalState;
use crate::domain::request::{IdempotencyKey, IdempotencyRecord, RequestIdentity};
use crate::domain::subject::{Subject, SubjectKey};
use crate::domain::time::Millis;

/// The content of a comment before an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentEdit {
    /// The comment.
    pub comment_id: CommentId,
    /// The comment's version when the former content was replaced.
    pub version: i64,
    /// The former content.
    pub content: Content,
    /// The time since which the former content had been in place.
    pub time: Millis,
}

/// A former content of a comment that was out of sight when it was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithheldContent {
    /// The content and its time.
    pub edit: ContentEdit,
    /// `true` if the content was in sight at some time.
    pub once_public: bool,
}

/// The content that a caller sent and that is stored with words masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginalContent {
    /// The content.
    pub content: Content,
    /// The time at which it was sent.
    pub time: Millis,
    /// `true` if another content has replaced the masked one.
    pub is_replaced: bool,
}

/// A proposed edit that became the content of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovedProposal {
    /// The version of the comment with this content.
    pub version: i64,
    /// `true` if the batch has replaced it since.
    pub is_replaced: bool,
}

/// The rows that a batch writes. A row is either new or changed, never both.
#[derive(Debug, Default)]
pub struct WriteSet {
    /// Subjects to insert.
    pub new_subjects: BTreeSet<SubjectKey>,
    /// Subjects to update, with their rows before the batch.
    pub subjects: BTreeMap<SubjectKey, Subject>,
    /// Comments to insert with their content, and the identities of the requests that created them.
    pub new_comments: BTreeMap<CommentId, RequestIdentity>,
    /// Comments to update, with their rows before the batch.
    pub comments: BTreeMap<CommentId, Comment>,
    /// Contents to update, without those of new comments.
    pub contents: BTreeSet<CommentId>,
    /// Former contents to add to the histories of their comments: they were in sight until then.
    pub edits: Vec<ContentEdit>,
    /// Former contents that were not in sight, to withhold.
    pub withheld: Vec<WithheldContent>,
    /// Originals of masked contents to insert, by the version of the comment with the masked
    /// content, or by -n for that of proposal n.
    pub originals: BTreeMap<(CommentId, i64), OriginalContent>,
    /// The comments whose stored originals belong to replaced contents from now on, if they have
    /// any. Proposals keep theirs.
    pub replaced_originals: BTreeSet<CommentId>,
    /// The stored proposals that became contents. The original of each, if it has one, becomes that
    /// of the version.
    pub approved_originals: BTreeMap<(CommentId, i32), ApprovedProposal>,
    /// Proposals to insert.
    pub new_proposals: BTreeSet<(CommentId, i32)>,
    /// The new states of stored proposals.
    pub proposal_states: BTreeMap<(CommentId, i32), ProposalState>,
    /// Reviews to insert.
    pub new_reviews: BTreeSet<CommentId>,
    /// Reviews to update.
    pub reviews: BTreeSet<CommentId>,
    /// Decisions to insert.
    pub decisions: Vec<Decision>,
    /// Client information to insert.
    pub clients: BTreeMap<CommentId, ClientInfo>,
    /// The sources and external ids of imported comments, to insert.
    pub origins: BTreeMap<CommentId, ImportOrigin>,
    /// Likes to upsert.
    pub likes: BTreeSet<(CommentId, MemberId)>,
    /// Idempotency keys to insert, for every verb that does not store its key in a new comment.
    pub requests: Vec<(SubjectId, IdempotencyKey, IdempotencyRecord)>,
    /// The events to record, one per subject.
    pub events: BTreeMap<SubjectKey, Changes>,
    /// The actor of the last create, edit or change of state of each comment; absent if the actor
    /// is the author.
    pub(crate) actors: BTreeMap<CommentId, ActorKind>,
    /// The comments that became visible for the first time during the batch.
    pub(crate) published: BTreeSet<CommentId>,
    /// The numbers of the decisions of the batch about each comment.
    pub(crate) decided: BTreeMap<CommentId, DecisionNumbers>,
    /// The comments about whose text a question opened while they waited out of sight.
    pub(crate) held: BTreeSet<CommentId>,
    /// The visible comments about whose text the policy opened a question.
    pub(crate) flagged: BTreeSet<CommentId>,
    /// The comments with a proposed edit that the batch stored and that waited.
    pub(crate) proposed: BTreeSet<CommentId>,
    /// The members that may be notified of each comment, by the strength of the reasons.
    pub(crate) notices: BTreeMap<CommentId, Vec<Notice>>,
    /// Subjects whose revision this batch has incremented, at most once each.
    pub(crate) revised: BTreeSet<SubjectKey>,
}
