//! Turning moderation off and on: the switch of a deployment, and the pass over its reviews.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use futures::future::try_join_all;

use crate::domain::act::CommentAct;
use crate::domain::caller::Caller;
use crate::domain::comment::CommentView;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::review::Review;
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectKey;
use crate::ports::{ModerationSwitch, Reader, ReviewPosition, Reviews};
use crate::write::maintenance::Maintenance;
use crate::write::ruling::Ruling;
use crate::write::submit::{Mutations, WriteContext};
use crate::write::verbs::JudgeComment;

/// The reviews of one step.
const STEP: usize = 100;

/// Turns moderation off and on.
#[derive(Debug, Clone)]
pub struct ModerationControl {
    /// The switch.
    pub switch: Arc<dyn ModerationSwitch>,
    /// The reviews of all data sources.
    pub reviews: Arc<dyn Reviews>,
    /// Reads the rows of comments.
    pub reader: Arc<dyn Reader>,
    /// Writes the decisions.
    pub mutations: Mutations,
    /// Corrects counts and open questions.
    pub maintenance: Maintenance,
}

/// An order to turn moderation off or on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchOrder {
    /// True to turn it off.
    pub off: bool,
    /// The act on comments that wait: Approve or Reject; `None` leaves them.
    pub pending: Option<CommentAct>,
    /// The operator in whose name decisions are made.
    pub operator: MemberId,
}

/// The results of a pass so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PassProgress {
    /// The number of reviews read.
    pub reviews: u64,
    /// The acts of the decisions that were made.
    pub settled: Vec<CommentAct>,
    /// The number of comments that stay PENDING.
    pub pending: u64,
    /// The number of REJECTED comments.
    pub rejected: u64,
    /// The number of counts and open questions that were corrected.
    pub repaired: u64,
    /// The subjects that were checked.
    checked: BTreeSet<SubjectKey>,
}

impl ModerationControl {
    /// Sets the switch at every data source.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`] for a caller that may not use every type;
    /// [`Error::ShardUnavailable`].
    pub async fn set(&self, caller: &Caller, off: bool) -> Result<()> {
        if !caller.may_use_all() {
            return Err(Error::CallerNotAllowed);
        }
        self.switch.set(off).await
    }

    /// Goes on with a pass behind `after`, and returns the next position, `None` at the end. Off
    /// refuses proposed edits that wait and settles comments that wait; on corrects the subjects of
    /// all reviews. Comments below deleted subjects are passed over.
    ///
    /// # Errors
    /// Errors of the store, and [`Error::Overloaded`].
    pub async fn advance(
        &self,
        caller: &Caller,
        order: &SwitchOrder,
        progress: &mut PassProgress,
        after: ReviewPosition,
    ) -> Result<Option<ReviewPosition>> {
        let (reviews, next) = self.reviews.walk(after, STEP).await?;
        let ids: Vec<CommentId> = reviews.iter().map(|review| review.comment_id).collect();
        let views = if ids.is_empty() { Vec::new() } else { self.reader.comments_among(&ids, caller.types()).await? };
        progress.reviews += reviews.len() as u64;
        let found: Vec<(Review, CommentView)> =
            reviews.into_iter().zip(views).filter_map(|(review, view)| Some((review, view?))).collect();
        if order.off {
            self.decide(caller, order, progress, &found).await?;
        } else {
            self.repair(caller, progress, &found).await?;
            count_unpublished(progress, found.iter().map(|(_, view)| view.comment.lifecycle.state));
        }
        Ok(next)
    }

    async fn decide(
        &self,
        caller: &Caller,
        order: &SwitchOrder,
        progress: &mut PassProgress,
        found: &[(Review, CommentView)],
    ) -> Result<()> {
        let act_on = |(review, view): &(Review, CommentView)| {
            let state = view.comment.lifecycle.state;
            let refuses = state.is_visible() && review.waiting_proposal().is_some();
            let pending = order.pending.filter(|_| state == CommentState::Pending);
            if refuses { Some(CommentAct::RejectEdit) } else { pending }
        };
        let acts: Vec<(CommentId, CommentAct)> =
            found.iter().filter_map(|item| Some((item.0.comment_id, act_on(item)?))).collect();
        let ids: Vec<CommentId> = acts.iter().map(|(id, _)| *id).collect();
        let locations =
            if ids.is_empty() { Vec::new() } else { self.reader.locate_among(&ids, caller.types()).await? };
        let verdicts = acts.iter().zip(&locations).filter_map(|((id, act), at)| Some((*id, *act, at.as_ref()?)));
        let decided = verdicts.map(async |(id, act, at)| Ok((id, act, self.judge(caller, order, (act, at)).await?)));
        let decided: Vec<(CommentId, CommentAct, bool)> = try_join_all(decided).await?;
        let decided = decided.into_iter().filter(|(.., is_decided)| *is_decided);
        let decided: HashMap<CommentId, CommentAct> = decided.map(|(id, act, _)| (id, act)).collect();
        progress.settled.extend(decided.values());
        count_unpublished(
            progress,
            found.iter().map(|(review, view)| after_act(view, decided.get(&review.comment_id))),
        );
        Ok(())
    }

    /// Returns `false` if another act came first or the type of the comment is not served any more.
    async fn judge(
        &self,
        caller: &Caller,
        order: &SwitchOrder,
        (act, at): (CommentAct, &CommentLocation),
    ) -> Result<bool> {
        let (caller, operator) = (caller.clone(), order.operator.clone());
        let context = WriteContext { caller, member: Some(operator.clone()), request_id: None };
        let request = JudgeComment { act, ruling: Ruling::of_switch(operator) };
        match self.mutations.submit(&context, at, request).await {
            Ok(_) => Ok(true),
            Err(Error::StateConflict(_) | Error::CommentNotFound | Error::ObjectTypeUnknown(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn repair(
        &self,
        caller: &Caller,
        progress: &mut PassProgress,
        found: &[(Review, CommentView)],
    ) -> Result<()> {
        for (_, view) in found {
            if progress.checked.insert(view.subject.clone()) {
                let report = self.maintenance.repair(caller, &view.subject).await?;
                progress.repaired += report.drifts.len() as u64;
            }
        }
        Ok(())
    }
}

/// Returns the state of a comment after the decision on it, if there was one.
fn after_act(view: &CommentView, act: Option<&CommentAct>) -> CommentState {
    let lifecycle = &view.comment.lifecycle;
    let rule = act.and_then(|act| act.rule(Some(lifecycle.state)));
    rule.map_or(lifecycle.state, |rule| rule.next(lifecycle.state, lifecycle.prior_state))
}

fn count_unpublished(progress: &mut PassProgress, states: impl Iterator<Item = CommentState>) {
    for state in states {
        progress.pending += u64::from(state == CommentState::Pending);
        progress.rejected += u64::from(state == CommentState::Rejected);
    }
}
