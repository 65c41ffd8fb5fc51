//! The limit on database reads that follow cache misses.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use riposte_cache::{Cache, CacheLimits, CacheStats, CachedReader, DbReadLimit, InvalidPartitions, MemoryCache};
use riposte_core::ports::{CommentRows, SubjectRows};

use crate::{Fixture, fixture_on, servers, stress::Stress};

#[test]
fn a_read_of_several_subjects_takes_a_permit_of_every_source_that_it_reads() {
    servers::run_test(async {
        let Fixture { process, .. } = &fixture_on(Arc::new(MemoryCache::new(CacheLimits::default()))).await;
        let stress = Stress::new(vec![process.clone()], 3);
        for subject in 0..3 {
            stress.create_root(0, subject).await;
        }
        let partitions: BTreeSet<usize> = stress.keys.iter().map(|key| usize::from(key.partition().get())).collect();
        assert_eq!(partitions.len(), 3, "the subjects are in three partitions");
        let routed = Arc::new(Mutex::new(BTreeSet::new()));
        let record = Arc::clone(&routed);
        let route = move |partition: riposte_core::Partition| {
            record.lock().expect("no test panics with it").insert(usize::from(partition.get()));
            usize::from(partition.get())
        };
        let limit = DbReadLimit::new(1_024, Box::new(route), 1, Duration::from_secs(20));
        let cache: Arc<dyn Cache> = Arc::new(MemoryCache::new(CacheLimits::default()));
        let stats = CacheStats::default();
        let invalid = InvalidPartitions::new(Arc::clone(&cache), stats.clone());
        let reader = CachedReader::new(process.store.reader(), cache, invalid, limit, stats);
        let found = reader.subjects(&stress.keys).await.expect("read");
        assert!(found.iter().all(Option::is_some), "{found:?}");
        let ids: Vec<_> = stress.keys.iter().map(|key| stress.comment_ids(key)[0]).collect();
        assert_eq!(std::mem::take(&mut *routed.lock().expect("no test panics with it")), partitions, "subjects");
        let found = reader.comments(&ids).await.expect("read");
        assert!(found.iter().all(Option::is_some), "{found:?}");
        assert_eq!(*routed.lock().expect("no test panics with it"), partitions, "comments");
    });
}
