//! The acts on the comments of a batch: state, review and decision follow from the table of acts.

use crate::domain::act::{ActRule, CommentAct, ReviewEffect};
use crate::domain::comment::Comment;
use crate::domain::counts::contribution;
use crate::domain::decision::Decision;
use crate::domain::error::{Error, Result};
use crate::domain::event::{ChangeKind, DecisionNumbers};
use crate::domain::ids::CommentId;
use crate::domain::ids::DecisionId;
use crate::domain::lifecycle::{DeletedBy, Lifecycle};
use crate::domain::object_type::ObjectType;
use crate::domain::proposal::ProposalState;
use crate::domain::request::IdempotencyKey;
use crate::domain::review::{OpenQuestions, Review, ReviewCause, ReviewCauses};
use crate::domain::state::CommentState;
use crate::domain::time::Millis;
use crate::write::change::Judgement;
use crate::write::ruling::{Ruling, RulingForm};
use crate::write::unit_of_work::apply::{next_revision, not_loaded};
use crate::write::unit_of_work::{ChangeContext, UnitOfWork};

/// One act with the states that it leaves and reaches. Of a deleted comment that stays deleted,
/// these are the states to which it would return.
struct Transition {
    act: CommentAct,
    rule: &'static ActRule,
    from: CommentState,
    to: CommentState,
    is_deleted: bool,
}

impl Transition {
    fn of(act: CommentAct, lifecycle: &Lifecycle) -> Result<Self> {
        let is_deleted = lifecycle.state == CommentState::Deleted && act != CommentAct::Undelete;
        let from = if is_deleted { lifecycle.prior_state } else { lifecycle.state };
        let rule = act.rule(Some(from)).ok_or_else(|| Error::internal("an act that was checked conflicts"))?;
        Ok(Self { act, rule, from, to: rule.next(from, lifecycle.prior_state), is_deleted })
    }

    /// Moves the state of a comment.
    fn apply(&self, lifecycle: &mut Lifecycle, deleted_by: Option<DeletedBy>, now: Millis) {
        let deletes = self.act == CommentAct::Delete;
        if deletes {
            lifecycle.deleted_by = deleted_by;
        }
        if self.is_deleted {
            if !deletes {
                lifecycle.prior_state = self.to;
            }
            return;
        }
        lifecycle.prior_state = if deletes { self.from } else { self.to };
        lifecycle.delete_time = deletes.then_some(now);
        lifecycle.deleted_by = lifecycle.deleted_by.filter(|_| deletes);
        lifecycle.state = self.to;
    }

    /// The states in the decision.
    fn decided(&self) -> (CommentState, CommentState) {
        if self.is_deleted && self.act == CommentAct::Delete { (self.from, self.from) } else { (self.from, self.to) }
    }
}

/// The facts of a decision that follow from the act and the rows.
pub(super) struct Decided {
    pub(super) act: CommentAct,
    /// The number of the judged proposal; 0 is the text.
    pub(super) proposal: i32,
    /// The state before; `None` if the comment is new with the decision.
    pub(super) from: Option<CommentState>,
    pub(super) to: CommentState,
    pub(super) from_version: i64,
    /// True if the subject has a new revision with it.
    pub(super) revised: bool,
    /// The number of the decision whose appeal it settles; 0 if it settles none.
    pub(super) contested: i32,
}

impl UnitOfWork {
    pub(super) fn judge(&mut self, judgement: Judgement, context: ChangeContext<'_>) -> Result<()> {
        let comment = self.comments.get(&judgement.comment_id).ok_or_else(|| not_loaded("comment"))?;
        let transition = Transition::of(judgement.act, &comment.lifecycle)?;
        let from_version = comment.lifecycle.version;
        let mut comment = comment.clone();
        let (id, act) = (judgement.comment_id, judgement.act);
        let waiting = self.reviews.get(&id).and_then(Review::waiting_proposal);
        let appealed = self.reviews.get(&id).and_then(Review::appealed);
        let proposal = waiting.filter(|_| act.judges_proposal()).unwrap_or(0);
        let has_unseen_text = self.changed_out_of_sight(id).is_some();
        if transition.rule.moves_version() {
            comment = self.move_state(&judgement, &transition, context)?;
        } else if act == CommentAct::ApproveEdit {
            self.show_proposal(id, proposal, context)?;
            comment = self.comments.get(&id).cloned().ok_or_else(|| not_loaded("comment"))?;
        } else if act == CommentAct::RejectEdit {
            self.set_proposal_state(id, proposal, ProposalState::Rejected);
        }
        if comment.lifecycle.version == from_version {
            self.note(&comment, context.subject);
        }
        self.review_act(&judgement, &transition, &comment, context)?;
        self.publish(&comment, context)?;
        if has_unseen_text && comment.lifecycle.state.is_visible() {
            self.notify_of_text(id, context)?;
        }
        let Some(ruling) = judgement.ruling else { return Ok(()) };
        let ((from, to), revised) = (transition.decided(), comment.lifecycle.version != from_version);
        let is_open = self.reviews.get(&id).is_some_and(|review| review.appealed().is_some());
        let contested = appealed.filter(|_| !is_open).unwrap_or(0);
        let decided = Decided { act, proposal, from: Some(from), to, from_version, revised, contested };
        self.decide(ruling, decided, &comment, context)
    }

    fn move_state(
        &mut self,
        judgement: &Judgement,
        transition: &Transition,
        context: ChangeContext<'_>,
    ) -> Result<Comment> {
        self.revise(context.subject)?;
        let comment = self.change(judgement.comment_id)?;
        let before = comment.lifecycle.state;
        transition.apply(&mut comment.lifecycle, judgement.deleted_by, context.now);
        comment.lifecycle.version = next_revision(comment.lifecycle.version)?;
        comment.lifecycle.update_time = context.now;
        comment.relist();
        let comment = comment.clone();
        self.record_change(&comment, ChangeKind::StateChanged, context.subject);
        self.count(&comment, contribution(comment.lifecycle.state) - contribution(before), context.subject)?;
        Ok(comment)
    }

    /// Applies an act to the review of its comment. An act of a member makes no review.
    fn review_act(
        &mut self,
        judgement: &Judgement,
        transition: &Transition,
        comment: &Comment,
        context: ChangeContext<'_>,
    ) -> Result<()> {
        let id = comment.reference.id;
        let known = self.reviews.get(&id);
        if known.is_none() && judgement.ruling.is_none() {
            return Ok(());
        }
        let object_type = context.subject.object_type();
        let mut review = known.cloned().unwrap_or_else(|| new_review(comment, object_type, false));
        match transition.rule.review {
            ReviewEffect::None => {}
            ReviewEffect::Opens(cause) => {
                review.add_cause(cause, self.database_time()?);
                review.remove_causes(ReviewCauses::of(&[ReviewCause::Report]));
            }
            ReviewEffect::Clears(causes) | ReviewEffect::MustClear(causes) => review.remove_causes(causes),
            ReviewEffect::ClosesAll => review.close(true),
            ReviewEffect::Reopens => review.close(false),
        }
        if transition.rule.drops_proposal() && transition.from.is_visible() {
            self.drop_proposal(&mut review);
        }
        if comment.lifecycle.state == CommentState::Deleted {
            review.close(true);
        }
        if judgement.act == CommentAct::Reject {
            review.reject(self.database_time()?);
        } else if [CommentAct::Approve, CommentAct::ApproveEdit].contains(&judgement.act) {
            review.edits = 0;
        }
        if comment.lifecycle.state.is_visible() {
            (review.text_unshown, review.text_once_public) = (false, true);
        } else if judgement.ruling.is_some() && transition.from.is_visible() {
            (review.text_unshown, review.text_once_public) = (true, true);
        }
        if let Some(ruling) = &judgement.ruling {
            review.count_decision()?;
            if review.other_lease(&ruling.moderator, self.database_time()?).is_some() {
                review.lease = None;
            }
            if judgement.act.is_settling() && !ruling.is_of_policy() {
                review.end_reports(comment.lifecycle.version);
            }
            if judgement.act == CommentAct::Delete {
                // Nothing is left to decide about the appeal.
                review.remove_causes(ReviewCauses::APPEAL);
            }
            review.restriction = judgement.act.restriction(review.restriction, review.decisions);
        }
        self.set_review(review);
        Ok(())
    }

    /// Adds the decision of a moderator or of the policy.
    pub(super) fn decide(
        &mut self,
        ruling: Ruling,
        decided: Decided,
        comment: &Comment,
        context: ChangeContext<'_>,
    ) -> Result<()> {
        let Decided { act, proposal, from, to, from_version, revised, contested } = decided;
        let id = comment.reference.id;
        let number = self.reviews.get(&id).ok_or_else(|| not_loaded("review"))?.decisions;
        let revision = self.subjects.get(context.subject).ok_or_else(|| not_loaded("subject"))?.revision;
        let decision = Decision {
            id: DecisionId { comment: id, number },
            object_type: context.subject.object_type().clone(),
            member: comment.reference.member.clone(),
            act,
            proposal,
            from,
            to,
            from_version,
            to_version: comment.lifecycle.version,
            revision: if revised { revision } else { 0 },
            actor: ruling.moderator,
            grounds: ruling.grounds,
            request: (ruling.form == RulingForm::Verdict).then_some(context.request),
            contested,
            appeal_text: String::new(),
            time: context.now,
        };
        self.add_decision(decision);
        Ok(())
    }

    /// Adds a decision to the rows of the batch.
    pub(super) fn add_decision(&mut self, decision: Decision) {
        let DecisionId { comment, number } = decision.id;
        self.write_set.decided.entry(comment).or_insert(DecisionNumbers::of(number)).last = number;
        self.load_decision(decision.clone());
        self.write_set.decisions.push(decision);
    }

    /// Records that a comment is visible, if it was not before, and that that notifies. The review
    /// of a comment that was never visible says so; any other existing comment counts as published
    /// before.
    pub(super) fn publish(&mut self, comment: &Comment, context: ChangeContext<'_>) -> Result<()> {
        let id = comment.reference.id;
        if !comment.lifecycle.state.is_visible() {
            return Ok(());
        }
        let review = self.reviews.get(&id);
        let is_new = self.write_set.new_comments.contains_key(&id);
        let is_first = review.map_or(is_new, |review| review.never_public);
        if let Some(review) = review.filter(|review| review.never_public).cloned() {
            self.set_review(Review { never_public: false, ..review });
        }
        if is_first && self.write_set.published.insert(id) {
            self.notify_of_publication(id, context)?;
        }
        Ok(())
    }

    /// The review of a comment of the batch, or a new one. A comment that is out of sight without a
    /// review counts as one that was never visible.
    pub(super) fn review_or_new(&self, id: CommentId, context: ChangeContext<'_>) -> Result<Review> {
        if let Some(review) = self.reviews.get(&id) {
            return Ok(review.clone());
        }
        let comment = self.comments.get(&id).ok_or_else(|| not_loaded("comment"))?;
        let never_public = comment.lifecycle.state.may_be_unpublished();
        Ok(new_review(comment, context.subject.object_type(), never_public))
    }

    /// Stores a review; one that equals the stored row is not written.
    pub(super) fn set_review(&mut self, review: Review) {
        let id = review.comment_id;
        let before = self.reviews.get(&id);
        if before == Some(&review) {
            return;
        }
        let was_open = before.is_some_and(|before| before.open().intersects(OpenQuestions::TEXT));
        if before.is_none() {
            self.write_set.new_reviews.insert(id);
        } else if !self.write_set.new_reviews.contains(&id) {
            self.write_set.reviews.insert(id);
        }
        if review.open().intersects(OpenQuestions::TEXT) && !was_open {
            self.record_question(&review);
        }
        self.reviews.insert(id, review);
    }

    /// The decision that keeps the key of an earlier request about a comment.
    pub(crate) fn decision(&self, id: CommentId, key: IdempotencyKey) -> Option<&Decision> {
        self.decisions.get(&(id, key))
    }
}

/// Returns the review of a comment that has none.
pub(super) fn new_review(comment: &Comment, object_type: &ObjectType, never_public: bool) -> Review {
    let reference = &comment.reference;
    Review::new((reference.id, reference.subject_id), object_type.clone(), reference.member.clone(), never_public)
}
