//! The member histories: the comments of each member, over all subjects.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::Result;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Applied, Batching, ConsumerScope, EventConsumer, MEMBER_HISTORY, MemberHistories, Position};

use super::rebuild::{COMMENTS, SourceSubjects};

/// Keeps the member histories up to date.
#[derive(Debug)]
pub struct MemberHistoryConsumer {
    /// The rows of the histories.
    pub histories: Arc<dyn MemberHistories>,
    /// The subjects from which a source is rebuilt.
    pub subjects: SourceSubjects,
}

#[async_trait]
impl EventConsumer for MemberHistoryConsumer {
    fn name(&self) -> &'static str {
        MEMBER_HISTORY
    }

    fn scope(&self) -> ConsumerScope {
        ConsumerScope::Leader(Batching::DEFAULT)
    }

    async fn start(&self, _source: usize) -> Result<Position> {
        Ok(Position::Stored)
    }

    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<Applied> {
        self.histories.apply(source, events).await?;
        Ok(Applied::all(events))
    }

    async fn gap(&self, source: usize) -> Result<()> {
        let rebuild = |key, after| async move { self.histories.rebuild(&key, after, COMMENTS).await };
        self.subjects.rebuild(source, rebuild).await
    }
}
