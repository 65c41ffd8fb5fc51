//! Comments with content, by their bare ids.

use riposte_core::comment::CommentView;
use riposte_core::{CommentId, Partition};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, EntityTrait, FromQueryResult, IdenStatic, Iterable, JoinType, QueryFilter, QueryResult, QuerySelect,
    QueryTrait, RelationDef, SelectA, SelectB, SelectTwo,
};

use super::rows;
use super::scatter::Gather;
use crate::error::StoreResult;
use crate::shard::TableCounts;
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::{comment_content, comment_index, comment_subject};
use crate::sql::grouping::parts;
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::DataSources;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct CommentsById;

impl Gather for CommentsById {
    type Item = CommentId;
    type Found = CommentView;
    const NAME: &'static str = "read comments";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    fn tables(counts: TableCounts) -> u16 {
        counts.index
    }

    fn select(phase: &mut Phase, at: Partition, ids: Vec<CommentId>) -> RowsSlot {
        phase.select_lists(at, LIST_MAX, ids, |list| with_content_and_subject(&list))
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<CommentView>> {
        let comment = row::comment(comment_index::Model::from_query_result(row, SelectA.as_str())?)?;
        let content = comment_content::Model::from_query_result_optional(row, SelectB.as_str())?;
        let content = content.map(row::content).transpose()?;
        let subject = comment_subject::Model::from_query_result_optional(row, SUBJECT_PREFIX)?;
        let subject = subject.map(row::subject).transpose()?.filter(|subject| subject.delete_time.is_none());
        Ok(subject.map(|subject| rows::view(&subject, content, comment)))
    }
}

/// The prefix of the subject's columns in a row.
const SUBJECT_PREFIX: &str = "S_";

/// Selects the comments with these ids that exist, each with its content and its subject. All of
/// them are in one table.
fn with_content_and_subject(ids: &[CommentId]) -> SelectTwo<comment_index::Entity, comment_content::Entity> {
    use comment_index::{Column, Entity};
    let content: RelationDef = Entity::belongs_to(comment_content::Entity)
        .from((Column::Id, Column::Part))
        .to((comment_content::Column::CommentId, comment_content::Column::Part))
        .into();
    let select = Entity::find()
        .filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))))
        .filter(Column::Id.is_in(ids.iter().map(|id| id.get())))
        .join(JoinType::LeftJoin, content)
        .join(JoinType::LeftJoin, subject_of_comment());
    let mut select = select.select_also(comment_content::Entity);
    for column in comment_subject::Column::iter() {
        let name = format!("{SUBJECT_PREFIX}{}", column.as_str());
        QueryTrait::query(&mut select).expr_as(Expr::col((comment_subject::Entity, column)), name);
    }
    select
}

/// Returns the relation of a comment to its subject. It is joined from the left: the optimizer
/// treats a table that has just grown as an empty one, and would read all comments of a subject.
pub(in crate::sql) fn subject_of_comment() -> RelationDef {
    use comment_index::{Column, Entity};
    Entity::belongs_to(comment_subject::Entity)
        .from((Column::SubjectId, Column::Part))
        .to((comment_subject::Column::Id, comment_subject::Column::Part))
        .into()
}
