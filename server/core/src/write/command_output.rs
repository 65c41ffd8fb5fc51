//! The result of a command.

use crate::domain::comment::CommentView;
use crate::domain::decision::Decision;
use crate::domain::like::LikeOutput;
use crate::domain::proposal::Proposal;
use crate::domain::subject::Subject;

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// The subject's revision that contains the effect; on a repeat, the revision in the first
    /// response.
    pub revision: i64,
    /// The effect, in its current state.
    pub effect: Effect,
    /// `true` if an earlier request with the same key had the effect already.
    pub replayed: bool,
}

/// The subject, comment, edit, like or decision that a command changed or found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A subject.
    Subject(Box<Subject>),
    /// A comment.
    Comment(Box<CommentView>),
    /// An edit of a comment.
    Edit(Box<EditOutput>),
    /// A like.
    Like(LikeOutput),
    /// A decision.
    Decision(Box<DecisionOutput>),
}

/// The result of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditOutput {
    /// The comment as its author sees it.
    pub view: CommentView,
    /// The edit as a proposal.
    pub proposal: EditedProposal,
}

/// The proposal that an edit became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditedProposal {
    /// None: the edit is the content of the comment.
    None,
    /// This one, which waits or was refused.
    Made(Box<Proposal>),
    /// Possibly the newest one of the comment: an earlier request made it or had it replaced, and
    /// it has to be read.
    Stored,
}

/// The result of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionOutput {
    /// The decision that the verdict made, now or at the first request.
    pub decision: Decision,
    /// The current etag of the review.
    pub etag: String,
    /// The current etag of the proposed edit that waits; empty if none waits.
    pub proposal_etag: String,
}
