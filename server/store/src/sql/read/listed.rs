//! A page of the listed comments of one floor space: the roots of a subject, or the replies of a
//! root.

use std::collections::HashMap;

use riposte_core::page::{ForwardScan, Page, PageQuery, PageSelector, RangeSplit};
use riposte_core::{Comment, CommentId, SubjectId};
use sea_orm::sea_query::{Asterisk, Query, SelectStatement, UnionType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
};

use super::rows::{comments_of, force_index, index};
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::comment_index::{Column, Entity, Model};
use crate::sql::pool::Tx;

/// Reads some of the listed comments of a floor space.
pub(super) async fn read(
    tx: &Tx,
    subject: SubjectId,
    root: Option<CommentId>,
    selector: &PageSelector,
) -> Result<Page<Comment>, StoreError> {
    match selector {
        PageSelector::Window(query) => page(tx, subject, root, query).await,
        PageSelector::Floors(floors) => by_floors(tx, subject, root, floors).await,
    }
}

/// Returns the listed comments of these floors, in their order, as a page without neighbours.
async fn by_floors(
    tx: &Tx,
    subject: SubjectId,
    root: Option<CommentId>,
    floors: &[i32],
) -> Result<Page<Comment>, StoreError> {
    let mut found: HashMap<i32, Comment> = HashMap::with_capacity(floors.len());
    for list in padded_chunks(floors) {
        let rows = in_floor_space(tx, subject, root.map_or(0, CommentId::get)).filter(Column::Floor.is_in(list));
        let rows = comments_of(force_index(rows, index::FLOOR).all(tx).await?)?;
        found.extend(rows.into_iter().filter(|row| row.lifecycle.listed).map(|row| (row.reference.floor, row)));
    }
    let items = floors.iter().filter_map(|floor| found.remove(floor)).collect();
    Ok(Page { items, more_before: false, more_after: false })
}

/// Reads the page of a query. As a rule this is one statement, which reads at most two rows more
/// than twice the page size.
async fn page(
    tx: &Tx,
    subject: SubjectId,
    root: Option<CommentId>,
    query: &PageQuery,
) -> Result<Page<Comment>, StoreError> {
    let (split, root) = (RangeSplit::of(query), root.map_or(0, CommentId::get));
    let found = match ForwardScan::of(query) {
        None => read_around_split(tx, subject, root, split).await?,
        Some(scan) => {
            let mut found = read_around_split(tx, subject, root, scan.ahead).await?;
            if found.iter().all(|row| row.floor != scan.from) {
                found.extend(read_around_split(tx, subject, root, scan.behind).await?);
            }
            found
        }
    };
    Ok(split.page(query, comments_of(found)?, |comment| comment.reference.floor))
}

/// Reads the listed rows on both sides of a split.
async fn read_around_split(
    tx: &Tx,
    subject: SubjectId,
    root: i64,
    split: RangeSplit,
) -> Result<Vec<Model>, StoreError> {
    let list = || listed(tx, subject, root);
    let low = (split.low > 0)
        .then(|| list().filter(Column::Floor.lte(split.floor)).order_by_desc(Column::Floor).limit(split.low as u64));
    let high = (split.high > 0)
        .then(|| list().filter(Column::Floor.gt(split.floor)).order_by_asc(Column::Floor).limit(split.high as u64));
    let sides = low.into_iter().chain(high).map(QueryTrait::into_query).collect();
    Ok(match union_all(sides) {
        Some(statement) => Model::find_by_statement(tx.get_database_backend().build(&statement)).all(tx).await?,
        None => Vec::new(),
    })
}

/// Selects the listed comments of a floor space; `root` is 0 for the roots of the subject.
pub(super) fn listed(tx: &Tx, subject: SubjectId, root: i64) -> Select<Entity> {
    force_index(in_floor_space(tx, subject, root).filter(Column::Listed.eq(1)), index::LISTED)
}

/// Selects the comments of a floor space, listed or not.
fn in_floor_space(tx: &Tx, subject: SubjectId, root: i64) -> Select<Entity> {
    Entity::find()
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::SubjectId.eq(subject.get()))
        .filter(Column::RootId.eq(root))
}

/// Combines several bounded selects into one statement, in no order. Each is wrapped in a subquery,
/// because SQLite otherwise accepts no ORDER BY and LIMIT inside a union.
pub(super) fn union_all(mut selects: Vec<SelectStatement>) -> Option<SelectStatement> {
    let wrapped = |select| Query::select().column(Asterisk).from_subquery(select, "side").to_owned();
    if selects.len() < 2 {
        return selects.pop();
    }
    let mut wrapped_selects = selects.into_iter().map(wrapped);
    let mut first = wrapped_selects.next()?;
    Some(first.unions(wrapped_selects.map(|select| (UnionType::All, select))).to_owned())
}
