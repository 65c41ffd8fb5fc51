//! The only code that changes rows: each change, and the counts that follow from it.

use crate::domain::comment::{Comment, CommentRef};
use crate::domain::counts::{CommentCounts, Contribution, contribution};
use crate::domain::error::{Error, Result};
use crate::domain::event::{ChangeKind, CommentChange};
use crate::domain::ids::CommentId;
use crate::domain::path::Path;
use crate::domain::subject::{Subject, SubjectKey};
use crate::write::change::{Change, NewComment};
use crate::write::unit_of_work::policy::JudgedText;
use crate::write::unit_of_work::{ChangeContext, UnitOfWork};

impl UnitOfWork {
    pub(crate) fn apply(&mut self, change: Change, context: ChangeContext<'_>) -> Result<()> {
        match change {
            Change::CreateSubject(subject) => self.create_subject(subject)?,
            Change::ReplaceSubject(subject) => self.replace_subject(subject)?,
            Change::InsertComment(new) => self.insert_comment(*new, context)?,
            Change::Judge(judgement) => self.judge(*judgement, context)?,
            Change::Edit(edit) => self.edit(*edit, context)?,
            Change::Appeal(appeal) => self.appeal(*appeal, context)?,
            Change::Refer(id, text, priority) => self.refer(id, (text, priority), context)?,
        }
        Ok(())
    }

    fn create_subject(&mut self, subject: Subject) -> Result<()> {
        let key = subject.key.clone();
        self.write_set.new_subjects.insert(key.clone());
        self.subjects.insert(key.clone(), subject);
        self.revise(&key)?;
        self.write_set.events.entry(key).or_default().subject = true;
        Ok(())
    }

    fn replace_subject(&mut self, subject: Subject) -> Result<()> {
        let key = subject.key.clone();
        if subject.version == i64::MAX {
            return Err(exhausted());
        }
        self.revise(&key)?;
        let Some(row) = self.subjects.get_mut(&key) else { return Ok(()) };
        let event = self.write_set.events.entry(key).or_default();
        for pin in row.pins.iter().chain(&subject.pins) {
            if row.pins.contains(pin) != subject.pins.contains(pin) {
                event.record(CommentChange { id: *pin, root: None, kind: ChangeKind::PinChanged });
            }
        }
        event.subject |= row.version != subject.version;
        *row = Subject { next_floor: row.next_floor, counts: row.counts, revision: row.revision, ..subject };
        Ok(())
    }

    fn insert_comment(&mut self, new: NewComment, context: ChangeContext<'_>) -> Result<()> {
        let NewComment { mut comment, content, original, client, origin, causes, judged } = new;
        self.revise(context.subject)?;
        let subject = self.subjects.get_mut(context.subject).ok_or_else(|| not_loaded("subject"))?;
        comment.reference.born_revision = subject.revision;
        match comment.reference.root_id {
            None => subject.next_floor = next_floor(comment.reference.floor)?,
            // No reader of the root sees this, so the root keeps its revision.
            Some(root) if !comment.lifecycle.state.is_visible() => {
                self.row_of(root)?.next_floor = next_floor(comment.reference.floor)?;
            }
            Some(root) => self.change(root)?.next_floor = next_floor(comment.reference.floor)?,
        }
        comment.relist();
        self.contents.insert(comment.reference.id, content);
        self.keep_original((comment.reference.id, comment.lifecycle.version), original, context.now);
        if !client.is_empty() {
            self.write_set.clients.insert(comment.reference.id, client);
        }
        if let Some(origin) = origin {
            self.write_set.origins.insert(comment.reference.id, origin);
        }
        self.write_set.new_comments.insert(comment.reference.id, context.request);
        self.load_comment(comment.clone());
        self.review_new(&comment, causes, &judged, context)?;
        self.publish(&comment, context)?;
        let text = JudgedText { id: comment.reference.id, proposal: 0, from: None, from_version: 0 };
        self.decide_by_policy(text, judged, context)?;
        self.record_change(&comment, ChangeKind::Created, context.subject);
        self.count(&comment, contribution(comment.lifecycle.state), context.subject)
    }

    /// Adds the difference of two contributions of `comment` to the counts of its subject and of
    /// the comments above it, and lists or unlists the tombstones among those.
    pub(super) fn count(&mut self, comment: &Comment, added: Contribution, subject: &SubjectKey) -> Result<()> {
        let row = self.subjects.get_mut(subject).ok_or_else(|| not_loaded("subject"))?;
        row.counts += added.to_subject(comment.is_root());
        let CommentRef { root_id, parent_id, path, .. } = &comment.reference;
        let parent = parent_id.filter(|parent| Some(*parent) != *root_id);
        for (id, counts) in root_id.iter().map(|id| (*id, added.root)).chain(parent.map(|id| (id, added.parent))) {
            self.add(id, counts)?;
        }
        if added.ancestors != CommentCounts::ZERO {
            for path in path.ancestors() {
                self.add(self.comment_at(&path)?, added.ancestors)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, id: CommentId, counts: CommentCounts) -> Result<()> {
        if counts != CommentCounts::ZERO {
            let comment = self.change(id)?;
            comment.counts += counts;
            if counts.live_below != 0 {
                comment.relist();
            }
        }
        Ok(())
    }

    /// Starts a change of the subject: one revision per batch, for any number of commands.
    pub(super) fn revise(&mut self, key: &SubjectKey) -> Result<()> {
        if let Some(subject) = self.subjects.get_mut(key)
            && self.write_set.revised.insert(key.clone())
        {
            if !self.write_set.new_subjects.contains(key) {
                self.write_set.subjects.insert(key.clone(), subject.clone());
            }
            subject.revision = next_revision(subject.revision)?;
        }
        Ok(())
    }

    /// Records on a subject that a comment below it is or was unlisted, or had an edit that waits.
    /// Nothing takes the mark away. The row is written with the revision of the batch.
    pub(crate) fn set_unlisted(&mut self, key: &SubjectKey) {
        if self.write_set.revised.contains(key)
            && let Some(subject) = self.subjects.get_mut(key)
        {
            subject.unlisted = true;
        }
    }

    /// Starts a change of a comment: returns its row and increments the comment's own revision.
    pub(super) fn change(&mut self, id: CommentId) -> Result<&mut Comment> {
        let comment = self.row_of(id)?;
        comment.lifecycle.revision = next_revision(comment.lifecycle.revision)?;
        Ok(comment)
    }

    /// Returns the row of a comment, which will be written.
    fn row_of(&mut self, id: CommentId) -> Result<&mut Comment> {
        let comment = self.comments.get_mut(&id).ok_or_else(|| not_loaded("comment"))?;
        if !self.write_set.new_comments.contains_key(&id) {
            self.write_set.comments.entry(id).or_insert_with(|| comment.clone());
        }
        Ok(comment)
    }

    pub(super) fn record_change(&mut self, comment: &Comment, kind: ChangeKind, subject: &SubjectKey) {
        let change = CommentChange { id: comment.reference.id, root: comment.reference.root_id, kind };
        self.write_set.events.entry(subject.clone()).or_default().record(change);
    }

    fn comment_at(&self, path: &Path) -> Result<CommentId> {
        self.paths.get(path).copied().ok_or_else(|| not_loaded("ancestor"))
    }
}

fn next_floor(floor: i32) -> Result<i32> {
    floor.checked_add(1).ok_or_else(|| Error::internal("floors are exhausted"))
}

/// Returns the revision or version after this one.
pub(super) fn next_revision(number: i64) -> Result<i64> {
    number.checked_add(1).ok_or_else(exhausted)
}

fn exhausted() -> Error {
    Error::internal("revisions are exhausted")
}

pub(super) fn not_loaded(row: &str) -> Error {
    Error::internal(format!("a {row} of the batch is not loaded"))
}
