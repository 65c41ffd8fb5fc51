//! The loop that delivers the events of one source to one event consumer: in order, at least once,
//! and without leaving one out. Positions are stored by the names of the consumers.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use riposte_core::event::{SequencedEvent, commits};
use riposte_core::ports::{
    Applied, Clock, ConsumerPositions, ConsumerScope, Epoch, EventConsumer, Position, PositionMove, shown_name,
};
use riposte_core::{Error, Result};
use riposte_sync::BackoffLog;
use tokio::sync::watch;
use tokio::time::Instant;

use super::feed::EventFeed;
use super::isolation::EventIsolation;
use riposte_telemetry::Metrics;

/// The time for which events wait for the followed consumer while that consumer makes no progress.
const MAX_WAIT: Duration = Duration::from_secs(3);
/// The interval of the measurement of the lag.
const MEASURE: Duration = Duration::from_secs(1);
/// The interval at which a consumer without new events checks that none were deleted.
const CHECK: Duration = Duration::from_secs(60);
/// The time for which a worker registers its consumers, and the interval at which it does so again.
pub(crate) const REGISTERED: (Duration, Duration) = (Duration::from_secs(120), Duration::from_secs(20));

/// The ports of the loop. Cloning is cheap.
#[derive(Debug, Clone)]
pub(crate) struct ConsumerPorts {
    pub(crate) positions: Arc<dyn ConsumerPositions>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Metrics,
}

/// The loop of one consumer and one source, counted from 0.
#[derive(Debug)]
pub(crate) struct ConsumerLoop {
    consumer: Arc<dyn EventConsumer>,
    ports: ConsumerPorts,
    feed: EventFeed,
    source: usize,
    /// Notifies the consumers that follow this one.
    moved: watch::Sender<()>,
    epoch: Option<Epoch>,
    start: Position,
    /// The number of the last event applied; `None` when it must be determined.
    at: Option<i64>,
    isolation: EventIsolation,
    wait: FollowedConsumer,
    measured: Option<Instant>,
    checked: Option<Instant>,
}

/// The progress of the consumer that this one follows.
#[derive(Debug, Default)]
struct FollowedConsumer {
    /// Its known position.
    at: i64,
    /// The time since which events have waited for it without progress.
    since: Option<Instant>,
}

impl ConsumerLoop {
    /// Creates the loop. `moved` is notified of its progress.
    pub(crate) fn new(
        consumer: Arc<dyn EventConsumer>,
        ports: ConsumerPorts,
        feed: EventFeed,
        source: usize,
        moved: watch::Sender<()>,
    ) -> Self {
        Self {
            consumer,
            ports,
            feed,
            source,
            moved,
            epoch: None,
            start: Position::Head,
            at: None,
            isolation: EventIsolation::default(),
            wait: FollowedConsumer::default(),
            measured: None,
            checked: None,
        }
    }

    fn name(&self) -> &'static str {
        shown_name(self.consumer.name())
    }

    /// Runs a consumer of every process forever.
    pub(crate) async fn run_always(self) {
        // Such a consumer stores no position, so its epoch is never compared.
        let term = watch::Sender::new(Some(Epoch(0)));
        self.run(term.subscribe()).await;
    }

    /// Runs the consumer while the process holds the lease; returns when the leader ends.
    pub(crate) async fn run(mut self, mut term: watch::Receiver<Option<Epoch>>) {
        let mut backoff = BackoffLog::of(self.name(), self.source);
        loop {
            let known = *term.borrow_and_update();
            if self.epoch.is_some() && known != self.epoch {
                self.lose_lease().await;
            }
            let led = term.wait_for(Option::is_some).await.ok().and_then(|term| *term);
            // The leader has ended, so no epoch can follow.
            let Some(epoch) = led else { return };
            self.epoch = Some(epoch);
            match self.run_once(epoch).await {
                Ok(RunOutcome::More) if self.isolation.is_searching() => {}
                Ok(RunOutcome::More) => backoff.over(),
                Ok(RunOutcome::Rest { held }) => {
                    backoff.over();
                    self.feed.rest(held, self.at).await;
                }
                Err(error) => {
                    if self.start != Position::Head {
                        self.at = None;
                    }
                    tokio::time::sleep(backoff.met(&error)).await;
                }
            }
        }
    }

    async fn lose_lease(&mut self) {
        (self.epoch, self.at) = (None, None);
        (self.isolation, self.wait) = Default::default();
        self.ports.metrics.consumer_stuck(self.source, self.name(), false);
        if self.start != Position::Stored {
            // The next leader measures it from now on.
            self.ports.metrics.consumer_lag(self.source, self.name(), 0);
        }
        self.consumer.lost_lease(self.source).await;
    }

    /// Delivers some events.
    async fn run_once(&mut self, epoch: Epoch) -> Result<RunOutcome> {
        let at = match self.at {
            Some(at) => at,
            None => self.begin(epoch).await?,
        };
        let limit = self.isolation.limit(self.feed.batch());
        let batch = self.feed.read(at, limit).await?;
        let dense = dense(&batch, at);
        if dense.is_empty() && !batch.is_empty() {
            return self.miss(epoch, at).await;
        }
        let deliverable = self.follow(dense).await?;
        let Some(events) = dense.get(..deliverable).filter(|events| !events.is_empty()) else {
            if batch.is_empty() && self.has_lost_events(at).await? {
                return self.miss(epoch, at).await;
            }
            self.consumer.idle(self.source).await?;
            self.measure(at).await?;
            return Ok(RunOutcome::Rest { held: !batch.is_empty() });
        };
        let held = deliverable < dense.len();
        let to = self.apply(events).await?;
        let stands = self.advance(epoch, at, to).await?;
        self.measure(to).await?;
        let more = stands
            && to > at
            && (!held && (commits(&batch) == limit || dense.len() < batch.len()) || Some(to) < last(events));
        Ok(if more { RunOutcome::More } else { RunOutcome::Rest { held } })
    }

    /// Determines the position.
    async fn begin(&mut self, epoch: Epoch) -> Result<i64> {
        self.start = self.consumer.start(self.source).await?;
        let at = match self.start {
            Position::Own(number) => number,
            Position::Head => {
                let head = self.feed.head().await?;
                self.consumer.gap(self.source).await?;
                head
            }
            Position::Stored if self.consumer.scope() == ConsumerScope::Process => {
                return Err(Error::internal("a consumer of every process has no stored position"));
            }
            Position::Stored => {
                let name = self.consumer.name();
                let stored = self.ports.positions.all(self.source).await?;
                match stored.into_iter().find(|of| of.name == name) {
                    Some(of) if of.number > 0 => of.number,
                    Some(_) | None => self.build(epoch).await?,
                }
            }
        };
        self.at = Some(at);
        Ok(at)
    }

    /// Builds the state of a durable consumer that has no position. Its position is stored as 0
    /// until then, so that events are kept for it and another leader builds it again.
    async fn build(&mut self, epoch: Epoch) -> Result<i64> {
        let name = self.consumer.name();
        tracing::info!(
            source = self.source + 1,
            consumer = self.name(),
            "the consumer has no position: it is rebuilt from the rows"
        );
        self.store(epoch, 0, 0).await?;
        let (registered, _) = REGISTERED;
        self.ports.positions.register(self.source, &[name], self.ports.clock.now().plus(registered)).await?;
        self.rebuild(epoch, 0).await
    }

    /// Rebuilds the state from the rows, and continues after the events that precede the rebuild.
    async fn rebuild(&mut self, epoch: Epoch, at: i64) -> Result<i64> {
        let head = self.feed.head().await?;
        self.consumer.gap(self.source).await?;
        self.store(epoch, at, head).await?;
        Ok(head)
    }

    /// Handles events that were deleted before the consumer had passed them.
    async fn miss(&mut self, epoch: Epoch, at: i64) -> Result<RunOutcome> {
        tracing::warn!(
            source = self.source + 1,
            consumer = self.name(),
            position = at,
            "events after this position were deleted; the consumer takes the state of the rows"
        );
        self.at = None;
        self.isolation = EventIsolation::default();
        self.ports.metrics.consumer_stuck(self.source, self.name(), false);
        match self.start {
            Position::Stored => self.at = Some(self.rebuild(epoch, at).await?),
            Position::Own(_) => self.consumer.gap(self.source).await?,
            Position::Head => {
                let head = self.feed.head().await?;
                self.consumer.gap(self.source).await?;
                self.at = Some(head);
            }
        }
        Ok(RunOutcome::More)
    }

    /// Returns `true` if there are events after the position that can no longer be read.
    async fn has_lost_events(&mut self, at: i64) -> Result<bool> {
        if self.checked.is_some_and(|checked| checked.elapsed() < CHECK) {
            return Ok(false);
        }
        self.checked = Some(Instant::now());
        // The head is read first: events that are sequenced meanwhile are found by the read.
        Ok(self.feed.head().await? > at && self.feed.read(at, 1).await?.is_empty())
    }

    /// Returns the number of events that the followed consumer has applied, or all of them if it
    /// has made no progress for too long.
    async fn follow(&mut self, events: &[SequencedEvent]) -> Result<usize> {
        let (Some(name), Some(last)) = (self.consumer.after(), last(events)) else { return Ok(events.len()) };
        if last > self.wait.at {
            let stored = self.ports.positions.all(self.source).await?;
            let at = stored.into_iter().find(|of| of.name == name).map_or(0, |of| of.number);
            // Under load there are always more events; they wait for as long as it makes progress.
            if at > self.wait.at {
                self.wait.since = None;
            }
            self.wait.at = at;
        }
        if last <= self.wait.at {
            self.wait.since = None;
        } else if self.wait.since.get_or_insert_with(Instant::now).elapsed() < MAX_WAIT {
            return Ok(events.partition_point(|of| of.number <= self.wait.at));
        }
        Ok(events.len())
    }

    /// Applies events, and names the one that cannot be applied. A panic of the consumer is an
    /// error like others: it does not end the task, which also runs the relay.
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
                        %error,
                        "the consumer cannot apply this event; it retries it and applies nothing after it"
                    );
                }
                Err(error)
            }
        }
    }

    /// Records the progress. Returns `false` if another process may have moved the position.
    async fn advance(&mut self, epoch: Epoch, from: i64, to: i64) -> Result<bool> {
        // The position covers only events that are surely applied. Until it is stored, another
        // leader applies the same events again.
        let stands = self.start != Position::Stored || self.move_position(epoch, from, to).await?;
        self.at = stands.then_some(to);
        self.moved.send_replace(());
        Ok(stands)
    }

    async fn store(&self, epoch: Epoch, from: i64, to: i64) -> Result<()> {
        let over = || Error::internal("another process leads the source");
        if self.move_position(epoch, from, to).await? { Ok(()) } else { Err(over()) }
    }

    async fn move_position(&self, epoch: Epoch, from: i64, to: i64) -> Result<bool> {
        let to = PositionMove { name: self.consumer.name(), from, to };
        self.ports.positions.advance(self.source, epoch, to).await
    }

    /// Reports the lag of a consumer without a stored position, once a second. Every process
    /// measures those that have one.
    async fn measure(&mut self, at: i64) -> Result<()> {
        if self.start != Position::Stored && self.measured.is_none_or(|measured| measured.elapsed() >= MEASURE) {
            self.measured = Some(Instant::now());
            let lag = self.feed.head().await? - at;
            self.ports.metrics.consumer_lag(self.source, self.name(), lag.max(0));
        }
        Ok(())
    }
}

/// The outcome of one run.
#[derive(Debug)]
enum RunOutcome {
    /// More events can be delivered at once.
    More,
    /// Nothing is left to deliver, except events that are held back for the followed consumer.
    Rest { held: bool },
}

/// Returns the events that follow a sequence number without a hole.
fn dense(events: &[SequencedEvent], at: i64) -> &[SequencedEvent] {
    let before = std::iter::once(at).chain(events.iter().map(|of| of.number));
    let hole = before.zip(events).position(|(before, of)| of.number > before + 1);
    events.get(..hole.unwrap_or(events.len())).unwrap_or_default()
}

fn last(events: &[SequencedEvent]) -> Option<i64> {
    events.last().map(|last| last.number)
}
