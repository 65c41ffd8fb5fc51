//! Reviews and proposed edits by the ids of their comments, and decisions.

use std::collections::BTreeMap;

use riposte_core::decision::Decision;
use riposte_core::ids::DecisionId;
use riposte_core::ports::UnlistedRow;
use riposte_core::proposal::Proposal;
use riposte_core::review::{OpenQuestions, Review};
use riposte_core::{CommentId, MemberId, Partition, SubjectId};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QueryResult, QuerySelect,
};

use super::scatter::Gather;
use super::{ReadQuery, force_index};
use crate::error::{StoreError, StoreResult};
use crate::shard::{TableCounts, part};
use crate::sql::chunks::LIST_MAX;
use crate::sql::database_time;
use crate::sql::entity::{comment_decision, comment_review, comment_withheld};
use crate::sql::grouping::parts;
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::{DataSources, Tx};
use crate::sql::row;

/// Reads reviews by the ids of their comments.
#[derive(Debug)]
pub(super) struct ReviewsById;

impl Gather for ReviewsById {
    type Item = CommentId;
    type Found = Review;
    const NAME: &'static str = "read reviews";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    fn tables(_: TableCounts) -> u16 {
        1
    }

    fn select(phase: &mut Phase, _: Partition, ids: Vec<CommentId>) -> RowsSlot {
        use comment_review::{Column, Entity};
        phase.select_lists(None::<Partition>, LIST_MAX, ids, |list| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())))
        })
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<Review>> {
        Ok(Some(row::review(comment_review::Model::from_query_result(row, "")?)?))
    }
}

/// Reads all proposed edits of some comments.
#[derive(Debug)]
pub(super) struct ProposalsOfComments;

impl Gather for ProposalsOfComments {
    type Item = CommentId;
    type Found = Proposal;
    const NAME: &'static str = "read proposals";

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
            select.filter(Column::Kind.eq(row::PROPOSAL))
        })
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<Proposal>> {
        Ok(Some(row::proposal(comment_withheld::Model::from_query_result(row, "")?)?))
    }
}

/// Returns the newest proposal of each comment, in the order of the comments, if its author may
/// read it.
pub(super) fn newest(ids: &[CommentId], found: Vec<Proposal>) -> Vec<Option<Proposal>> {
    let mut newest: BTreeMap<CommentId, Proposal> = BTreeMap::new();
    for proposal in found {
        let id = proposal.comment_id;
        if newest.get(&id).is_none_or(|other| other.number < proposal.number) {
            newest.insert(id, proposal);
        }
    }
    newest.retain(|_, proposal| proposal.state.is_shown_to_author());
    ids.iter().map(|id| newest.get(id).cloned()).collect()
}

/// Reads decisions by their ids.
#[derive(Debug)]
pub(super) struct DecisionsById;

impl Gather for DecisionsById {
    type Item = DecisionId;
    type Found = Decision;
    const NAME: &'static str = "read decisions by id";

    fn partition(id: &DecisionId) -> Partition {
        id.comment.partition()
    }

    fn tables(_: TableCounts) -> u16 {
        1
    }

    /// The rows of other numbers that a list of comments and a list of numbers match together are
    /// left out by the caller.
    fn select(phase: &mut Phase, _: Partition, ids: Vec<DecisionId>) -> RowsSlot {
        use comment_decision::{Column, Entity};
        phase.select_lists(None::<Partition>, LIST_MAX, ids, |list| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.comment.partition()))));
            let select = select.filter(Column::CommentId.is_in(list.iter().map(|id| id.comment.get())));
            select.filter(Column::Number.is_in(list.iter().map(|id| id.number)))
        })
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<Decision>> {
        Ok(Some(row::decision(comment_decision::Model::from_query_result(row, "")?)?))
    }
}

/// Reads the decisions on a comment, newest first.
#[derive(Debug)]
pub(super) struct DecisionsOnComment {
    pub(super) id: CommentId,
    /// The number before which the list begins; `None` for the newest.
    pub(super) before: Option<i32>,
    pub(super) limit: usize,
}

impl ReadQuery for DecisionsOnComment {
    type Output = Vec<Decision>;
    const NAME: &'static str = "read decisions";

    fn partition(&self) -> Partition {
        self.id.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        use comment_decision::{Column, Entity};
        let select = Entity::find()
            .filter(Column::Part.eq(part(self.id.partition())))
            .filter(Column::CommentId.eq(self.id.get()))
            .filter(Column::Number.lt(self.before.unwrap_or(i32::MAX)))
            .order_by_desc(Column::Number)
            .limit(self.limit as u64);
        let rows = select.all(tx).await?;
        Ok(rows.into_iter().map(row::decision).collect::<riposte_core::Result<_>>()?)
    }
}

/// The index on (subject_id, member_id).
const AUTHOR_INDEX: &str = "comment_review_author";

/// Reads the comments of a member under a subject whose texts are not in sight or that have an edit
/// that waits, newest first.
#[derive(Debug)]
pub(super) struct UnlistedComments {
    pub(super) partition: Partition,
    pub(super) subject: SubjectId,
    pub(super) member: MemberId,
    /// The comment before which the list begins; `None` for the newest.
    pub(super) before: Option<CommentId>,
    pub(super) limit: usize,
}

impl ReadQuery for UnlistedComments {
    type Output = Vec<UnlistedRow>;
    const NAME: &'static str = "read unlisted comments";

    fn partition(&self) -> Partition {
        self.partition
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        use comment_review::{Column, Entity};
        let edit_waits = Expr::col(Column::OpenBits).bit_and(OpenQuestions::EDIT.bits()).ne(0);
        let now = database_time::expression(tx.get_database_backend());
        let select = force_index(Entity::find(), AUTHOR_INDEX)
            .select_only()
            .column(Column::CommentId)
            .expr_as(Expr::col(Column::UnlistedUntil).gt(now), "was_rejected_recently")
            .filter(Column::Part.eq(part(self.partition)))
            .filter(Column::SubjectId.eq(self.subject.get()))
            .filter(Column::MemberId.eq(row::bytes(self.member.as_str())))
            .filter(Column::TextUnshown.eq(1_i8).or(edit_waits))
            .filter(Column::CommentId.lt(self.before.map_or(i64::MAX, CommentId::get)))
            .order_by_desc(Column::CommentId)
            .limit(self.limit as u64);
        let rows: Vec<(i64, i64)> = select.into_tuple().all(tx).await?;
        let unlisted = |(id, recently): (i64, i64)| {
            let comment_id = row::id(id)?;
            Ok(UnlistedRow { comment_id, was_rejected_recently: recently != 0 })
        };
        Ok(rows.into_iter().map(unlisted).collect::<riposte_core::Result<_>>()?)
    }
}
