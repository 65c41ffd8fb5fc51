//! The oracle of the suite: the ports over plain maps, written for correctness instead of speed.
//!
//! It shares the decisions with every store (they belong to the domain), and nothing else. It does
//! not trust stored counts: every read counts the rows again, and after every commit the values
//! that the domain computed from its deltas are compared with that count. Lists are a filter and a
//! sort.

mod audit;
pub(crate) mod census;
mod commit;
mod lists;
mod outbox;
mod pages;
mod ranks;
mod read;
mod tables;
mod upkeep;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use riposte_core::Writer;
use riposte_core::ids::{IdError, IdGenerator, IdLease, IdTick, WORKERS};
use riposte_core::object_type::HotProfile;
use riposte_core::ports::{Clock, IdSource};
use riposte_core::rank::RankingConfig;
use riposte_core::{Batch, CommandOutput, CommentId, Error, Partition, Policies, Policy, Result};

use tables::Tables;

/// The only object type of the suite whose HOT ranking decays.
pub(crate) const DECAYING: &str = "decaying";

/// The object type whose replies are stored as roots (`max_depth` 1).
pub(crate) const FLAT: &str = "flat";

/// Returns the ranking configuration of the suite, which the oracle and every backend use. Its
/// rankings hold so few comments that the lists of most cases exceed them.
#[must_use]
pub fn rules() -> RankingConfig {
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
    minter: Mutex<IdGenerator>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug)]
struct Shared {
    tables: Mutex<Tables>,
    rules: RankingConfig,
    workers: AtomicU64,
    requests: AtomicU64,
}

impl Model {
    /// Returns an empty oracle.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let (tables, workers, requests) = Default::default();
        Self::over(Arc::new(Shared { tables, rules: rules(), workers, requests }), clock)
    }

    /// Returns a second process over the same rows, with its own worker number and clock.
    #[must_use]
    pub fn another(&self, clock: Arc<dyn Clock>) -> Self {
        Self::over(Arc::clone(&self.shared), clock)
    }

    fn over(shared: Arc<Shared>, clock: Arc<dyn Clock>) -> Self {
        let worker = shared.workers.fetch_add(1, Ordering::Relaxed) % u64::from(WORKERS);
        let lease = IdLease { worker: worker as u8, from: IdTick(1), until: IdTick::MAX };
        Self { shared, minter: Mutex::new(IdGenerator::new(lease)), clock }
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
        self.tables().commit(batch)
    }
}

#[async_trait]
impl IdSource for Model {
    async fn comment(&self, partition: Partition) -> Result<CommentId> {
        let now = IdTick::at(self.clock.now());
        let mut minter = self.minter.lock().unwrap_or_else(PoisonError::into_inner);
        minter.mint(partition, now).map_err(|refused| match refused {
            IdError::LeaseExpired => Error::internal("the oracle's lease never ends"),
            IdError::Exhausted => Error::Overloaded { after: std::time::Duration::from_secs(1) },
        })
    }

    fn request(&self) -> [u8; 16] {
        let number = self.shared.requests.fetch_add(1, Ordering::Relaxed);
        (u128::from(number) | 1 << 127).to_be_bytes()
    }
}
