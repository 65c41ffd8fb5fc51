//! The unit of work: the rows that one batch may touch, loaded under lock, and the changes that the
//! batch makes to them.
//!
//! A store fills a [`UnitOfWork`], calls [`UnitOfWork::run`] for each command in order, and writes
//! the rows that the [`WriteSet`] names. Commands of a batch see the effects of earlier ones; a
//! rejected command leaves no trace.

mod apply;
mod committed_change;
#[cfg(test)]
mod tests;
mod write_set;

use std::collections::BTreeMap;

use crate::comment::{Comment, CommentView};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::event::Changes;
use crate::ids::{CommentId, SubjectId};
use crate::like::{Like, LikeAnswer};
use crate::member::MemberId;
use crate::path::Path;
use crate::request::{Fingerprint, IdempotencyKey};
use crate::subject::{Subject, SubjectKey};
use crate::verbs::Command;
pub use committed_change::{CommittedChange, CommittedComment};
pub use write_set::{ContentEdit, WriteSet};

/// The stored result of an earlier request with the same idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The code of its verb ([`crate::CommandKind::code`]). It is kept for readers of the rows; the
    /// fingerprint covers it already.
    pub verb: i8,
    /// The fingerprint of verb and body.
    pub fingerprint: Fingerprint,
    /// The comment of the request; `None` for a subject's own verbs.
    pub comment: Option<CommentId>,
    /// The subject's revision in the first response.
    pub revision: i64,
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// The subject's revision that contains the effect; on a repeat, the revision in the first
    /// response.
    pub revision: i64,
    /// The effect, in its current state.
    pub effect: Effect,
    /// `true` if an earlier request with the same key had the effect already.
    pub replayed: bool,
}

/// The subject, comment or like that a command changed or found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A subject.
    Subject(Box<Subject>),
    /// A comment.
    Comment(Box<CommentView>),
    /// A like.
    Like(LikeAnswer),
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
    write_set: WriteSet,
}

impl UnitOfWork {
    /// Adds a locked subject.
    pub fn load_subject(&mut self, subject: Subject) {
        self.subjects.insert(subject.key.clone(), subject);
    }

    /// Adds a locked comment.
    pub fn load_comment(&mut self, comment: Comment) {
        self.paths.insert(comment.path.clone(), comment.id);
        self.comments.insert(comment.id, comment);
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
    pub fn load_prior(&mut self, subject: SubjectId, key: IdempotencyKey, record: IdempotencyRecord) {
        self.records.insert((subject, key), record);
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

    /// Returns the event data of each subject: its changes, and the revision that contains them, if
    /// they moved it.
    ///
    /// # Errors
    /// [`Error::Internal`] if a subject that changed is not in the unit of work.
    pub fn events(&self) -> Result<Vec<(&Subject, Option<i64>, &Changes)>> {
        let told = |(key, changes)| {
            let subject =
                self.subjects.get(key).ok_or_else(|| Error::internal("a subject that changed is not loaded"))?;
            Ok((subject, self.write_set.revised.contains(key).then_some(subject.revision), changes))
        };
        self.write_set.events.iter().map(told).collect()
    }

    /// The rows that have to be written.
    #[must_use]
    pub fn write_set(&self) -> &WriteSet {
        &self.write_set
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
        let act = command.verb.act();
        act.check(self, command)?;
        let changes = act.changes(self, command);
        // A like has no idempotency record: the lack of changes is the only sign of a repeat.
        let replayed = changes.is_empty() && command.verb.as_like().is_some();
        for change in changes {
            self.apply(change, command)?;
        }
        let revision = self.subjects.get(&command.subject).map_or(0, |s| s.revision);
        let effect = self.effect(command, command.verb.comment_id())?;
        self.remember(command, revision);
        Ok(CommandOutput { revision, effect, replayed })
    }

    /// Returns the output of an earlier request with the same key, if there was one.
    fn replay(&self, command: &Command) -> Result<Option<CommandOutput>> {
        let Some(subject) = self.subjects.get(&command.subject) else { return Ok(None) };
        let Some(record) = self.records.get(&(subject.id, command.request.key)) else { return Ok(None) };
        if record.fingerprint != command.request.fingerprint {
            return Err(Error::RequestIdReused);
        }
        let effect = self.effect(command, record.comment)?;
        Ok(Some(CommandOutput { revision: record.revision, effect, replayed: true }))
    }

    fn effect(&self, command: &Command, comment: Option<CommentId>) -> Result<Effect> {
        if let Some(set) = command.verb.as_like() {
            return set.answer(self).map(Effect::Like);
        }
        let subject = self.subjects.get(&command.subject).ok_or(Error::SubjectNotFound)?;
        let Some(id) = comment else { return Ok(Effect::Subject(Box::new(subject.clone()))) };
        let comment = self.comments.get(&id).ok_or_else(|| Error::internal("a comment of the batch is not loaded"))?;
        let view = CommentView {
            comment: comment.clone(),
            subject: subject.key.clone(),
            content: self.contents.get(&id).cloned(),
            pinned: subject.pins.contains(&id),
        };
        Ok(Effect::Comment(Box::new(view.seen_by(None))))
    }

    /// Stores the idempotency record of a command. Repeats later in the batch find it, and the
    /// store writes it in the same transaction as the effect.
    fn remember(&mut self, command: &Command, revision: i64) {
        if command.verb.as_like().is_some() {
            return; // the row of a like stores its last operation
        }
        let Some(subject) = self.subjects.get(&command.subject) else { return };
        let (verb, comment) = (command.verb.code(), command.verb.comment_id());
        let record = IdempotencyRecord { verb, fingerprint: command.request.fingerprint, comment, revision };
        self.records.insert((subject.id, command.request.key), record);
        if !command.verb.creates_comment() {
            self.write_set.requests.push((subject.id, command.request.key, record));
        }
    }
}
