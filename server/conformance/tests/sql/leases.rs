//! Worker numbers: no id is generated twice, whatever the clocks show.

use std::collections::HashSet;

use riposte_core::ids::IdTick;
use riposte_core::{CommentId, Error, Millis, Partition};
use riposte_store::SqlStore;
use sea_orm::{ConnectionTrait, Statement};

use crate::databases::{ManualClock, NOON, all_databases};

async fn generate(store: &SqlStore, count: usize) -> Vec<CommentId> {
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
async fn two_processes_on_one_database_share_no_worker_number() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let (one, two) = (database.migrated(&clock).await, database.open(&clock));
        let (a, b) = tokio::join!(generate(&one, 3000), generate(&two, 3000));
        assert_ne!(worker(a[0]), worker(b[0]));
        let all: HashSet<_> = a.into_iter().chain(b).collect();
        assert_eq!(all.len(), 6000);
        one.close().await;
        two.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_successor_generates_only_ids_after_the_lease_of_its_predecessor() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let stalled = database.migrated(&clock).await;
        // All other worker numbers are leased permanently, so that the next process has to wait for
        // this one.
        let mut ids = generate(&stalled, 10).await;
        let stalled_worker = worker(ids[0]);
        run(
            &stalled,
            &format!("UPDATE worker_lease SET leased_until = 9000000000000000 WHERE worker <> {stalled_worker}"),
        )
        .await;
        let next = database.open(&clock);
        assert!(matches!(next.ids().comment(Partition::number(0)).await, Err(Error::Overloaded { .. })));

        clock.forward(11_000);
        let successor_ids = generate(&next, 10).await;
        assert_eq!(worker(successor_ids[0]), stalled_worker);
        // The stalled process resumes with a clock as before the stall: the ids that it still
        // generates are lower.
        clock.forward(-11_000);
        ids.extend(generate(&stalled, 10).await);
        let last = ids.iter().map(|id| id.tick()).max().expect("ids");
        assert!(
            successor_ids.iter().all(|id| id.tick() > last),
            "the successor began within the lease of its predecessor"
        );
        // With the right clock the process finds that it has lost its number, and none is free.
        clock.forward(11_000);
        assert!(matches!(stalled.ids().comment(Partition::number(0)).await, Err(Error::Overloaded { .. })));
        next.close().await;
        assert_eq!(worker(generate(&stalled, 1).await[0]), stalled_worker, "a clean stop frees the number at once");
        stalled.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_partition_waits_for_its_lease_and_continues() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let store = database.migrated(&clock).await;
        let mut all = HashSet::new();
        for _ in 0..5 {
            for id in generate(&store, 600).await {
                assert!(all.insert(id));
            }
            clock.forward(9_999);
        }
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_steps_back_at_the_end_of_a_lease_does_not_prevent_its_renewal() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let store = database.migrated(&clock).await;
        let mut ids = generate(&store, 3).await;
        // The lease lasts ten seconds from its beginning: the ids generated now are close to its
        // end.
        clock.forward(9_990);
        ids.extend(generate(&store, 3).await);
        clock.forward(-10_000);
        ids.extend(generate(&store, 3_000).await);
        let all: HashSet<_> = ids.iter().collect();
        assert_eq!(all.len(), 3_006);
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_clock_that_was_ahead_a_partition_has_as_many_ids_as_before() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let store = database.migrated(&clock).await;
        clock.forward(3_600_000);
        let mut ids: HashSet<_> = generate(&store, 3).await.into_iter().collect();
        clock.forward(-3_600_000);
        // A partition that borrows from the next second has 64,256 ids.
        let partition = Partition::number(0);
        for n in 0..70_000 {
            if n % 30_000 == 29_999 {
                clock.forward(500);
            }
            let id = store.ids().comment(partition).await.expect("the process has let go of the number that is ahead");
            assert!(ids.insert(id), "{id:?} was generated twice");
        }
        // A second process finds every number ahead of its clock, which shows the present.
        let all_ahead = format!("UPDATE worker_lease SET minted_until = {}", IdTick::at(Millis(NOON + 7_200_000)).0);
        store.close().await;
        let next = database.open(&clock);
        run(&next, &all_ahead).await;
        assert!(ids.insert(next.ids().comment(partition).await.expect("an id")));
        assert!(next.ids().comment(partition).await.expect("an id").tick() > IdTick::at(Millis(NOON + 7_199_000)));
        run(&next, "UPDATE worker_lease SET minted_until = 0 WHERE worker = 63").await;
        for _ in 0..70_000 {
            let id = next.ids().comment(partition).await.expect("a number that begins earlier is free again");
            assert!(ids.insert(id), "{id:?} was generated twice");
        }
        next.close().await;
        database.drop().await;
    }
}
