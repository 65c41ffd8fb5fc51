//! Worker numbers: whatever the clocks show, no id is generated twice.

use std::collections::HashSet;

use riposte_core::{CommentId, Error, Partition};
use riposte_store::SqlStore;
use sea_orm::{ConnectionTrait, Statement};

use crate::databases::{ManualClock, everywhere};

async fn mint(store: &SqlStore, count: usize) -> Vec<CommentId> {
    let mut ids = Vec::new();
    for n in 0..count {
        let partition = Partition::number(n as u16 % 3);
        let id = store.ids().comment(partition).await.expect("an id");
        assert_eq!(id.partition(), partition);
        ids.push(id);
    }
    ids
}

fn worker(id: CommentId) -> i64 {
    id.get() >> 8 & 63
}

async fn run(store: &SqlStore, sql: &str) {
    let pool = store.sources().all()[0].write_pool();
    pool.execute_raw(Statement::from_string(pool.get_database_backend(), sql)).await.expect(sql);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_on_one_database_share_no_number() {
    for place in everywhere().await {
        let clock = ManualClock::at_noon();
        let (one, two) = (place.migrated(&clock).await, place.open(&clock));
        let (a, b) = tokio::join!(mint(&one, 3000), mint(&two, 3000));
        assert_ne!(worker(a[0]), worker(b[0]));
        let all: HashSet<_> = a.into_iter().chain(b).collect();
        assert_eq!(all.len(), 6000);
        one.close().await;
        two.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_successor_mints_only_beyond_what_its_predecessor_was_promised() {
    for place in everywhere().await {
        let clock = ManualClock::at_noon();
        let stalled = place.migrated(&clock).await;
        // Every other number is leased permanently, so that the next process has to wait for this
        // one.
        let mut ids = mint(&stalled, 10).await;
        let ours = worker(ids[0]);
        run(&stalled, &format!("UPDATE worker_lease SET leased_until = 9000000000000000 WHERE worker <> {ours}")).await;
        let next = place.open(&clock);
        assert!(matches!(next.ids().comment(Partition::number(0)).await, Err(Error::Overloaded { .. })));

        clock.forward(11_000);
        let theirs = mint(&next, 10).await;
        assert_eq!(worker(theirs[0]), ours);
        // The stalled process resumes, and its clock is as before the stall: the ids that it still
        // generates lie below.
        clock.forward(-11_000);
        ids.extend(mint(&stalled, 10).await);
        let last = ids.iter().map(|id| id.tick()).max().expect("ids");
        assert!(theirs.iter().all(|id| id.tick() > last), "the successor began inside its predecessor's promise");
        // With the clock right again the process finds its number lost, and none is free.
        clock.forward(11_000);
        assert!(matches!(stalled.ids().comment(Partition::number(0)).await, Err(Error::Overloaded { .. })));
        next.close().await;
        assert_eq!(worker(mint(&stalled, 1).await[0]), ours, "a clean end frees the number at once");
        stalled.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_partition_waits_for_its_lease_and_goes_on() {
    for place in everywhere().await {
        let clock = ManualClock::at_noon();
        let store = place.migrated(&clock).await;
        let mut seen = HashSet::new();
        for _ in 0..5 {
            for id in mint(&store, 600).await {
                assert!(seen.insert(id));
            }
            clock.forward(9_999);
        }
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_steps_back_at_the_end_of_a_lease_keeps_nobody_from_moving_it_ahead() {
    for place in everywhere().await {
        let clock = ManualClock::at_noon();
        let store = place.migrated(&clock).await;
        let mut ids = mint(&store, 3).await;
        // The lease lasts ten seconds from its beginning: the ids generated now are close to its
        // end.
        clock.forward(9_990);
        ids.extend(mint(&store, 3).await);
        clock.forward(-10_000);
        ids.extend(mint(&store, 3_000).await);
        let all: HashSet<_> = ids.iter().collect();
        assert_eq!(all.len(), 3_006);
        store.close().await;
        place.drop().await;
    }
}
