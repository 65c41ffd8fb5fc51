//! Prepared statements: closing one alone costs a network round trip, so they are closed together.

use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};

use crate::databases::{ManualClock, Place};

/// The number of statements that a connection caches in this test.
const KEPT: usize = 64;

async fn ask(pool: &DatabaseConnection, sql: String) -> Vec<sea_orm::QueryResult> {
    pool.query_all_raw(Statement::from_string(pool.get_database_backend(), &sql)).await.expect(&sql)
}

/// Returns the number of statements that the only connection of the pool has closed.
async fn closed(pool: &DatabaseConnection) -> usize {
    let rows = ask(pool, "SHOW SESSION STATUS LIKE 'Com_stmt_close'".to_owned()).await;
    let count: String = rows.first().expect("a row").try_get_by_index(1).expect("a value");
    count.parse().expect("a number")
}

#[tokio::test]
async fn a_connection_with_too_many_statements_closes_all_of_them_and_none_before() {
    let Some(place) = Place::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let mut config = place.config();
    config.write.connections = 1;
    config.write.statements = KEPT;
    let store = SqlStore::open(&config, ManualClock::at_noon()).expect("the configuration is sound");
    let pool = store.sources().all()[0].write_pool();
    assert_eq!(closed(pool).await, 0);
    // The query of the count is a statement too.
    for n in 1..KEPT {
        ask(pool, format!("SELECT {n}")).await;
        assert_eq!(closed(pool).await, 0, "after {n} statements");
    }
    ask(pool, "SELECT 'one too many'".to_owned()).await;
    assert_eq!(closed(pool).await, KEPT + 1);
    store.close().await;
    place.drop().await;
}
