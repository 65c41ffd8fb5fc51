//! Repairs. The counts of the oracle cannot drift. Its reviews can: below a deleted subject they
//! are closed.

use std::collections::BTreeSet;

use async_trait::async_trait;
use riposte_core::appeal::UndecidedAppeal;
use riposte_core::decision::Decision;
use riposte_core::event::{ChangeKind, Changes, CommentChange, Event};
use riposte_core::page::CountDrift;
use riposte_core::ports::{CountRepair, RepairReport};
use riposte_core::proposal::ProposalState;
use riposte_core::review::{OpenQuestions, Review, ReviewCauses};
use riposte_core::{CommentId, CommentState, Error, Millis, Result, SubjectKey};

use super::Model;
use super::tables::{SubjectTable, Tables};

impl Tables {
    /// Returns the reviews that contradict the states of their comments. Below a deleted subject
    /// none does.
    pub(super) fn review_drifts(&self, subject_table: &SubjectTable) -> Vec<CountDrift> {
        let mut drifts = Vec::new();
        if subject_table.subject.delete_time.is_some() {
            return drifts;
        }
        for (id, row) in &subject_table.rows {
            let (state, review) = (row.comment.lifecycle.state, self.reviews.get(id));
            let open = review.map(Review::open).unwrap_or_default();
            let causes = review.map_or(ReviewCauses::NONE, |review| review.causes);
            let in_sight = state == CommentState::Active && !causes.intersection(ReviewCauses::IN_SIGHT).is_empty();
            let waits = self.waiting_proposal(*id).is_some() && state != CommentState::Deleted;
            let text = state == CommentState::Pending || in_sight;
            let appeals = self.undecided_appeal(*id).is_some() && state != CommentState::Deleted;
            for (count, question, actual) in [
                ("review_open", OpenQuestions::TEXT, text),
                ("proposal", OpenQuestions::EDIT, waits),
                ("appeal", OpenQuestions::APPEAL, appeals),
            ] {
                let (stored, actual) = (i64::from(open.intersects(question)), i64::from(actual));
                if stored != actual {
                    drifts.push(CountDrift { comment: Some(*id), count, stored, actual });
                }
            }
        }
        drifts
    }

    fn repair(&mut self, key: &SubjectKey, now: Millis, database_time: Millis) -> Result<Option<RepairReport>> {
        let Some(subject_table) = self.subject_table(key) else { return Ok(None) };
        let drifts = self.review_drifts(subject_table);
        if drifts.is_empty() {
            return Ok(Some(RepairReport { drifts, revision: subject_table.subject.revision }));
        }
        let mut comments = Vec::new();
        let differing: BTreeSet<CommentId> = drifts.iter().filter_map(|drift| drift.comment).collect();
        for id in differing {
            comments.push(self.correct_review(id, database_time)?);
        }
        let subject = &mut self.subject_tables.get_mut(key).ok_or_else(|| Error::internal("no subject"))?.subject;
        subject.revision += 1;
        let event = Event {
            partition: key.partition(),
            subject: subject.id,
            revision: Some(subject.revision),
            changes: Changes { comments, ..Changes::default() },
            time: now,
        };
        let revision = subject.revision;
        self.outbox.waiting.push(vec![event]);
        Ok(Some(RepairReport { drifts, revision }))
    }

    fn waiting_proposal(&self, id: CommentId) -> Option<i32> {
        let mut of_comment = self.proposals.range((id, 0)..=(id, i32::MAX));
        of_comment.find(|(_, proposal)| proposal.state == ProposalState::Waiting).map(|((_, number), _)| *number)
    }

    fn undecided_appeal(&self, id: CommentId) -> Option<UndecidedAppeal> {
        let of_comment = self.decisions.range((id, 1)..=(id, i32::MAX));
        let decisions: Vec<Decision> = of_comment.map(|(_, decision)| decision.clone()).collect();
        Decision::undecided_appeal(&decisions)
    }

    fn correct_review(&mut self, id: CommentId, now: Millis) -> Result<CommentChange> {
        let (waiting, appeal) = (self.waiting_proposal(id), self.undecided_appeal(id));
        let row = self.row(id)?;
        row.comment.lifecycle.revision += 1;
        let (reference, state) = (row.comment.reference.clone(), row.comment.lifecycle.state);
        let object_type = self.comment_subjects.get(&id).map(|key| key.object_type().clone());
        let object_type = object_type.ok_or_else(|| Error::internal("a comment without a subject"))?;
        let review = self
            .reviews
            .entry(id)
            .or_insert_with(|| Review::new((id, reference.subject_id), object_type, reference.member.clone(), true));
        review.correct(state, waiting, appeal, now);
        Ok(CommentChange { id, root: reference.root_id, kind: ChangeKind::Recounted })
    }
}

#[async_trait]
impl CountRepair for Model {
    async fn repair(&self, key: &SubjectKey, now: Millis) -> Result<Option<RepairReport>> {
        let database_time = self.shared.clock.now();
        self.tables().repair(key, now, database_time)
    }
}
