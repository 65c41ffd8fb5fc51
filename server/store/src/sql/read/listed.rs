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

use super::rows::{along, comments_of, key};
use crate::error::StoreError;
use crate::sql::chunks::padded;
use crate::sql::entity::comment_index::{Column, Entity, Model};
use crate::sql::pool::Tx;

/// Reads some of the listed comments of a floor space.
pub(super) async fn read(
    tx: &Tx,
    subject: SubjectId,
    root: Option<CommentId>,
    which: &PageSelector,
) -> Result<Page<Comment>, StoreError> {
    match which {
        PageSelector::Window(window) => page(tx, subject, root, window).await,
        PageSelector::Floors(floors) => at(tx, subject, root, floors).await,
    }
}

/// Returns the listed comments of these floors, in their order, as a page without neighbours.
async fn at(tx: &Tx, subject: SubjectId, root: Option<CommentId>, floors: &[i32]) -> Result<Page<Comment>, StoreError> {
    let mut found: HashMap<i32, Comment> = HashMap::with_capacity(floors.len());
    for list in padded(floors) {
        let rows = of_space(tx, subject, root.map_or(0, CommentId::get)).filter(Column::Floor.is_in(list));
        let rows = comments_of(along(rows, key::FLOOR).all(tx).await?)?;
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
    window: &PageQuery,
) -> Result<Page<Comment>, StoreError> {
    let (cut, root) = (RangeSplit::of(window), root.map_or(0, CommentId::get));
    let found = match ForwardScan::of(window) {
        None => beside(tx, subject, root, cut).await?,
        Some(onward) => {
            let mut found = beside(tx, subject, root, onward.ahead).await?;
            if found.iter().all(|row| row.floor != onward.from) {
                found.extend(beside(tx, subject, root, onward.behind).await?);
            }
            found
        }
    };
    Ok(cut.page(window, comments_of(found)?, |comment| comment.reference.floor))
}

/// Reads the listed rows on both sides of a cut.
async fn beside(tx: &Tx, subject: SubjectId, root: i64, cut: RangeSplit) -> Result<Vec<Model>, StoreError> {
    let list = || listed(tx, subject, root);
    let low = (cut.low > 0)
        .then(|| list().filter(Column::Floor.lte(cut.floor)).order_by_desc(Column::Floor).limit(cut.low as u64));
    let high = (cut.high > 0)
        .then(|| list().filter(Column::Floor.gt(cut.floor)).order_by_asc(Column::Floor).limit(cut.high as u64));
    let sides = low.into_iter().chain(high).map(QueryTrait::into_query).collect();
    Ok(match together(sides) {
        Some(statement) => Model::find_by_statement(tx.get_database_backend().build(&statement)).all(tx).await?,
        None => Vec::new(),
    })
}

/// Selects the listed comments of a floor space; `root` is 0 for the roots of the subject.
pub(super) fn listed(tx: &Tx, subject: SubjectId, root: i64) -> Select<Entity> {
    along(of_space(tx, subject, root).filter(Column::Listed.eq(1)), key::LISTED)
}

/// Selects the comments of a floor space, listed or not.
fn of_space(tx: &Tx, subject: SubjectId, root: i64) -> Select<Entity> {
    Entity::find()
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::SubjectId.eq(subject.get()))
        .filter(Column::RootId.eq(root))
}

/// Combines several bounded selects into one statement, in no order. Each is wrapped in a subquery,
/// because SQLite otherwise accepts no ORDER BY and LIMIT inside a union.
pub(super) fn together(mut selects: Vec<SelectStatement>) -> Option<SelectStatement> {
    let wrapped = |select| Query::select().column(Asterisk).from_subquery(select, "side").to_owned();
    if selects.len() < 2 {
        return selects.pop();
    }
    let mut rest = selects.into_iter().map(wrapped);
    let mut first = rest.next()?;
    Some(first.unions(rest.map(|select| (UnionType::All, select))).to_owned())
}
