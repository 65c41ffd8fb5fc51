//! The invalidation of the response cache of this process.

use async_trait::async_trait;
use riposte_core::Result;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Applied, ConsumerScope, EventConsumer, Position};

use crate::response_cache::ResponseCache;

/// Invalidates the cached responses whose subjects changed.
#[derive(Debug)]
pub struct ResponseCacheConsumer {
    /// The cache.
    pub cache: ResponseCache,
}

#[async_trait]
impl EventConsumer for ResponseCacheConsumer {
    fn name(&self) -> &'static str {
        "response_cache"
    }

    fn scope(&self) -> ConsumerScope {
        ConsumerScope::Process
    }

    async fn start(&self, _source: usize) -> Result<Position> {
        Ok(Position::Head)
    }

    async fn apply(&self, _source: usize, events: &[SequencedEvent]) -> Result<Applied> {
        self.cache.update(events);
        Ok(Applied::all(events))
    }

    async fn gap(&self, _source: usize) -> Result<()> {
        self.cache.invalidate();
        Ok(())
    }
}
