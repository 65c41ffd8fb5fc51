//! Writes the reviews and the decisions of a batch. Their tables exist once in a data source.

use riposte_core::review::Review;
use riposte_core::{CommentId, Partition};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::{Flush, not_loaded};
use crate::error::StoreResult;
use crate::shard::part;
use crate::sql::entity::comment_review::{Column, Entity};
use crate::sql::entity::comment_withheld;
use crate::sql::row;

impl Flush<'_> {
    pub(super) fn reviews(&mut self) -> StoreResult<()> {
        let write_set = self.unit.write_set();
        let new = write_set.new_reviews.iter().map(|id| Ok(row::review_model(self.review(*id)?)));
        let new = new.collect::<StoreResult<Vec<_>>>()?;
        self.phase.insert(None::<Partition>, new);
        for id in &write_set.reviews {
            let update = Entity::update_many().set(row::review_changes(self.review(*id)?));
            let update = update.filter(Column::Part.eq(part(id.partition()))).filter(Column::CommentId.eq(id.get()));
            self.phase.write(None::<Partition>, &update, Some(1));
        }
        self.phase.insert(None::<Partition>, write_set.decisions.iter().map(row::decision_model).collect());
        self.withheld()
    }

    /// Adds the writes of proposed edits, and of former contents that were not in sight.
    fn withheld(&mut self) -> StoreResult<()> {
        use comment_withheld::{ActiveModel, Column, Entity};
        let write_set = self.unit.write_set();
        for ((id, number), state) in &write_set.proposal_states {
            let update = Entity::update_many()
                .set(ActiveModel { state: Set(state.code()), ..ActiveModel::default() })
                .filter(Column::Part.eq(part(id.partition())))
                .filter(Column::CommentId.eq(id.get()))
                .filter(Column::Kind.eq(row::PROPOSAL))
                .filter(Column::Number.eq(i64::from(*number)));
            self.phase.write(None::<Partition>, &update, Some(1));
        }
        self.change_originals();
        let proposal = |(id, number): &(CommentId, i32)| {
            let proposal = self.unit.proposal(*id, *number).ok_or_else(|| not_loaded("proposal"))?;
            Ok(row::proposal_model(proposal)?)
        };
        let mut rows = write_set.new_proposals.iter().map(proposal).collect::<StoreResult<Vec<_>>>()?;
        for withheld in &write_set.withheld {
            rows.push(row::withheld_model(withheld)?);
        }
        for (key, original) in &write_set.originals {
            rows.push(row::original_model(*key, original)?);
        }
        self.phase.insert::<ActiveModel>(None::<Partition>, rows);
        Ok(())
    }

    /// Adds the updates of stored originals. They match no row where nothing was masked.
    fn change_originals(&mut self) {
        use comment_withheld::{ActiveModel, Column, Entity};
        let write_set = self.unit.write_set();
        let originals = |id: CommentId, changes: ActiveModel| {
            let update = Entity::update_many().set(changes).filter(Column::Part.eq(part(id.partition())));
            update.filter(Column::CommentId.eq(id.get())).filter(Column::Kind.eq(row::ORIGINAL))
        };
        for id in &write_set.replaced_originals {
            let changes = ActiveModel { state: Set(row::REPLACED), ..ActiveModel::default() };
            let update = originals(*id, changes).filter(Column::Number.gt(0_i64));
            self.phase.write(None::<Partition>, &update, None);
        }
        // Those of contents in place come after the ones that they replace.
        for ((id, proposal), approved) in &write_set.approved_originals {
            let state = Set(row::original_state(approved.is_replaced));
            let changes = ActiveModel { number: Set(approved.version), state, ..ActiveModel::default() };
            let update = originals(*id, changes).filter(Column::Number.eq(-i64::from(*proposal)));
            self.phase.write(None::<Partition>, &update, None);
        }
    }

    fn review(&self, id: CommentId) -> StoreResult<&Review> {
        self.unit.review(id).ok_or_else(|| not_loaded("review"))
    }
}
