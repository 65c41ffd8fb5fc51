//! Mutants of the review: of verdicts, of the queue and its leases, and of what watchers receive.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::act::CommentAct;
use riposte_core::decision::{Decision, MODERATION_OFF_CODE};
use riposte_core::ids::DecisionId;
use riposte_core::object_type::{ModerationMode, ObjectType};
use riposte_core::ports::{
    ReviewBacklog, ReviewClaim, ReviewPosition, ReviewQuery, Reviews, SubjectLoads, SubjectWatch, SubjectWatches,
    WatchItem,
};
use riposte_core::proposal::Proposal;
use riposte_core::request::{IdempotencyKey, RequestIdentity};
use riposte_core::review::{LeaseToken, Review, ReviewCauses, WaitingText};
use riposte_core::verbs::{Approve, ApproveEdit, Delete, DeleteActor, Edit, Ruling};
use riposte_core::write::command_output::{DecisionOutput, EditedProposal};
use riposte_core::{
    Batch, Command, CommandKind, CommandLog, CommandOutput, CommentId, CommentLocation, CommentState, Effect, Error,
    MemberId, Result, SubjectId, SubjectKey,
};

use crate::mutant::Mutant;

/// A command log with a mutant of verdicts.
#[derive(Debug)]
pub(crate) struct MutantJudgements {
    inner: Arc<dyn CommandLog>,
    mutant: Mutant,
    /// The authors of the comments that this process created.
    authors: Mutex<HashMap<CommentId, MemberId>>,
    /// The comments that their authors deleted.
    deleted: Mutex<HashSet<CommentId>>,
    /// The edits that this process made and that waited, with their authors.
    proposals: Mutex<Vec<(Proposal, MemberId)>>,
}

impl MutantJudgements {
    pub(crate) fn new(inner: Arc<dyn CommandLog>, mutant: Mutant) -> Self {
        Self { inner, mutant, authors: Mutex::default(), deleted: Mutex::default(), proposals: Mutex::default() }
    }

    /// Returns a command by which the author proposes a replaced edit again, if `command` approves
    /// that edit.
    fn proposed_again(&self, command: &Command) -> Option<Command> {
        let CommandKind::ApproveEdit(ApproveEdit { target, ruling }) = &command.verb else { return None };
        let number = ruling.etag.split('.').nth(1)?.strip_prefix('p')?;
        let number = i32::from_str_radix(number, 16).ok()?;
        let proposals = self.proposals.lock().unwrap_or_else(PoisonError::into_inner);
        let of_comment = || proposals.iter().filter(|(proposal, _)| proposal.comment_id == target.id);
        let (replaced, author) = of_comment().find(|(proposal, _)| proposal.number == number)?;
        of_comment().find(|(proposal, _)| proposal.number > number)?;
        let edit = Edit::allowed(target.clone(), author.clone(), replaced.content.clone());
        let edit = Edit { moderation: ModerationMode::Pre, ..edit };
        let request = RequestIdentity { key: IdempotencyKey(rand::random()), fingerprint: command.request.fingerprint };
        Some(Command { verb: edit.into(), request, ..command.clone() })
    }

    fn before(&self, command: &mut Command) {
        if let (Mutant::EditSkipsReview, CommandKind::Edit(edit)) = (self.mutant, &mut command.verb) {
            edit.moderation = ModerationMode::Post;
        }
        if let (Mutant::ApproveNewerText, CommandKind::ApproveEdit(verb)) = (self.mutant, &mut command.verb) {
            verb.ruling.etag.clear();
        }
        if let (Mutant::OwnAppealJudged, CommandKind::Appeal(verb)) = (self.mutant, &mut command.verb) {
            verb.appeal.contested.actor = verb.appeal.contested.member.clone();
        }
        let Some((target, ruling)) = order(&mut command.verb) else { return };
        match (self.mutant, ()) {
            (Mutant::JudgedWithoutEtag, ()) => ruling.etag.clear(),
            // The lease of a moderator stops no verdict with this code.
            (Mutant::DrainOverridesPeople, ()) if ruling.is_of_service() => {
                ruling.grounds.code = MODERATION_OFF_CODE.to_owned();
            }
            (Mutant::RepeatRefused, ()) => command.request.key = IdempotencyKey(rand::random()),
            (Mutant::KeepTwice, ()) => {
                if let CommandKind::Keep(keep) = &command.verb {
                    let (target, ruling) = (keep.target.clone(), keep.ruling.clone());
                    command.verb = Approve { target, ruling }.into();
                }
            }
            (Mutant::DeleteEscapes, ()) => {
                let deleted = self.deleted.lock().unwrap_or_else(PoisonError::into_inner);
                if deleted.contains(&target.id) {
                    // No approval finds a deleted comment.
                    let ruling = ruling.clone();
                    command.verb = Approve { target, ruling }.into();
                }
            }
            (Mutant::DecisionOutsideTransaction, ()) => {
                let authors = self.authors.lock().unwrap_or_else(PoisonError::into_inner);
                if let (CommandKind::Delete(delete), Some(author)) = (&mut command.verb, authors.get(&target.id)) {
                    delete.actor = DeleteActor::Author(author.clone());
                }
            }
            _unaffected => {}
        }
    }

    /// Corrects the output of a changed command, and stores what later commands need.
    fn after(&self, sent: &Command, output: &mut Result<CommandOutput>) {
        if let (Mutant::StateReported, Err(error)) = (self.mutant, &mut *output)
            && let Error::ParentUnavailable(state) | Error::CommentUnavailable(state) = error
            && *state == CommentState::Hidden
        {
            *state = CommentState::Pending;
        }
        let Ok(done) = output else { return };
        match (&sent.verb, &mut done.effect) {
            (CommandKind::Create(_), Effect::Comment(view)) => {
                let reference = &view.comment.reference;
                let mut authors = self.authors.lock().unwrap_or_else(PoisonError::into_inner);
                authors.insert(reference.id, reference.member.clone());
            }
            (CommandKind::Edit(_), Effect::Edit(output)) => {
                if let EditedProposal::Made(proposal) = &output.proposal {
                    let author = output.view.comment.reference.member.clone();
                    let mut proposals = self.proposals.lock().unwrap_or_else(PoisonError::into_inner);
                    proposals.push(((**proposal).clone(), author));
                }
            }
            (CommandKind::Delete(Delete { target, actor: DeleteActor::Author(_), .. }), _) => {
                self.deleted.lock().unwrap_or_else(PoisonError::into_inner).insert(target.id);
            }
            (CommandKind::Undelete(undelete), _) => {
                self.deleted.lock().unwrap_or_else(PoisonError::into_inner).remove(&undelete.target.id);
            }
            (CommandKind::Keep(_), Effect::Decision(output)) => output.decision.act = CommentAct::Keep,
            (CommandKind::Delete(Delete { actor: DeleteActor::Moderator(ruling), .. }), effect) => {
                if let Effect::Comment(view) = effect {
                    let decision = unrecorded(sent, ruling, view.comment.reference.id);
                    let (etag, proposal_etag) = (String::new(), String::new());
                    *effect = Effect::Decision(Box::new(DecisionOutput { decision, etag, proposal_etag }));
                }
            }
            _unaffected => {}
        }
    }
}

/// Returns the target and the order of a verdict.
fn order(verb: &mut CommandKind) -> Option<(CommentLocation, &mut Ruling)> {
    match (verb, ()) {
        (CommandKind::Approve(verb), ()) => Some((verb.target.clone(), &mut verb.ruling)),
        (CommandKind::Reject(verb), ()) => Some((verb.target.clone(), &mut verb.ruling)),
        (CommandKind::Hide(verb), ()) => Some((verb.target.clone(), &mut verb.ruling)),
        (CommandKind::Unhide(verb), ()) => Some((verb.target.clone(), &mut verb.ruling)),
        (CommandKind::Withhold(verb), ()) => Some((verb.target.clone(), &mut verb.ruling)),
        (CommandKind::Keep(verb), ()) => Some((verb.target.clone(), &mut verb.ruling)),
        (CommandKind::Delete(Delete { target, actor: DeleteActor::Moderator(ruling), .. }), ()) => {
            Some((target.clone(), ruling))
        }
        _other => None,
    }
}

/// Returns a decision that has no row.
fn unrecorded(command: &Command, ruling: &Ruling, comment: CommentId) -> Decision {
    Decision {
        id: DecisionId { comment, number: i32::MAX },
        object_type: command.subject.object_type().clone(),
        member: ruling.moderator.clone(),
        act: CommentAct::Delete,
        proposal: 0,
        from: Some(CommentState::Active),
        to: CommentState::Deleted,
        from_version: 1,
        to_version: 2,
        revision: 0,
        actor: ruling.moderator.clone(),
        grounds: ruling.grounds.clone(),
        request: None,
        contested: 0,
        appeal_text: String::new(),
        time: command.now,
    }
}

#[async_trait]
impl CommandLog for MutantJudgements {
    async fn submit(&self, mut batch: Batch) -> Result<Vec<Result<CommandOutput>>> {
        let sent = if let Batch::Comments(commands) = &batch { commands.clone() } else { Vec::new() };
        if let Batch::Comments(commands) = &mut batch {
            if self.mutant == Mutant::DroppedProposalApproved {
                for command in &mut *commands {
                    let Some(again) = self.proposed_again(command) else { continue };
                    let done = self.inner.submit(Batch::Comments(vec![again])).await?.pop();
                    if let (Some(Ok(_)), CommandKind::ApproveEdit(verb)) = (done, &mut command.verb) {
                        verb.ruling.etag.clear();
                    }
                }
            }
            commands.iter_mut().for_each(|command| self.before(command));
        }
        let mut outputs = self.inner.submit(batch).await?;
        sent.iter().zip(&mut outputs).for_each(|(command, output)| self.after(command, output));
        Ok(outputs)
    }
}

/// The leases of earlier claims.
type Leases = Vec<(Vec<CommentId>, MemberId, LeaseToken)>;

/// A queue with a mutant.
#[derive(Debug)]
pub(crate) struct MutantReviews {
    inner: Arc<dyn Reviews>,
    mutant: Mutant,
    leases: Mutex<Leases>,
    /// The number of reads of the queue.
    reads: AtomicI64,
}

/// The duration of leases that never end.
const FOR_EVER: Duration = Duration::from_secs(30 * 86_400);

impl MutantReviews {
    pub(crate) fn new(inner: Arc<dyn Reviews>, mutant: Mutant) -> Self {
        Self { inner, mutant, leases: Mutex::default(), reads: AtomicI64::default() }
    }

    fn lose(&self, reviews: &mut Vec<Review>) {
        if self.mutant == Mutant::ItemLost {
            reviews.retain(|review| review.comment_id.get() % 5 != 0);
        }
    }

    /// Ends the leases of earlier claims, which their holders do not notice.
    async fn end_leases(&self) -> Result<()> {
        let leases = std::mem::take(&mut *self.leases.lock().unwrap_or_else(PoisonError::into_inner));
        for (ids, holder, token) in leases {
            self.inner.release(&ids, &holder, token).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl Reviews for MutantReviews {
    async fn list(&self, query: &ReviewQuery) -> Result<Vec<Review>> {
        let mut found = self.inner.list(query).await?;
        self.lose(&mut found);
        // So the drain asks, and moderators that ask for this alone.
        if self.mutant == Mutant::OutageNeverDrained && query.filter.causes == ReviewCauses::OUTAGE {
            found.clear();
        }
        if self.mutant == Mutant::DrainSkipsEdits && query.filter.causes == ReviewCauses::OUTAGE {
            found.retain(|review| review.waits_for_service(WaitingText::Present));
        }
        if self.mutant == Mutant::ItemTwice && found.len() > 1 {
            found[1] = found[0].clone();
        }
        if self.mutant == Mutant::QueueById {
            found.sort_by_key(|review| review.comment_id);
        }
        if self.mutant == Mutant::DueLater {
            let more = self.reads.fetch_add(1, Ordering::Relaxed);
            found.iter_mut().filter_map(|review| review.due_time.as_mut()).for_each(|due| due.0 += more);
        }
        Ok(found)
    }

    async fn walk(&self, after: ReviewPosition, limit: usize) -> Result<(Vec<Review>, Option<ReviewPosition>)> {
        self.inner.walk(after, limit).await
    }

    async fn claim(&self, claim: &ReviewClaim) -> Result<Vec<Review>> {
        if self.mutant == Mutant::LeaseTwice {
            self.end_leases().await?;
        }
        let mut leased = if self.mutant == Mutant::LeaseNeverEnds {
            self.inner.claim(&ReviewClaim { duration: FOR_EVER, ..claim.clone() }).await?
        } else {
            self.inner.claim(claim).await?
        };
        if self.mutant == Mutant::LeaseNeverEnds {
            let more = FOR_EVER.saturating_sub(claim.duration).as_millis() as i64;
            leased.iter_mut().filter_map(|review| review.lease.as_mut()).for_each(|lease| lease.until.0 -= more);
        }
        self.lose(&mut leased);
        if self.mutant == Mutant::LeaseTwice {
            let ids = leased.iter().map(|review| review.comment_id).collect();
            self.leases.lock().unwrap_or_else(PoisonError::into_inner).push((ids, claim.holder.clone(), claim.token));
        }
        Ok(leased)
    }

    async fn backlogs(&self, types: &[ObjectType]) -> Result<Vec<ReviewBacklog>> {
        self.inner.backlogs(types).await
    }

    async fn reopen(&self, subjects: &[SubjectId]) -> Result<usize> {
        self.inner.reopen(subjects).await
    }

    async fn reopen_all(&self, source: usize) -> Result<usize> {
        self.inner.reopen_all(source).await
    }

    async fn release(&self, ids: &[CommentId], holder: &MemberId, token: LeaseToken) -> Result<usize> {
        self.inner.release(ids, holder, token).await
    }
}

/// Watches with a mutant.
#[derive(Debug)]
pub(crate) struct MutantWatches {
    inner: Arc<dyn SubjectWatches>,
    mutant: Mutant,
}

impl MutantWatches {
    pub(crate) fn new(inner: Arc<dyn SubjectWatches>, mutant: Mutant) -> Self {
        Self { inner, mutant }
    }
}

#[async_trait]
impl SubjectWatches for MutantWatches {
    async fn join(&self, key: &SubjectKey, after: i64, loads: SubjectLoads<'_>) -> Result<Box<dyn SubjectWatch>> {
        let watch = self.inner.join(key, after, loads).await?;
        let reports = self.mutant == Mutant::PendingReported;
        Ok(if reports { Box::new(ReportingWatch { inner: watch }) } else { watch })
    }
}

/// A watch that reports comments that wait.
#[derive(Debug)]
struct ReportingWatch {
    inner: Box<dyn SubjectWatch>,
}

#[async_trait]
impl SubjectWatch for ReportingWatch {
    fn seen(&self) -> i64 {
        self.inner.seen()
    }

    async fn next(&mut self) -> Option<Result<WatchItem>> {
        let mut item = self.inner.next().await;
        if let Some(Ok(WatchItem::Change { changes, .. })) = &mut item {
            // Without its outcome every change counts as one of a comment that is in sight.
            changes.outcomes.clear();
        }
        item
    }

    fn end(&mut self, error: Error) -> Option<Result<WatchItem>> {
        self.inner.end(error)
    }
}
