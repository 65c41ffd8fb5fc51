//! The reviews of a batch, and the decisions that keep the keys of its requests.

use std::collections::BTreeSet;

use riposte_core::proposal::ProposalState;
use riposte_core::{Command, CommentId, Millis, Partition};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};

use super::{Loader, LockWait};
use crate::error::StoreResult;
use crate::sql::chunks::LIST_MAX;
use crate::sql::database_time;
use crate::sql::entity::{comment_decision, comment_review, comment_withheld};
use crate::sql::grouping::parts;
use crate::sql::phase::{Phase, PhaseResults, RowsSlot};
use crate::sql::row;

impl Loader<'_> {
    /// Adds the locking reads of reviews, which follow those of comments. A claim locks a review
    /// without its comment.
    pub(super) fn lock_reviews(&self, phase: &mut Phase, ids: &BTreeSet<CommentId>) -> Vec<RowsSlot> {
        use comment_review::{Column, Entity};
        let select = |list: Vec<CommentId>| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            let select = select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
            LockWait::Bounded.lock(select.order_by_asc(Column::CommentId))
        };
        let ids: Vec<CommentId> = ids.iter().copied().collect();
        if ids.is_empty() { Vec::new() } else { vec![phase.select_lists(None::<Partition>, LIST_MAX, ids, select)] }
    }

    pub(super) fn load_reviews(&mut self, results: &mut PhaseResults, slots: Vec<RowsSlot>) -> StoreResult<()> {
        for slot in slots {
            for found in results.models(slot)? {
                self.unit.load_review(row::review(found)?);
            }
        }
        Ok(())
    }

    /// Loads the reviews of those locked comments that may never have been visible, and the time of
    /// the database if a command may need it for one of them.
    pub(super) async fn unknown_reviews(&mut self, at: Option<Partition>) -> StoreResult<()> {
        let unknown: BTreeSet<CommentId> = self.unit.unknown_reviews().collect();
        let at = at.filter(|_| self.unit.lacks_database_time());
        if unknown.is_empty() && at.is_none() {
            return Ok(());
        }
        let mut phase = self.tx.phase();
        let slots = self.lock_reviews(&mut phase, &unknown);
        let database_time = at.map(|at| self.select_database_time(&mut phase, at));
        let mut results = self.tx.run(phase).await?;
        self.load_reviews(&mut results, slots)?;
        self.load_database_time(&mut results, database_time)
    }

    /// Adds the read of the proposals that wait on comments of these commands, which are
    /// locked.
    pub(super) fn read_proposals(&self, phase: &mut Phase, commands: &[Command]) -> Vec<RowsSlot> {
        use comment_withheld::{Column, Entity};
        let id = |command: &Command| {
            command.verb.lock_set().proposal.filter(|id| id.partition() == command.subject.partition())
        };
        let ids: BTreeSet<CommentId> = commands.iter().filter_map(id).collect();
        if ids.is_empty() {
            return Vec::new();
        }
        let select = |list: Vec<CommentId>| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            let select = select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
            select.filter(Column::Kind.eq(row::PROPOSAL)).filter(Column::State.eq(ProposalState::Waiting.code()))
        };
        vec![phase.select_lists(None::<Partition>, LIST_MAX, ids.into_iter().collect(), select)]
    }

    pub(super) fn load_proposals(&mut self, results: &mut PhaseResults, slots: Vec<RowsSlot>) -> StoreResult<()> {
        for slot in slots {
            for found in results.models(slot)? {
                self.unit.load_proposal(row::proposal(found)?);
            }
        }
        Ok(())
    }

    /// Adds the read of the database's time if a command needs it. It follows the locking reads.
    pub(super) fn read_database_time(&self, phase: &mut Phase, commands: &[Command]) -> Option<RowsSlot> {
        let command = commands.iter().find(|command| command.verb.lock_set().database_time)?;
        Some(self.select_database_time(phase, command.subject.partition()))
    }

    fn select_database_time(&self, phase: &mut Phase, at: Partition) -> RowsSlot {
        let backend = self.tx.unrouted().get_database_backend();
        phase.select_lists(None::<Partition>, LIST_MAX, vec![at], move |_| database_time::query(backend, at))
    }

    pub(super) fn load_database_time(&mut self, results: &mut PhaseResults, slot: Option<RowsSlot>) -> StoreResult<()> {
        let found = slot.map(|slot| results.tuples::<i64>(slot)).transpose()?.unwrap_or_default();
        found.into_iter().for_each(|now| self.unit.load_database_time(Millis(now)));
        Ok(())
    }

    /// Adds the reads of the decisions with the keys of these commands. A verdict holds the lock of
    /// its comment, so that no other decision on it is made meanwhile.
    pub(super) fn read_decisions(&self, phase: &mut Phase, commands: &[Command]) -> Vec<RowsSlot> {
        use comment_decision::{Column, Entity};
        let key = |command: &Command| {
            let id = command.verb.lock_set().decisions.filter(|id| id.partition() == command.subject.partition())?;
            Some((id, command.request.key.0.to_vec()))
        };
        let keys: BTreeSet<(CommentId, Vec<u8>)> = commands.iter().filter_map(key).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        let select = |list: Vec<(CommentId, Vec<u8>)>| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|(id, _)| id.partition()))));
            let select = select.filter(Column::CommentId.is_in(list.iter().map(|(id, _)| id.get())));
            select.filter(Column::RequestKey.is_in(list.into_iter().map(|(_, key)| key)))
        };
        vec![phase.select_lists(None::<Partition>, LIST_MAX, keys.into_iter().collect(), select)]
    }

    pub(super) fn load_decisions(&mut self, results: &mut PhaseResults, slots: Vec<RowsSlot>) -> StoreResult<()> {
        for slot in slots {
            for found in results.models(slot)? {
                self.unit.load_decision(row::decision(found)?);
            }
        }
        Ok(())
    }
}
