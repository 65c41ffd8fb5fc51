//! The judgements of the policy on the new texts of a batch: reviews and decisions, which are
//! written with the texts.

use crate::domain::act::CommentAct;
use crate::domain::comment::Comment;
use crate::domain::decision::Grounds;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::review::{ReviewCauses, ReviewPriority, WaitingText};
use crate::domain::state::CommentState;
use crate::write::ruling::Ruling;
use crate::write::unit_of_work::apply::not_loaded;
use crate::write::unit_of_work::judge::{Decided, new_review};
use crate::write::unit_of_work::{ChangeContext, UnitOfWork};

/// The text that the policy judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct JudgedText {
    pub(super) id: CommentId,
    /// The number of the proposed edit; 0 is the text of the comment.
    pub(super) proposal: i32,
    /// The state of the comment before; `None` if the comment is new.
    pub(super) from: Option<CommentState>,
    /// The version of the comment before; 0 if it is new.
    pub(super) from_version: i64,
}

impl UnitOfWork {
    /// Makes the review of a new comment, if it is not visible because it waits or was refused, or
    /// if the policy decided about it. A new comment was never visible until it is published.
    pub(super) fn review_new(
        &mut self,
        comment: &Comment,
        causes: ReviewCauses,
        judged: &PolicyJudgement,
        context: ChangeContext<'_>,
    ) -> Result<()> {
        let state = comment.lifecycle.state;
        if !state.may_be_unpublished() && causes.is_empty() && !judged.is_decision() {
            return Ok(());
        }
        let mut review = new_review(comment, context.subject.object_type(), true);
        review.imported = self.write_set.origins.contains_key(&comment.reference.id);
        if !causes.is_empty() {
            review.add_causes(causes, judged.priority, self.database_time()?);
        }
        if state == CommentState::Rejected {
            review.reject(self.database_time()?);
        }
        if state.is_visible() {
            (review.text_unshown, review.text_once_public) = (false, true);
        }
        self.set_review(review);
        Ok(())
    }

    /// Writes the decisions of the policy about a text, if the judgement becomes any.
    pub(super) fn decide_by_policy(
        &mut self,
        text: JudgedText,
        judged: PolicyJudgement,
        context: ChangeContext<'_>,
    ) -> Result<()> {
        for (act, grounds) in judged.into_decisions(text.proposal != 0) {
            self.decide_once(text, act, grounds, context)?;
        }
        Ok(())
    }

    fn decide_once(
        &mut self,
        text: JudgedText,
        act: CommentAct,
        grounds: Grounds,
        context: ChangeContext<'_>,
    ) -> Result<()> {
        let JudgedText { id, proposal, from, from_version } = text;
        let comment = self.comments.get(&id).cloned().ok_or_else(|| not_loaded("comment"))?;
        let mut review = self.review_or_new(id, context)?;
        review.count_decision()?;
        review.restriction = act.restriction(review.restriction, review.decisions);
        if act == CommentAct::Reject {
            review.reject(self.database_time()?);
        }
        self.set_review(review);
        let to = comment.lifecycle.state;
        let decided = Decided { act, proposal, from, to, from_version, revised: true, contested: 0 };
        self.decide(Ruling::of_policy(grounds), decided, &comment, context)
    }

    /// Leaves a text that waited for a service to moderators.
    pub(super) fn refer(
        &mut self,
        id: CommentId,
        (text, priority): (WaitingText, ReviewPriority),
        context: ChangeContext<'_>,
    ) -> Result<()> {
        let mut review = self.review_or_new(id, context)?;
        review.refer(text, priority, self.database_time()?);
        self.set_review(review);
        Ok(())
    }

    /// Adds causes to the review of a comment. A comment without a review gets one.
    pub(super) fn add_causes(
        &mut self,
        id: CommentId,
        (causes, priority): (ReviewCauses, ReviewPriority),
        context: ChangeContext<'_>,
    ) -> Result<()> {
        if causes.is_empty() {
            return Ok(());
        }
        let mut review = self.review_or_new(id, context)?;
        review.add_causes(causes, priority, self.database_time()?);
        self.set_review(review);
        Ok(())
    }
}
