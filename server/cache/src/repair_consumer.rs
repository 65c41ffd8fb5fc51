//! The repair of the cache. The process that holds the lease of the source repairs a shared cache;
//! a process repairs its own in-process cache.

use async_trait::async_trait;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Applied, Batching, ConsumerScope, EventConsumer, Position, RANK_INDEX};
use riposte_core::{Error, Result};
use tokio::sync::{Mutex, MutexGuard};

use crate::repair::CacheRepair;

/// Applies events to the cache. Its cursors are stored in the cache, next to the data that they
/// describe.
#[derive(Debug)]
pub struct CacheRepairConsumer {
    is_shared: bool,
    /// The repair of each source. One loop uses each of them.
    sources: Vec<Mutex<CacheRepair>>,
}

impl CacheRepairConsumer {
    /// Creates the consumer of a cache that is shared or inside this process, with the repair of
    /// each source.
    #[must_use]
    pub fn new(is_shared: bool, sources: Vec<CacheRepair>) -> Self {
        Self { is_shared, sources: sources.into_iter().map(Mutex::new).collect() }
    }

    async fn repair(&self, source: usize) -> Result<MutexGuard<'_, CacheRepair>> {
        let repair = self.sources.get(source).ok_or_else(|| Error::internal("a source without a cache repair"))?;
        Ok(repair.lock().await)
    }
}

#[async_trait]
impl EventConsumer for CacheRepairConsumer {
    fn name(&self) -> &'static str {
        "cache_repair"
    }

    fn scope(&self) -> ConsumerScope {
        if self.is_shared {
            ConsumerScope::Leader(Batching { commits: 100, ..Batching::DEFAULT })
        } else {
            ConsumerScope::Process
        }
    }

    /// Previews that were read from a rank index without these events are not cached. So the rank
    /// index applies the events first.
    fn after(&self) -> Option<&'static str> {
        Some(RANK_INDEX)
    }

    async fn start(&self, source: usize) -> Result<Position> {
        self.repair(source).await?.start().await.map(Position::Own)
    }

    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<Applied> {
        self.repair(source).await?.apply(events).await.map(Applied)
    }

    async fn gap(&self, source: usize) -> Result<()> {
        self.repair(source).await?.renew_all().await
    }

    async fn lost_lease(&self, source: usize) {
        if let Ok(mut repair) = self.repair(source).await {
            repair.discard_cursors();
        }
    }

    async fn idle(&self, source: usize) -> Result<()> {
        self.repair(source).await?.check_cursors().await
    }
}
