//! The edits of a batch. The state of the comment and the disposition of the new text decide
//! whether the text is replaced, or waits as a proposal beside the text in sight.

use crate::domain::act::CommentAct;
use crate::domain::content::Content;
use crate::domain::disposition::Disposition;
use crate::domain::error::{Error, Result};
use crate::domain::event::ChangeKind;
use crate::domain::ids::CommentId;
use crate::domain::proposal::{Proposal, ProposalState};
use crate::domain::review::{Review, ReviewCause, ReviewCauses};
use crate::domain::state::CommentState;
use crate::write::change::{AuthorEdit, Judgement};
use crate::write::ruling::Ruling;
use crate::write::unit_of_work::apply::{next_revision, not_loaded};
use crate::write::unit_of_work::policy::JudgedText;
use crate::write::unit_of_work::{ChangeContext, UnitOfWork};
use crate::write::write_set::{ContentEdit, WithheldContent};

impl UnitOfWork {
    pub(super) fn edit(&mut self, edit: AuthorEdit, context: ChangeContext<'_>) -> Result<()> {
        let state = self.comments.get(&edit.comment_id).map(|comment| comment.lifecycle.state);
        let state = state.ok_or_else(|| not_loaded("comment"))?;
        if state.may_be_unpublished() {
            self.edit_out_of_sight(edit, context)
        } else if !state.is_visible() {
            Err(Error::internal("an edit that was checked conflicts"))
        } else if edit.disposition.shows() {
            self.edit_in_sight(edit, context)
        } else {
            self.propose(edit, context)
        }
    }

    /// Replaces a text in sight at once. A plain comment gets no review by it.
    fn edit_in_sight(&mut self, edit: AuthorEdit, context: ChangeContext<'_>) -> Result<()> {
        let AuthorEdit { comment_id: id, content, original, disposition: _, causes, judged } = edit;
        let text = self.judged_text(id, 0)?;
        let version = self.set_content(id, content, context)?;
        self.keep_original((id, version), original, context.now);
        if let Some(mut review) = self.reviews.get(&id).cloned() {
            self.drop_proposal(&mut review);
            (review.text_unshown, review.text_once_public) = (false, true);
            review.edits = 0;
            self.set_review(review);
        }
        self.add_causes(id, (causes, judged.priority), context)?;
        self.decide_by_policy(text, judged, context)
    }

    /// Stores a proposal beside the text in sight. The comment does not change, and its subject
    /// gets a revision without a change that readers see.
    fn propose(&mut self, edit: AuthorEdit, context: ChangeContext<'_>) -> Result<()> {
        let AuthorEdit { comment_id: id, content, original, disposition, causes, judged } = edit;
        let mut review = self.review_or_new(id, context)?;
        if let Some(number) = review.waiting_proposal() {
            self.set_proposal_state(id, number, ProposalState::Dropped);
        }
        let is_rejected = disposition == Disposition::Reject;
        if is_rejected {
            review.remove_causes(ReviewCauses::EDIT);
        } else {
            review.replace_proposal(causes.of_proposal(), judged.priority, self.database_time()?);
        }
        review.proposal = review.proposal.checked_add(1).ok_or_else(|| Error::internal("too many proposals"))?;
        review.edits += 1;
        let number = review.proposal;
        let state = if is_rejected { ProposalState::Rejected } else { ProposalState::Waiting };
        if !is_rejected {
            self.write_set.proposed.insert(id);
        }
        self.set_review(review);
        self.load_proposal(Proposal { comment_id: id, number, content, state, time: context.now });
        self.write_set.new_proposals.insert((id, number));
        self.keep_original((id, -i64::from(number)), original, context.now);
        self.revise(context.subject)?;
        let comment = self.comments.get(&id).cloned().ok_or_else(|| not_loaded("comment"))?;
        self.note(&comment, context.subject);
        let text = self.judged_text(id, number)?;
        self.decide_by_policy(text, judged, context)
    }

    /// Replaces the text of a comment that waits or was refused.
    fn edit_out_of_sight(&mut self, edit: AuthorEdit, context: ChangeContext<'_>) -> Result<()> {
        let AuthorEdit { comment_id: id, content, original, disposition, causes, judged } = edit;
        let mut review = self.review_or_new(id, context)?;
        review.edits += 1;
        self.set_review(review);
        let text = self.judged_text(id, 0)?;
        let version = self.set_content(id, content, context)?;
        self.keep_original((id, version), original, context.now);
        let was_rejected = text.from == Some(CommentState::Rejected);
        let order = |act, ruling| Judgement { comment_id: id, act, deleted_by: None, ruling };
        match (disposition, was_rejected) {
            (Disposition::Reject, true) => return self.decide_by_policy(text, judged, context),
            (Disposition::Reject, false) => {
                let grounds = judged.grounds.map(|grounds| *grounds).unwrap_or_default();
                return self.judge(order(CommentAct::Reject, Some(Ruling::of_policy(grounds))), context);
            }
            // Whatever the policy says, people judge the text of a comment that was rejected.
            (_, true) => {
                self.judge(order(CommentAct::Resubmit, None), context)?;
                self.add_causes(id, (ReviewCauses::of(&[ReviewCause::New]), judged.priority), context)?;
            }
            (_, false) => {}
        }
        self.add_causes(id, (causes, judged.priority), context)?;
        self.decide_by_policy(text, judged, context)
    }

    /// Returns the text of a comment, or its proposed edit, before the edit that the policy judged.
    fn judged_text(&self, id: CommentId, proposal: i32) -> Result<JudgedText> {
        let lifecycle = &self.comments.get(&id).ok_or_else(|| not_loaded("comment"))?.lifecycle;
        Ok(JudgedText { id, proposal, from: Some(lifecycle.state), from_version: lifecycle.version })
    }

    /// Makes the waiting proposal of a comment its content.
    pub(super) fn show_proposal(&mut self, id: CommentId, number: i32, context: ChangeContext<'_>) -> Result<()> {
        let proposal = self.proposals.get(&(id, number)).ok_or_else(|| not_loaded("proposal"))?;
        let version = self.set_content(id, proposal.content.clone(), context)?;
        self.set_proposal_state(id, number, ProposalState::Approved);
        self.show_original((id, number), version);
        Ok(())
    }

    /// Drops the proposal of a review, if one waits.
    pub(super) fn drop_proposal(&mut self, review: &mut Review) {
        if let Some(number) = review.waiting_proposal() {
            self.set_proposal_state(review.comment_id, number, ProposalState::Dropped);
            review.remove_causes(ReviewCauses::EDIT);
        }
    }

    pub(super) fn set_proposal_state(&mut self, id: CommentId, number: i32, state: ProposalState) {
        if let Some(proposal) = self.proposals.get_mut(&(id, number)) {
            proposal.state = state;
        }
        if !self.write_set.new_proposals.contains(&(id, number)) {
            self.write_set.proposal_states.insert((id, number), state);
        }
    }

    /// Replaces the content of a comment and returns its version. The former content goes to the
    /// public history if it was in sight, and else to the texts that only the author and moderators
    /// may read.
    fn set_content(&mut self, id: CommentId, content: Content, context: ChangeContext<'_>) -> Result<i64> {
        self.revise(context.subject)?;
        let former = self.contents.insert(id, content).ok_or_else(|| not_loaded("content"))?;
        let review = self.reviews.get(&id).cloned();
        let is_visible = self.comments.get(&id).is_some_and(|comment| comment.lifecycle.state.is_visible());
        if is_visible || review.as_ref().is_some_and(|review| review.text_once_public) {
            self.record_public_text(id, &former);
        }
        self.replace_original(id, review.as_ref());
        let never_public = review.as_ref().is_some_and(|review| review.never_public);
        let comment = self.change(id)?;
        let lifecycle = &mut comment.lifecycle;
        let time = lifecycle.edit_time.unwrap_or(comment.reference.create_time);
        let edit = ContentEdit { comment_id: id, version: lifecycle.version, content: former, time };
        lifecycle.version = next_revision(lifecycle.version)?;
        lifecycle.update_time = context.now;
        if !never_public {
            lifecycle.edit_time = Some(context.now);
        }
        let comment = comment.clone();
        self.record_change(&comment, ChangeKind::Edited, context.subject);
        if is_visible {
            self.write_set.edits.push(edit);
            self.notify_of_text(id, context)?;
        } else {
            let once_public = review.as_ref().is_some_and(|review| review.text_once_public);
            self.write_set.withheld.push(WithheldContent { edit, once_public });
            if let Some(review) = review {
                self.set_review(Review { text_unshown: true, text_once_public: false, ..review });
            }
        }
        if !self.write_set.new_comments.contains_key(&id) {
            self.write_set.contents.insert(id);
        }
        Ok(comment.lifecycle.version)
    }
}
