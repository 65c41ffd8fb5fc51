//! Connections that a server, a failover or a proxy has closed while they were idle in the pool
//! cause no error for any caller.

use riposte_core::{Partition, SubjectKey};
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Statement};

use crate::databases::{ManualClock, Place};

const OTHERS: &str = "SELECT CAST(id AS SIGNED) AS id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()";

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_leases_go_on_after_every_resting_connection_was_cut() {
    let Some(place) = Place::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    let hand = place.migrated(&clock).await;
    let store = place.open(&clock);
    let key = SubjectKey::stored("article".into(), "1".into());
    let reader = store.reader();
    // Several reads at once, so that the pool holds several connections.
    let warm = (0..16).map(|_| reader.subjects(std::slice::from_ref(&key)));
    futures::future::try_join_all(warm).await.expect("reads");
    store.ids().comment(Partition::number(1)).await.expect("a lease");

    let pool = hand.sources().all()[0].write_pool();
    let sql = |text: &str| Statement::from_string(pool.get_database_backend(), text);
    let resting = pool.query_all_raw(sql(OTHERS)).await.expect("the list of connections");
    assert!(resting.len() > 1, "only {} connections rest", resting.len());
    for row in resting {
        let id: i64 = row.try_get("", "id").expect("an id");
        // A connection that has ended by itself meanwhile is as dead as the others.
        let _ = pool.execute_raw(sql(&format!("KILL {id}"))).await;
    }

    for _ in 0..20 {
        reader.subjects(std::slice::from_ref(&key)).await.expect("a read finds a connection that lives");
    }
    store.close().await;
    hand.close().await;
    place.drop().await;
}
