//! The hub as an event consumer: it follows the tail in every process that serves calls.

use async_trait::async_trait;
use riposte_core::Result;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Applied, ConsumerScope, EventConsumer, Position};

use super::WatchHub;

#[async_trait]
impl EventConsumer for WatchHub {
    fn name(&self) -> &'static str {
        "watch"
    }

    fn scope(&self) -> ConsumerScope {
        ConsumerScope::Process
    }

    async fn start(&self, _source: usize) -> Result<Position> {
        Ok(Position::Head)
    }

    async fn apply(&self, _source: usize, events: &[SequencedEvent]) -> Result<Applied> {
        self.update(events).await?;
        Ok(Applied::all(events))
    }

    /// Queries the events of the gap, which watchers that joined before it have not received.
    async fn gap(&self, _source: usize) -> Result<()> {
        self.catch_up().await
    }
}
