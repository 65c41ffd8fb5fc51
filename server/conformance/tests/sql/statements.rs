//! Prepared statements: closing one alone costs a network round trip, so they are closed together.

use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};

use crate::databases::{ManualClock, TestDatabase};

/// The number of statements that a connection caches in this test.
const CACHED_STATEMENTS: usize = 64;

async fn query(pool: &DatabaseConnection, sql: String) -> Vec<sea_orm::QueryResult> {
    pool.query_all_raw(Statement::from_string(pool.get_database_backend(), &sql)).await.expect(&sql)
}

/// Returns the number of statements that the only connection of the pool has closed.
async fn closed_statements(pool: &DatabaseConnection) -> usize {
    session_counter(pool, "Com_stmt_close").await
}

/// Returns a counter of the only connection of a pool.
pub(crate) async fn session_counter(pool: &DatabaseConnection, name: &str) -> usize {
    let rows = query(pool, format!("SHOW SESSION STATUS LIKE '{name}'")).await;
    let count: String = rows.first().expect("a row").try_get_by_index(1).expect("a value");
    count.parse().expect("a number")
}

#[tokio::test]
async fn a_connection_closes_all_statements_at_once_when_it_has_too_many() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let mut config = database.config();
    config.write.connections = 1;
    config.write.statements = CACHED_STATEMENTS;
    let store = SqlStore::open(&config, ManualClock::at_noon()).expect("the configuration is sound");
    let pool = store.sources().all()[0].write_pool();
    assert_eq!(closed_statements(pool).await, 0);
    // The query that counts closed statements is one of them.
    for n in 1..CACHED_STATEMENTS {
        query(pool, format!("SELECT {n}")).await;
        assert_eq!(closed_statements(pool).await, 0, "after {n} statements");
    }
    query(pool, "SELECT 'one too many'".to_owned()).await;
    assert_eq!(closed_statements(pool).await, CACHED_STATEMENTS + 1);
    store.close().await;
    database.drop().await;
}
