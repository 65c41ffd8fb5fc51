//! The likes of one member for some comments of a subject.
//!
//! A comment never moves to another subject, so its location is mostly cached. Then one statement
//! is enough, and it sees one state by itself: the subject, joined with one range of the member's
//! likes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use riposte_core::{CommentId, LikeValue, MemberId, Result, SubjectKey};
use sea_orm::sea_query::{Condition, Expr, ExprTrait, JoinType, SelectStatement};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait};

use super::locator::CommentLocator;
use crate::error::StoreError;
use crate::shard::part;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::comment_like::{Column as LikeColumn, Entity as Likes};
use crate::sql::entity::comment_subject::{Column, Entity};
use crate::sql::pool::DataSources;
use crate::sql::{row, task};

/// The highest number of likes that a range reads. If the member has more between the first and the
/// last of the comments, each comment is queried by itself.
const RANGE_LIMIT: u64 = 512;

/// Returns a member's values for `ids`, in their order; `None` for a comment that is not in this
/// subject.
pub(super) async fn like_states(
    sources: &Arc<DataSources>,
    locator: &Arc<CommentLocator>,
    (key, member): (&SubjectKey, &MemberId),
    ids: &[CommentId],
) -> Result<Vec<Option<LikeValue>>> {
    let locations = locator.locate(ids).await?;
    let in_subject: HashSet<CommentId> =
        locations.into_iter().filter(|location| location.subject == *key).map(|location| location.id).collect();
    let mut sorted: Vec<i64> = in_subject.iter().map(|id| id.get()).collect();
    sorted.sort_unstable();
    let work = read(Arc::clone(sources), key.clone(), member.clone(), sorted);
    let found = task::read(sources, sources.map().source(key.partition()), "read like_states", work).await?;
    let value = |id: &CommentId| found.as_ref()?.get(&id.get()).copied().or(Some(LikeValue::None));
    Ok(ids.iter().map(|id| value(id).filter(|_| in_subject.contains(id))).collect())
}

/// Reads the member's likes of these comments of the subject, whose ids ascend; `None` if the
/// subject is absent or deleted.
async fn read(
    sources: Arc<DataSources>,
    key: SubjectKey,
    member: MemberId,
    ids: Vec<i64>,
) -> std::result::Result<Option<HashMap<i64, LikeValue>>, StoreError> {
    let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return Ok(None) };
    let likes = |condition: Condition| select_likes(&key, &member, condition);
    let mut range = likes(Condition::all().add(LikeColumn::CommentId.between(*first, *last)));
    range.limit(RANGE_LIMIT);
    let mut found = HashMap::new();
    let Some(read) = read_into(&sources, &key, &range, &mut found).await? else { return Ok(None) };
    if read < RANGE_LIMIT {
        return Ok(Some(found));
    }
    for list in padded_chunks(&ids) {
        read_into(&sources, &key, &likes(Condition::all().add(LikeColumn::CommentId.is_in(list))), &mut found).await?;
    }
    Ok(Some(found))
}

/// The columns of a row, in the order in which they are selected.
const COMMENT_ID: usize = 0;
const VALUE: usize = 1;

/// Selects the subject, unless it is deleted, joined with some likes of the member; without likes
/// it is one row.
fn select_likes(key: &SubjectKey, member: &MemberId, condition: Condition) -> SelectStatement {
    let subject = Entity::find()
        .select_only()
        .filter(Column::Part.eq(part(key.partition())))
        .filter(Column::ObjectType.eq(row::bytes(key.object_type().as_str())))
        .filter(Column::ObjectId.eq(row::bytes(key.object_id())))
        .filter(Column::DeleteTime.is_null());
    let same = |like_column: LikeColumn, column: Column| Expr::col((Likes, like_column)).equals((Entity, column));
    let join_condition = condition
        .add(same(LikeColumn::SubjectId, Column::Id))
        .add(same(LikeColumn::Part, Column::Part))
        .add(LikeColumn::MemberId.eq(row::bytes(member.as_str())));
    let mut select = subject.into_query();
    select.columns([(Likes, LikeColumn::CommentId), (Likes, LikeColumn::Value)]).join(
        JoinType::LeftJoin,
        Likes,
        join_condition,
    );
    select
}

/// Adds the likes of `select` to `found` and returns their number; `None` without the subject.
async fn read_into(
    sources: &DataSources,
    key: &SubjectKey,
    select: &SelectStatement,
    found: &mut HashMap<i64, LikeValue>,
) -> std::result::Result<Option<u64>, StoreError> {
    let rows = sources.select(key.partition(), select).await?;
    let mut count = 0;
    for row in &rows {
        // By index, because the driver searches for a name anew for each value of each row.
        let Some(comment) = row.try_get_by_index::<Option<i64>>(COMMENT_ID)? else { continue };
        found.insert(comment, row::like_value(comment, row.try_get_by_index(VALUE)?)?);
        count += 1;
    }
    Ok((!rows.is_empty()).then_some(count))
}
