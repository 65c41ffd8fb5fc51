//! The unit of work: the rows that one batch may touch, loaded under lock, and the changes that the
//! batch makes to them.
//!
//! A store fills a [`UnitOfWork`], calls [`UnitOfWork::run`] or
//! [`UnitOfWork::run_like`] for each command in order, and writes
//! the rows that the [`WriteSet`] names. Commands of a batch see the effects of earlier ones; a
//! rejected command leaves no trace.

mod appeal;
mod apply;
mod committed_change;
mod edit;
mod gate;
mod judge;
mod like;
mod notices;
mod originals;
mod outcome;
mod policy;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::domain::comment::Comment;
use crate::domain::content::Content;
use crate::domain::decision::Decision;
use crate::domain::error::{Error, Result};
use crate::domain::event::Changes;
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::like::Like;
use crate::domain::member::MemberId;
use crate::domain::path::Path;
use crate::domain::proposal::Proposal;
use crate::domain::request::{IdempotencyKey, IdempotencyRecord, RequestIdentity};
use crate::domain::review::Review;
use crate::domain::subject::{Subject, SubjectKey};
use crate::domain::time::Millis;
use crate::write::write_set::WriteSet;
pub use committed_change::{CommitObserver, CommittedChange, CommittedComment};
pub use gate::ModerationGate;
pub use notices::PublicTexts;

/// The part of a command that its changes depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangeContext<'c> {
    /// The subject of the command.
    pub(crate) subject: &'c SubjectKey,
    /// The identity that a new comment stores.
    pub(crate) request: RequestIdentity,
    /// The time of the command.
    pub(crate) now: Millis,
    /// `true` if the author of a root is notified of the replies in its thread.
    pub(crate) notify_thread: bool,
}

/// The locked rows of one batch.
#[derive(Debug, Default)]
pub struct UnitOfWork {
    subjects: BTreeMap<SubjectKey, Subject>,
    comments: BTreeMap<CommentId, Comment>,
    paths: BTreeMap<Path, CommentId>,
    contents: BTreeMap<CommentId, Content>,
    likes: BTreeMap<(CommentId, MemberId), Like>,
    records: BTreeMap<(SubjectId, IdempotencyKey), IdempotencyRecord>,
    reviews: BTreeMap<CommentId, Review>,
    decisions: BTreeMap<(CommentId, IdempotencyKey), Decision>,
    proposals: BTreeMap<(CommentId, i32), Proposal>,
    public_texts: BTreeMap<CommentId, PublicTexts>,
    database_time: Option<Millis>,
    gate: ModerationGate,
    lacks_gate: bool,
    write_set: WriteSet,
}

impl UnitOfWork {
    /// Adds a locked subject.
    pub fn load_subject(&mut self, subject: Subject) {
        self.subjects.insert(subject.key.clone(), subject);
    }

    /// Adds a locked comment.
    pub fn load_comment(&mut self, comment: Comment) {
        self.paths.insert(comment.reference.path.clone(), comment.reference.id);
        self.comments.insert(comment.reference.id, comment);
    }

    /// Adds the content of a comment.
    pub fn load_content(&mut self, id: CommentId, content: Content) {
        self.contents.insert(id, content);
    }

    /// Adds a locked like.
    pub fn load_like(&mut self, like: Like) {
        self.likes.insert((like.comment_id, like.member.clone()), like);
    }

    /// Adds the idempotency record of an earlier request.
    pub fn load_record(&mut self, subject: SubjectId, key: IdempotencyKey, record: IdempotencyRecord) {
        self.records.insert((subject, key), record);
    }

    /// Adds the review of a locked comment.
    pub fn load_review(&mut self, review: Review) {
        self.reviews.insert(review.comment_id, review);
    }

    /// Adds a decision that keeps the key of an earlier request.
    pub fn load_decision(&mut self, decision: Decision) {
        if let Some(request) = decision.request {
            self.decisions.insert((decision.id.comment, request.key), decision);
        }
    }

    /// Adds a proposal that waits.
    pub fn load_proposal(&mut self, proposal: Proposal) {
        self.proposals.insert((proposal.comment_id, proposal.number), proposal);
    }

    /// A proposal of the batch.
    #[must_use]
    pub fn proposal(&self, id: CommentId, number: i32) -> Option<&Proposal> {
        self.proposals.get(&(id, number))
    }

    /// Returns `true` if a command may set the due time of a comment that is out of sight, or
    /// create one because of the mode of its subject, and the time of the database is not loaded.
    /// The store loads it before it runs the commands.
    #[must_use]
    pub fn lacks_database_time(&self) -> bool {
        let waits = |comment: &Comment| comment.lifecycle.state.may_be_unpublished();
        let is_strict =
            |subject: &Subject| subject.moderation.is_some_and(|mode| mode.new_state().may_be_unpublished());
        self.database_time.is_none() && (self.comments.values().any(waits) || self.subjects.values().any(is_strict))
    }

    /// Sets the time of the database, by which due times are set and leases are tested.
    pub fn load_database_time(&mut self, now: Millis) {
        self.database_time = Some(now);
    }

    /// The time of the database.
    ///
    /// # Errors
    /// [`Error::Internal`] if it is not loaded: the lock sets of the batch do not require it.
    pub(crate) fn database_time(&self) -> Result<Millis> {
        self.database_time.ok_or_else(|| Error::internal("the time of the database is not loaded"))
    }

    /// The review of a comment of the batch; `None` if the comment has none.
    #[must_use]
    pub fn review(&self, id: CommentId) -> Option<&Review> {
        self.reviews.get(&id)
    }

    /// Returns those comments of the batch that may never have been visible and whose reviews are
    /// not loaded. The store loads them before it runs the commands.
    pub fn unknown_reviews(&self) -> impl Iterator<Item = CommentId> {
        let unknown =
            |comment: &&Comment| comment.may_be_unpublished() && !self.reviews.contains_key(&comment.reference.id);
        self.comments.values().filter(unknown).map(|comment| comment.reference.id)
    }

    /// The subject with the key `key`, deleted or not.
    #[must_use]
    pub fn subject(&self, key: &SubjectKey) -> Option<&Subject> {
        self.subjects.get(key)
    }

    /// A comment of the batch.
    #[must_use]
    pub fn comment(&self, id: CommentId) -> Option<&Comment> {
        self.comments.get(&id)
    }

    /// The comment of the batch that has the path `path`.
    #[must_use]
    pub fn at_path(&self, path: &Path) -> Option<&Comment> {
        self.paths.get(path).and_then(|id| self.comments.get(id))
    }

    /// The content of a comment of the batch.
    #[must_use]
    pub fn content(&self, id: CommentId) -> Option<&Content> {
        self.contents.get(&id)
    }

    /// A member's like; `None` if the member never set one.
    #[must_use]
    pub fn like(&self, id: CommentId, member: &MemberId) -> Option<&Like> {
        self.likes.get(&(id, member.clone()))
    }

    /// The idempotency record of an earlier request of a subject.
    pub(crate) fn record(&self, subject: &SubjectKey, key: IdempotencyKey) -> Option<&IdempotencyRecord> {
        self.records.get(&(self.subjects.get(subject)?.id, key))
    }

    /// Adds the idempotency record of a command. The write set contains it unless the row of a new
    /// comment stores the key.
    pub(crate) fn insert_record(
        &mut self,
        subject: &SubjectKey,
        key: IdempotencyKey,
        record: IdempotencyRecord,
        in_comment: bool,
    ) {
        let Some(subject) = self.subjects.get(subject) else { return };
        self.records.insert((subject.id, key), record);
        if !in_comment {
            self.write_set.requests.push((subject.id, key, record));
        }
    }

    /// Returns the event data of each subject at the end of the batch: its changes with their
    /// outcomes and notices, and the revision that contains them, if they moved it.
    ///
    /// # Errors
    /// [`Error::Internal`] if a subject that changed is not in the unit of work.
    pub fn events(&self) -> Result<Vec<(&Subject, Option<i64>, Changes)>> {
        let event = |(key, changes): (&SubjectKey, &Changes)| {
            let subject =
                self.subjects.get(key).ok_or_else(|| Error::internal("a subject that changed is not loaded"))?;
            let (outcomes, notices) = (self.outcomes(changes), self.notices(changes));
            let changes = Changes { outcomes, notices, ..changes.clone() };
            Ok((subject, self.write_set.revised.contains(key).then_some(subject.revision), changes))
        };
        self.write_set.events.iter().map(event).collect()
    }

    /// The rows that have to be written.
    #[must_use]
    pub fn write_set(&self) -> &WriteSet {
        &self.write_set
    }
}
