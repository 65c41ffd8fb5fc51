//! The filter: a service of another team that judges texts.

use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::subject::SubjectKey;
use crate::ports::NoResult;

/// The filter, for texts that are not stored yet and for stored texts that it has not judged.
#[async_trait]
pub trait FilterClient: Send + Sync + std::fmt::Debug {
    /// Requests a judgement of each item, once. The results are in the order of the items.
    async fn judge(&self, items: &[FilterItem]) -> Vec<Result<FilterJudgement, NoResult>>;
}

/// A text to judge.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterItem {
    /// The name of the item: different from those of other items, and equal in every repeat of one
    /// request.
    pub key: String,
    /// The subject.
    pub subject: SubjectKey,
    /// The id that the comment will have, or has.
    pub comment: CommentId,
    /// The root comment of its thread; `None` for a root comment.
    pub root: Option<CommentId>,
    /// The comment that it replies to; `None` for a root comment.
    pub parent: Option<CommentId>,
    /// The author, of which the filter gets a token only.
    pub member: MemberId,
    /// The text, before words are masked.
    pub text: String,
    /// The metadata of the content. The filter sees only the keys that the configuration names.
    pub metadata: BTreeMap<String, String>,
    /// The hits of word lists and rules that have an effect.
    pub local_hits: Vec<LocalHit>,
    /// The reason of the request.
    pub kind: FilterKind,
}

/// The reason why a text is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterKind {
    /// A new root comment.
    Create,
    /// A new reply.
    Reply,
    /// An edit of a comment.
    Edit {
        /// The visible text.
        text_before: String,
    },
    /// A text that is judged again, or on trial.
    Recheck,
}

/// A hit of a word list or a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalHit {
    /// The list or rule.
    pub source: String,
    /// Its version.
    pub version: String,
    /// The entry of the list.
    pub entry: String,
    /// The outcome that it asks for. A mask counts as [`FilterOutcome::Flag`].
    pub outcome: FilterOutcome,
}

/// The outcome that the filter asks for, in order of strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FilterOutcome {
    /// Nothing speaks against the text.
    Allow,
    /// The text is shown and put into the review queue.
    Flag,
    /// The text waits until a moderator decides.
    Hold,
    /// The text is stored as rejected.
    Reject,
    /// The text is refused and not stored.
    Refuse,
}

/// A judgement of the filter, within the limits of the contract.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterJudgement {
    /// The outcome.
    pub outcome: FilterOutcome,
    /// The scores by name, each from 0 to 1; at most 32.
    pub scores: Vec<(String, f64)>,
    /// The judge.
    pub provider: String,
    /// The model or the rules by which it judged.
    pub model_version: String,
    /// The rule for the author; may be empty.
    pub code: String,
    /// The explanation for the author; may be empty.
    pub explanation: String,
    /// The priority of the review, 0 to 100.
    pub review_priority: u8,
}
