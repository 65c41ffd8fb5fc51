//! The topic as an event consumer: the leader of a data source sends its public events, and moves
//! its position once the topic has stored them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::event::SequencedEvent;
use riposte_core::feed::{EventScope, FeedEvent, GapReason};
use riposte_core::ports::{
    Applied, Batching, Clock, ConsumerPositions, ConsumerScope, EventConsumer, EventForwarder, EventRows, EventTopic,
    MissedCause, MissedEvents, Position, PositionRemoval, TOPIC_PREFIX, TopicGap,
};
use riposte_core::{Error, Result};
use riposte_telemetry::Metrics;
use tokio::time::Instant;

use crate::feed::resolve::resolve;

/// Other services wait for the events, so the interval is shorter than that of other consumers.
const BATCHING: Batching = Batching { commits: 100, interval: Duration::from_millis(50) };
/// The interval between two attempts to remove the position of another timeline.
const REMOVAL_INTERVAL: Duration = Duration::from_secs(10);

/// The ports of the topic as a consumer.
#[derive(Debug, Clone)]
pub struct TopicPorts {
    /// The topic.
    pub topic: Arc<dyn EventTopic>,
    /// The rows that events name.
    pub rows: Arc<dyn EventRows>,
    /// The positions of the consumers.
    pub positions: Arc<dyn ConsumerPositions>,
    /// The clock with which the delay of events is measured.
    pub clock: Arc<dyn Clock>,
    /// The metrics of the topic.
    pub metrics: Metrics,
}

/// Sends the public events to the topic.
#[derive(Debug)]
pub struct TopicConsumer {
    ports: TopicPorts,
    /// The stored name, which contains the timeline.
    name: String,
    /// The positions of other timelines that are still stored, by data source.
    outdated: Mutex<BTreeMap<usize, Outdated>>,
}

#[derive(Debug, Clone)]
struct Outdated {
    names: Vec<String>,
    last_attempt: Option<Instant>,
}

impl TopicConsumer {
    /// Creates the consumer for a timeline of the data.
    #[must_use]
    pub fn new(ports: TopicPorts, timeline: u16) -> Self {
        Self { ports, name: format!("{TOPIC_PREFIX}{timeline}"), outdated: Mutex::default() }
    }

    /// Returns the names of the positions that other timelines have in a source.
    async fn other_timelines(&self, source: usize) -> Result<Vec<String>> {
        let names = self.ports.positions.all(source).await?.into_iter().map(|stored| stored.name);
        Ok(names.filter(|name| name.starts_with(TOPIC_PREFIX) && *name != self.name).collect())
    }

    fn set_outdated(&self, source: usize, names: Vec<String>, last_attempt: Option<Instant>) {
        let mut outdated = self.outdated.lock().unwrap_or_else(PoisonError::into_inner);
        if names.is_empty() {
            outdated.remove(&source);
        } else {
            outdated.insert(source, Outdated { names, last_attempt });
        }
    }

    /// Removes the positions of other timelines, for which events are kept. One that a running
    /// worker registers stays until that worker has stopped.
    async fn remove_outdated(&self, source: usize) -> Result<()> {
        let outdated = self.outdated.lock().unwrap_or_else(PoisonError::into_inner).get(&source).cloned();
        let is_due = |last: Option<Instant>| last.is_none_or(|last| last.elapsed() >= REMOVAL_INTERVAL);
        let Some(outdated) = outdated.filter(|outdated| is_due(outdated.last_attempt)) else { return Ok(()) };
        let mut left = Vec::new();
        for name in outdated.names {
            let now = self.ports.clock.now();
            if self.ports.positions.remove(source, &name, now).await? == PositionRemoval::Registered {
                left.push(name);
            }
        }
        self.set_outdated(source, left, Some(Instant::now()));
        Ok(())
    }
}

#[async_trait]
impl EventConsumer for TopicConsumer {
    fn name(&self) -> &str {
        &self.name
    }

    fn scope(&self) -> ConsumerScope {
        ConsumerScope::Leader(BATCHING)
    }

    async fn start(&self, source: usize) -> Result<Position> {
        let names = self.other_timelines(source).await?;
        self.set_outdated(source, names, None);
        Ok(Position::Forwarding)
    }

    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<Applied> {
        let commits = resolve(&*self.ports.rows, source, events).await?;
        let is_public = |event: &Arc<FeedEvent>| event.event.scope == EventScope::Public;
        let events_to_send: Vec<_> = commits.into_iter().flat_map(|commit| commit.events).filter(is_public).collect();
        if !events_to_send.is_empty() {
            self.ports.topic.send(source, &events_to_send).await?;
            let now = self.ports.clock.now();
            for event in &events_to_send {
                let millis = now.0.saturating_sub(event.event.time.0).max(0);
                self.ports.metrics.topic_event(source, Duration::from_millis(millis.unsigned_abs()));
            }
        }
        Ok(Applied::all(events))
    }

    async fn gap(&self, _source: usize) -> Result<()> {
        Err(Error::internal("the topic has no state of the rows"))
    }

    async fn lost_lease(&self, source: usize) {
        self.ports.topic.stop(source).await;
    }

    async fn idle(&self, source: usize) -> Result<()> {
        self.ports.topic.check().await;
        self.remove_outdated(source).await
    }
}

#[async_trait]
impl EventForwarder for TopicConsumer {
    /// Reports the gap to every reader of the topic. The first position of all has no gap: the
    /// topic begins there.
    async fn resume(&self, source: usize, missed: MissedEvents) -> Result<i64> {
        let reason = match missed.cause {
            MissedCause::Deleted => Some(GapReason::Retention),
            MissedCause::Restored => Some(GapReason::Restored),
            MissedCause::NoPosition if self.other_timelines(source).await?.is_empty() => None,
            MissedCause::NoPosition => Some(GapReason::Restored),
        };
        if let Some(reason) = reason {
            let gap = TopicGap { reason, next: missed.last.saturating_add(1) };
            self.ports.topic.send_gap(source, gap).await?;
            self.ports.metrics.topic_gap(source);
        }
        Ok(missed.last)
    }
}

#[cfg(test)]
mod tests;
