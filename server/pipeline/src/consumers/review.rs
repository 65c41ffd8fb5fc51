//! The reviews below subjects that were restored: a claim closed them while the subject was
//! deleted.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Applied, Batching, ConsumerScope, EventConsumer, Position, Reviews};
use riposte_core::{Result, SubjectId};

/// Opens reviews again below changed subjects.
#[derive(Debug)]
pub struct ReviewConsumer {
    /// The queue of open reviews.
    pub reviews: Arc<dyn Reviews>,
}

#[async_trait]
impl EventConsumer for ReviewConsumer {
    fn name(&self) -> &'static str {
        "review"
    }

    fn scope(&self) -> ConsumerScope {
        ConsumerScope::Leader(Batching::DEFAULT)
    }

    async fn start(&self, _source: usize) -> Result<Position> {
        Ok(Position::Stored)
    }

    async fn apply(&self, _source: usize, events: &[SequencedEvent]) -> Result<Applied> {
        let changed = events.iter().map(|sequenced| &sequenced.event).filter(|event| event.changes.subject);
        let subjects: BTreeSet<SubjectId> = changed.map(|event| event.subject).collect();
        if !subjects.is_empty() {
            let subjects: Vec<SubjectId> = subjects.into_iter().collect();
            self.reviews.reopen(&subjects).await?;
        }
        Ok(Applied::all(events))
    }

    async fn gap(&self, source: usize) -> Result<()> {
        self.reviews.reopen_all(source).await.map(drop)
    }
}
