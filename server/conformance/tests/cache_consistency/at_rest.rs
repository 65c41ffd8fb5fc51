//! The checks of the cursors while nothing happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use riposte_cache::{Cache, CacheLimits, CacheRepair, MemoryCache, RelayCursor};
use riposte_core::Partition;
use riposte_core::ids::PARTITIONS;

use crate::stuck::StuckCache;
use crate::{Fixture, fixture_on, process, servers};

/// The number of cursors.
const ALL: usize = PARTITIONS as usize;

/// Checks the cursors until a counter has grown by `growth`, and returns its growth.
async fn check_until_grown(repair: &mut CacheRepair, counter: &AtomicUsize, growth: usize) -> usize {
    let (begin, before) = (Instant::now(), counter.load(Ordering::SeqCst));
    while counter.load(Ordering::SeqCst) < before + growth {
        assert!(begin.elapsed() < Duration::from_secs(60), "no check");
        tokio::time::sleep(Duration::from_millis(20)).await;
        repair.check_cursors().await.expect("checked");
    }
    counter.load(Ordering::SeqCst) - before
}

#[test]
fn a_relay_at_rest_reads_a_few_cursors_and_checks_all_of_them_after_a_new_connection() {
    servers::run_test(async {
        let inner: Arc<dyn Cache> = Arc::new(MemoryCache::new(CacheLimits::default()));
        let Fixture { process: process::CachedProcess { store, reader, .. }, .. } =
            &fixture_on(Arc::clone(&inner)).await;
        // The third check of two cursors reads it.
        let lost = Partition::number(4);
        let cache = Arc::new(StuckCache::new(Arc::clone(&inner), lost));
        cache.renewals.store(1, Ordering::SeqCst);
        let (all, stats) = ((0..PARTITIONS).map(Partition::number).collect(), reader.stats().clone());
        let shared = Arc::clone(&cache) as Arc<dyn Cache>;
        let mut repair = CacheRepair::new(shared, store.outbox(), store.reader(), stats, 0, all);
        repair.start().await.expect("started");
        assert_eq!(check_until_grown(&mut repair, &cache.advances, 1).await, ALL, "the first check is complete");
        assert_eq!(check_until_grown(&mut repair, &cache.reads, 1).await, 2);
        assert_eq!(check_until_grown(&mut repair, &cache.reads, 1).await, 2);
        assert_eq!(cache.advances.load(Ordering::SeqCst), ALL);
        // A server that took over has another position in one partition.
        inner.renew(lost, RelayCursor(99), 5).await.expect("available");
        cache.connection_changes.fetch_add(1, Ordering::SeqCst);
        assert_eq!(check_until_grown(&mut repair, &cache.advances, 1).await, ALL);
        assert_eq!(cache.renewals.load(Ordering::SeqCst), 2, "its partition is renewed");
        assert_eq!(inner.cursors(&[lost]).await.expect("available"), [Some(RelayCursor(0))]);
        // Without a new connection the loss is found by the next check of a few cursors.
        inner.renew(lost, RelayCursor(99), 5).await.expect("available");
        assert_eq!(check_until_grown(&mut repair, &cache.advances, 1).await, ALL);
        assert_eq!(cache.renewals.load(Ordering::SeqCst), 3);
    });
}
