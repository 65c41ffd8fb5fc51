//! Audits: the auditor finds drift between cached data and the rows, and nothing else.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{
    Cache, CacheAuditor, CacheEvent, CacheLimits, CacheRepair, CommittedState, MemoryCache, RelayCursor, RelayState,
};
use riposte_conformance::stores::StepClock;
use riposte_core::ids::PARTITIONS;
use riposte_core::page::{ListOrder, PageQuery};
use riposte_core::ports::{CommentRows, LikeRows, ListRows, Reader, SubjectRows};
use riposte_core::{LikeValue, Millis, Partition};

use super::stress::RepairRun;
use super::{FIRST_PAGE, Fixture, fixture, fixture_on, servers, unreported_writer};

#[test]
fn a_commit_that_never_reached_the_cache_is_in_primary_reads_and_found_by_the_auditor() {
    servers::run_test(async {
        let Fixture { config, process, stress, .. } = &fixture().await;
        stress.create_root(0, 0).await;
        let key = &stress.keys[0];
        let revision = async |reader: &dyn Reader| {
            reader.roots(key, FIRST_PAGE, 0).await.expect("read").expect("exists").subject.revision
        };
        assert_eq!(revision(&process.reader).await, 1);
        let unreported = unreported_writer(config);
        unreported.create_root(0, 0).await;
        assert_eq!(revision(&process.reader).await, 1, "the commit has not reached the cache");
        assert_eq!(revision(process.reader.primary().expect("a primary reader")).await, 2);
        let auditor = CacheAuditor::new(process.reader.clone());
        let audit = async || auditor.audit(Duration::from_millis(1), None).await.expect("read");
        assert_eq!(audit().await, Some(true));
        assert_eq!(process.reader.stats().of(CacheEvent::Drift), 1);
        assert_eq!(audit().await, None, "no read since then");
        // The first read fills the cache, and the cache serves the second.
        for _ in 0..2 {
            assert_eq!(revision(&process.reader).await, 2);
        }
        assert_eq!(audit().await, Some(false));
        // Another list of the same subject is audited with the query of its read.
        let oldest = async || {
            let query = PageQuery { order: ListOrder::Oldest, ..FIRST_PAGE };
            process.reader.roots(key, query, 0).await.expect("read").expect("exists").subject.revision
        };
        assert_eq!((oldest().await, oldest().await), (2, 2));
        unreported.create_root(0, 0).await;
        assert_eq!(audit().await, Some(true));
        assert_eq!((oldest().await, oldest().await), (3, 3));
        assert_eq!(audit().await, Some(false));
    });
}

#[test]
fn a_commit_that_the_relay_will_report_is_no_drift_and_one_that_it_skipped_is_a_drift() {
    servers::run_test(async {
        let cache: Arc<dyn Cache> = Arc::new(MemoryCache::new(CacheLimits::default()));
        let Fixture { config, process, stress, .. } = &fixture_on(Arc::clone(&cache)).await;
        stress.create_root(0, 0).await;
        let (key, store) = (&stress.keys[0], &process.store);
        let revision =
            async || process.reader.roots(key, FIRST_PAGE, 0).await.expect("read").expect("exists").subject.revision;
        assert_eq!(revision().await, 1);
        let unreported = unreported_writer(config);
        unreported.create_root(0, 0).await;
        assert_eq!(revision().await, 1, "the commit has not reached the cache");
        let (auditor, stats) = (CacheAuditor::new(process.reader.clone()), process.reader.stats());
        // The auditor's clock is ahead of the writer's: the commit is in its past.
        let clock = StepClock::at(Millis(StepClock::START.0 + 60_000));
        let relay_state = RelayState::new(Arc::clone(&cache), store.outbox(), Box::new(|_| 0), clock);
        let relay = async {
            let begin = async {
                while stats.of(CacheEvent::Audited) == 0 {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(30), begin).await.expect("the audit begins");
            let all = (0..PARTITIONS).map(Partition::number).collect();
            let cache_repair =
                CacheRepair::new(Arc::clone(&cache), store.outbox(), store.reader(), stats.clone(), 0, all);
            let mut repair = RepairRun::new(cache_repair, store.clone());
            while !unreported.run_relay_once(&mut repair).await {}
        };
        let (audited, ()) = tokio::join!(auditor.audit(Duration::from_millis(1), Some(&relay_state)), relay);
        assert_eq!(audited, Ok(Some(false)), "the relay was about to report the commit");
        // A relay that skips a commit without reporting it.
        assert_eq!((revision().await, revision().await), (2, 2));
        unreported.create_root(0, 0).await;
        let (at, head) = (key.partition(), RelayCursor(unreported.assign_sequence().await.expect("sequence numbers")));
        let from = cache.cursors(&[at]).await.expect("answered")[0].expect("exists");
        assert!(cache.advance(at, from, head, &CommittedState::default()).await.expect("answered"));
        assert_eq!(revision().await, 2);
        assert_eq!(auditor.audit(Duration::from_millis(1), Some(&relay_state)).await, Ok(Some(true)));
        assert_eq!((revision().await, revision().await), (3, 3));
    });
}

#[test]
fn the_auditor_checks_subjects_comments_and_like_states_too() {
    servers::run_test(async {
        let Fixture { config, process, stress, .. } = &fixture().await;
        stress.create_root(0, 0).await;
        let (key, reader) = (&stress.keys[0], &process.reader);
        let (id, member) = (stress.comment_ids(key)[0], stress.members().remove(0));
        let subject = async || {
            let found = reader.subjects(std::slice::from_ref(key)).await.expect("read");
            found[0].as_ref().expect("exists").revision
        };
        let likes =
            async || reader.comments(&[id]).await.expect("read")[0].as_ref().expect("exists").comment.counts.like_count;
        let state = async || reader.like_states(key, &member, &[id]).await.expect("read")[0];
        // The first reads fill the cache, which serves the last ones.
        for _ in 0..3 {
            assert_eq!((subject().await, likes().await, state().await), (1, 0, Some(LikeValue::None)));
        }
        let unreported = unreported_writer(config);
        unreported.like(0, key, id, 1).await;
        unreported.create_root(0, 0).await;
        assert_eq!(
            (subject().await, likes().await, state().await),
            (1, 0, Some(LikeValue::None)),
            "the commits have not reached the cache"
        );
        let auditor = CacheAuditor::new(reader.clone());
        assert_eq!(auditor.audit(Duration::from_millis(1), None).await.expect("read"), Some(true));
        let drifted = reader.stats().of(CacheEvent::Drift);
        assert!(drifted >= 2, "the like states of a member, and a comment: {drifted}");
        assert_eq!((subject().await, likes().await, state().await), (2, 1, Some(LikeValue::Like)));
        // The auditor does not change correct entries.
        for _ in 0..3 {
            assert_eq!((subject().await, likes().await, state().await), (2, 1, Some(LikeValue::Like)));
        }
        assert_eq!(auditor.audit(Duration::from_millis(1), None).await.expect("read"), Some(false));
        // Drift of a comment alone.
        unreported.like(0, key, id, 2).await;
        assert_eq!(likes().await, 1);
        assert_eq!(auditor.audit(Duration::from_millis(1), None).await.expect("read"), Some(true));
        assert_eq!(likes().await, 2);
    });
}

#[test]
fn a_like_that_changes_all_the_time_is_no_drift() {
    servers::run_test(async {
        let Fixture { process, stress, .. } = &fixture().await;
        stress.create_root(0, 0).await;
        let (key, reader) = (&stress.keys[0], &process.reader);
        let (id, member) = (stress.comment_ids(key)[0], stress.members().remove(0));
        let state = async || reader.like_states(key, &member, &[id]).await.expect("read")[0];
        let over = std::cell::Cell::new(false);
        let change = async {
            for value in [LikeValue::Like, LikeValue::None].into_iter().cycle().take_while(|_| !over.get()) {
                stress.set_like(0, key, id, member.clone(), value).await;
                // The first read fills the cache, which serves the second.
                state().await;
                state().await;
            }
        };
        let audit = async {
            let auditor = CacheAuditor::new(reader.clone());
            while reader.stats().of(CacheEvent::Audited) < 300 {
                let audited = auditor.audit(Duration::from_millis(1), None).await.expect("read");
                assert_ne!(audited, Some(true));
                tokio::task::yield_now().await;
            }
            over.set(true);
        };
        tokio::join!(change, audit);
    });
}
