//! The tail of one data source. It reads the sequenced events from the head on, once for all
//! consumers of the process, whichever process assigned the sequence numbers. It retains the last
//! events in memory. For a consumer that is further behind, the tail reads the outbox.
//!
//! A restore of an earlier state takes numbers back. The tail then begins anew at the head, and its
//! consumers take the state of the rows.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use riposte_core::Result;
use riposte_core::event::{SequencedEvent, commits};
use riposte_core::ports::EventLog;
use riposte_sync::BackoffLog;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::notifier::{Notified, POLL_MIN};
use crate::outbox_observation::OutboxObservation;

/// The number of commits whose events are read at a time.
pub(super) const CHUNK: usize = 100;
/// The number of batches that are retained.
const BATCHES: usize = 10;
/// The tail of one source. Clones share the events.
#[derive(Debug, Clone)]
pub(crate) struct EventTail {
    outbox: Arc<dyn EventLog>,
    source: usize,
    retained: Arc<Mutex<RetainedEvents>>,
    /// The end of the events read; `None` before the start.
    head: Arc<watch::Sender<Option<TailHead>>>,
}

/// The end of the events that a tail has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TailHead {
    /// The last sequence number.
    pub(super) number: i64,
    /// The number of times that the tail began anew because numbers went back.
    pub(super) resets: u64,
}

/// The last batches. They contain every event after `base` except deleted ones.
#[derive(Debug, Default)]
struct RetainedEvents {
    /// The sequence number after which the first batch was read.
    base: i64,
    batches: VecDeque<Arc<Vec<SequencedEvent>>>,
}

/// Events that were read together.
#[derive(Debug, Default)]
pub(super) struct EventBatch {
    events: Arc<Vec<SequencedEvent>>,
    from: usize,
    to: usize,
}

impl From<Vec<SequencedEvent>> for EventBatch {
    fn from(events: Vec<SequencedEvent>) -> Self {
        let to = events.len();
        Self { events: Arc::new(events), from: 0, to }
    }
}

impl Deref for EventBatch {
    type Target = [SequencedEvent];

    fn deref(&self) -> &Self::Target {
        self.events.get(self.from..self.to).unwrap_or_default()
    }
}

impl EventTail {
    /// Creates a tail that begins at the head.
    pub(crate) fn new(outbox: Arc<dyn EventLog>, source: usize) -> Self {
        Self { outbox, source, retained: Arc::default(), head: Arc::new(watch::Sender::new(None)) }
    }

    fn retained(&self) -> MutexGuard<'_, RetainedEvents> {
        // Every change is one call that cannot panic half-way.
        self.retained.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes to the progress of the tail.
    pub(super) fn progress(&self) -> watch::Receiver<Option<TailHead>> {
        self.head.subscribe()
    }

    /// Returns the last sequence number that was read, and waits for the first one.
    pub(super) async fn head(&self) -> i64 {
        let mut progress = self.progress();
        let head = progress.wait_for(Option::is_some).await.ok().and_then(|head| *head);
        // The sender lives as long as this tail.
        head.map_or(0, |head| head.number)
    }

    /// Returns the events of some of the commits after a sequence number, at most `limit`; empty if
    /// none has been read yet.
    pub(super) async fn read(&self, after: i64, limit: usize) -> Result<EventBatch> {
        if after >= self.head().await {
            return Ok(EventBatch::default());
        }
        let retained = self.retained().after(after, limit);
        match retained {
            Some(batch) => Ok(batch),
            None => self.outbox.read(self.source, after, limit).await.map(EventBatch::from),
        }
    }

    /// Follows the source forever. `numbers` reports the sequence numbers that this process
    /// assigns, and `observations` those of all processes.
    pub(crate) async fn run(self, mut numbers: Notified, mut observations: watch::Receiver<Option<OutboxObservation>>) {
        self.begin(&mut observations).await;
        let mut backoff = BackoffLog::new("tail", self.source);
        // The outbox had all events up to the head at this time.
        let mut checked = Instant::now();
        loop {
            let after = self.number();
            let is_behind =
                |observation: &OutboxObservation| observation.state.head < after && observation.begin > checked;
            let is_news = |observation: &Option<OutboxObservation>| {
                observation.as_ref().is_some_and(|known| known.state.head > after || is_behind(known))
            };
            tokio::select! {
                () = numbers.changed() => {}
                Ok(_) = observations.wait_for(is_news) => {}
            }
            let is_behind = observations.borrow().as_ref().is_some_and(is_behind);
            let read = if is_behind { self.check_head().await } else { self.read_next().await };
            match read {
                Ok(read) => {
                    backoff.succeeded();
                    if read > 0 || is_behind {
                        checked = Instant::now();
                    }
                    if read < CHUNK {
                        tokio::time::sleep(POLL_MIN).await;
                    }
                }
                Err(error) => tokio::time::sleep(backoff.failed(&error.log_text())).await,
            }
        }
    }

    /// Returns the last sequence number read; 0 before the start.
    fn number(&self) -> i64 {
        self.head.borrow().map_or(0, |head| head.number)
    }

    /// Begins at the first observed head.
    async fn begin(&self, observations: &mut watch::Receiver<Option<OutboxObservation>>) {
        let first = observations.wait_for(Option::is_some).await.ok().and_then(|first| first.clone());
        // The sender lives as long as the process.
        let head = first.map_or(0, |first| first.state.head);
        self.retained().base = head;
        self.head.send_replace(Some(TailHead { number: head, resets: 0 }));
    }

    /// Reads the next events. Returns the number of their commits.
    async fn read_next(&self) -> Result<usize> {
        let events = self.outbox.read(self.source, self.number(), CHUNK).await?;
        let Some(last) = events.last().map(|last| last.number) else { return Ok(0) };
        let read = commits(&events);
        self.retained().add(events);
        self.advance(last, 0);
        Ok(read)
    }

    /// Handles an observation, begun after the last events were read, of a head before them. Begins
    /// anew at the head if these events are gone. They are not gone if the row of the relay was
    /// damaged: the relay then continues after them. Returns the number of commits read.
    async fn check_head(&self) -> Result<usize> {
        let after = self.number();
        let head = self.outbox.head(self.source).await?;
        if head >= after || !self.outbox.read(self.source, after.saturating_sub(1), 1).await?.is_empty() {
            return self.read_next().await;
        }
        tracing::warn!(
            source = self.source + 1,
            position = after,
            head,
            "the sequence numbers went back, as after the restore of an earlier state; the consumers of this process \
             take the state of the rows"
        );
        // In this order, a reader in between finds no event that seems to be missing.
        self.advance(head, 1);
        *self.retained() = RetainedEvents { base: head, ..RetainedEvents::default() };
        Ok(0)
    }

    fn advance(&self, number: i64, resets: u64) {
        let resets = self.head.borrow().map_or(0, |head| head.resets) + resets;
        self.head.send_replace(Some(TailHead { number, resets }));
    }
}

impl RetainedEvents {
    fn add(&mut self, events: Vec<SequencedEvent>) {
        self.batches.push_back(Arc::new(events));
        if self.batches.len() > BATCHES
            && let Some(oldest) = self.batches.pop_front()
        {
            self.base = oldest.last().map_or(self.base, |last| last.number);
        }
    }

    /// Returns the retained events of up to `limit` commits after a sequence number, out of one
    /// batch; `None` if some of them are no longer retained.
    fn after(&self, after: i64, limit: usize) -> Option<EventBatch> {
        if after < self.base {
            return None;
        }
        let is_newer = |batch: &&Arc<Vec<SequencedEvent>>| batch.last().is_some_and(|last| last.number > after);
        let Some(batch) = self.batches.iter().find(is_newer) else { return Some(EventBatch::default()) };
        let from = batch.partition_point(|event| event.number <= after);
        let first = batch.get(from).map_or(after, |first| first.number);
        let last = first.saturating_add(i64::try_from(limit).unwrap_or(i64::MAX));
        let to = batch.partition_point(|event| event.number < last);
        Some(EventBatch { events: Arc::clone(batch), from, to })
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::event::{Changes, Event, SequencedEvent};
    use riposte_core::{CommentId, Millis, Partition};

    use super::{BATCHES, RetainedEvents};

    fn batch(numbers: impl IntoIterator<Item = i64>) -> Vec<SequencedEvent> {
        let subject = CommentId::new(1).expect("positive").into();
        let event = Event {
            partition: Partition::number(0),
            subject,
            revision: None,
            changes: Changes::default(),
            time: Millis(0),
        };
        numbers.into_iter().map(|number| SequencedEvent { number, event: event.clone() }).collect()
    }

    fn numbers(retained: &RetainedEvents, after: i64, limit: usize) -> Option<Vec<i64>> {
        retained.after(after, limit).map(|events| events.iter().map(|event| event.number).collect())
    }

    #[test]
    fn a_batch_is_returned_from_the_position_on_with_complete_commits() {
        let mut retained = RetainedEvents { base: 10, ..RetainedEvents::default() };
        assert_eq!((numbers(&retained, 9, 5), numbers(&retained, 10, 5)), (None, Some(vec![])));
        retained.add(batch([11, 11, 12, 13, 13, 13]));
        retained.add(batch([14, 15]));
        assert_eq!(numbers(&retained, 10, 100), Some(vec![11, 11, 12, 13, 13, 13]));
        assert_eq!(numbers(&retained, 11, 2), Some(vec![12, 13, 13, 13]));
        assert_eq!(numbers(&retained, 12, 1), Some(vec![13, 13, 13]));
        assert_eq!(numbers(&retained, 13, 100), Some(vec![14, 15]));
        assert_eq!(numbers(&retained, 15, 100), Some(vec![]));
    }

    #[test]
    fn the_oldest_batches_are_dropped_and_reported_as_missing() {
        let mut retained = RetainedEvents::default();
        (1..=BATCHES as i64 + 2).for_each(|number| retained.add(batch([number])));
        assert_eq!([0, 1].map(|after| numbers(&retained, after, 9)), [None, None]);
        assert_eq!(numbers(&retained, 2, 9), Some(vec![3]));
    }
}
