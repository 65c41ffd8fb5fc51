//! Connections that a server, a failover or a proxy has closed while they were idle in the pool
//! cause no error for any caller.

use riposte_core::{Partition, SubjectKey};
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Statement};

use crate::databases::{ManualClock, TestDatabase};

const OTHER_CONNECTIONS: &str = "SELECT CAST(id AS SIGNED) AS id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()";

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_leases_succeed_after_every_idle_connection_was_closed() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    let admin = database.migrated(&clock).await;
    let store = database.open(&clock);
    let key = SubjectKey::stored("article".into(), "1".into());
    let reader = store.reader();
    // Several reads at once, so that the pool holds several connections.
    let reads = (0..16).map(|_| reader.subjects(std::slice::from_ref(&key)));
    futures::future::try_join_all(reads).await.expect("reads");
    store.ids().comment(Partition::number(1)).await.expect("a lease");

    let pool = admin.sources().all()[0].write_pool();
    let sql = |text: &str| Statement::from_string(pool.get_database_backend(), text);
    let idle = pool.query_all_raw(sql(OTHER_CONNECTIONS)).await.expect("the list of connections");
    assert!(idle.len() > 1, "only {} connections are idle", idle.len());
    for row in idle {
        let id: i64 = row.try_get("", "id").expect("an id");
        // A connection may have ended by itself meanwhile: it is as dead as the others.
        let _ = pool.execute_raw(sql(&format!("KILL {id}"))).await;
    }

    for _ in 0..20 {
        reader.subjects(std::slice::from_ref(&key)).await.expect("a read gets an open connection");
    }
    store.close().await;
    admin.close().await;
    database.drop().await;
}
