//! The rank index: the scores of comments with likes, dislikes or replies.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::Result;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Applied, Batching, ConsumerScope, EventConsumer, Position, RANK_INDEX, RankIndexes};

use super::rebuild::{COMMENTS, SourceSubjects};

/// Keeps the rank index up to date.
#[derive(Debug)]
pub struct RankIndexConsumer {
    /// The rows of the index.
    pub index: Arc<dyn RankIndexes>,
    /// The subjects from which a source is rebuilt.
    pub subjects: SourceSubjects,
}

#[async_trait]
impl EventConsumer for RankIndexConsumer {
    fn name(&self) -> &'static str {
        RANK_INDEX
    }

    /// A vote changes two or three rows of the index. If a comment receives many votes within an
    /// interval, these rows are written once. The delay is not visible, since a list uses a ranking
    /// snapshot for a longer time.
    fn scope(&self) -> ConsumerScope {
        ConsumerScope::Leader(Batching { interval: Duration::from_millis(500), ..Batching::DEFAULT })
    }

    async fn start(&self, _source: usize) -> Result<Position> {
        Ok(Position::Stored)
    }

    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<Applied> {
        self.index.apply(source, events).await?;
        Ok(Applied::all(events))
    }

    async fn gap(&self, source: usize) -> Result<()> {
        let rebuild = |key, after| async move { self.index.rebuild(&key, after, COMMENTS).await };
        self.subjects.rebuild(source, rebuild).await
    }
}
