//! The gate of moderation. While it is closed, no command makes a state or a row that a process of
//! a version before moderation does not know.

use std::time::Duration;

use crate::domain::act::CommentAct;
use crate::domain::error::{Error, Result};
use crate::domain::state::CommentState;
use crate::write::change::{AuthorEdit, Change, Judgement};
use crate::write::ruling::Ruling;
use crate::write::unit_of_work::UnitOfWork;

/// The permission of commands to use the states of moderation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ModerationGate {
    /// They may.
    #[default]
    Open,
    /// A process of a version before moderation runs, or moderation is turned off.
    Closed,
    /// It was not read. See [`UnitOfWork::lacks_gate`].
    Unknown,
}

impl ModerationGate {
    /// The time after which a caller repeats what a closed gate refused.
    pub const RETRY: Duration = Duration::from_secs(1);
}

impl UnitOfWork {
    /// Sets the gate, which is open at first.
    pub fn set_gate(&mut self, gate: ModerationGate) {
        self.gate = gate;
    }

    /// Returns `true` if a command needed the gate, which was not read. Nothing of the unit of work
    /// may be written then; the store reads the gate and decides the batch again.
    #[must_use]
    pub fn lacks_gate(&self) -> bool {
        self.lacks_gate
    }

    /// Refuses changes that need an open gate: those that would leave a comment waiting or refused
    /// or store a proposal, appeals, and verdicts that only moderation knows.
    pub(crate) fn pass_gate(&mut self, changes: &[Change]) -> Result<()> {
        if self.gate == ModerationGate::Open || !changes.iter().any(|change| self.requires_gate(change)) {
            return Ok(());
        }
        self.lacks_gate |= self.gate == ModerationGate::Unknown;
        Err(Error::Overloaded { after: ModerationGate::RETRY })
    }

    fn requires_gate(&self, change: &Change) -> bool {
        match change {
            Change::CreateSubject(_) | Change::ReplaceSubject(_) => false,
            Change::InsertComment(new) => {
                let lifecycle = &new.comment.lifecycle;
                lifecycle.state.may_be_unpublished() || lifecycle.prior_state.may_be_unpublished()
            }
            Change::Judge(judgement) => {
                let is_of_switch = judgement.ruling.as_ref().is_some_and(Ruling::is_of_switch);
                !is_of_switch && self.judgement_requires_gate(judgement)
            }
            Change::Edit(edit) => self.edit_requires_gate(edit),
            Change::Appeal(_) | Change::Refer(..) => true,
        }
    }

    fn judgement_requires_gate(&self, judgement: &Judgement) -> bool {
        let Some(comment) = self.comments.get(&judgement.comment_id) else { return false };
        let (lifecycle, act) = (&comment.lifecycle, judgement.act);
        let is_judged = lifecycle.state == CommentState::Deleted && act != CommentAct::Undelete;
        let from = if is_judged { lifecycle.prior_state } else { lifecycle.state };
        let next = act.rule(Some(from)).map_or(from, |rule| rule.next(from, lifecycle.prior_state));
        let only_judges = act == CommentAct::Keep || act == CommentAct::Approve && from.is_visible();
        // A proposal of a deleted comment was withdrawn with it, and would wait again.
        let restores_proposal = act == CommentAct::Undelete
            && self.review(judgement.comment_id).is_some_and(|review| review.waiting_proposal().is_some());
        only_judges || restores_proposal || next.may_be_unpublished()
    }

    fn edit_requires_gate(&self, edit: &AuthorEdit) -> bool {
        let state = self.comments.get(&edit.comment_id).map(|comment| comment.lifecycle.state);
        !edit.disposition.shows() || state.is_some_and(CommentState::may_be_unpublished)
    }
}
