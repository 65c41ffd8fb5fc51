//! The oracle of the suite: the ports over plain maps, written for correctness instead of speed.
//!
//! The oracle and the stores share the decisions of the domain, and nothing else. The oracle does
//! not trust stored counts: every read counts the rows again, and after every commit the counts
//! that the domain computed from its deltas are compared with the rows. Lists are a filter and a
//! sort.

mod commit;
pub(crate) mod count_audit;
mod histories;
mod lists;
mod outbox;
mod outbox_setup;
mod pages;
mod ranks;
mod read;
mod recount;
mod repair;
mod reports;
mod reviews;
mod standings;
mod tables;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use riposte_core::ids::{IdError, IdGenerator, IdLease, IdTick, WORKERS};
use riposte_core::object_type::HotProfile;
use riposte_core::ports::{Clock, IdSource};
use riposte_core::rank::RankingConfig;
use riposte_core::{Batch, Command, CommandOutput, CommentId, Error, Partition, Policies, Policy, Result, SubjectKey};
use riposte_core::{CommandLog, Writer};

use tables::Tables;

/// The only object type of the suite whose HOT ranking decays.
pub(crate) const DECAYING: &str = "decaying";

/// The object type whose replies are stored as roots (`max_depth` 1).
pub(crate) const FLAT: &str = "flat";

/// Returns the ranking configuration of the suite, which the oracle and every backend use. Its
/// rankings contain few comments, so that the lists of most cases are longer.
#[must_use]
pub fn ranking_config() -> RankingConfig {
    let decaying = Policy { hot: HotProfile::Decaying, ..Policy::default() };
    let flat = Policy { max_depth: 1, ..Policy::default() };
    let registered = BTreeMap::from([(DECAYING.to_owned(), decaying), (FLAT.to_owned(), flat)]);
    RankingConfig { depth: 12, policies: Arc::new(Policies::open(registered, Policy::default())) }
}

/// One process over the rows of the oracle. [`Model::another`] returns further processes over the
/// same rows.
#[derive(Debug)]
pub struct Model {
    shared: Arc<Shared>,
    /// The oracle from which these rows were copied.
    primary: Option<Arc<Model>>,
    generator: Mutex<IdGenerator>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug)]
struct Shared {
    tables: Mutex<Tables>,
    /// The commands of other processes that are committed between the steps of a test.
    interleaved: Mutex<VecDeque<Command>>,
    ranking: RankingConfig,
    /// The clock of the database, which all processes share.
    clock: Arc<dyn Clock>,
    workers: AtomicU64,
    requests: AtomicU64,
}

impl Model {
    /// Returns an empty oracle.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::with_rows(Tables::default(), clock)
    }

    /// Returns a second process over the same rows, with its own worker number and clock.
    #[must_use]
    pub fn another(&self, clock: Arc<dyn Clock>) -> Self {
        Self::over(Arc::clone(&self.shared), clock)
    }

    /// Returns a reader of the present rows, as a cache would return them later. Later commits are
    /// visible only to its [`primary`](riposte_core::ports::Reader::primary) reader, which is this
    /// oracle.
    #[must_use]
    pub fn copied(self: &Arc<Self>) -> Self {
        let copy = Self::with_rows(self.tables().clone(), Arc::clone(&self.clock));
        Self { primary: Some(Arc::clone(self)), ..copy }
    }

    /// Adds commands of other processes. Before each read by floors and before each submitted batch
    /// the next one is committed.
    pub fn interleave(&self, commands: impl IntoIterator<Item = Command>) {
        self.shared.interleaved.lock().unwrap_or_else(PoisonError::into_inner).extend(commands);
    }

    /// Commits the next command of another process.
    fn commit_interleaved(&self) -> Result<()> {
        let next = self.shared.interleaved.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let now = self.shared.clock.now();
        next.map_or(Ok(()), |command| self.tables().commit(&vec![command].into(), now).map(drop))
    }

    fn with_rows(tables: Tables, clock: Arc<dyn Clock>) -> Self {
        let (interleaved, workers, requests) = Default::default();
        let (tables, ranking, database_clock) = (Mutex::new(tables), ranking_config(), Arc::clone(&clock));
        let shared = Shared { tables, interleaved, ranking, clock: database_clock, workers, requests };
        Self::over(Arc::new(shared), clock)
    }

    fn over(shared: Arc<Shared>, clock: Arc<dyn Clock>) -> Self {
        let worker = shared.workers.fetch_add(1, Ordering::Relaxed) % u64::from(WORKERS);
        let lease = IdLease { worker: worker as u8, from: IdTick(1), until: IdTick::MAX };
        Self { shared, primary: None, generator: Mutex::new(IdGenerator::new(lease)), clock }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        // A case that panics must not fail other cases: a commit is applied after every step that
        // can fail.
        self.shared.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Writer for Model {
    async fn commit(&self, batch: &Batch) -> Result<Vec<Result<CommandOutput>>> {
        let now = self.shared.clock.now();
        self.tables().commit(batch, now)
    }
}

#[async_trait]
impl CommandLog for Model {
    async fn submit(&self, batch: Batch) -> Result<Vec<Result<CommandOutput>>> {
        self.commit_interleaved()?;
        let now = self.shared.clock.now();
        self.tables().commit(&one_subject(batch)?, now)
    }
}

/// Checks the precondition of [`CommandLog::submit`].
fn one_subject(batch: Batch) -> Result<Batch> {
    let subjects: BTreeSet<&SubjectKey> = match &batch {
        Batch::Comments(commands) => commands.iter().map(|command| &command.subject).collect(),
        Batch::Likes(commands) => commands.iter().map(|command| &command.subject).collect(),
    };
    if subjects.len() <= 1 { Ok(batch) } else { Err(Error::internal("a submitted batch has several subjects")) }
}

#[async_trait]
impl IdSource for Model {
    async fn comment(&self, partition: Partition) -> Result<CommentId> {
        let now = IdTick::at(self.clock.now());
        let mut generator = self.generator.lock().unwrap_or_else(PoisonError::into_inner);
        generator.generate(partition, now).map_err(|error| match error {
            IdError::LeaseExpired => Error::internal("the lease of the oracle never expires"),
            IdError::Exhausted => Error::Overloaded { after: std::time::Duration::from_secs(1) },
        })
    }

    fn request(&self) -> [u8; 16] {
        let number = self.shared.requests.fetch_add(1, Ordering::Relaxed);
        (u128::from(number) | 1 << 127).to_be_bytes()
    }
}
