//! The contents of comments before words were masked.

use std::collections::HashMap;

use riposte_core::ports::Originals;
use riposte_core::{CommentId, Content, Partition};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryResult};

use super::scatter::Gather;
use crate::error::StoreResult;
use crate::shard::TableCounts;
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::comment_withheld;
use crate::sql::grouping::parts;
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::DataSources;
use crate::sql::row;

/// Reads the originals of the contents in place and of proposals.
#[derive(Debug)]
pub(super) struct OriginalsOfComments;

impl Gather for OriginalsOfComments {
    type Item = CommentId;
    /// The comment, the version or -n for proposal n, and the content.
    type Found = (CommentId, i64, Content);
    const NAME: &'static str = "read originals";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    fn tables(_: TableCounts) -> u16 {
        1
    }

    fn select(phase: &mut Phase, _: Partition, ids: Vec<CommentId>) -> RowsSlot {
        use comment_withheld::{Column, Entity};
        phase.select_lists(None::<Partition>, LIST_MAX, ids, |list| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            let select = select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
            select.filter(Column::Kind.eq(row::ORIGINAL)).filter(Column::State.eq(row::original_state(false)))
        })
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<Self::Found>> {
        Ok(Some(row::original(comment_withheld::Model::from_query_result(row, "")?)?))
    }
}

/// Returns the originals of each comment, in the order of the comments.
pub(super) fn by_comment(ids: &[CommentId], found: Vec<(CommentId, i64, Content)>) -> Vec<Originals> {
    let mut by_comment: HashMap<CommentId, Originals> = HashMap::new();
    for (id, number, content) in found {
        let originals = by_comment.entry(id).or_default();
        if number > 0 {
            originals.of_content = Some(content);
            continue;
        }
        let proposal = i32::try_from(number.saturating_neg()).unwrap_or(i32::MAX);
        if originals.of_proposal.as_ref().is_none_or(|(other, _)| *other < proposal) {
            originals.of_proposal = Some((proposal, content));
        }
    }
    ids.iter().map(|id| by_comment.get(id).cloned().unwrap_or_default()).collect()
}
