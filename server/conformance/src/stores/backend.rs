//! What the suite runs on.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures::future::BoxFuture;
use riposte_core::Millis;
use riposte_core::ports::{
    Clock, CountRepair, IdSource, MemberHistories, Outbox, RankIndexes, Rankings, Reader, Writer,
};
use tokio::sync::Mutex;

/// The ports of one process.
#[derive(Debug, Clone)]
pub struct Process {
    /// Reads.
    pub reader: Arc<dyn Reader>,
    /// Commits.
    pub writer: Arc<dyn Writer>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
    /// What commits left to be told.
    pub outbox: Arc<dyn Outbox>,
    /// Members' histories.
    pub histories: Arc<dyn MemberHistories>,
    /// The boards of ranked orders.
    pub boards: Arc<dyn RankIndexes>,
    /// Frozen rankings.
    pub rankings: Arc<dyn Rankings>,
    /// Repairs.
    pub repairer: Arc<dyn CountRepair>,
}

/// Starts a process over the backend's rows, under a clock.
pub type Start = Arc<dyn Fn(Arc<dyn Clock>) -> BoxFuture<'static, Process> + Send + Sync>;

/// A backend: its first process, and the way to start more.
#[derive(Clone)]
pub struct Backend {
    /// The process that most cases talk to.
    pub process: Process,
    /// Starts another one beside it, over the same rows.
    pub start: Start,
    /// Where the random walks begin and how long they are.
    pub walk: Walk,
    /// Whose turn it is to number events. All cases share the sources, and each source has one lead: a case that leads
    /// holds this, and moves the time beyond the terms of those before it.
    pub turn: Arc<Mutex<Millis>>,
}

impl Backend {
    /// A backend whose first process is `process`, before any case was played on it.
    #[must_use]
    pub fn new(process: Process, start: Start, walk: Walk) -> Self {
        Self { process, start, walk, turn: Arc::new(Mutex::new(StepClock::START)) }
    }
}

/// The length of the random walks, and where they begin.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    /// The seed to replay; `None` = each walk has its own.
    pub seed: Option<u64>,
    /// Batches in each walk.
    pub steps: usize,
}

impl Default for Walk {
    fn default() -> Self {
        Self { seed: None, steps: 400 }
    }
}

impl std::fmt::Debug for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backend").field("process", &self.process).field("walk", &self.walk).finish_non_exhaustive()
    }
}

/// A clock that moves a millisecond whenever somebody looks, so that no run depends on the time of day.
#[derive(Debug)]
pub struct StepClock(AtomicI64);

impl StepClock {
    /// Some day well after the epoch of ids.
    pub const START: Millis = Millis(1_800_000_000_000);

    /// A clock that starts at `time`.
    #[must_use]
    pub fn at(time: Millis) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(time.0)))
    }

    /// Moves it, backwards too.
    pub fn set(&self, time: Millis) {
        self.0.store(time.0, Ordering::Relaxed);
    }
}

impl Clock for StepClock {
    fn now(&self) -> Millis {
        Millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}
