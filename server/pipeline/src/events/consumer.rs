//! The loop that delivers the events of one source to one event consumer: in order, at least once,
//! and without skipping any. Positions are stored by the names of the consumers.

mod forwarding;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use riposte_core::event::{SequencedEvent, commits};
use riposte_core::ports::{
    Applied, Clock, ConsumerPositions, ConsumerScope, Epoch, EventConsumer, EventForwarder, Position, PositionMove,
    REGISTRATION, shown_name,
};
use riposte_core::{Error, Result};
use riposte_sync::BackoffLog;
use tokio::sync::watch;
use tokio::time::Instant;

use super::feed::EventFeed;
use super::followed::FollowedConsumer;
use super::isolation::EventIsolation;
use super::tail::EventBatch;
use super::times::ConsumerTimes;
use riposte_telemetry::Metrics;

/// The interval of the measurement of the lag.
const LAG_INTERVAL: Duration = Duration::from_secs(1);
/// The interval at which a worker renews the registration.
pub(crate) const REGISTRATION_RENEWAL: Duration = Duration::from_secs(20);

/// The ports of the loop. Cloning is cheap.
#[derive(Debug, Clone)]
pub(crate) struct ConsumerPorts {
    pub(crate) positions: Arc<dyn ConsumerPositions>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Metrics,
    pub(crate) times: ConsumerTimes,
}

/// The loop of one consumer and one source, which is numbered from 0.
#[derive(Debug)]
pub(crate) struct ConsumerLoop {
    consumer: Arc<dyn EventConsumer>,
    /// The same, if it passes events on.
    forwarder: Option<Arc<dyn EventForwarder>>,
    ports: ConsumerPorts,
    feed: EventFeed,
    source: usize,
    /// Notifies the consumers that follow this one.
    progress: watch::Sender<()>,
    epoch: Option<Epoch>,
    start: Position,
    /// The number of the last event applied; `None` when it must be determined.
    position: Option<i64>,
    isolation: EventIsolation,
    /// True while the state of the rows cannot be taken, for another reason than unavailability.
    cannot_take_rows: bool,
    followed: FollowedConsumer,
    last_measurement: Option<Instant>,
    last_loss_check: Option<Instant>,
}

impl ConsumerLoop {
    /// Creates the loop. `progress` is notified of its progress.
    pub(crate) fn new(
        consumer: Arc<dyn EventConsumer>,
        ports: ConsumerPorts,
        feed: EventFeed,
        source: usize,
        progress: watch::Sender<()>,
    ) -> Self {
        Self {
            consumer,
            forwarder: None,
            ports,
            feed,
            source,
            progress,
            epoch: None,
            start: Position::Head,
            position: None,
            isolation: EventIsolation::default(),
            cannot_take_rows: false,
            followed: FollowedConsumer::default(),
            last_measurement: None,
            last_loss_check: None,
        }
    }

    fn name(&self) -> &str {
        shown_name(self.consumer.name())
    }

    /// Runs a consumer of scope `Process` forever.
    pub(crate) async fn run_always(self) {
        // Such a consumer stores no position, so its epoch is never compared.
        let epoch = watch::Sender::new(Some(Epoch(0)));
        self.run(epoch.subscribe()).await;
    }

    /// Runs the consumer while the process holds the lease; returns when the leader ends.
    pub(crate) async fn run(mut self, mut epochs: watch::Receiver<Option<Epoch>>) {
        let mut backoff = BackoffLog::with_waits(self.name(), self.source, self.ports.times.retry);
        loop {
            let current = *epochs.borrow_and_update();
            if self.epoch.is_some() && current != self.epoch {
                self.lose_lease().await;
            }
            let held = epochs.wait_for(Option::is_some).await.ok().and_then(|epoch| *epoch);
            // The leader has ended, so no epoch can follow.
            let Some(epoch) = held else { return };
            if self.epoch.is_none() {
                // A healthy consumer has the value 0, and not no value.
                self.ports.metrics.consumer_stuck(self.source, self.name(), false);
            }
            self.epoch = Some(epoch);
            match self.run_once(epoch).await {
                Ok(RunOutcome::More) if self.isolation.is_searching() => {}
                Ok(RunOutcome::More) => backoff.succeeded(),
                Ok(RunOutcome::Idle { has_held_events }) => {
                    backoff.succeeded();
                    self.feed.wait(has_held_events, self.position, self.ports.times.idle).await;
                }
                Err(error) => {
                    if self.start != Position::Head {
                        self.position = None;
                    }
                    tokio::time::sleep(backoff.failed(&error.log_text())).await;
                }
            }
        }
    }

    fn has_stored_position(&self) -> bool {
        matches!(self.start, Position::Stored | Position::Forwarding)
    }

    async fn lose_lease(&mut self) {
        (self.epoch, self.position) = (None, None);
        (self.isolation, self.cannot_take_rows, self.followed) = Default::default();
        self.ports.metrics.consumer_stuck(self.source, self.name(), false);
        if !self.has_stored_position() {
            // From now on the next leader measures the lag.
            self.ports.metrics.consumer_lag(self.source, self.name(), 0);
        }
        self.consumer.lost_lease(self.source).await;
    }

    /// Delivers some events.
    async fn run_once(&mut self, epoch: Epoch) -> Result<RunOutcome> {
        if self.feed.was_reset() {
            // The start takes the state of the rows.
            (self.position, self.isolation) = (None, EventIsolation::default());
            self.ports.metrics.consumer_stuck(self.source, self.name(), false);
        }
        let position = match self.position {
            Some(position) => position,
            None => self.start_position(epoch).await?,
        };
        let limit = self.isolation.limit(self.feed.batch());
        let may_have_events = self.feed.may_have_events(position);
        let batch = if may_have_events { self.feed.read(position, limit).await? } else { EventBatch::default() };
        let dense = dense(&batch, position);
        if dense.is_empty() && !batch.is_empty() {
            return self.recover_from_gap(epoch, position).await;
        }
        let deliverable = self.deliverable(dense).await?;
        let Some(events) = dense.get(..deliverable).filter(|events| !events.is_empty()) else {
            if batch.is_empty()
                && (may_have_events || self.feed.known_head().is_some_and(|head| head < position))
                && let Some(loss) = self.lost_events(position).await?
            {
                return match loss {
                    Loss::Deleted => self.recover_from_gap(epoch, position).await,
                    Loss::Ahead { head } => self.recover_from_ahead(epoch, position, head).await,
                };
            }
            self.consumer.idle(self.source).await?;
            self.measure(position);
            return Ok(RunOutcome::Idle { has_held_events: !batch.is_empty() });
        };
        let has_held_events = deliverable < dense.len();
        let to = self.apply(events).await?;
        let is_leader = self.advance(epoch, position, to).await?;
        self.measure(to);
        let has_more = is_leader
            && to > position
            && (!has_held_events && (commits(&batch) == limit || dense.len() < batch.len()) || Some(to) < last(events));
        Ok(if has_more { RunOutcome::More } else { RunOutcome::Idle { has_held_events } })
    }

    /// Determines the position at which the consumer begins.
    async fn start_position(&mut self, epoch: Epoch) -> Result<i64> {
        self.start = self.consumer.start(self.source).await?;
        let position = match self.start {
            Position::Own(number) => number,
            Position::Head => {
                let head = self.feed.head().await?;
                self.take_rows().await?;
                head
            }
            Position::Stored | Position::Forwarding if self.consumer.scope() == ConsumerScope::Process => {
                return Err(Error::internal("a consumer of every process has no stored position"));
            }
            Position::Forwarding => self.forwarding_position(epoch).await?,
            Position::Stored => {
                let name = self.consumer.name();
                let stored = self.ports.positions.all(self.source).await?;
                let number = stored.into_iter().find(|stored| stored.name == name).map_or(0, |stored| stored.number);
                // The head is read after the position, so a position that relays made is not ahead.
                let head = self.feed.head().await?;
                if number > head {
                    self.warn_of_position_ahead(number, head);
                    self.build_from_rows(epoch, number).await?
                } else if number > 0 {
                    number
                } else {
                    tracing::info!(
                        source = self.source + 1,
                        consumer = self.name(),
                        "the consumer has no position: it is rebuilt from the rows"
                    );
                    self.build_from_rows(epoch, 0).await?
                }
            }
        };
        self.position = Some(position);
        Ok(position)
    }

    fn warn_of_position_ahead(&self, position: i64, head: i64) {
        tracing::warn!(
            source = self.source + 1,
            consumer = self.name(),
            position,
            head,
            "the position of the consumer is ahead of the relay's, as after the restore of a part of the tables; the \
             consumer is rebuilt from the rows"
        );
    }

    /// Builds the state of a durable consumer that has no valid position; `stored` is the invalid
    /// one, or 0. During the build its position is 0, so that events are retained for it and
    /// another leader builds it again.
    async fn build_from_rows(&mut self, epoch: Epoch, stored: i64) -> Result<i64> {
        let name = self.consumer.name();
        self.store(epoch, stored, 0).await?;
        self.ports.positions.register(self.source, &[name], self.ports.clock.now().plus(REGISTRATION)).await?;
        self.rebuild(epoch, 0).await
    }

    /// Rebuilds the state from the rows, and continues after the events that precede the rebuild.
    async fn rebuild(&mut self, epoch: Epoch, position: i64) -> Result<i64> {
        let head = self.feed.head().await?;
        self.take_rows().await?;
        self.store(epoch, position, head).await?;
        Ok(head)
    }

    /// Brings the state of the consumer to that of the rows. The consumer is stuck while this fails
    /// although its data source is available.
    async fn take_rows(&mut self) -> Result<()> {
        let taken = self.consumer.gap(self.source).await;
        let is_stuck = taken.as_ref().is_err_and(|error| !error.is_unavailability());
        if is_stuck || self.cannot_take_rows && taken.is_ok() {
            self.ports.metrics.consumer_stuck(self.source, self.name(), is_stuck);
        }
        match &taken {
            Ok(()) => self.cannot_take_rows = false,
            Err(error) if is_stuck && !self.cannot_take_rows => {
                self.cannot_take_rows = true;
                tracing::error!(
                    source = self.source + 1,
                    consumer = self.name(),
                    error = error.log_text(),
                    "the consumer cannot take the state of the rows; it retries this and applies no event"
                );
            }
            Err(_) => {}
        }
        taken
    }

    /// Handles events that were deleted before the consumer had passed them.
    async fn recover_from_gap(&mut self, epoch: Epoch, position: i64) -> Result<RunOutcome> {
        tracing::warn!(
            source = self.source + 1,
            consumer = self.name(),
            position,
            "events after this position were deleted; the consumer takes the state of the rows"
        );
        self.position = None;
        self.isolation = EventIsolation::default();
        self.ports.metrics.consumer_stuck(self.source, self.name(), false);
        match self.start {
            Position::Stored => self.position = Some(self.rebuild(epoch, position).await?),
            Position::Forwarding => self.position = Some(self.resume_after_deleted(epoch, position).await?),
            Position::Own(_) => self.take_rows().await?,
            Position::Head => {
                let head = self.feed.head().await?;
                self.take_rows().await?;
                self.position = Some(head);
            }
        }
        Ok(RunOutcome::More)
    }

    /// Handles a position that is ahead of the relay's: later events will get the numbers up to it.
    async fn recover_from_ahead(&mut self, epoch: Epoch, position: i64, head: i64) -> Result<RunOutcome> {
        self.warn_of_position_ahead(position, head);
        self.position = None;
        self.position = match self.start {
            Position::Stored => Some(self.build_from_rows(epoch, position).await?),
            // The start finds the position again, and how far ahead it is.
            Position::Forwarding => None,
            Position::Own(_) => {
                self.take_rows().await?;
                None
            }
            Position::Head => {
                self.take_rows().await?;
                Some(head)
            }
        };
        Ok(RunOutcome::More)
    }

    /// Returns why events that are or will be sequenced cannot be delivered after the position.
    async fn lost_events(&mut self, position: i64) -> Result<Option<Loss>> {
        if self.last_loss_check.is_some_and(|last| last.elapsed() < self.ports.times.loss_check) {
            return Ok(None);
        }
        self.last_loss_check = Some(Instant::now());
        // The head is read first: events that are sequenced meanwhile are found by the read.
        let head = self.feed.head().await?;
        // The head of a tail may be behind a position that was read from the outbox. A tail whose
        // numbers went back says so by itself.
        if position > head && matches!(self.feed, EventFeed::Outbox(_)) {
            return Ok(Some(Loss::Ahead { head }));
        }
        let is_deleted = head > position && self.feed.read(position, 1).await?.is_empty();
        Ok(is_deleted.then_some(Loss::Deleted))
    }

    /// Returns the number of events that the followed consumer has applied, or all of them if it
    /// has made no progress for too long.
    async fn deliverable(&mut self, events: &[SequencedEvent]) -> Result<usize> {
        let (Some(name), Some(last)) = (self.consumer.after(), last(events)) else { return Ok(events.len()) };
        if last > self.followed.position() {
            let stored = self.ports.positions.all(self.source).await?;
            let position = stored.into_iter().find(|stored| stored.name == name).map_or(0, |stored| stored.number);
            self.followed.record(position);
        }
        if self.followed.delays(last, self.ports.times.following, Instant::now()) {
            return Ok(events.partition_point(|event| event.number <= self.followed.position()));
        }
        Ok(events.len())
    }

    /// Applies events, and reports the one that cannot be applied. A panic of the consumer is
    /// handled like any other error: it does not end the task, which also runs the relay.
    async fn apply(&mut self, events: &[SequencedEvent]) -> Result<i64> {
        let applied = AssertUnwindSafe(self.consumer.apply(self.source, events)).catch_unwind().await;
        match applied.unwrap_or_else(|_| Err(Error::internal("the consumer panicked"))) {
            Ok(Applied(to)) => {
                if let Some(number) = self.isolation.applied(to) {
                    self.ports.metrics.consumer_stuck(self.source, self.name(), false);
                    tracing::info!(
                        source = self.source + 1,
                        consumer = self.name(),
                        number,
                        "the event is applied now"
                    );
                }
                Ok(to)
            }
            // Without its data source a consumer can apply no event: none of them is the cause.
            Err(error) if error.is_unavailability() => Err(error),
            Err(error) => {
                if let (Some(first), Some(last)) = (events.first(), last(events))
                    && self.isolation.failed(first.number, last)
                {
                    self.ports.metrics.consumer_stuck(self.source, self.name(), true);
                    tracing::error!(
                        source = self.source + 1,
                        consumer = self.name(),
                        number = first.number,
                        subject = first.event.subject.get(),
                        subjects = events.len(),
                        error = error.log_text(),
                        "the consumer cannot apply this event; it retries it and applies nothing after it"
                    );
                }
                Err(error)
            }
        }
    }

    /// Records the progress. Returns `false` if another process may have moved the position.
    async fn advance(&mut self, epoch: Epoch, from: i64, to: i64) -> Result<bool> {
        // The position is stored after the events are applied. A leader that takes over in between
        // applies the same events again.
        let is_leader = !self.has_stored_position() || self.move_position(epoch, from, to).await?;
        self.position = is_leader.then_some(to);
        self.progress.send_replace(());
        Ok(is_leader)
    }

    async fn store(&self, epoch: Epoch, from: i64, to: i64) -> Result<()> {
        let lost_lease = || Error::internal("another process leads the source");
        if self.move_position(epoch, from, to).await? { Ok(()) } else { Err(lost_lease()) }
    }

    async fn move_position(&self, epoch: Epoch, from: i64, to: i64) -> Result<bool> {
        let to = PositionMove { name: self.consumer.name(), from, to };
        self.ports.positions.advance(self.source, epoch, to).await
    }

    /// Reports the lag of a consumer without a stored position, once a second. Every process
    /// measures the lag of the consumers with a stored position.
    fn measure(&mut self, position: i64) {
        if !self.has_stored_position() && self.last_measurement.is_none_or(|last| last.elapsed() >= LAG_INTERVAL) {
            self.last_measurement = Some(Instant::now());
            let lag = self.feed.known_head().map_or(0, |head| head - position);
            self.ports.metrics.consumer_lag(self.source, self.name(), lag.max(0));
        }
    }
}

/// The reason for which a consumer can miss events.
#[derive(Debug)]
enum Loss {
    /// Events after its position were deleted.
    Deleted,
    /// Its position is ahead of the relay's, which is `head`.
    Ahead { head: i64 },
}

/// The outcome of one run.
#[derive(Debug)]
enum RunOutcome {
    /// More events can be delivered at once.
    More,
    /// No event can be delivered now; events may be held back for the followed consumer.
    Idle { has_held_events: bool },
}

/// Returns the events that follow a sequence number without a missing number.
fn dense(events: &[SequencedEvent], position: i64) -> &[SequencedEvent] {
    let before = std::iter::once(position).chain(events.iter().map(|event| event.number));
    let first_gap = before.zip(events).position(|(before, event)| event.number > before + 1);
    events.get(..first_gap.unwrap_or(events.len())).unwrap_or_default()
}

fn last(events: &[SequencedEvent]) -> Option<i64> {
    events.last().map(|last| last.number)
}
