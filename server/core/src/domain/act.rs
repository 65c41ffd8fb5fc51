//! The acts on comments, as one table. Counts, the review, the version, the pins and the event of
//! an act follow from its row, and so does the table of the documentation.

use std::fmt::Write;

use crate::domain::review::{ReviewCause, ReviewCauses};
use crate::domain::state::CommentState;
use crate::domain::state::CommentState::{Active, Deleted, Hidden, Pending, Rejected, Shadowed};

/// An act that creates a comment, moves it to another state, or judges it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommentAct {
    /// An author writes a comment that is visible at once.
    Create,
    /// An author writes a comment that waits for review. As a decision: the policy holds a text or
    /// an edit.
    Hold,
    /// A moderator finds the text good.
    Approve,
    /// A moderator refuses the text.
    Reject,
    /// A moderator hides the comment.
    Hide,
    /// A moderator shows a hidden comment again.
    Unhide,
    /// A moderator takes the comment out of sight until it is judged.
    Withhold,
    /// A moderator leaves the comment as it is and closes what is open on it.
    Keep,
    /// The author, the owner of the subject or a moderator deletes the comment.
    Delete,
    /// The capacity that deleted the comment restores it.
    Undelete,
    /// A moderator finds a proposed edit good; it becomes the text.
    ApproveEdit,
    /// A moderator refuses a proposed edit; the text stays.
    RejectEdit,
    /// The author of a refused comment sends another text.
    Resubmit,
    /// The author contests a decision that refused or hid the text.
    Appeal,
    /// The policy puts a text into the review queue.
    Flag,
    /// The policy masks words of a text.
    Mask,
}

/// The state that an act reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextState {
    /// This state.
    State(CommentState),
    /// The state that the comment has.
    Unchanged,
    /// The state from which the comment was deleted.
    BeforeDeletion,
}

/// The effect of an act on the open questions of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewEffect {
    /// None.
    None,
    /// Opens the question of the text for this cause. Reports are no cause any more, because the
    /// comment is out of sight.
    Opens(ReviewCause),
    /// Removes these causes. A question without a cause is closed.
    Clears(ReviewCauses),
    /// Removes these causes, of which there must be one.
    MustClear(ReviewCauses),
    /// Closes all questions and keeps their causes.
    ClosesAll,
    /// Opens all questions that have a cause.
    Reopens,
}

/// One row of the table of acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActRule {
    /// The act.
    pub act: CommentAct,
    /// The states from which this row applies; empty if the act creates the comment. The states of
    /// one act are disjoint.
    pub from: &'static [CommentState],
    /// The state that the act reaches.
    pub to: NextState,
    /// The effect on the open questions.
    pub review: ReviewEffect,
}

/// The questions of text and appeal, which most verdicts answer.
const TEXT_AND_APPEAL: ReviewCauses = ReviewCauses::TEXT.union(ReviewCauses::APPEAL);

/// The table of acts. An act from any other state conflicts with the state.
pub const ACTS: [ActRule; 18] = [
    rule(CommentAct::Create, &[], NextState::State(Active), ReviewEffect::None),
    rule(CommentAct::Hold, &[], NextState::State(Pending), ReviewEffect::Opens(ReviewCause::New)),
    rule(CommentAct::Approve, &[Pending, Rejected], NextState::State(Active), ReviewEffect::Clears(TEXT_AND_APPEAL)),
    rule(CommentAct::Approve, &[Active], NextState::Unchanged, ReviewEffect::Clears(TEXT_AND_APPEAL)),
    rule(CommentAct::Reject, &[Active, Pending], NextState::State(Rejected), ReviewEffect::Clears(TEXT_AND_APPEAL)),
    rule(CommentAct::Hide, &[Active], NextState::State(Hidden), ReviewEffect::Clears(TEXT_AND_APPEAL)),
    rule(CommentAct::Unhide, &[Hidden], NextState::State(Active), ReviewEffect::Clears(TEXT_AND_APPEAL)),
    rule(CommentAct::Withhold, &[Active], NextState::State(Pending), ReviewEffect::Opens(ReviewCause::Withheld)),
    rule(CommentAct::Keep, &[Active], NextState::Unchanged, ReviewEffect::MustClear(TEXT_AND_APPEAL)),
    rule(
        CommentAct::Keep,
        &[Pending, Rejected, Hidden],
        NextState::Unchanged,
        ReviewEffect::MustClear(ReviewCauses::APPEAL),
    ),
    rule(
        CommentAct::Delete,
        &[Active, Pending, Rejected, Hidden, Shadowed],
        NextState::State(Deleted),
        ReviewEffect::ClosesAll,
    ),
    rule(CommentAct::Undelete, &[Deleted], NextState::BeforeDeletion, ReviewEffect::Reopens),
    rule(CommentAct::ApproveEdit, &[Active], NextState::Unchanged, ReviewEffect::MustClear(ReviewCauses::EDIT)),
    rule(CommentAct::RejectEdit, &[Active], NextState::Unchanged, ReviewEffect::MustClear(ReviewCauses::EDIT)),
    rule(CommentAct::Resubmit, &[Rejected], NextState::State(Pending), ReviewEffect::Opens(ReviewCause::New)),
    rule(CommentAct::Appeal, &[Rejected, Hidden], NextState::Unchanged, ReviewEffect::Opens(ReviewCause::Appeal)),
    rule(CommentAct::Flag, &[Active, Pending], NextState::Unchanged, ReviewEffect::Opens(ReviewCause::Flag)),
    rule(CommentAct::Mask, &[Active, Pending, Rejected], NextState::Unchanged, ReviewEffect::None),
];

const fn rule(act: CommentAct, from: &'static [CommentState], to: NextState, review: ReviewEffect) -> ActRule {
    ActRule { act, from, to, review }
}

impl CommentAct {
    /// The acts of [`ACTS`], each once.
    pub const ALL: [Self; 16] = [
        Self::Create,
        Self::Hold,
        Self::Approve,
        Self::Reject,
        Self::Hide,
        Self::Unhide,
        Self::Withhold,
        Self::Keep,
        Self::Delete,
        Self::Undelete,
        Self::ApproveEdit,
        Self::RejectEdit,
        Self::Resubmit,
        Self::Appeal,
        Self::Flag,
        Self::Mask,
    ];

    /// Returns the row of the table for a comment in this state, or for a comment that does not
    /// exist yet; `None` if the act conflicts with the state.
    #[must_use]
    pub fn rule(self, from: Option<CommentState>) -> Option<&'static ActRule> {
        let applies = |rule: &&ActRule| match from {
            Some(state) => rule.from.contains(&state),
            None => rule.from.is_empty(),
        };
        ACTS.iter().filter(|rule| rule.act == self).find(applies)
    }

    /// The number of the act in a decision, which is the number of its `ModerationAction`. `None`
    /// for an act that is never a decision.
    #[must_use]
    pub const fn number(self) -> Option<i8> {
        match self {
            Self::Approve | Self::ApproveEdit => Some(1),
            Self::Reject | Self::RejectEdit => Some(2),
            Self::Hide => Some(3),
            Self::Unhide => Some(4),
            Self::Delete => Some(5),
            Self::Withhold => Some(6),
            Self::Keep => Some(7),
            Self::Appeal => Some(8),
            Self::Hold => Some(10),
            Self::Flag => Some(11),
            Self::Mask => Some(12),
            Self::Create | Self::Undelete | Self::Resubmit => None,
        }
    }

    /// Returns the act of a decision about the text or about a proposed edit; `None` for a number
    /// that this version does not write.
    #[must_use]
    pub fn from_number(number: i8, of_proposal: bool) -> Option<Self> {
        let is_about = |act: &Self| act.judges_proposal() == of_proposal || act.is_of_policy();
        let is_act = |act: &Self| act.number() == Some(number) && is_about(act);
        Self::ALL.into_iter().find(is_act)
    }

    /// Returns `true` for a decision of the policy that no moderator takes. It is about a text or
    /// about a proposed edit.
    #[must_use]
    pub const fn is_of_policy(self) -> bool {
        matches!(self, Self::Hold | Self::Flag | Self::Mask)
    }

    /// Returns `true` if a moderator may request the act as a verdict.
    #[must_use]
    pub const fn is_verdict(self) -> bool {
        self.number().is_some() && !self.is_of_policy() && !matches!(self, Self::Appeal)
    }

    /// Returns `true` if the act judges a proposed edit, and not the text.
    #[must_use]
    pub const fn judges_proposal(self) -> bool {
        matches!(self, Self::ApproveEdit | Self::RejectEdit)
    }

    /// Returns `true` if a decision of a moderator for this act settles the reports on a comment.
    #[must_use]
    pub const fn is_settling(self) -> bool {
        match self {
            Self::Approve | Self::Unhide | Self::Keep | Self::Reject | Self::Hide | Self::Delete => true,
            Self::Withhold
            | Self::Create
            | Self::Hold
            | Self::Undelete
            | Self::ApproveEdit
            | Self::RejectEdit
            | Self::Resubmit
            | Self::Appeal
            | Self::Flag
            | Self::Mask => false,
        }
    }

    /// Returns `true` if the act decides an open appeal against an earlier decision.
    #[must_use]
    pub fn decides_appeal(self) -> bool {
        ACTS.iter().filter(|rule| rule.act == self).any(|rule| match rule.review {
            ReviewEffect::Clears(causes) | ReviewEffect::MustClear(causes) => causes.contains(ReviewCause::Appeal),
            ReviewEffect::None | ReviewEffect::Opens(_) | ReviewEffect::ClosesAll | ReviewEffect::Reopens => false,
        })
    }

    /// Returns `true` if a decision for this act restricts the comment, so that its author reads
    /// the reasons.
    #[must_use]
    pub const fn restricts(self) -> bool {
        match self {
            Self::Reject | Self::Hide | Self::Delete | Self::Withhold | Self::RejectEdit | Self::Hold | Self::Mask => {
                true
            }
            Self::Create
            | Self::Approve
            | Self::Unhide
            | Self::Keep
            | Self::Undelete
            | Self::ApproveEdit
            | Self::Resubmit
            | Self::Appeal
            | Self::Flag => false,
        }
    }

    /// Returns the number of the decision that restricts the text and is in force after decision
    /// `number` for this act; 0 if none is. `before` is that before it.
    #[must_use]
    pub const fn restriction(self, before: i32, number: i32) -> i32 {
        match self {
            Self::Reject | Self::Hide => number,
            Self::Approve | Self::Unhide | Self::Withhold | Self::Delete => 0,
            Self::Keep
            | Self::Create
            | Self::Hold
            | Self::Undelete
            | Self::ApproveEdit
            | Self::RejectEdit
            | Self::Resubmit
            | Self::Appeal
            | Self::Flag
            | Self::Mask => before,
        }
    }

    /// Returns `true` if the act may judge a comment that its author or the owner of its subject
    /// deleted. The comment stays deleted; the state to which it would return changes.
    #[must_use]
    pub const fn judges_deleted(self) -> bool {
        match self {
            Self::Reject | Self::Hide | Self::Withhold | Self::Delete => true,
            Self::Approve
            | Self::Unhide
            | Self::Keep
            | Self::Create
            | Self::Hold
            | Self::Undelete
            | Self::ApproveEdit
            | Self::RejectEdit
            | Self::Resubmit
            | Self::Appeal
            | Self::Flag
            | Self::Mask => false,
        }
    }

    /// Returns `true` if the act is allowed on a comment whose review another moderator has leased,
    /// and ends that lease.
    #[must_use]
    pub const fn ends_other_lease(self) -> bool {
        match self {
            Self::Hide | Self::Unhide | Self::Delete => true,
            Self::Approve
            | Self::Reject
            | Self::Withhold
            | Self::Keep
            | Self::Create
            | Self::Hold
            | Self::Undelete
            | Self::ApproveEdit
            | Self::RejectEdit
            | Self::Resubmit
            | Self::Appeal
            | Self::Flag
            | Self::Mask => false,
        }
    }
}

impl ActRule {
    /// Returns the state after the act.
    #[must_use]
    pub const fn next(&self, state: CommentState, before_deletion: CommentState) -> CommentState {
        match self.to {
            NextState::State(to) => to,
            NextState::Unchanged => state,
            NextState::BeforeDeletion => before_deletion,
        }
    }

    /// Returns `true` if the act moves the version of the comment and the revision of its subject.
    #[must_use]
    pub const fn moves_version(&self) -> bool {
        !matches!(self.to, NextState::Unchanged)
    }

    /// Returns `true` if the comment may leave sight, so that a pin is taken off.
    #[must_use]
    pub fn leaves_sight(&self) -> bool {
        self.from.contains(&Active) && matches!(self.to, NextState::State(to) if !to.is_visible())
    }

    /// Returns `true` if the act drops a proposed edit that waits. A deleted comment keeps its own.
    #[must_use]
    pub fn drops_proposal(&self) -> bool {
        self.leaves_sight() && self.act != CommentAct::Delete
    }

    /// Returns the change that readers without rights see; `None` if they see none.
    const fn event(&self) -> Option<&'static str> {
        match (self.act, self.to) {
            (CommentAct::Create, _) => Some("published"),
            (CommentAct::Delete, _) => Some("deleted, if it was ACTIVE"),
            (CommentAct::ApproveEdit, _) => Some("edited"),
            (CommentAct::Resubmit, _) => None,
            (CommentAct::Undelete, _) | (_, NextState::State(Active)) => {
                Some("published if never public, else restored")
            }
            (_, NextState::Unchanged) | (CommentAct::Hold, _) => None,
            (_, NextState::State(_) | NextState::BeforeDeletion) => Some("withdrawn, if it was ACTIVE"),
        }
    }
}

/// Returns the table of acts for the documentation, in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut text = "| act | from | to | open questions | readers see |\n|---|---|---|---|---|\n".to_owned();
    for rule in &ACTS {
        let states = |states: &[CommentState]| states.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let from = if rule.from.is_empty() { "–".to_owned() } else { states(rule.from) };
        let to = match rule.to {
            NextState::State(state) => state.to_string(),
            NextState::Unchanged => "unchanged".to_owned(),
            NextState::BeforeDeletion => "the state before the deletion".to_owned(),
        };
        let review = match rule.review {
            ReviewEffect::None => "–".to_owned(),
            ReviewEffect::Opens(cause) => format!("opens {cause}"),
            ReviewEffect::Clears(causes) => format!("closes {causes}"),
            ReviewEffect::MustClear(causes) => format!("closes {causes}, of which one must be open"),
            ReviewEffect::ClosesAll => "closes all, keeps their causes".to_owned(),
            ReviewEffect::Reopens => "opens them again".to_owned(),
        };
        let event = rule.event().unwrap_or("–");
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {:?} | {from} | {to} | {review} | {event} |", rule.act);
    }
    text
}

#[cfg(test)]
mod tests;
