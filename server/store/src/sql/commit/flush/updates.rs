//! Updates the changed subjects, comments and contents of a batch. Rows whose only change is the
//! same difference of counts share one statement; every other row has its own.

use std::collections::BTreeMap;

use riposte_core::counts::CountColumn;
use riposte_core::{CommentCounts, CommentId, SubjectCounts};
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter};

use super::{Flush, check_matched, insert, not_loaded};
use crate::error::StoreResult;
use crate::shard::part;
use crate::sql::chunks::padded_chunks;
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
    pub(super) async fn changed_subjects(&self) -> StoreResult<()> {
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
            check_matched(update.exec(&self.tx.on(key.partition())).await?.rows_affected, 1)?;
        }
        let columns = Columns::<Entity, _> { counts: &SubjectCounts::COLUMNS, part: Column::Part, id: Column::Id };
        self.add_differences(rows_by_differences, self.tx.tables().subject, columns).await
    }

    pub(super) async fn changed_comments(&self) -> StoreResult<()> {
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
            check_matched(update.exec(&self.tx.on(id.partition())).await?.rows_affected, 1)?;
        }
        let columns = Columns::<Entity, _> { counts: &CommentCounts::COLUMNS, part: Column::Part, id: Column::Id };
        self.add_differences(rows_by_differences, self.tx.tables().index, columns).await
    }

    /// Adds each difference to the counts of its rows, with one statement per table, or several for
    /// a long list of rows.
    async fn add_differences<E: EntityTrait, C, const N: usize>(
        &self,
        rows_by_differences: RowsByDifferences<N>,
        tables: u16,
        columns: Columns<E, C>,
    ) -> StoreResult<()> {
        let Columns { counts, part, id } = columns;
        for (differences, ids) in rows_by_differences {
            for (partition, ids) in by_table(ids, tables, |id| id.partition()) {
                for list in padded_chunks(&ids) {
                    let columns = updated_columns(counts, differences);
                    let update =
                        columns.fold(E::update_many(), |update, (column, value)| update.col_expr(column, value));
                    let update = update.filter(part.is_in(parts(list.iter().map(|id| id.partition()))));
                    let update = update.filter(id.is_in(list.iter().map(|id| id.get())));
                    check_matched(update.exec(&self.tx.on(partition)).await?.rows_affected, distinct_rows(&list))?;
                }
            }
        }
        Ok(())
    }

    /// Writes changed contents, and stores their former contents as edits.
    pub(super) async fn contents(&self) -> StoreResult<()> {
        use comment_content::{ActiveModel, Column, Entity};
        let write_set = self.unit.write_set();
        for id in &write_set.contents {
            let content = self.unit.content(*id).ok_or_else(|| not_loaded("content"))?;
            let mut changed = row::content_model(*id, content, part(id.partition()))?;
            changed.not_set(Column::CommentId);
            changed.not_set(Column::Part);
            let update = Entity::update_many().set::<ActiveModel>(changed);
            let update = update.filter(Column::Part.eq(part(id.partition()))).filter(Column::CommentId.eq(id.get()));
            check_matched(update.exec(&self.tx.on(id.partition())).await?.rows_affected, 1)?;
        }
        for (partition, edits) in by_table(&write_set.edits, self.tx.tables().index, |edit| edit.comment_id.partition())
        {
            let rows = edits.into_iter().map(|edit| Ok(row::edit_model(edit, part(edit.comment_id.partition()))?));
            insert::<comment_edit::ActiveModel, _>(&self.tx.on(partition), rows.collect::<StoreResult<_>>()?).await?;
        }
        Ok(())
    }
}

/// Returns the number of distinct rows in a padded list, in which only the last item is repeated.
fn distinct_rows(list: &[CommentId]) -> usize {
    list.len() - list.iter().rev().skip(1).take_while(|id| list.last() == Some(*id)).count()
}
