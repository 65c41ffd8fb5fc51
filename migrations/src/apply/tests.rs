//! Changes of existing tables, on SQLite and on a server that RIPOSTE_TEST_MYSQL_1 names.

use super::*;
use crate::alter::{AddColumn, AddIndex};
use crate::table::{ColumnSpec, ColumnType, IndexSpec, TableSpread};
use riposte_core::ports::Clock;
use riposte_store::StoreConfig;
use riposte_store::shard::TableCounts;
use sea_orm_migration::sea_orm::{Database, Statement};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

/// A column and a key of a table with rows.
const TEST_STEP: MigrationStep = MigrationStep {
    name: "m9999_toy",
    tables: &[],
    columns: &[AddColumn {
        table: "comment_ranked_@",
        spread: TableSpread::Index,
        column: ColumnSpec { name: "toy", kind: ColumnType::VarBinary(8), nullable: true },
    }],
    indexes: &[AddIndex {
        table: "comment_ranked_@",
        spread: TableSpread::Index,
        index: IndexSpec { name: "toy", unique: false, columns: &["toy", "list_id"] },
    }],
    dropped: &[],
};

#[derive(Debug)]
struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> Millis {
        Millis(1_790_000_000_000)
    }
}

async fn migrated(config: &StoreConfig) -> SqlStore {
    let store = SqlStore::open(config, Arc::new(StoppedClock)).expect("the configuration is sound");
    crate::up(&store, |_| ()).await.expect("migrated");
    store
}

/// Creates a fresh database with four index tables; `None`, with a message, where no server is
/// named.
async fn on_a_server(database: &str) -> Option<SqlStore> {
    #[expect(clippy::disallowed_methods, reason = "the servers of a test run are named by the environment")]
    let Some(server) = std::env::var("RIPOSTE_TEST_MYSQL_1").ok().filter(|url| !url.is_empty()) else {
        eprintln!("SKIPPED on MariaDB: RIPOSTE_TEST_MYSQL_1 names no server");
        return None;
    };
    let database = format!("{database}_{}", std::process::id());
    let connection = Box::pin(Database::connect(&server)).await.expect("the test server is up");
    connection.execute_unprepared(&format!("CREATE DATABASE {database}")).await.expect("a fresh database");
    connection.close().await.expect("closed");
    let tables = TableCounts { subject: 2, index: 4 };
    Some(migrated(&StoreConfig::mysql(&[format!("{server}/{database}")], tables)).await)
}

async fn drop_database(store: SqlStore) {
    let pool = store.sources().all()[0].write_pool();
    let drop = "SELECT CONCAT('DROP DATABASE ', DATABASE()) AS text";
    let row = pool.query_one_raw(Statement::from_string(DbBackend::MySql, drop)).await.expect("read");
    let text: String = row.expect("a row").try_get("", "text").expect("a text");
    pool.execute_unprepared(&text).await.expect("dropped");
    store.close().await;
}

fn run(store: &SqlStore) -> MigrationRun<'_> {
    MigrationRun::new(store, 0, unbounded_channel().0)
}

/// Makes the changes as a run does.
async fn change(store: &SqlStore, changes: &[TableChange]) {
    for change in changes {
        if store.sources().all()[0].write_pool().get_database_backend() == DbBackend::MySql {
            run(store).change_on_mysql(change).await.expect("changed");
        } else {
            let tx = store.sources().all()[0].begin_write().await.expect("begun");
            let table = OnShard::new(tx, change.slot);
            for statement in &change.statements {
                run_once(&table, statement).await.expect("changed");
            }
            table.commit().await.expect("committed");
        }
    }
}

/// Returns whether each statement of each change was run before.
async fn are_done(store: &SqlStore, changes: &[TableChange]) -> Vec<bool> {
    let mut results = Vec::new();
    for change in changes {
        let table = OnShard::new(store.sources().all()[0].write_pool().clone(), change.slot);
        for statement in &change.statements {
            results.push(is_done(&table, statement).await.expect("an answer"));
        }
    }
    results
}

/// Stops after the first table, and makes all changes, twice.
async fn is_resumed(store: &SqlStore) {
    let changes = TableChange::of(&TEST_STEP, store.sources(), 0);
    let names: Vec<&str> = changes.iter().map(|change| change.table.as_str()).collect();
    let tables = changes.len() / 2;
    assert_eq!(names[..tables], names[tables..], "a column and a key in every table");
    let insert = "INSERT INTO comment_ranked_@ (list_id, part, changes) VALUES (1, 0, 3)";
    let backend = store.sources().all()[0].write_pool().get_database_backend();
    let table = OnShard::new(store.sources().all()[0].write_pool().clone(), changes[0].slot);
    table.execute_raw(Statement::from_string(backend, insert)).await.expect("inserted");
    assert_eq!(are_done(store, &changes).await, vec![false; changes.len()]);
    change(store, &changes[..1]).await;
    assert_eq!(are_done(store, &changes).await.iter().filter(|is_done| **is_done).count(), 1);
    for _ in 0..2 {
        change(store, &changes).await;
        assert_eq!(are_done(store, &changes).await, vec![true; changes.len()]);
    }
    let row = table.query_one_raw(Statement::from_string(backend, "SELECT toy FROM comment_ranked_@")).await;
    let toy = row.expect("read").expect("a row").try_get::<Option<Vec<u8>>>("", "toy");
    assert_eq!(toy, Ok(None), "an old row has no value");
    // A process that does not know the column continues to insert rows.
    let insert = insert.replace("(1, 0", "(2, 0");
    table.execute_raw(Statement::from_string(backend, insert)).await.expect("inserted");
}

#[tokio::test]
async fn a_column_and_a_key_are_added_once_and_resumed_in_sqlite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = migrated(&StoreConfig::sqlite(Some(folder.path().to_owned()))).await;
    is_resumed(&store).await;
    store.close().await;
}

#[tokio::test]
async fn a_column_and_a_key_are_added_once_to_every_table_of_a_server() {
    let Some(store) = on_a_server("alter").await else { return };
    assert_eq!(TableChange::of(&TEST_STEP, store.sources(), 0).len(), 8);
    is_resumed(&store).await;
    drop_database(store).await;
}

#[tokio::test]
async fn a_change_waits_for_a_transaction_that_reads_and_others_pass_it() {
    let Some(store) = on_a_server("alter_waits").await else { return };
    let changes = TableChange::of(&TEST_STEP, store.sources(), 0);
    let select = || Statement::from_string(DbBackend::MySql, "SELECT COUNT(*) FROM comment_ranked_0");
    let source = &store.sources().all()[0];
    let reading = source.begin_read().await.expect("begun");
    reading.query_one_raw(select()).await.expect("read");
    let concurrent_session = async {
        let waiting = "SELECT 1 FROM information_schema.processlist WHERE state LIKE 'Waiting for%metadata lock'";
        let waiting = || Statement::from_string(DbBackend::MySql, waiting);
        while source.write_pool().query_one_raw(waiting()).await.expect("an answer").is_none() {
            tokio::task::yield_now().await;
        }
        // This read waits behind the change until the change pauses.
        source.write_pool().query_one_raw(select()).await.expect("read");
        assert_eq!(are_done(&store, &changes[..1]).await, [false], "the transaction still reads");
        reading.rollback().await.expect("ended");
    };
    tokio::join!(change(&store, &changes[..1]), concurrent_session);
    assert_eq!(are_done(&store, &changes[..1]).await, [true]);
    drop_database(store).await;
}
