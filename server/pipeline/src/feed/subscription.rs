//! One subscription: positions in the rings of all sources.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::feed::{EventFilter, EventPosition, FeedEvent, FeedPosition, GapReason};
use riposte_core::ports::{EventSubscription, FeedItem, FeedTimes};
use riposte_core::{Error, Millis, Result};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::past::PastRead;
use super::progress::FeedProgress;
use super::ring::RingRead;
use super::{FeedHub, SubscriberGuard};

/// The interval of items of progress. Clients are promised one every 10 s.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);
/// The interval at which the progress is recorded.
const PROGRESS_RECORD: Duration = Duration::from_millis(500);
/// The time for which an event may wait for a client that has received all earlier ones.
const LATE: Duration = Duration::from_secs(5);
/// The wait before the outbox of an unavailable source is read again.
const RETRY: Duration = Duration::from_secs(1);

/// One subscription. It retains a few events at a time; everything else is in the rings.
#[derive(Debug)]
pub(super) struct Subscription {
    guard: SubscriberGuard,
    filter: EventFilter,
    /// The position after the last item.
    position: FeedPosition,
    ready: ReadyEvents,
    sources: Vec<SourceState>,
    /// The source that is read next.
    next_source: usize,
    /// A gap at the beginning.
    gap: Option<GapReason>,
    changes: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    begin: Millis,
    progress: FeedProgress,
    last_record: Option<Instant>,
    last_progress: Instant,
    /// The time at which the last item was returned.
    last_item: Instant,
}

/// The next events, all of one source.
#[derive(Debug)]
struct ReadyEvents {
    source: usize,
    events: VecDeque<Arc<FeedEvent>>,
    /// The position after all of them.
    end: EventPosition,
}

/// The state of one source.
#[derive(Debug, Clone, Copy, Default)]
struct SourceState {
    /// True once the subscriber has read from the ring: from then on it must not fall out of it.
    is_current: bool,
    /// True once a position after the ring was compared with the outbox.
    is_checked: bool,
    /// The number of times that the numbers of the source had gone back when it was read last.
    resets: u64,
    /// The time at which the outbox is read again after a failure.
    retry: Option<Instant>,
}

impl Subscription {
    pub(super) async fn open(guard: SubscriberGuard, filter: EventFilter, from: Option<FeedPosition>) -> Result<Self> {
        let SubscriberGuard(hub) = &guard;
        let (timeline, count) = (hub.ports().timeline, hub.sources());
        let (position, gap) = match from {
            Some(FeedPosition { timeline: of, mut sources }) if of == timeline => {
                sources.resize(count, EventPosition::after(0));
                (FeedPosition { timeline, sources }, None)
            }
            Some(_) => (hub.end().await?, Some(GapReason::Restored)),
            None => (hub.end().await?, None),
        };
        let (changes, closing) = (hub.0.changes.subscribe(), hub.0.closing.subscribe());
        let (begin, now) = (hub.ports().clock.now(), Instant::now());
        let state = |source| SourceState { resets: hub.resets(source), ..SourceState::default() };
        let sources = (0..count).map(state).collect();
        Ok(Self {
            filter,
            position,
            ready: ReadyEvents { source: 0, events: VecDeque::new(), end: EventPosition::after(0) },
            sources,
            next_source: 0,
            gap,
            changes,
            closing,
            begin,
            progress: FeedProgress::new(count),
            last_record: None,
            last_progress: now,
            last_item: now,
            guard,
        })
    }

    fn hub(&self) -> &FeedHub {
        let SubscriberGuard(hub) = &self.guard;
        hub
    }

    /// Returns the next of the events that are ready.
    fn next_ready(&mut self) -> Option<Arc<FeedEvent>> {
        let ReadyEvents { source, events, end } = &mut self.ready;
        let event = events.pop_front()?;
        if let Some(position) = self.position.sources.get_mut(*source) {
            *position = if events.is_empty() { *end } else { event.position.next() };
        }
        Some(event)
    }

    /// Makes the next events ready; returns a gap instead, if there is one. Returns `None` without
    /// ready events if no source has any.
    async fn make_ready(&mut self) -> Result<Option<GapReason>> {
        for offset in 0..self.sources.len() {
            let source = (self.next_source + offset) % self.sources.len();
            if let Some(gap) = self.read_source(source).await? {
                return Ok(Some(gap));
            }
            if !self.ready.events.is_empty() {
                self.next_source = source + 1;
                break;
            }
        }
        Ok(None)
    }

    async fn read_source(&mut self, source: usize) -> Result<Option<GapReason>> {
        if let Some(gap) = self.restored(source) {
            return Ok(Some(gap));
        }
        loop {
            let (Some(from), Some(state)) =
                (self.position.sources.get(source).copied(), self.sources.get(source).copied())
            else {
                return Ok(None);
            };
            match self.hub().read(source, from, &self.filter) {
                RingRead::End => {
                    self.state(source).is_current = true;
                    return Ok(None);
                }
                RingRead::Events(events, end) => {
                    self.state(source).is_current = true;
                    self.take(source, events, end);
                    return Ok(None);
                }
                RingRead::Behind if state.is_current => return Err(Error::WatchTooSlow),
                RingRead::Ahead if state.is_checked => return Ok(None),
                RingRead::Behind | RingRead::Ahead => {}
            }
            if state.retry.is_some_and(|retry| Instant::now() < retry) {
                return Ok(None);
            }
            let read = self.hub().past().read(source, from, &self.filter).await;
            match read {
                Ok(PastRead::Events(events, end)) => {
                    self.take(source, events, end);
                    if !self.ready.events.is_empty() {
                        return Ok(None);
                    }
                }
                Ok(PastRead::Gap(reason, next)) => {
                    self.take(source, Vec::new(), next);
                    return Ok(Some(reason));
                }
                Ok(PastRead::End) => {
                    self.state(source).is_checked = true;
                    return Ok(None);
                }
                // An unavailable source delays only its own events.
                Err(error) if error.is_unavailability() => {
                    self.state(source).retry = Some(Instant::now() + RETRY);
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns a gap if the numbers of a source went back. The subscription goes on at its head:
    /// later events have numbers that it may have passed.
    fn restored(&mut self, source: usize) -> Option<GapReason> {
        let (resets, head) = (self.hub().resets(source), self.hub().head(source)?);
        let state = self.sources.get_mut(source)?;
        if state.resets == resets {
            return None;
        }
        *state = SourceState { resets, ..SourceState::default() };
        self.take(source, Vec::new(), EventPosition::after(head));
        Some(GapReason::Restored)
    }

    fn state(&mut self, source: usize) -> &mut SourceState {
        // Every caller has read the state of the source.
        &mut self.sources[source]
    }

    /// Takes the events of a source; without events the position is after all that were read.
    fn take(&mut self, source: usize, events: Vec<Arc<FeedEvent>>, end: EventPosition) {
        if let Some(position) = self.position.sources.get_mut(source).filter(|_| events.is_empty()) {
            *position = end;
        }
        self.ready = ReadyEvents { source, events: events.into(), end };
    }

    /// Returns true if the last events that became ready are of a ring.
    fn is_current(&self) -> bool {
        self.sources.get(self.ready.source).is_some_and(|state| state.is_current)
    }

    fn record_progress(&mut self, now: Instant) {
        self.last_record = Some(now);
        let SubscriberGuard(hub) = &self.guard;
        self.progress.update(&self.position.sources, |source| hub.mark(source));
    }

    /// Waits until the process may know more events, or `until`.
    async fn wait(&mut self, until: Instant) {
        let retry = self.sources.iter().filter_map(|state| state.retry).filter(|retry| *retry > Instant::now()).min();
        let until = retry.map_or(until, |retry| retry.min(until));
        // This subscription owns the feed, so neither sender is dropped.
        tokio::select! {
            _ = self.changes.changed() => {}
            _ = self.closing.changed() => {}
            () = sleep_until(until) => {}
        }
    }
}

#[async_trait]
impl EventSubscription for Subscription {
    async fn times(&self) -> Result<FeedTimes> {
        let past = self.hub().past();
        let mut oldest: Option<Millis> = None;
        for source in 0..self.sources.len() {
            let of_source = match past.oldest_time(source).await {
                Err(error) if error.is_unavailability() => None,
                read => read?,
            };
            oldest = [oldest, of_source].into_iter().flatten().min();
        }
        Ok(FeedTimes { oldest: oldest.unwrap_or(self.begin), begin: self.begin })
    }

    fn position(&self) -> &FeedPosition {
        &self.position
    }

    async fn next_known(&mut self) -> Result<Option<FeedItem>> {
        if *self.closing.borrow_and_update() {
            return Err(Error::ServerStopping);
        }
        // Changes from here on end the next wait.
        self.changes.mark_unchanged();
        if let Some(reason) = self.gap.take() {
            return Ok(Some(FeedItem::Gap(reason)));
        }
        if self.ready.events.is_empty()
            && let Some(reason) = self.make_ready().await?
        {
            return Ok(Some(FeedItem::Gap(reason)));
        }
        Ok(self.next_ready().map(FeedItem::Event))
    }

    async fn next(&mut self) -> Result<FeedItem> {
        let was_late = self.last_item.elapsed() > LATE;
        loop {
            let now = Instant::now();
            if self.last_record.is_none_or(|last| now - last >= PROGRESS_RECORD) {
                self.record_progress(now);
            }
            if now - self.last_progress >= PROGRESS_INTERVAL {
                (self.last_progress, self.last_item) = (now, now);
                return Ok(FeedItem::Progress(self.progress.time()));
            }
            if let Some(item) = self.next_known().await? {
                if was_late && matches!(item, FeedItem::Event(_)) && self.is_current() {
                    return Err(Error::WatchTooSlow);
                }
                self.last_item = Instant::now();
                return Ok(item);
            }
            self.wait(self.last_progress + PROGRESS_INTERVAL).await;
        }
    }
}
