//! The commit of one batch: only the rows of its lock set are loaded into a unit of work, and only
//! the rows of its write set are stored.

use riposte_core::page::ContentRevision;
use riposte_core::proposal::{Proposal, ProposalState};
use riposte_core::unit_of_work::PublicTexts;
use riposte_core::write_set::OriginalContent;
use riposte_core::{
    Batch, Command, CommandOutput, CommentId, Content, Error, LikeCommand, Millis, Result, Subject, SubjectKey,
    UnitOfWork,
};

use super::recount::check_invariants;
use super::tables::{Row, SubjectTable, Tables};

impl Tables {
    /// Commits a batch at the time `now` of the database.
    pub(super) fn commit(&mut self, batch: &Batch, now: Millis) -> Result<Vec<Result<CommandOutput>>> {
        match batch {
            Batch::Comments(commands) => self.run(self.load(commands, now), commands, UnitOfWork::run),
            Batch::Likes(commands) => self.run(self.load_likes(commands), commands, UnitOfWork::run_like),
        }
    }

    fn run<K>(
        &mut self,
        mut unit: UnitOfWork,
        batch: &[Command<K>],
        run: fn(&mut UnitOfWork, &Command<K>) -> Result<CommandOutput>,
    ) -> Result<Vec<Result<CommandOutput>>> {
        let results = batch.iter().map(|command| run(&mut unit, command)).collect();
        self.store(&unit)?;
        self.outbox.record(&unit, batch.first().map_or(Millis(0), |command| command.now))?;
        for command in batch {
            if let Some(subject_table) = self.subject_table(&command.subject) {
                check_invariants(subject_table);
            }
        }
        Ok(results)
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
        self.load_unknown_reviews(&mut unit);
        unit
    }

    fn load(&self, batch: &[Command], now: Millis) -> UnitOfWork {
        let mut unit = UnitOfWork::default();
        if batch.iter().any(|command| command.verb.lock_set().database_time) {
            unit.load_database_time(now);
        }
        for command in batch {
            let Some(subject_table) = self.subject_table(&command.subject) else { continue };
            unit.load_subject(subject_table.subject.clone());
            let lock_set = command.verb.lock_set();
            let record = subject_table.record(&command.request.key);
            if let Some(record) = record {
                unit.load_record(subject_table.subject.id, command.request.key, record);
            }
            let created = record.and_then(|record| record.comment);
            for row in lock_set.comments.iter().chain(&created).filter_map(|id| subject_table.rows.get(id)) {
                unit.load_comment(row.comment.clone());
            }
            for row in lock_set.content.iter().chain(&created).filter_map(|id| subject_table.rows.get(id)) {
                unit.load_content(row.comment.reference.id, row.content.clone());
            }
            let review = lock_set.review.filter(|id| subject_table.rows.contains_key(id));
            if let Some(review) = review.and_then(|id| self.reviews.get(&id)) {
                unit.load_review(review.clone());
            }
            let judged = lock_set.decisions.filter(|id| subject_table.rows.contains_key(id));
            for decision in self.decisions.values().filter(|decision| Some(decision.id.comment) == judged) {
                unit.load_decision(decision.clone());
            }
            let of = |proposal: &&Proposal| Some(proposal.comment_id) == lock_set.proposal;
            let waiting = self.proposals.values().filter(of).filter(|p| p.state == ProposalState::Waiting);
            waiting.for_each(|proposal| unit.load_proposal(proposal.clone()));
        }
        if unit.lacks_database_time() {
            unit.load_database_time(now);
        }
        self.load_unknown_reviews(&mut unit);
        for id in unit.unknown_public_texts(batch) {
            unit.load_public_texts(id, self.public_texts(id));
        }
        unit
    }

    fn public_texts(&self, id: CommentId) -> PublicTexts {
        let Some((_, row)) = self.comment(id) else { return PublicTexts::default() };
        let withheld = self.withheld.range((id, i64::MIN)..=(id, i64::MAX)).map(|(_, withheld)| withheld);
        let withheld = withheld.filter(|withheld| withheld.once_public).map(|withheld| &withheld.edit.content);
        let former = row.revisions.iter().map(|revision| &revision.content).chain(withheld);
        let mentions = former.flat_map(Content::mentions).cloned().collect();
        PublicTexts { mentions, is_imported: row.origin.is_some() }
    }

    fn load_unknown_reviews(&self, unit: &mut UnitOfWork) {
        let unknown: Vec<CommentId> = unit.unknown_reviews().collect();
        unknown.iter().filter_map(|id| self.reviews.get(id)).for_each(|review| unit.load_review(review.clone()));
    }

    fn store(&mut self, unit: &UnitOfWork) -> Result<()> {
        let write_set = unit.write_set();
        for key in &write_set.new_subjects {
            self.subject_tables.insert(key.clone(), SubjectTable::new(loaded_subject(unit, key)?));
        }
        for key in write_set.subjects.keys() {
            self.subject_table_mut(key)?.subject = loaded_subject(unit, key)?;
        }
        for (id, request) in &write_set.new_comments {
            let comment = unit.comment(*id).cloned().ok_or_else(|| absent("comment"))?;
            let content = unit.content(*id).cloned().ok_or_else(|| absent("content"))?;
            let client = write_set.clients.get(id).cloned().unwrap_or_default();
            let origin = write_set.origins.get(id).cloned();
            let subject_table = self
                .subject_tables
                .values_mut()
                .find(|subject_table| subject_table.subject.id == comment.reference.subject_id);
            let subject_table = subject_table.ok_or_else(|| absent("subject of a new comment"))?;
            self.comment_subjects.insert(*id, subject_table.subject.key.clone());
            let row = Row { comment, content, revisions: Vec::new(), client, origin, request: *request };
            if subject_table.rows.insert(*id, row).is_some() {
                return Err(Error::internal(format!("comment {id:?} was written twice")));
            }
        }
        for id in write_set.comments.keys() {
            self.row(*id)?.comment = unit.comment(*id).cloned().ok_or_else(|| absent("comment"))?;
        }
        for id in &write_set.contents {
            self.row(*id)?.content = unit.content(*id).cloned().ok_or_else(|| absent("content"))?;
        }
        for edit in &write_set.edits {
            let revision = ContentRevision { version: edit.version, content: edit.content.clone(), time: edit.time };
            self.row(edit.comment_id)?.revisions.push(revision);
        }
        self.store_reviews(unit)?;
        self.store_withheld(unit)?;
        for (id, member) in &write_set.likes {
            let like = unit.like(*id, member).cloned().ok_or_else(|| absent("like"))?;
            let key = self.comment_subjects.get(id).cloned().ok_or_else(|| absent("liked comment"))?;
            self.subject_table_mut(&key)?.likes.insert((*id, member.clone()), like);
        }
        for (subject, key, record) in &write_set.requests {
            let subject_table =
                self.subject_tables.values_mut().find(|subject_table| subject_table.subject.id == *subject);
            let duplicate = subject_table.ok_or_else(|| absent("subject of a request"))?.requests.insert(*key, *record);
            if duplicate.is_some() {
                return Err(Error::internal("an idempotency key was stored twice"));
            }
        }
        Ok(())
    }

    fn store_reviews(&mut self, unit: &UnitOfWork) -> Result<()> {
        let write_set = unit.write_set();
        for (id, is_new) in
            write_set.new_reviews.iter().map(|id| (id, true)).chain(write_set.reviews.iter().map(|id| (id, false)))
        {
            let review = unit.review(*id).cloned().ok_or_else(|| absent("review"))?;
            if self.reviews.insert(*id, review).is_none() != is_new {
                return Err(Error::internal(format!("the review of {id:?} is written as if it were new: {is_new}")));
            }
        }
        for decision in &write_set.decisions {
            if self.decisions.insert((decision.id.comment, decision.id.number), decision.clone()).is_some() {
                return Err(Error::internal(format!("the decision {} was written twice", decision.id)));
            }
        }
        Ok(())
    }

    fn store_withheld(&mut self, unit: &UnitOfWork) -> Result<()> {
        let write_set = unit.write_set();
        for (id, number) in &write_set.new_proposals {
            let proposal = unit.proposal(*id, *number).cloned().ok_or_else(|| absent("proposal"))?;
            if self.proposals.insert((*id, *number), proposal).is_some() {
                return Err(Error::internal(format!("the proposal {number} of {id:?} was written twice")));
            }
        }
        for (key, state) in &write_set.proposal_states {
            self.proposals.get_mut(key).ok_or_else(|| absent("stored proposal"))?.state = *state;
        }
        for content in &write_set.withheld {
            let key = (content.edit.comment_id, content.edit.version);
            if self.withheld.insert(key, content.clone()).is_some() {
                return Err(Error::internal(format!("the content {key:?} was withheld twice")));
            }
        }
        self.store_originals(unit)
    }

    fn store_originals(&mut self, unit: &UnitOfWork) -> Result<()> {
        let write_set = unit.write_set();
        for id in &write_set.replaced_originals {
            for (_, original) in self.originals.range_mut((*id, 1)..=(*id, i64::MAX)) {
                original.is_replaced = true;
            }
        }
        for ((id, proposal), approved) in &write_set.approved_originals {
            if let Some(original) = self.originals.remove(&(*id, -i64::from(*proposal))) {
                let original = OriginalContent { is_replaced: approved.is_replaced, ..original };
                self.originals.insert((*id, approved.version), original);
            }
        }
        for (key, original) in &write_set.originals {
            if self.originals.insert(*key, original.clone()).is_some() {
                return Err(Error::internal(format!("the original {key:?} was stored twice")));
            }
        }
        Ok(())
    }

    fn subject_table_mut(&mut self, key: &SubjectKey) -> Result<&mut SubjectTable> {
        self.subject_tables.get_mut(key).ok_or_else(|| absent("subject"))
    }

    pub(super) fn row(&mut self, id: CommentId) -> Result<&mut Row> {
        let key = self.comment_subjects.get(&id).ok_or_else(|| absent("comment's subject"))?;
        self.subject_tables
            .get_mut(key)
            .and_then(|subject_table| subject_table.rows.get_mut(&id))
            .ok_or_else(|| absent("comment"))
    }
}

fn loaded_subject(unit: &UnitOfWork, key: &SubjectKey) -> Result<Subject> {
    unit.subject(key).cloned().ok_or_else(|| absent("subject"))
}

fn absent(row: &str) -> Error {
    Error::internal(format!("the write set names a {row} that is not in the unit of work"))
}
