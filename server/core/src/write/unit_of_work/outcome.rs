//! The outcomes of a batch: its effect on each comment, computed from the locked row and the
//! written row.

use std::collections::BTreeMap;

use crate::domain::event::{ActorKind, Changes, CommentOutcome};
use crate::domain::ids::CommentId;
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
        let locked = self.write_set.comments.get(&id);
        Some(CommentOutcome {
            actor: self.write_set.actors.get(&id).copied().unwrap_or(ActorKind::Author),
            before: locked.map(|locked| locked.lifecycle.state),
            after: written.lifecycle.state,
            version: written.lifecycle.version,
            first_publication: self.write_set.published.contains(&id),
        })
    }
}
