//! Updates the changed subjects, comments and contents of a batch. Rows whose only change is the
//! same difference of counts share one statement; every other row has its own.

use std::collections::BTreeMap;

use riposte_core::counts::CountColumn;
use riposte_core::{CommentCounts, CommentId, SubjectCounts};
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter};

use super::{Flush, not_loaded};
use crate::error::StoreResult;
use crate::shard::part;
use crate::sql::chunks::LIST_MAX;
use crate::sql::commit::count_differences::{self, Differences, updated_columns};
use crate::sql::entity::{comment_content, comment_edit, comment_index, comment_subject};
use crate::sql::grouping::{by_table, parts};
use crate::sql::row;

/// The ids of rows that change only in their counts, grouped by the difference.
type RowsByDifferences<const N: usize> = BTreeMap<Differences<N>, Vec<CommentId>>;

/// The columns of a statement that adds to counts.
struct Columns<E: EntityTrait, C: 'static> {
    counts: &'static [CountColumn<C>],
    part: E::Column,
    id: E::Column,
}

impl Flush<'_> {
    pub(super) fn changed_subjects(&mut self) -> StoreResult<()> {
        use comment_subject::{Column, Entity};
        let mut rows_by_differences: RowsByDifferences<{ count_differences::SUBJECT_COLUMNS }> = BTreeMap::new();
        for (key, before) in &self.unit.write_set().subjects {
            let subject = self.subject(key)?;
            if let Some(differences) = count_differences::subject_differences(before, subject) {
                rows_by_differences.entry(differences).or_default().push(subject.id.into());
                continue;
            }
            let update = Entity::update_many().set(row::subject_changes(subject)?);
            let update = update.filter(Column::Part.eq(part(key.partition()))).filter(Column::Id.eq(subject.id.get()));
            self.phase.write(key.partition(), &update, Some(1));
        }
        let columns = Columns::<Entity, _> { counts: &SubjectCounts::COLUMNS, part: Column::Part, id: Column::Id };
        self.add_differences(rows_by_differences, self.tables.subject, columns);
        Ok(())
    }

    pub(super) fn changed_comments(&mut self) -> StoreResult<()> {
        use comment_index::{Column, Entity};
        let mut rows_by_differences: RowsByDifferences<{ count_differences::COMMENT_COLUMNS }> = BTreeMap::new();
        for (id, before) in &self.unit.write_set().comments {
            let comment = self.comment(*id)?;
            if let Some(differences) = count_differences::comment_differences(before, comment) {
                rows_by_differences.entry(differences).or_default().push(*id);
                continue;
            }
            let update = Entity::update_many().set(row::comment_changes(comment));
            let update = update.filter(Column::Part.eq(part(id.partition()))).filter(Column::Id.eq(id.get()));
            self.phase.write(id.partition(), &update, Some(1));
        }
        let columns = Columns::<Entity, _> { counts: &CommentCounts::COLUMNS, part: Column::Part, id: Column::Id };
        self.add_differences(rows_by_differences, self.tables.index, columns);
        Ok(())
    }

    /// Adds each difference to the counts of its rows, with one statement per table, or several for
    /// a long list of rows.
    fn add_differences<E: EntityTrait, C: Sync, const N: usize>(
        &mut self,
        rows_by_differences: RowsByDifferences<N>,
        tables: u16,
        columns: Columns<E, C>,
    ) {
        let Columns { counts, part, id } = columns;
        for (differences, ids) in rows_by_differences {
            for (partition, ids) in by_table(ids, tables, |id| id.partition()) {
                let update = move |list: Vec<CommentId>| {
                    let columns = updated_columns(counts, differences);
                    let update =
                        columns.fold(E::update_many(), |update, (column, value)| update.col_expr(column, value));
                    let update = update.filter(part.is_in(parts(list.iter().map(|id| id.partition()))));
                    update.filter(id.is_in(list.iter().map(|id| id.get())))
                };
                self.phase.update_lists(partition, LIST_MAX, ids, update);
            }
        }
    }

    /// Adds the writes of changed contents, and of their former contents as edits.
    pub(super) fn contents(&mut self) -> StoreResult<()> {
        use comment_content::{ActiveModel, Column, Entity};
        let write_set = self.unit.write_set();
        for id in &write_set.contents {
            let content = self.unit.content(*id).ok_or_else(|| not_loaded("content"))?;
            let mut changed = row::content_model(*id, content, part(id.partition()))?;
            changed.not_set(Column::CommentId);
            changed.not_set(Column::Part);
            let update = Entity::update_many().set::<ActiveModel>(changed);
            let update = update.filter(Column::Part.eq(part(id.partition()))).filter(Column::CommentId.eq(id.get()));
            self.phase.write(id.partition(), &update, Some(1));
        }
        for (partition, edits) in by_table(&write_set.edits, self.tables.index, |edit| edit.comment_id.partition()) {
            let rows = edits.into_iter().map(|edit| Ok(row::edit_model(edit, part(edit.comment_id.partition()))?));
            self.phase.insert::<comment_edit::ActiveModel>(partition, rows.collect::<StoreResult<_>>()?);
        }
        Ok(())
    }
}
