//! Rows by many keys of several columns. As a chain of ORs the optimizer takes some 15 µs for each key, before it reads a
//! row; as a join with a list of keys it takes three.

use sea_orm::sea_query::{Condition, Expr, ExprTrait, JoinType, Query, SelectStatement, SimpleExpr, UnionType};
use sea_orm::{DbBackend, EntityTrait, QuerySelect, Select, Value};

use super::read::along;

/// The most keys of one statement: SQLite takes 500 lines of a list.
pub(crate) const MOST: usize = 384;

/// The name of the list in the statement.
const LIST: &str = "k";

/// The unique key that is the table's own.
pub(crate) const PRIMARY: &str = "PRIMARY";

/// The rows of `select` whose `columns` have the values of one of `keys`, looked up in the unique key `index`. It is named
/// because the optimizer takes a table that has just grown for an empty one, and would read all of it. Keys are numbers
/// and bytes; without a key there is no row.
pub(crate) fn among<E: EntityTrait, const N: usize>(
    select: Select<E>,
    backend: DbBackend,
    index: &'static str,
    columns: [E::Column; N],
    keys: Vec<[Value; N]>,
) -> Select<E> {
    let names: [String; N] = std::array::from_fn(|n| format!("{LIST}{n}"));
    let mut lines = keys.into_iter().map(|key| line(backend, &names, key));
    let Some(mut list) = lines.next() else { return select.limit(0) };
    for line in lines {
        list.union(UnionType::All, line);
    }
    let mut on = Condition::all();
    for (column, name) in columns.into_iter().zip(names) {
        on = on.add(Expr::col((E::default(), column)).eq(Expr::col((LIST, name))));
    }
    let mut select = along(select, index);
    QuerySelect::query(&mut select).join_subquery(JoinType::InnerJoin, list, LIST, on);
    select
}

fn line<const N: usize>(backend: DbBackend, names: &[String; N], key: [Value; N]) -> SelectStatement {
    let mut line = Query::select();
    for (value, name) in key.into_iter().zip(names) {
        line.expr_as(typed(backend, value), name.clone());
    }
    line
}

/// Servers of the MySQL family take a parameter that no column stands beside for text, and would compare numbers as
/// floating ones; SQLite takes it for what it is, and has no such types.
fn typed(backend: DbBackend, value: Value) -> SimpleExpr {
    let kind = if matches!(value, Value::Bytes(_)) { "binary" } else { "signed" };
    if backend == DbBackend::MySql { Expr::val(value).cast_as(kind) } else { Expr::val(value) }
}
