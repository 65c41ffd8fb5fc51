//! A BEGIN that is dropped while pending leaves an open transaction that the driver does not track.
//! Without a ROLLBACK on release, the acknowledged write of the next borrower would be lost with
//! it, and the next reader would see an old state.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use riposte_core::LikeValue;
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};

use crate::databases::{ManualClock, TestDatabase};
use crate::subject::{Subject, member};

/// Drops a BEGIN while its response is pending. A fast server may respond inside the first poll, so
/// the drop is retried until it falls in between.
async fn drop_a_pending_begin(store: &SqlStore) {
    let source = &store.sources().all()[0];
    for _ in 0..100_000 {
        source.begin_write().await.expect("a connection").rollback().await.expect("rolled back");
        // Only with an idle connection in the pool does the one poll get as far as BEGIN.
        while source.write_pool().get_mysql_connection_pool().num_idle() == 0 {
            tokio::task::yield_now().await;
        }
        let mut begin = pin!(source.begin_write());
        if begin.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            return;
        }
    }
    panic!("BEGIN was never left pending");
}

async fn count(pool: &DatabaseConnection) -> i64 {
    let sql = "SELECT COUNT(*) AS n FROM riposte_schema WHERE step = 'probe'";
    let row =
        pool.query_one_raw(Statement::from_string(pool.get_database_backend(), sql)).await.expect(sql).expect("a row");
    row.try_get("", "n").expect("a number")
}

#[tokio::test]
async fn an_acknowledged_write_survives_an_earlier_cancelled_begin() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    let observer = database.migrated(&clock).await;
    let mut config = database.config();
    config.write.connections = 1; // so that the next write gets the same connection
    let victim = SqlStore::open(&config, clock).expect("the configuration is sound");
    let observer_pool = observer.sources().all()[0].write_pool();
    for _ in 0..20 {
        drop_a_pending_begin(&victim).await;
        let pool = victim.sources().all()[0].write_pool();
        let write = "INSERT INTO riposte_schema VALUES ('probe', 0, 0, 0, 0, 0, 0, 0)";
        pool.execute_raw(Statement::from_string(pool.get_database_backend(), write)).await.expect("acknowledged");
        assert_eq!(count(observer_pool).await, 1, "the acknowledged write is missing");
        let undo = "DELETE FROM riposte_schema WHERE step = 'probe'";
        pool.execute_raw(Statement::from_string(pool.get_database_backend(), undo)).await.expect("acknowledged");
        assert_eq!(count(observer_pool).await, 0, "the acknowledged delete had no effect");
    }
    victim.close().await;
    observer.close().await;
    database.drop().await;
}

#[tokio::test]
async fn a_read_that_is_dropped_during_its_begin_leaves_no_snapshot_behind() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    let observer = database.migrated(&clock).await;
    let subject = Subject::new(&observer, "dropped");
    let root = subject.create_roots(1).await[0];
    let mut config = database.config();
    config.read.connections = 1; // so that the next read gets the same connection
    let victim = SqlStore::open(&config, clock).expect("the configuration is sound");
    let source = &victim.sources().all()[0];
    let liked = async || {
        let states = victim.reader().like_states(&subject.key, &member(0), &[root]).await.expect("read");
        states[0] == Some(LikeValue::Like)
    };
    let mut dropped = 0;
    for polls in 1..40 {
        while source.pools()[0].used > 0 {
            tokio::task::yield_now().await;
        }
        // Each time the drop comes a little later: before BEGIN is sent, while its response is
        // pending, and after the response.
        let mut begin = Box::pin(source.begin_read());
        let mut pending = true;
        for _ in 0..polls {
            pending = begin.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
            if !pending {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(begin);
        dropped += u32::from(pending);
        let before = liked().await;
        let value = if before { LikeValue::None } else { LikeValue::Like };
        subject.set_like(root, member(0), value).await;
        assert_ne!(liked().await, before, "dropped after {polls} polls: an old state was read");
    }
    assert!(dropped > 0, "BEGIN was never left pending");
    victim.close().await;
    observer.close().await;
    database.drop().await;
}
