//! The decision of a command about a subject or a comment on the locked rows of its batch.

use std::collections::BTreeSet;

use crate::domain::comment::{CommentView, proposal_etag, review_etag};
use crate::domain::decision::Decision;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::request::IdempotencyRecord;
use crate::domain::subject::SubjectKey;
use crate::write::command_output::{CommandOutput, DecisionOutput, EditOutput, EditedProposal, Effect};
use crate::write::unit_of_work::{ChangeContext, UnitOfWork};
use crate::write::verbs::{Command, CommandKind};

impl UnitOfWork {
    /// Returns those comments for which commands need their earlier public texts: a text that
    /// mentions members may come in sight, and another text was in sight before. The store loads
    /// them before it runs the commands.
    #[must_use]
    pub fn unknown_public_texts(&self, commands: &[Command]) -> BTreeSet<CommentId> {
        let unknown = |command: &Command| {
            let (id, content) = command.verb.rules().shown_content(self)?;
            let state = self.comment(id)?.lifecycle.state;
            let never_public = self.review(id).map_or(state.may_be_unpublished(), |review| review.never_public);
            (!never_public && !content.mentions().is_empty()).then_some(id)
        };
        commands.iter().filter_map(unknown).collect()
    }

    /// Decides one command and applies it.
    ///
    /// # Errors
    /// The reason for which the command is rejected; the unit of work is then unchanged. After
    /// [`Error::Internal`] it may be partly changed, and nothing of it may be written.
    pub fn run(&mut self, command: &Command) -> Result<CommandOutput> {
        if let Some(output) = self.replay(command)? {
            return Ok(output);
        }
        let rules = command.verb.rules();
        rules.check(self, command)?;
        let (changes, actor) = (rules.changes(self, command), rules.actor(self));
        self.pass_gate(&changes)?;
        if let (Some(id), Some(actor)) = (command.verb.comment_id(), actor) {
            self.record_actor(id, actor);
        }
        let proposals = self.last_proposal(command);
        let Command { subject, request, now, notify_thread, .. } = command;
        let context = ChangeContext { subject, request: *request, now: *now, notify_thread: *notify_thread };
        for change in changes {
            self.apply(change, context)?;
        }
        if let Some(id) = command.verb.comment_id() {
            self.mark_unlisted(&command.subject, id);
        }
        if command.verb.is_verdict() {
            let id = command.verb.comment_id().ok_or_else(|| Error::internal("a verdict names no comment"))?;
            let decision = self.decision(id, command.request.key).cloned();
            let decision = decision.ok_or_else(|| Error::internal("a verdict made no decision"))?;
            let revision = decision.revision;
            return Ok(CommandOutput { revision, effect: self.decision_effect(decision)?, replayed: false });
        }
        let revision = self.subject(&command.subject).map_or(0, |s| s.revision);
        let made = self.last_proposal(command).filter(|made| Some(*made) != proposals);
        let made = made.and_then(|number| self.proposal(command.verb.comment_id()?, number)).cloned();
        let proposal = made.map_or(EditedProposal::None, |made| EditedProposal::Made(Box::new(made)));
        let effect = self.effect(command, command.verb.comment_id(), proposal)?;
        self.store_record(command, revision);
        Ok(CommandOutput { revision, effect, replayed: false })
    }

    /// Records on the subject that only its author sees the comment, or an edit of it. Each act
    /// that leads there writes the row of the subject.
    fn mark_unlisted(&mut self, subject: &SubjectKey, id: CommentId) {
        let lifecycle = self.comment(id).map(|comment| &comment.lifecycle);
        let is_unpublished = lifecycle.is_some_and(|lifecycle| lifecycle.prior_state.may_be_unpublished());
        let waits = self.review(id).is_some_and(|review| review.waiting_proposal().is_some());
        if is_unpublished || waits {
            self.set_unlisted(subject);
        }
    }

    /// Returns the output of an earlier request with the same key, if there was one.
    fn replay(&self, command: &Command) -> Result<Option<CommandOutput>> {
        if let Some(decision) = command.verb.comment_id().and_then(|id| self.decision(id, command.request.key)) {
            let is_repeat = decision.request.is_some_and(|request| request.fingerprint == command.request.fingerprint);
            let (revision, decision) = (decision.revision, decision.clone());
            let output = |effect| Some(CommandOutput { revision, effect, replayed: true });
            return if is_repeat { self.decision_effect(decision).map(output) } else { Err(Error::RequestIdReused) };
        }
        let Some(record) = self.record(&command.subject, command.request.key) else { return Ok(None) };
        let former = || command.verb.former_fingerprint(&command.subject);
        if record.fingerprint != command.request.fingerprint && Some(record.fingerprint) != former() {
            return Err(Error::RequestIdReused);
        }
        let has_proposals = self.last_proposal(command).is_some_and(|number| number > 0);
        let proposal = if has_proposals { EditedProposal::Stored } else { EditedProposal::None };
        let effect = self.effect(command, record.comment, proposal)?;
        Ok(Some(CommandOutput { revision: record.revision, effect, replayed: true }))
    }

    /// The number of the last proposal of the comment that a command edits, 0 if it has none;
    /// `None` for another verb.
    fn last_proposal(&self, command: &Command) -> Option<i32> {
        let CommandKind::Edit(edit) = &command.verb else { return None };
        Some(self.review(edit.target.id).map_or(0, |review| review.proposal))
    }

    fn effect(&self, command: &Command, comment: Option<CommentId>, proposal: EditedProposal) -> Result<Effect> {
        let subject = self.subject(&command.subject).ok_or(Error::SubjectNotFound)?;
        let Some(id) = comment else { return Ok(Effect::Subject(Box::new(subject.clone()))) };
        let comment = self.comment(id).ok_or_else(|| Error::internal("a comment of the batch is not loaded"))?;
        let view = CommentView {
            comment: comment.clone(),
            subject: subject.key.clone(),
            content: self.content(id).cloned(),
            pinned: subject.pins.contains(&id),
        };
        let view = view.seen_by(command.verb.viewer());
        Ok(if matches!(command.verb, CommandKind::Edit(_)) {
            Effect::Edit(Box::new(EditOutput { view, proposal }))
        } else {
            Effect::Comment(Box::new(view))
        })
    }

    fn decision_effect(&self, decision: Decision) -> Result<Effect> {
        let id = decision.id.comment;
        let comment = self.comment(id).ok_or_else(|| Error::internal("a judged comment is not loaded"))?;
        let review = self.review(id);
        let (etag, proposal_etag) = (review_etag(comment, review), proposal_etag(comment, review));
        Ok(Effect::Decision(Box::new(DecisionOutput { decision, etag, proposal_etag })))
    }

    /// Stores the idempotency record of a command. Repeats later in the batch find it, and the
    /// store writes it in the same transaction as the effect.
    fn store_record(&mut self, command: &Command, revision: i64) {
        let (verb, comment) = (command.verb.code(), command.verb.comment_id());
        let record = IdempotencyRecord { verb, fingerprint: command.request.fingerprint, comment, revision };
        self.insert_record(&command.subject, command.request.key, record, command.verb.creates_comment());
    }
}
