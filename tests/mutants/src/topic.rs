//! The mutant of the topic.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::Result;
use riposte_core::feed::FeedEvent;
use riposte_core::ports::{EventTopic, TopicGap};

use crate::mutant::Mutant;

/// The topic, with a mutant.
#[derive(Debug)]
pub(crate) struct MutantTopic {
    inner: Arc<dyn EventTopic>,
    mutant: Mutant,
}

impl MutantTopic {
    pub(crate) fn new(inner: Arc<dyn EventTopic>, mutant: Mutant) -> Self {
        Self { inner, mutant }
    }
}

#[async_trait]
impl EventTopic for MutantTopic {
    async fn send(&self, source: usize, events: &[Arc<FeedEvent>]) -> Result<()> {
        if self.mutant != Mutant::TopicAckedEarly {
            return self.inner.send(source, events).await;
        }
        let (inner, events) = (Arc::clone(&self.inner), events.to_vec());
        tokio::spawn(async move {
            // What the topic does not store is lost: the position has moved.
            let _ = inner.send(source, &events).await;
        });
        Ok(())
    }

    async fn send_gap(&self, source: usize, gap: TopicGap) -> Result<()> {
        self.inner.send_gap(source, gap).await
    }

    async fn check(&self) {
        self.inner.check().await;
    }

    async fn stop(&self, source: usize) {
        self.inner.stop(source).await;
    }
}
