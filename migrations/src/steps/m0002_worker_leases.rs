//! The 64 worker numbers of a data source. `minted_until` is in id ticks and only grows; the next
//! holder of a number generates ids from it onwards. `leased_until` is in milliseconds since 1970.

use crate::step::MigrationStep;
use crate::table::{TableSpec, TableSpread};
use riposte_core::ids::WORKERS;
use sea_orm_migration::prelude::{Alias, Expr, InsertStatement, OnConflict, Query};
use sea_orm_migration::schema::{big_integer, small_integer, var_binary};

pub(super) const STEP: MigrationStep = MigrationStep { name: "m0002_worker_leases", tables, rows, dropped: &[] };

fn tables() -> Vec<TableSpec> {
    vec![TableSpec {
        name: "worker_lease",
        spread: TableSpread::Once,
        columns: vec![
            small_integer("worker"),
            var_binary("owner", 16),
            big_integer("minted_until"),
            big_integer("leased_until"),
        ],
        primary: &["worker"],
        keys: &[],
    }]
}

/// All rows exist from the start, so that a process that takes a number can lock them.
fn rows() -> Option<InsertStatement> {
    let mut insert = Query::insert();
    insert.into_table(Alias::new("worker_lease"));
    insert.columns(["worker", "owner", "minted_until", "leased_until"].map(Alias::new));
    for worker in 0..i16::from(WORKERS) {
        let row: [Expr; 4] = [worker.into(), Vec::<u8>::new().into(), 0_i64.into(), 0_i64.into()];
        insert.values_panic(row);
    }
    insert.on_conflict(OnConflict::column(Alias::new("worker")).do_nothing_on([Alias::new("worker")]).to_owned());
    Some(insert)
}
