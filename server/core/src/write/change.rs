//! The changes of a command: facts that a unit of work applies and a store commits.

use crate::domain::act::CommentAct;
use crate::domain::comment::Comment;
use crate::domain::content::{ClientInfo, Content};
use crate::domain::decision::Decision;
use crate::domain::disposition::Disposition;
use crate::domain::ids::CommentId;
use crate::domain::lifecycle::DeletedBy;
use crate::domain::object_type::ModerationMode;
use crate::domain::origin::ImportOrigin;
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::review::{ReviewCauses, ReviewPriority, WaitingText};
use crate::domain::subject::Subject;
use crate::write::ruling::Ruling;

/// One changed fact. It never contains counts: they follow from it by
/// [`contribution`](crate::counts::contribution).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A new subject.
    CreateSubject(Subject),
    /// Replaces owner, state, metadata, pins or deletion of a subject, but not its counts.
    ReplaceSubject(Subject),
    /// A new comment, whose own counts are still zero.
    InsertComment(Box<NewComment>),
    /// An act on a comment; state, review and decision follow from it.
    Judge(Box<Judgement>),
    /// An edit by the author: a new content, or a proposal beside the content in sight.
    Edit(Box<AuthorEdit>),
    /// An appeal by the author.
    Appeal(Box<AuthorAppeal>),
    /// A text that waited for a service and waits for a moderator now, with the priority that the
    /// service gave it.
    Refer(CommentId, WaitingText, ReviewPriority),
}

/// A comment with all rows that are written with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewComment {
    /// The index row.
    pub comment: Comment,
    /// The content row.
    pub content: Content,
    /// The content as the caller sent it, if words of the content row are masked.
    pub original: Option<Content>,
    /// Details about the client; empty if the caller sent none.
    pub client: ClientInfo,
    /// The source and the external id of an imported comment; `None` for a comment that a caller
    /// wrote.
    pub origin: Option<ImportOrigin>,
    /// The causes for which a moderator judges it.
    pub causes: ReviewCauses,
    /// The judgement of the policy, which becomes a decision.
    pub judged: PolicyJudgement,
}

impl NewComment {
    /// Returns a comment that a member writes: the judgement of the policy and the mode decide its
    /// state.
    pub(crate) fn judged(
        mut comment: Comment,
        (content, client): (&Content, &ClientInfo),
        (judged, mode): (&PolicyJudgement, ModerationMode),
    ) -> Self {
        let mode = judged.mode(mode);
        comment.lifecycle.start_in(judged.disposition.new_state(mode));
        let causes = judged.causes(mode);
        let (content, original) = judged.stored(content);
        let (client, judged) = (client.clone(), judged.clone());
        Self { comment, content, original, client, origin: None, causes, judged }
    }
}

/// An edit of a comment by its author. The state of the comment and the disposition decide together
/// what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorEdit {
    /// The comment.
    pub comment_id: CommentId,
    /// The new content.
    pub content: Content,
    /// The content as the caller sent it, if words of the new content are masked.
    pub original: Option<Content>,
    /// The treatment of the new content under the modes of type and subject.
    pub disposition: Disposition,
    /// The causes for which a moderator judges the new content.
    pub causes: ReviewCauses,
    /// The judgement of the policy, which becomes a decision.
    pub judged: PolicyJudgement,
}

/// An appeal against a decision on a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorAppeal {
    /// The contested decision.
    pub contested: Decision,
    /// The words of the author.
    pub text: String,
}

/// An act on a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The comment.
    pub comment_id: CommentId,
    /// The act.
    pub act: CommentAct,
    /// The role of the deleter, for a deletion.
    pub deleted_by: Option<DeletedBy>,
    /// The order of the moderator or the policy that acts; `None` for an act of a member. It
    /// becomes a decision.
    pub ruling: Option<Ruling>,
}
