//! The outcomes of a batch: its effect on each comment, computed from the locked row and the
//! written row.

use std::collections::BTreeMap;

use crate::domain::comment::Comment;
use crate::domain::event::{ActorKind, ChangeKind, Changes, CommentChange, CommentOutcome, ModerationDetails, Notice};
use crate::domain::ids::CommentId;
use crate::domain::review::{Review, ReviewCause};
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectKey;
use crate::write::unit_of_work::UnitOfWork;

impl UnitOfWork {
    /// Records the actor of a change of a comment, in place of the actor of an earlier change in
    /// the same batch.
    pub(crate) fn record_actor(&mut self, id: CommentId, actor: ActorKind) {
        if actor == ActorKind::Author {
            self.write_set.actors.remove(&id);
        } else {
            self.write_set.actors.insert(id, actor);
        }
    }

    /// Records that a fact of moderation changed nothing in sight of a comment, unless the batch
    /// has another change of it.
    pub(super) fn note(&mut self, comment: &Comment, subject: &SubjectKey) {
        let (id, root) = (comment.reference.id, comment.reference.root_id);
        let event = self.write_set.events.entry(subject.clone()).or_default();
        if !event.comments.iter().any(|change| change.id == id && change.kind.has_outcome()) {
            event.record(CommentChange { id, root, kind: ChangeKind::Noted });
        }
    }

    /// Records that the question about the text of a comment opens with this row of its review.
    pub(super) fn record_question(&mut self, review: &Review) {
        let id = review.comment_id;
        let by_policy = [ReviewCause::Flag, ReviewCause::ServiceUnavailable];
        let waits = self.comments.get(&id).is_some_and(|comment| comment.lifecycle.state == CommentState::Pending);
        if waits {
            self.write_set.held.insert(id);
        } else if by_policy.iter().any(|cause| review.causes.contains(*cause)) {
            self.write_set.flagged.insert(id);
        }
    }

    /// Returns the members that may be notified of the comments in these changes.
    pub(super) fn notices(&self, changes: &Changes) -> BTreeMap<CommentId, Vec<Notice>> {
        if self.write_set.notices.is_empty() {
            return BTreeMap::new();
        }
        let notices = |change: &CommentChange| Some((change.id, self.write_set.notices.get(&change.id)?.clone()));
        changes.comments.iter().filter_map(notices).collect()
    }

    fn moderation_details(&self, id: CommentId) -> ModerationDetails {
        let rows = &self.write_set;
        let decisions = rows.decided.get(&id).copied();
        // The decision of a flag in sight is its event, if it has one.
        let held = rows.held.contains(&id) || rows.flagged.contains(&id) && decisions.is_none();
        ModerationDetails { decisions, held, proposed: rows.proposed.contains(&id), reported: false }
    }

    /// Returns the outcomes of these changes, without those that equal the outcome of a plain
    /// create. A reader of the event assumes that outcome for a created comment without one.
    pub(super) fn outcomes(&self, changes: &Changes) -> BTreeMap<CommentId, Option<CommentOutcome>> {
        let changed = changes.comments.iter().filter(|change| change.kind.has_outcome());
        let outcomes = changed.filter_map(|change| Some((change.id, self.outcome(change.id)?)));
        let recorded = outcomes.filter(|(_, outcome)| *outcome != CommentOutcome::PUBLISHED);
        recorded.map(|(id, outcome)| (id, Some(outcome))).collect()
    }

    fn outcome(&self, id: CommentId) -> Option<CommentOutcome> {
        let written = self.comments.get(&id)?;
        // A row that the batch only noted is as it was locked.
        let is_new = self.write_set.new_comments.contains_key(&id);
        let locked = self.write_set.comments.get(&id).or((!is_new).then_some(written));
        Some(CommentOutcome {
            actor: self.write_set.actors.get(&id).copied().unwrap_or(ActorKind::Author),
            before: locked.map(|locked| locked.lifecycle.state),
            after: written.lifecycle.state,
            version: written.lifecycle.version,
            first_publication: self.write_set.published.contains(&id),
            moderation: self.moderation_details(id),
        })
    }
}
