//! The feed of events for other services. Every process follows the tail once for all subscribers,
//! and retains the last events of each source in a ring, complete with the rows that they name. A
//! subscriber is a position in these rings, and costs no read while it keeps up. For one that
//! begins further back, the outbox is read.
//!
//! Without a subscriber nothing is read: the ring only follows the sequence numbers.

mod consumer;
mod past;
mod progress;
pub(crate) mod resolve;
mod ring;
mod subscription;

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::event::SequencedEvent;
use riposte_core::feed::{EventFilter, EventPosition, FeedPosition};
use riposte_core::ports::{Clock, EventLog, EventRows, EventSubscription, EventSubscriptions};
use riposte_core::{Error, Millis, Result};
use tokio::sync::watch;

use crate::notifier::Notifier;
use crate::outbox_observation::OutboxObservation;
use past::PastEvents;
use progress::HeadMark;
use resolve::resolve;
use ring::{FeedRing, RingRead};
use subscription::Subscription;

/// The time for which the rings are filled after the last subscriber, so that a client that reads
/// page by page costs no read either.
const LINGER: Duration = Duration::from_secs(30);

/// The feed of this process. Cloning is cheap, and clones share it.
#[derive(Debug, Clone)]
pub struct FeedHub(Arc<FeedState>);

/// The ports and settings of the feed.
#[derive(Debug)]
pub struct FeedPorts {
    /// The outboxes of all sources.
    pub outbox: Arc<dyn EventLog>,
    /// The rows that events name.
    pub rows: Arc<dyn EventRows>,
    /// Has the last observed states of the outboxes.
    pub notifier: Notifier,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The timeline of the data.
    pub timeline: u16,
    /// The age up to which events are available.
    pub retention: Duration,
}

#[derive(Debug)]
struct FeedState {
    ports: FeedPorts,
    rings: Vec<Mutex<FeedRing>>,
    /// The last observed states of the outboxes.
    observations: Vec<watch::Receiver<Option<OutboxObservation>>>,
    /// The number of changes of the rings.
    changes: watch::Sender<u64>,
    closing: watch::Sender<bool>,
    subscribers: AtomicUsize,
    /// The time of the last end of a subscription, in milliseconds.
    last_end: AtomicI64,
}

/// A subscriber, for as long as it exists.
#[derive(Debug)]
struct SubscriberGuard(FeedHub);

impl FeedHub {
    /// Creates a feed without subscribers.
    #[must_use]
    pub fn new(ports: FeedPorts) -> Self {
        let sources = || 0..ports.outbox.sources();
        let rings = sources().map(|_| Mutex::default()).collect();
        let observations = sources().map(|source| ports.notifier.observations(source)).collect();
        let (changes, closing) = (watch::Sender::new(0), watch::Sender::new(false));
        let (subscribers, last_end) = (AtomicUsize::new(0), AtomicI64::new(i64::MIN));
        Self(Arc::new(FeedState { rings, observations, ports, changes, closing, subscribers, last_end }))
    }

    /// Ends every subscription and rejects new ones.
    pub fn close(&self) {
        self.0.closing.send_replace(true);
    }

    fn ports(&self) -> &FeedPorts {
        &self.0.ports
    }

    fn sources(&self) -> usize {
        self.0.rings.len()
    }

    fn ring(&self, source: usize) -> Option<MutexGuard<'_, FeedRing>> {
        // Every change of a ring is one call that cannot panic half-way.
        Some(self.0.rings.get(source)?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the last sequence number that a ring covers; `None` before the start.
    fn head(&self, source: usize) -> Option<i64> {
        self.ring(source)?.head()
    }

    fn read(&self, source: usize, from: EventPosition, filter: &EventFilter) -> RingRead {
        self.ring(source).map_or(RingRead::End, |ring| ring.read(from, filter))
    }

    fn has_subscribers(&self) -> bool {
        let last_end = Millis(self.0.last_end.load(Ordering::Acquire));
        self.0.subscribers.load(Ordering::Acquire) > 0 || self.ports().clock.now() < last_end.plus(LINGER)
    }

    fn join(&self) -> SubscriberGuard {
        self.0.subscribers.fetch_add(1, Ordering::AcqRel);
        SubscriberGuard(self.clone())
    }

    /// Begins the ring of a source anew after a sequence number.
    fn restart(&self, source: usize, head: i64) {
        self.ring(source).iter_mut().for_each(|ring| ring.begin(head));
        self.notify();
    }

    /// Returns the number of times that the numbers of a source went back.
    fn resets(&self, source: usize) -> u64 {
        self.ring(source).map_or(0, |ring| ring.resets())
    }

    /// Adds the events of a source to its ring. Repeated ones change nothing.
    async fn update(&self, source: usize, events: &[SequencedEvent]) -> Result<()> {
        let Some(last) = events.last().map(|last| last.number) else { return Ok(()) };
        if !self.skip_to(source, last) {
            let commits = resolve(&*self.ports().rows, source, events).await?;
            self.ring(source).iter_mut().for_each(|ring| ring.extend(&commits, last));
        }
        self.notify();
        Ok(())
    }

    /// Lets the ring of a source follow the numbers alone. Returns false, and changes nothing, if
    /// there is a subscriber: it joins before it reads the ring, so none has read it by then.
    fn skip_to(&self, source: usize, last: i64) -> bool {
        let Some(mut ring) = self.ring(source) else { return true };
        let is_skipped = !self.has_subscribers();
        if is_skipped {
            ring.skip_to(last);
        }
        is_skipped
    }

    fn notify(&self) {
        self.0.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    /// Returns the position after all events that the process knows.
    async fn end(&self) -> Result<FeedPosition> {
        let mut sources = Vec::with_capacity(self.sources());
        for source in 0..self.sources() {
            let head = match self.head(source) {
                Some(head) => head,
                None => self.ports().outbox.head(source).await?,
            };
            sources.push(EventPosition::after(head));
        }
        Ok(FeedPosition { timeline: self.ports().timeline, sources })
    }

    /// Returns the last observed sequence number of a source, with a time before which every commit
    /// has at most this number.
    fn mark(&self, source: usize) -> Option<HeadMark> {
        let observation = self.0.observations.get(source)?.borrow().clone()?;
        // Commits that waited for their numbers are older than this.
        let age = observation.begin.elapsed() + observation.oldest;
        let time = Millis(self.ports().clock.now().0.saturating_sub(millis(age)));
        Some(HeadMark { head: observation.state.head, time })
    }

    fn past(&self) -> PastEvents<'_> {
        let ports = self.ports();
        let oldest = Millis(ports.clock.now().0.saturating_sub(millis(ports.retention)));
        PastEvents { outbox: &*ports.outbox, rows: &*ports.rows, oldest }
    }
}

#[async_trait]
impl EventSubscriptions for FeedHub {
    async fn open(&self, filter: EventFilter, from: Option<FeedPosition>) -> Result<Box<dyn EventSubscription>> {
        if *self.0.closing.borrow() {
            return Err(Error::ServerStopping);
        }
        let guard = self.join();
        Ok(Box::new(Subscription::open(guard, filter, from).await?))
    }
}

impl Drop for SubscriberGuard {
    fn drop(&mut self) {
        let Self(hub) = self;
        // The time comes first: in between, the rings are filled for the subscriber.
        hub.0.last_end.store(hub.ports().clock.now().0, Ordering::Release);
        hub.0.subscribers.fetch_sub(1, Ordering::AcqRel);
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
