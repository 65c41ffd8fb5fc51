//! A cache that does not respond: a partition that cannot advance delays no other and is renewed,
//! and a read without a response is marked as degraded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::FutureExt;
use riposte_cache::{
    Cache, CacheEvent, CacheFill, CacheLimits, CacheRepair, CachedPage, CachedPageQuery, CommittedState, EntryLookup,
    FillLease, FillOutcome, FillScope, LeaseOutcome, LikeCounts, MemoryCache, RelayCursor, SubjectMember,
    SubjectUpdate, Unavailable,
};
use riposte_conformance::stores::StepClock;
use riposte_core::comment::CommentView;
use riposte_core::ids::PARTITIONS;
use riposte_core::ports::CachedPages;
use riposte_core::ports::{CommentRows, LikeRows, ListRows, SubjectRows};
use riposte_core::{CommentId, LikeValue, Partition, Subject, SubjectId, SubjectKey};
use riposte_sync::track_fallback;

use crate::stress::{RepairRun, Stress};
use crate::{FIRST_PAGE, Fixture, fixture_on, process, servers};

/// A cache in which one partition advances only after a renewal. All operations but those of the
/// relay are unavailable.
#[derive(Debug)]
pub(crate) struct StuckCache {
    inner: Arc<dyn Cache>,
    stuck: Partition,
    failed_advances: AtomicUsize,
    pub(crate) renewals: AtomicUsize,
    /// The number of cursors that advanced or were confirmed.
    pub(crate) advances: AtomicUsize,
    /// The number of cursors that were read.
    pub(crate) reads: AtomicUsize,
    pub(crate) connection_changes: AtomicU64,
    /// `true` while no comment of the stuck partition can be concealed.
    cannot_conceal: AtomicBool,
}

impl StuckCache {
    pub(crate) fn new(inner: Arc<dyn Cache>, stuck: Partition) -> Self {
        let [failed_advances, renewals, advances, reads] = Default::default();
        let (connection_changes, cannot_conceal) = Default::default();
        Self { inner, stuck, failed_advances, renewals, advances, reads, connection_changes, cannot_conceal }
    }
}

#[async_trait]
impl Cache for StuckCache {
    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<RelayCursor>>, Unavailable> {
        self.reads.fetch_add(partitions.len(), Ordering::SeqCst);
        self.inner.cursors(partitions).await
    }

    async fn advance(
        &self,
        at: Partition,
        from: RelayCursor,
        to: RelayCursor,
        state: &CommittedState,
    ) -> Result<bool, Unavailable> {
        if at == self.stuck && self.renewals.load(Ordering::SeqCst) == 0 {
            self.failed_advances.fetch_add(1, Ordering::SeqCst);
            return Err(Unavailable);
        }
        if at == self.stuck && self.cannot_conceal.load(Ordering::SeqCst) && !state.concealed.is_empty() {
            return Err(Unavailable);
        }
        self.advances.fetch_add(1, Ordering::SeqCst);
        self.inner.advance(at, from, to, state).await
    }

    async fn renew(&self, partition: Partition, at: RelayCursor, generation: u64) -> Result<(), Unavailable> {
        self.renewals.fetch_add(1, Ordering::SeqCst);
        assert_eq!(partition, self.stuck, "the other partitions are not renewed");
        self.inner.renew(partition, at, generation).await
    }

    async fn subjects(&self, _: &[SubjectKey]) -> Result<Vec<EntryLookup<Option<Subject>>>, Unavailable> {
        Err(Unavailable)
    }

    async fn comments(&self, _: &[CommentId]) -> Result<Vec<EntryLookup<Option<CommentView>>>, Unavailable> {
        Err(Unavailable)
    }

    async fn page(&self, _: &CachedPageQuery) -> Result<EntryLookup<Option<CachedPage>>, Unavailable> {
        Err(Unavailable)
    }

    async fn states(
        &self,
        _: &SubjectMember,
        _: &[CommentId],
    ) -> Result<EntryLookup<Option<Vec<Option<LikeValue>>>>, Unavailable> {
        Err(Unavailable)
    }

    async fn open(&self, _: &SubjectKey, _: FillScope, _: u64) -> Result<LeaseOutcome, Unavailable> {
        Err(Unavailable)
    }

    async fn name(&self, _: &SubjectKey, _: SubjectId) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn absent(&self, _: &SubjectKey, _: u64) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn fill(&self, _: &FillLease, _: &CacheFill) -> Result<FillOutcome, Unavailable> {
        Err(Unavailable)
    }

    async fn close(&self, _: &FillLease) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn apply(&self, _: &[SubjectUpdate]) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn like(&self, _: &[LikeCounts]) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn begin_invalidation(&self, _: &[SubjectMember], _: u64) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn end_invalidation(&self, _: &[SubjectMember], _: u64) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn open_states(&self, _: &SubjectMember, _: u64) -> Result<bool, Unavailable> {
        Err(Unavailable)
    }

    async fn fill_states(&self, _: &SubjectMember, _: u64, _: &[(CommentId, LikeValue)]) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn record_existing(&self, _: &SubjectMember, _: &[CommentId]) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn invalidate_subject(&self, _: &SubjectKey) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    fn is_unavailable(&self) -> bool {
        false
    }

    fn connection_changes(&self) -> u64 {
        self.connection_changes.load(Ordering::SeqCst)
    }
}

#[test]
fn a_partition_that_cannot_advance_delays_no_other_and_is_renewed() {
    servers::run_test(async {
        let inner: Arc<dyn Cache> = Arc::new(MemoryCache::new(CacheLimits::default()));
        let Fixture { process: process::CachedProcess { store, reader, .. }, stress, .. } =
            &fixture_on(Arc::clone(&inner)).await;
        let stress = Stress::new(stress.processes.clone(), 2);
        let [stuck, free] = [0, 1].map(|subject| stress.keys[subject].partition());
        assert_ne!(stuck, free);
        stress.create_root(0, 0).await;
        stress.create_root(0, 1).await;
        let head = stress.assign_sequence().await.expect("sequence numbers");
        while stress.update_rank_index(100).await.expect("updated") > 0 {}
        // Two commits of the same time may get their sequence numbers in either order.
        let events = store.outbox().read(0, 0, 10).await.expect("read");
        let own = events.iter().find(|of| of.event.partition == free).expect("the commit of the other subject").number;
        let cache = Arc::new(StuckCache::new(inner, stuck));
        let (all, stats) = ((0..PARTITIONS).map(Partition::number).collect(), reader.stats().clone());
        let shared = Arc::clone(&cache) as Arc<dyn Cache>;
        let cache_repair = CacheRepair::new(shared, store.outbox(), store.reader(), stats, 0, all);
        let mut repair = RepairRun::new(cache_repair, store.clone());
        for failures in 1..=3 {
            assert!(repair.run_once().await.is_err(), "the relay is notified");
            assert_eq!(cache.failed_advances.load(Ordering::SeqCst), failures);
            let cursors = cache.cursors(&[stuck, free]).await.expect("answered");
            assert_eq!(cursors[0], Some(RelayCursor(0)), "one partition makes no progress");
            assert!(cursors[1] >= Some(RelayCursor(own)), "the other one has its events: {cursors:?}");
        }
        repair.run_once().await.expect("advanced");
        assert_eq!(cache.renewals.load(Ordering::SeqCst), 2, "before and after hidden texts are removed");
        assert_eq!(reader.stats().of(CacheEvent::GenerationStarted), 1);
        assert_eq!(cache.cursors(&[stuck]).await.expect("answered"), [Some(RelayCursor(head))]);
    });
}

#[test]
fn a_partition_whose_comments_cannot_be_concealed_is_passed_over_after_some_failures() {
    servers::run_test(async {
        let inner: Arc<dyn Cache> = Arc::new(MemoryCache::new(CacheLimits::default()));
        let Fixture { process: process::CachedProcess { store, reader, .. }, stress, .. } =
            &fixture_on(Arc::clone(&inner)).await;
        let key = &stress.keys[0];
        stress.create_root(0, 0).await;
        stress.delete(0, key, stress.comment_ids(key)[0]).await;
        let head = stress.assign_sequence().await.expect("sequence numbers");
        while stress.update_rank_index(100).await.expect("updated") > 0 {}
        let cache = Arc::new(StuckCache::new(inner, key.partition()));
        cache.renewals.store(1, Ordering::SeqCst);
        cache.cannot_conceal.store(true, Ordering::SeqCst);
        let (all, stats) = ((0..PARTITIONS).map(Partition::number).collect(), reader.stats().clone());
        let shared = Arc::clone(&cache) as Arc<dyn Cache>;
        let repair = CacheRepair::new(shared, store.outbox(), store.reader(), stats, 0, all);
        let mut repair = RepairRun::new(repair, store.clone());
        let mut failures = 0;
        while repair.run_once().await.is_err() {
            failures += 1;
            assert!(failures < 10, "the others are delayed");
        }
        assert_eq!(failures, 6);
        assert_eq!(cache.cursors(&[key.partition()]).await.expect("answered"), [Some(RelayCursor(head))]);
    });
}

#[test]
fn a_read_is_degraded_exactly_if_the_cache_did_not_respond() {
    servers::run_test(async {
        let inner: Arc<dyn Cache> = Arc::new(MemoryCache::new(CacheLimits::default()));
        let Fixture { config, stress, .. } = &fixture_on(Arc::clone(&inner)).await;
        stress.create_root(0, 0).await;
        let unresponsive: Arc<dyn Cache> = Arc::new(StuckCache::new(inner, Partition::number(0)));
        let process::CachedProcess { reader, .. } =
            &process::start(config, &unresponsive, StepClock::at(StepClock::START));
        let (key, member) = (&stress.keys[0], stress.members().remove(0));
        let ids = [stress.comment_ids(key)[0]];
        let reads = [
            reader.roots(key, FIRST_PAGE, 0).map(|read| assert!(read.expect("read").is_some())).boxed(),
            reader.subjects(std::slice::from_ref(key)).map(|read| assert!(read.expect("read")[0].is_some())).boxed(),
            reader.comments(&ids).map(|read| assert!(read.expect("read")[0].is_some())).boxed(),
            reader.like_states(key, &member, &ids).map(|read| assert!(read.expect("read")[0].is_some())).boxed(),
        ];
        assert!(!track_fallback(async { reader.is_degraded() }).await);
        for read in reads {
            let degraded = async {
                read.await;
                reader.is_degraded()
            };
            assert!(track_fallback(degraded).await);
            assert!(!reader.is_degraded(), "the mark belongs to one read");
        }
    });
}
