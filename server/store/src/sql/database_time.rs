//! The present time of a database, by which due times are set and leases are tested. All processes
//! share it.

use riposte_core::{Error, Millis, Partition};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QuerySelect, Select};

use super::entity::comment_review::{Column, Entity};
use crate::error::StoreResult;
use crate::shard::part;

/// Returns the time as an expression, in milliseconds since 1970.
pub(super) fn expression(backend: DbBackend) -> Expr {
    Expr::cust(present(backend))
}

/// Returns the query for the time, which has one row with one number. It names a partition, so that
/// a confined transaction stays in its shard. No comment has the id 0, so that no row is counted.
pub(super) fn query(backend: DbBackend, at: Partition) -> Select<Entity> {
    Entity::find()
        .select_only()
        .expr_as(Expr::cust(format!("{} + COUNT(*)", present(backend))), "present")
        .filter(Column::Part.eq(part(at)))
        .filter(Column::CommentId.eq(0_i64))
}

/// Reads the time.
pub(super) async fn read(connection: &impl ConnectionTrait, at: Partition) -> StoreResult<Millis> {
    let found = query(connection.get_database_backend(), at).into_tuple::<i64>().one(connection).await?;
    found.map(Millis).ok_or_else(|| Error::internal("a database has no time").into())
}

fn present(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite {
        "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    } else {
        "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"
    }
}
