//! Selects of rows by many keys of several columns. For a chain of ORs the optimizer takes about 15
//! µs per key before it reads a row; for a join with a list of keys it takes 3 µs.

use sea_orm::sea_query::{Condition, Expr, ExprTrait, JoinType, Query, SelectStatement, SimpleExpr, UnionType};
use sea_orm::{DbBackend, EntityTrait, QuerySelect, Select, Value};

use super::read::along;

/// The highest number of keys of one statement: SQLite accepts 500 terms in a compound select.
pub(crate) const MOST: usize = 384;

/// The name of the key list in the statement.
const LIST: &str = "k";

/// The name of a table's primary key.
pub(crate) const PRIMARY: &str = "PRIMARY";

/// Returns the rows of `select` whose `columns` have the values of one of `keys`, found through the
/// unique key `index`. The key is named because the optimizer takes a table that has just grown for
/// an empty one, and would scan all of it. Keys are numbers and bytes; without keys the result is
/// empty.
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

/// Servers of the MySQL family treat a parameter that is not compared with a column as text, and
/// would compare numbers as floating-point values. SQLite keeps the type of the value and does not
/// have these types.
fn typed(backend: DbBackend, value: Value) -> SimpleExpr {
    let kind = if matches!(value, Value::Bytes(_)) { "binary" } else { "signed" };
    if backend == DbBackend::MySql { Expr::val(value).cast_as(kind) } else { Expr::val(value) }
}
