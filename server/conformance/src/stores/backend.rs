//! The backend under test.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures::future::BoxFuture;
use riposte_core::Millis;
use riposte_core::Writer;
use riposte_core::ports::{
    Clock, ConsumerPositions, CountRepair, IdSource, MemberHistories, MemberStandings, Outbox, RankIndexes,
    RankingSnapshots, Reader, Reports, Reviews,
};
use tokio::sync::Mutex;

/// The ports of one process.
#[derive(Debug, Clone)]
pub struct Process {
    /// The reads.
    pub reader: Arc<dyn Reader>,
    /// The commits.
    pub writer: Arc<dyn Writer>,
    /// The source of new ids.
    pub ids: Arc<dyn IdSource>,
    /// The events of the commits, and their sequence numbers.
    pub outbox: Arc<dyn Outbox>,
    /// The positions of the event consumers.
    pub positions: Arc<dyn ConsumerPositions>,
    /// The histories of the members.
    pub histories: Arc<dyn MemberHistories>,
    /// The rank indexes.
    pub rank_indexes: Arc<dyn RankIndexes>,
    /// The ranking snapshots.
    pub rankings: Arc<dyn RankingSnapshots>,
    /// The repair of counts.
    pub repairer: Arc<dyn CountRepair>,
    /// The queue of open reviews.
    pub reviews: Arc<dyn Reviews>,
    /// The reports of members.
    pub reports: Arc<dyn Reports>,
    /// The standings of members.
    pub standings: Arc<dyn MemberStandings>,
}

/// Starts a process over the backend's rows, under a clock.
pub type Start = Arc<dyn Fn(Arc<dyn Clock>) -> BoxFuture<'static, Process> + Send + Sync>;

/// A backend: its first process, and the way to start more.
#[derive(Clone)]
pub struct Backend {
    /// The process that most cases use.
    pub process: Process,
    /// Starts another process over the same rows.
    pub start: Start,
    /// The seed and the length of the random walks.
    pub walk: WalkSettings,
    /// The time of the leases, and the lock of a case that sequences events. All cases share the
    /// data sources, and each source has one lease. A case that acquires the leases holds this lock
    /// and moves the time past the leases of earlier cases.
    pub sequencing: Arc<Mutex<Millis>>,
    /// True if the store is confined: a batch over several partitions is several commits.
    pub confined: bool,
}

impl Backend {
    /// Returns a backend with the first process `process`, before any case has run on it.
    #[must_use]
    pub fn new(process: Process, start: Start, walk: WalkSettings) -> Self {
        Self { process, start, walk, sequencing: Arc::new(Mutex::new(StepClock::START)), confined: false }
    }
}

/// The seed and the length of the random walks.
#[derive(Debug, Clone, Copy)]
pub struct WalkSettings {
    /// The seed to replay; `None` = each walk has a seed of its own.
    pub seed: Option<u64>,
    /// The number of batches in each walk.
    pub steps: usize,
}

impl Default for WalkSettings {
    fn default() -> Self {
        Self { seed: None, steps: 400 }
    }
}

impl std::fmt::Debug for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backend").field("process", &self.process).field("walk", &self.walk).finish_non_exhaustive()
    }
}

/// A clock that advances by one millisecond per reading, so that no run depends on the time of day.
#[derive(Debug)]
pub struct StepClock(AtomicI64);

impl StepClock {
    /// A start time well after the epoch of ids.
    pub const START: Millis = Millis(1_800_000_000_000);

    /// Returns a clock that starts at `time`.
    #[must_use]
    pub fn at(time: Millis) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(time.0)))
    }

    /// Sets the clock, backwards too.
    pub fn set(&self, time: Millis) {
        self.0.store(time.0, Ordering::Relaxed);
    }
}

impl Clock for StepClock {
    fn now(&self) -> Millis {
        Millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}
