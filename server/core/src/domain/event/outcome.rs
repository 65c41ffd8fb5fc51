//! The outcome of a commit for one comment.

use super::ChangeKind;
use crate::domain::state::CommentState;

/// The effect of a whole batch on one comment that it created, edited or moved to another state, or
/// about which it noted a fact of moderation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentOutcome {
    /// The actor of the batch's last change of the comment.
    pub actor: ActorKind,
    /// The state before the batch; `None` if the batch created the comment.
    pub before: Option<CommentState>,
    /// The state after the batch.
    pub after: CommentState,
    /// The version of the comment after the batch.
    pub version: i64,
    /// `true` if the comment became visible for the first time, even if the batch hid it
    /// again.
    pub first_publication: bool,
    /// The details that only moderators see.
    pub moderation: ModerationDetails,
}

/// The details of a batch about one comment that only moderators see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModerationDetails {
    /// The numbers of the decisions that the batch wrote; `None` if it wrote none.
    pub decisions: Option<DecisionNumbers>,
    /// `true` if the comment began to wait for review: the question about its text opened while it
    /// was or became PENDING, or while it was in sight, by the policy and without a decision.
    pub held: bool,
    /// `true` if the batch stored a proposed edit that waits.
    pub proposed: bool,
    /// `true` if the commit stored a report.
    pub reported: bool,
}

/// The numbers of consecutive decisions on one comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionNumbers {
    /// The first number.
    pub first: i32,
    /// The last number, which is at least the first one.
    pub last: i32,
}

/// The capacity in which a comment was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorKind {
    /// The comment's author.
    Author,
    /// The subject's owner.
    Owner,
    /// A moderator.
    Moderator,
    /// An import.
    Import,
    /// A kind that only a newer version knows.
    Unknown,
}

impl CommentOutcome {
    /// The outcome of a plain create: the author wrote a comment that is visible at once.
    pub const PUBLISHED: Self = Self {
        actor: ActorKind::Author,
        before: None,
        after: CommentState::Active,
        version: 1,
        first_publication: true,
        moderation: ModerationDetails::NONE,
    };

    /// Returns the changes that a reader without rights sees of a change of this kind.
    pub(super) fn public(self, kind: ChangeKind) -> [Option<ChangeKind>; 2] {
        let Self { before, after, first_publication, .. } = self;
        let was_visible = before.is_some_and(CommentState::is_visible);
        let ends = (!after.is_visible()).then_some(ChangeKind::StateChanged);
        let waits = |state: CommentState| state.may_be_unpublished() || before == Some(after);
        match (kind, before) {
            (ChangeKind::Created, _) => [first_publication.then_some(ChangeKind::Created), None],
            (ChangeKind::StateChanged, Some(_)) if first_publication => [Some(ChangeKind::Created), ends],
            (_, None) => [Some(kind).filter(|_| first_publication), None],
            // The batch also took the comment out of sight: its new text waits or is refused.
            (ChangeKind::Edited, Some(_)) if after.may_be_unpublished() => [None, None],
            (_, Some(before)) => {
                let is_unseen = !was_visible && !after.is_visible() && (waits(before) || waits(after));
                [(!is_unseen).then_some(kind), None]
            }
        }
    }
}

impl ModerationDetails {
    /// No details, as of every batch without moderation.
    pub const NONE: Self = Self { decisions: None, held: false, proposed: false, reported: false };
}

impl DecisionNumbers {
    /// Returns the numbers of one decision.
    #[must_use]
    pub const fn of(number: i32) -> Self {
        Self { first: number, last: number }
    }

    /// Returns the numbers in order.
    pub fn iter(self) -> impl Iterator<Item = i32> {
        self.first..=self.last
    }
}
