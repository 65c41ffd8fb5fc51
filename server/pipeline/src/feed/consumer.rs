//! The feed as an event consumer: it follows the tail in every process that serves calls.

use async_trait::async_trait;
use riposte_core::Result;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Applied, ConsumerScope, EventConsumer, Position};

use super::FeedHub;

#[async_trait]
impl EventConsumer for FeedHub {
    fn name(&self) -> &'static str {
        "event_feed"
    }

    fn scope(&self) -> ConsumerScope {
        ConsumerScope::Process
    }

    async fn start(&self, _source: usize) -> Result<Position> {
        Ok(Position::Head)
    }

    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<Applied> {
        self.update(source, events).await?;
        Ok(Applied::all(events))
    }

    /// Begins the ring anew. Subscribers before it read the events of the gap from the outbox.
    async fn gap(&self, source: usize) -> Result<()> {
        let head = self.ports().outbox.head(source).await?;
        self.restart(source, head);
        Ok(())
    }
}
