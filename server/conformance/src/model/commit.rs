//! The commit of one batch: the rows of its lock set, and no others, go into a unit of work, and
//! the rows that its write set names are stored.

use riposte_core::page::ContentRevision;
use riposte_core::{
    Batch, Command, CommandOutput, CommentId, Error, LikeCommand, Millis, Result, Subject, SubjectKey, UnitOfWork,
};

use super::audit::audit;
use super::tables::{Row, SubjectTable, Tables};

impl Tables {
    pub(super) fn commit(&mut self, batch: &Batch) -> Result<Vec<Result<CommandOutput>>> {
        match batch {
            Batch::Comments(commands) => self.run(self.load(commands), commands, UnitOfWork::run),
            Batch::Likes(commands) => self.run(self.load_likes(commands), commands, UnitOfWork::run_like),
        }
    }

    fn run<K>(
        &mut self,
        mut unit: UnitOfWork,
        batch: &[Command<K>],
        run: fn(&mut UnitOfWork, &Command<K>) -> Result<CommandOutput>,
    ) -> Result<Vec<Result<CommandOutput>>> {
        let answers = batch.iter().map(|command| run(&mut unit, command)).collect();
        self.store(&unit)?;
        self.feed.tell(&unit, batch.first().map_or(Millis(0), |command| command.now))?;
        for command in batch {
            if let Some(subject_table) = self.subject_table(&command.subject) {
                audit(subject_table);
            }
        }
        Ok(answers)
    }

    fn load_likes(&self, batch: &[LikeCommand]) -> UnitOfWork {
        let mut unit = UnitOfWork::default();
        for command in batch {
            let Some(stored) = self.subject_table(&command.subject) else { continue };
            unit.load_subject(stored.subject.clone());
            let set = command.verb.set();
            if let Some(row) = stored.rows.get(&set.comment_id) {
                unit.load_comment(row.comment.clone());
            }
            if let Some(like) = stored.likes.get(&(set.comment_id, set.member.clone())) {
                unit.load_like(like.clone());
            }
        }
        unit
    }

    fn load(&self, batch: &[Command]) -> UnitOfWork {
        let mut unit = UnitOfWork::default();
        for command in batch {
            let Some(subject_table) = self.subject_table(&command.subject) else { continue };
            unit.load_subject(subject_table.subject.clone());
            let needs = command.verb.needs();
            let record = subject_table.record(&command.request.key);
            if let Some(record) = record {
                unit.load_prior(subject_table.subject.id, command.request.key, record);
            }
            let made = record.and_then(|p| p.comment);
            for row in needs.comments.iter().chain(&made).filter_map(|id| subject_table.rows.get(id)) {
                unit.load_comment(row.comment.clone());
            }
            for row in needs.content.iter().chain(&made).filter_map(|id| subject_table.rows.get(id)) {
                unit.load_content(row.comment.reference.id, row.content.clone());
            }
        }
        unit
    }

    fn store(&mut self, unit: &UnitOfWork) -> Result<()> {
        let write_set = unit.write_set();
        for key in &write_set.new_subjects {
            self.subject_tables.insert(key.clone(), SubjectTable::new(known_subject(unit, key)?));
        }
        for key in write_set.subjects.keys() {
            self.owning(key)?.subject = known_subject(unit, key)?;
        }
        for (id, request) in &write_set.new_comments {
            let comment = unit.comment(*id).cloned().ok_or_else(|| lost("comment"))?;
            let content = unit.content(*id).cloned().ok_or_else(|| lost("content"))?;
            let client = write_set.clients.get(id).cloned().unwrap_or_default();
            let origin = write_set.origins.get(id).cloned();
            let subject_table = self
                .subject_tables
                .values_mut()
                .find(|subject_table| subject_table.subject.id == comment.reference.subject_id);
            let subject_table = subject_table.ok_or_else(|| lost("subject of a new comment"))?;
            self.homes.insert(*id, subject_table.subject.key.clone());
            let row = Row { comment, content, past: Vec::new(), client, origin, request: *request };
            if subject_table.rows.insert(*id, row).is_some() {
                return Err(Error::internal(format!("comment {id:?} was written twice")));
            }
        }
        for id in write_set.comments.keys() {
            self.row(*id)?.comment = unit.comment(*id).cloned().ok_or_else(|| lost("comment"))?;
        }
        for id in &write_set.contents {
            self.row(*id)?.content = unit.content(*id).cloned().ok_or_else(|| lost("content"))?;
        }
        for edit in &write_set.edits {
            let past = ContentRevision { version: edit.version, content: edit.content.clone(), time: edit.time };
            self.row(edit.comment_id)?.past.push(past);
        }
        for (id, member) in &write_set.likes {
            let like = unit.like(*id, member).cloned().ok_or_else(|| lost("like"))?;
            let key = self.homes.get(id).cloned().ok_or_else(|| lost("liked comment"))?;
            self.owning(&key)?.likes.insert((*id, member.clone()), like);
        }
        for (subject, key, record) in &write_set.requests {
            let subject_table =
                self.subject_tables.values_mut().find(|subject_table| subject_table.subject.id == *subject);
            let twice = subject_table.ok_or_else(|| lost("subject of a request"))?.requests.insert(*key, *record);
            if twice.is_some() {
                return Err(Error::internal("one request key was remembered twice"));
            }
        }
        Ok(())
    }

    fn owning(&mut self, key: &SubjectKey) -> Result<&mut SubjectTable> {
        self.subject_tables.get_mut(key).ok_or_else(|| lost("subject"))
    }

    fn row(&mut self, id: CommentId) -> Result<&mut Row> {
        let key = self.homes.get(&id).ok_or_else(|| lost("comment's subject"))?;
        self.subject_tables
            .get_mut(key)
            .and_then(|subject_table| subject_table.rows.get_mut(&id))
            .ok_or_else(|| lost("comment"))
    }
}

fn known_subject(unit: &UnitOfWork, key: &SubjectKey) -> Result<Subject> {
    unit.subject(key).cloned().ok_or_else(|| lost("subject"))
}

fn lost(what: &str) -> Error {
    Error::internal(format!("the journal names a {what} that is not in the world"))
}
