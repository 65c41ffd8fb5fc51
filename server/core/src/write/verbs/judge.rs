//! The verbs of moderators: each judges one comment and becomes a decision.

use std::borrow::Cow;

use async_trait::async_trait;

use super::pin::unpin_change;
use super::{
    Command, CommandKind, Delete, DeleteActor, Request, RequestContext, Ruling, RulingForm, Verb, comment_of, id_part,
    target,
};
use crate::domain::act::{CommentAct, ReviewEffect};
use crate::domain::comment::{CommentView, proposal_etag, review_etag};
use crate::domain::content::Content;
use crate::domain::decision::Grounds;
use crate::domain::error::{ConflictCause, Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::ids::DecisionId;
use crate::domain::lifecycle::DeletedBy;
use crate::domain::location::CommentLocation;
use crate::domain::review::{Review, ReviewCauses, WaitingText};
use crate::domain::state::CommentState;
use crate::write::change::{Change, Judgement};
use crate::write::command_output::{DecisionOutput, Effect};
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to hide a comment, or to show it again.
#[derive(Debug, Clone)]
pub struct HideComment {
    /// True to hide, false to show.
    pub hidden: bool,
    /// The order.
    pub ruling: Ruling,
}

/// A request to judge a comment.
#[derive(Debug, Clone)]
pub struct JudgeComment {
    /// The act: one of those that a decision can have.
    pub act: CommentAct,
    /// The order.
    pub ruling: Ruling,
}

#[async_trait]
impl Request for HideComment {
    type At = CommentLocation;
    type Verb = CommandKind;
    type Value = CommentView;

    async fn verb(self, at: &CommentLocation, _: RequestContext<'_>) -> Result<CommandKind> {
        let (target, ruling) = (at.clone(), self.ruling);
        Ok(if self.hidden { Hide { target, ruling }.into() } else { Unhide { target, ruling }.into() })
    }

    fn value(effect: Effect) -> Result<CommentView> {
        comment_of(effect)
    }
}

#[async_trait]
impl Request for JudgeComment {
    type At = CommentLocation;
    type Verb = CommandKind;
    type Value = DecisionOutput;

    async fn verb(self, at: &CommentLocation, _: RequestContext<'_>) -> Result<CommandKind> {
        let (target, ruling) = (at.clone(), self.ruling);
        Ok(match self.act {
            CommentAct::Approve => Approve { target, ruling }.into(),
            CommentAct::Reject => Reject { target, ruling }.into(),
            CommentAct::Hide => Hide { target, ruling }.into(),
            CommentAct::Unhide => Unhide { target, ruling }.into(),
            CommentAct::Withhold => Withhold { target, ruling }.into(),
            CommentAct::Keep => Keep { target, ruling }.into(),
            CommentAct::Delete => {
                let actor = DeleteActor::Moderator(Box::new(ruling));
                Delete { target, actor, etag: String::new() }.into()
            }
            CommentAct::ApproveEdit => ApproveEdit { target, ruling }.into(),
            CommentAct::RejectEdit => RejectEdit { target, ruling }.into(),
            CommentAct::Create
            | CommentAct::Hold
            | CommentAct::Undelete
            | CommentAct::Resubmit
            | CommentAct::Appeal
            | CommentAct::Flag
            | CommentAct::Mask => {
                return Err(Error::internal("an act that is no decision was requested as a verdict"));
            }
        })
    }

    fn value(effect: Effect) -> Result<DecisionOutput> {
        decision_of(effect)
    }
}

/// Returns the decision of an effect.
pub(super) fn decision_of(effect: Effect) -> Result<DecisionOutput> {
    match effect {
        Effect::Decision(output) => Ok(*output),
        Effect::Subject(_) | Effect::Comment(_) | Effect::Edit(_) | Effect::Like(_) => {
            Err(Error::internal("a verdict returned another effect"))
        }
    }
}

/// Defines verbs that judge one comment.
macro_rules! judging {
    ($($name:ident $doc:literal,)*) => { $(
        #[doc = $doc]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name {
            /// The comment.
            pub target: CommentLocation,
            /// The order.
            pub ruling: Ruling,
        }

        impl Verb for $name {
            fn comment_id(&self) -> Option<CommentId> {
                Some(self.target.id)
            }

            fn is_verdict(&self) -> bool {
                self.ruling.form == RulingForm::Verdict
            }

            fn lock_set(&self) -> LockSet {
                self.ruling.lock_set(&self.target, CommentAct::$name)
            }

            fn body(&self) -> Vec<Cow<'_, [u8]>> {
                self.ruling.body(&self.target)
            }

            fn former_body(&self) -> Option<Vec<Cow<'_, [u8]>>> {
                (!self.is_verdict()).then(|| vec![id_part(self.target.id)])
            }

            fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
                self.ruling.check(unit, command, (self.target.id, CommentAct::$name))
            }

            fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
                self.ruling.changes(unit, command, (self.target.id, CommentAct::$name))
            }

            fn shown_content<'u>(&'u self, unit: &'u UnitOfWork) -> Option<(CommentId, &'u Content)> {
                if CommentAct::$name == CommentAct::ApproveEdit {
                    unit.waiting_content(self.target.id)
                } else {
                    unit.changed_out_of_sight(self.target.id)
                }
            }

            fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
                Some(ActorKind::Moderator)
            }
        }
    )* };
}

judging! {
    Approve "Finds the text of a comment good; one that is out of sight becomes visible.",
    Reject "Refuses the text of a comment.",
    Hide "Hides an active comment.",
    Unhide "Shows a hidden comment again.",
    Withhold "Takes an active comment out of sight until it is judged.",
    Keep "Leaves a comment as it is and closes what is open on it.",
    ApproveEdit "Finds a proposed edit good, which becomes the text of its comment.",
    RejectEdit "Refuses a proposed edit; the text of its comment stays.",
}

impl Ruling {
    /// Returns the rows that an order about this comment locks.
    pub(super) fn lock_set(&self, target: &CommentLocation, act: CommentAct) -> LockSet {
        let proposal = (act == CommentAct::ApproveEdit).then_some(target.id);
        let decisions = (self.form == RulingForm::Verdict).then_some(target.id);
        let (content, review) = (Some(target.id), Some(target.id));
        LockSet { comments: target.locks(), content, review, decisions, proposal, database_time: true }
    }

    /// Returns the parts of a fingerprint. Those of an order are the comment and the note. An empty
    /// note is a part too: fingerprints of earlier versions have none, whatever the note.
    pub(super) fn body(&self, target: &CommentLocation) -> Vec<Cow<'_, [u8]>> {
        let Grounds { code, explanation, legal_reference, note, detection, automation, hits: _ } = &self.grounds;
        if self.form == RulingForm::Order {
            return vec![id_part(target.id), self.note_part()];
        }
        let texts = [code, explanation, legal_reference, note, &self.etag];
        let codes = Cow::Owned(vec![detection.code() as u8, automation.code() as u8]);
        texts.into_iter().map(|text| Cow::Borrowed(text.as_bytes())).chain([codes, id_part(target.id)]).collect()
    }

    /// Returns the part of the fingerprint of an order for its note.
    pub(super) fn note_part(&self) -> Cow<'_, [u8]> {
        self.grounds.note.as_bytes().into()
    }

    /// A moderator may act in any state of the subject. Only the comment and its review decide. The
    /// etag is compared first, so that the error of a late verdict names the decision before it.
    pub(super) fn check(&self, unit: &UnitOfWork, command: &Command, (id, act): (CommentId, CommentAct)) -> Result<()> {
        let comment = target(unit, command, id)?;
        let (lifecycle, review) = (&comment.lifecycle, unit.review(id));
        let is_deleted = lifecycle.state == CommentState::Deleted;
        if is_deleted && (!act.judges_deleted() || lifecycle.deleted_by == Some(DeletedBy::Moderator)) {
            return Err(Error::CommentNotFound);
        }
        let etag = if act.judges_proposal() { proposal_etag } else { review_etag };
        let current = etag(comment, review);
        if !self.etag.is_empty() && self.etag != current {
            let last = review.map(|review| review.decisions).filter(|number| *number > 0);
            return Err(Error::ReviewChanged {
                current,
                decision: last.map(|number| DecisionId { comment: id, number }),
            });
        }
        let now = unit.database_time()?;
        let ends_lease = act.ends_other_lease() || self.is_of_switch();
        if !ends_lease && review.and_then(|r| r.other_lease(&self.moderator, now)).is_some() {
            return Err(Error::ReviewLeaseLost);
        }
        if act != CommentAct::Delete && review.is_some_and(|review| review.bars(&self.moderator)) {
            return Err(Error::StateConflictBecause(ConflictCause::OwnDecision));
        }
        let state = if is_deleted { lifecycle.prior_state } else { lifecycle.state };
        let rule = act.rule(Some(state)).ok_or(Error::StateConflict(state))?;
        let text = if act.judges_proposal() { WaitingText::Proposed } else { WaitingText::Present };
        if self.is_of_service() && !review.is_some_and(|review| review.waits_for_service(text)) {
            return Err(Error::StateConflict(state));
        }
        let open =
            review.filter(|review| !review.is_closed).map_or(ReviewCauses::NONE, |review: &Review| review.causes);
        match rule.review {
            ReviewEffect::MustClear(causes) if open.intersection(causes).is_empty() => Err(Error::StateConflict(state)),
            ReviewEffect::MustClear(_)
            | ReviewEffect::None
            | ReviewEffect::Opens(_)
            | ReviewEffect::Clears(_)
            | ReviewEffect::ClosesAll
            | ReviewEffect::Reopens => Ok(()),
        }
    }

    /// Returns the changes of an order about this comment.
    pub(super) fn changes(
        &self,
        unit: &UnitOfWork,
        command: &Command,
        (id, act): (CommentId, CommentAct),
    ) -> Vec<Change> {
        let deleted_by = (act == CommentAct::Delete).then_some(DeletedBy::Moderator);
        let judgement = Judgement { comment_id: id, act, deleted_by, ruling: Some(self.clone()) };
        judgement_changes(unit, command, judgement)
    }
}

/// Returns a judgement as changes; a pin of a comment that leaves sight is taken off first.
pub(super) fn judgement_changes(unit: &UnitOfWork, command: &Command, judgement: Judgement) -> Vec<Change> {
    let state = unit.comment(judgement.comment_id).map(|comment| comment.lifecycle.state);
    let leaves_sight = judgement.act.rule(state).is_some_and(|rule| rule.leaves_sight());
    let unpin = leaves_sight.then(|| unpin_change(unit, command, judgement.comment_id)).flatten();
    unpin.into_iter().chain([Change::Judge(Box::new(judgement))]).collect()
}
