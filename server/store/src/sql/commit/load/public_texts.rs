//! The earlier public texts of comments, of which a new text may come in sight.

use std::collections::{BTreeMap, BTreeSet};

use riposte_core::unit_of_work::PublicTexts;
use riposte_core::{Command, CommentId, Partition};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::Loader;
use crate::error::StoreResult;
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::{comment_edit, comment_origin, comment_withheld};
use crate::sql::grouping::{by_table, parts};
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::row;

impl Loader<'_> {
    /// Loads the facts about earlier public texts that the commands need. Most batches need none.
    pub(super) async fn public_texts(&mut self, commands: &[Command]) -> StoreResult<()> {
        let unknown = self.unit.unknown_public_texts(commands);
        if unknown.is_empty() {
            return Ok(());
        }
        let mut phase = self.tx.phase();
        let (edited, imported) = self.read_edited_and_imported(&mut phase, &unknown);
        let withheld = read_withheld(&mut phase, &unknown);
        let mut results = self.tx.run(phase).await?;
        let mut texts: BTreeMap<CommentId, PublicTexts> =
            unknown.into_iter().map(|id| (id, PublicTexts::default())).collect();
        for slot in edited.into_iter().chain([withheld]) {
            for (id, mentions) in results.tuples::<(i64, String)>(slot)? {
                let members = row::mentions(&mentions)?;
                texts.entry(row::id(id)?).or_default().mentions.extend(members);
            }
        }
        for slot in imported {
            for id in results.tuples::<i64>(slot)? {
                texts.entry(row::id(id)?).or_default().is_imported = true;
            }
        }
        texts.into_iter().for_each(|(id, texts)| self.unit.load_public_texts(id, texts));
        Ok(())
    }

    /// Adds the reads of the members that the public histories mention, and of the comments that
    /// were imported.
    fn read_edited_and_imported(&self, phase: &mut Phase, ids: &BTreeSet<CommentId>) -> (Vec<RowsSlot>, Vec<RowsSlot>) {
        let edited = |list: Vec<CommentId>| {
            use comment_edit::{Column, Entity};
            let select = Entity::find().select_only().columns([Column::CommentId, Column::Mentions]);
            let select = select.filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())))
        };
        let imported = |list: Vec<CommentId>| {
            use comment_origin::{Column, Entity};
            let select = Entity::find().select_only().column(Column::CommentId);
            let select = select.filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())))
        };
        let (mut of_edited, mut of_imported) = (Vec::new(), Vec::new());
        for (partition, ids) in by_table(ids.iter().copied(), self.tx.tables().index, |id| id.partition()) {
            of_edited.push(phase.select_lists(partition, LIST_MAX, ids.clone(), edited));
            of_imported.push(phase.select_lists(partition, LIST_MAX, ids, imported));
        }
        (of_edited, of_imported)
    }
}

/// Adds the read of the members that texts mention that were in sight and were replaced after a
/// decision had taken them out of it.
fn read_withheld(phase: &mut Phase, ids: &BTreeSet<CommentId>) -> RowsSlot {
    use comment_withheld::{Column, Entity};
    let select = |list: Vec<CommentId>| {
        let select = Entity::find().select_only().columns([Column::CommentId, Column::Mentions]);
        let select = select.filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
        let select = select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
        select.filter(Column::Kind.eq(row::FORMER)).filter(Column::OncePublic.eq(1))
    };
    phase.select_lists(None::<Partition>, LIST_MAX, ids.iter().copied().collect(), select)
}
