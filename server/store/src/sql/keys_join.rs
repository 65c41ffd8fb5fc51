//! Selects rows by many keys of several columns with a join. For a chain of ORs the optimizer takes
//! about 15 µs per key before it reads a row; for a join with a list of keys it takes 3 µs.

use sea_orm::sea_query::ValueTuple;
use sea_orm::sea_query::{Condition, Expr, ExprTrait, JoinType, Query, SelectStatement, SimpleExpr, UnionType};
use sea_orm::{DbBackend, EntityTrait, QueryFilter, QuerySelect, Select, Value};

use super::pool::DataSources;
use super::read::force_index;

/// The highest number of keys of one statement: SQLite accepts 500 terms in a compound select.
pub(crate) const KEYS_MAX: usize = 384;

/// The name of the key list in the statement.
const KEY_LIST: &str = "k";

/// The name of a table's primary key.
pub(crate) const PRIMARY: &str = "PRIMARY";

/// The form of a list of keys that a database reads along the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyForm {
    /// A join with a list whose values have types: servers of the MySQL family treat a parameter
    /// that is not compared with a column as text, and would compare numbers as floating-point
    /// values.
    TypedJoin,
    /// A join with a list. SQLite keeps the type of a value and does not have the types of others.
    Join,
    /// A list of tuples. Vitess finds the shards of a join with a list only if all its rows are on
    /// one shard.
    Tuples,
}

impl DataSources {
    /// Returns the form of a list of keys for these databases.
    pub(crate) fn key_form(&self) -> KeyForm {
        if self.is_confined() {
            KeyForm::Tuples
        } else if self.all()[0].write_pool().get_database_backend() == DbBackend::MySql {
            KeyForm::TypedJoin
        } else {
            KeyForm::Join
        }
    }
}

/// Returns the rows of `select` whose `columns` have the values of one of `keys`, found through the
/// unique key `index`. The statement names the index, because the optimizer treats a table that has
/// just grown as an empty one and would scan all of it. Keys are numbers and bytes; without keys
/// the result is empty.
pub(crate) fn join_keys<E: EntityTrait, const N: usize>(
    select: Select<E>,
    form: KeyForm,
    index: &'static str,
    columns: [E::Column; N],
    keys: Vec<[Value; N]>,
) -> Select<E> {
    if form == KeyForm::Tuples {
        return match_tuples(force_index(select, index), columns, keys);
    }
    let names: [String; N] = std::array::from_fn(|n| format!("{KEY_LIST}{n}"));
    let mut key_rows = keys.into_iter().map(|key| key_row(form, &names, key));
    let Some(mut list) = key_rows.next() else { return select.limit(0) };
    for key_row in key_rows {
        list.union(UnionType::All, key_row);
    }
    let mut join_condition = Condition::all();
    for (column, name) in columns.into_iter().zip(names) {
        join_condition = join_condition.add(Expr::col((E::default(), column)).eq(Expr::col((KEY_LIST, name))));
    }
    let mut select = force_index(select, index);
    QuerySelect::query(&mut select).join_subquery(JoinType::InnerJoin, list, KEY_LIST, join_condition);
    select
}

/// Restricts a read to the rows whose `columns` have the values of one of `keys`. Columns with the
/// same value in all keys are compared by themselves: not every server reads a list of tuples along
/// a key.
fn match_tuples<E: EntityTrait, const N: usize>(
    mut select: Select<E>,
    columns: [E::Column; N],
    keys: Vec<[Value; N]>,
) -> Select<E> {
    let Some(first) = keys.first() else { return select.limit(0) };
    let varies: [bool; N] = std::array::from_fn(|n| keys.iter().any(|key| key[n] != first[n]));
    for (n, column) in columns.iter().enumerate().filter(|(n, _)| !varies[*n]) {
        select = select.filter(Expr::col((E::default(), *column)).eq(first[n].clone()));
    }
    let varying: Vec<usize> = (0..N).filter(|n| varies[*n]).collect();
    let column = |n: &usize| Expr::col((E::default(), columns[*n]));
    match varying.as_slice() {
        [] => select,
        [n] => select.filter(column(n).is_in(keys.into_iter().map(|key| key[*n].clone()))),
        several => {
            let tuple = |key: [Value; N]| ValueTuple::Many(several.iter().map(|n| key[*n].clone()).collect());
            select.filter(Expr::tuple(several.iter().map(column)).in_tuples(keys.into_iter().map(tuple)))
        }
    }
}

fn key_row<const N: usize>(form: KeyForm, names: &[String; N], key: [Value; N]) -> SelectStatement {
    let mut key_row = Query::select();
    for (value, name) in key.into_iter().zip(names) {
        key_row.expr_as(with_type(form, value), name.clone());
    }
    key_row
}

fn with_type(form: KeyForm, value: Value) -> SimpleExpr {
    let kind = if matches!(value, Value::Bytes(_)) { "binary" } else { "signed" };
    if form == KeyForm::TypedJoin { Expr::val(value).cast_as(kind) } else { Expr::val(value) }
}
