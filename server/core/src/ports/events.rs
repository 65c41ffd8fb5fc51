//! Event consumers, and their positions in the sequenced events of a data source.

use std::time::Duration;

use async_trait::async_trait;

use crate::domain::error::Result;
use crate::domain::event::SequencedEvent;
use crate::domain::time::Millis;
use crate::ports::Epoch;

/// The stored name of the member history. It never changes.
pub const MEMBER_HISTORY: &str = "history";
/// The stored name of the rank index. It never changes.
pub const RANK_INDEX: &str = "boards";
/// The begin of the stored names of the topic; the timeline of the data follows. It never changes.
pub const TOPIC_PREFIX: &str = "topic@";

/// The time for which a worker registers its consumers.
pub const REGISTRATION: Duration = Duration::from_secs(120);
/// The tolerated difference of the clocks of processes. A lease or a registration that ends later
/// than this allows was written by a wrong clock, and is ignored: it would hold until that time.
pub const CLOCK_SKEW_MAX: Duration = Duration::from_secs(60);

/// Returns the name by which metrics and commands show a consumer. It differs from the stored name
/// of the consumers that were renamed, and of the one that has a position for each timeline.
#[must_use]
pub fn shown_name(stored: &str) -> &str {
    match stored {
        topic if topic.starts_with(TOPIC_PREFIX) => TOPIC_PREFIX.trim_end_matches('@'),
        MEMBER_HISTORY => "member_history",
        RANK_INDEX => "rank_index",
        other => other,
    }
}

/// A component that derives its own state from the sequenced events of every data source. Sources
/// are numbered from 0, and a consumer has a position of its own in each of them.
///
/// One loop runs every consumer. It delivers the events of a source in the order of their sequence
/// numbers, at least once, and all events of a commit together. A batch may be delivered again
/// after an error, after a restart and by another process, so `apply` must be idempotent: applying
/// an event twice, or an older event after a newer one, must have the result of applying each once.
///
/// When `apply` fails, the loop repeats the batch with back-off for ever, then halves of it, then
/// one commit alone, so that all commits before the failing one are applied. No event is ever
/// skipped.
///
/// The methods of one source are never called concurrently within a process.
#[async_trait]
pub trait EventConsumer: Send + Sync + std::fmt::Debug {
    /// Returns the name of the consumer. A position is stored under it, so it never changes, and it
    /// has at most 64 bytes. It differs from the names of all other consumers and from `relay`.
    fn name(&self) -> &str;

    /// Returns the processes that run the consumer.
    fn scope(&self) -> ConsumerScope;

    /// Returns the name of a durable consumer that this one follows: an event is delivered when the
    /// other one has applied it, or after 3 s in which the other one has made no progress.
    fn after(&self) -> Option<&'static str> {
        None
    }

    /// Returns the start of the consumer in a source. It is called before the first event, when the
    /// process has acquired the lease, and after each failure. After a failure of a consumer that
    /// begins at the head, the loop continues at its own position and ignores the result.
    async fn start(&self, source: usize) -> Result<Position>;

    /// Applies events, at least those of one commit, and returns up to where they are applied. When
    /// the call returns, the effects of a consumer with a stored position must be durable, because
    /// the position is stored then.
    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<Applied>;

    /// Called when events cannot be delivered: they were deleted before the consumer had passed
    /// them, they preceded its start at the head, or the consumer has no position yet. The consumer
    /// brings its state to that of the present rows. Events that are committed meanwhile are
    /// delivered afterwards.
    async fn gap(&self, source: usize) -> Result<()>;

    /// Called when the process no longer holds the lease of the source. Another process may apply
    /// events from then on, so the consumer has to discard its notes about its progress.
    async fn lost_lease(&self, _source: usize) {}

    /// Called at least once a second while there is nothing to deliver.
    async fn idle(&self, _source: usize) -> Result<()> {
        Ok(())
    }
}

/// An event consumer that passes events on, and has no state of the rows: it begins at
/// [`Position::Forwarding`].
#[async_trait]
pub trait EventForwarder: EventConsumer {
    /// Called instead of [`gap`](EventConsumer::gap). It reports the missed events to its
    /// receivers, and returns the sequence number after which it goes on. The position is stored
    /// then.
    async fn resume(&self, source: usize, missed: MissedEvents) -> Result<i64>;
}

/// The processes that run a consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsumerScope {
    /// The process that holds the lease of the source, with batches of these sizes and intervals.
    Leader(Batching),
    /// Every process that serves calls. The consumers of a source share one reader of its events,
    /// which determines the batches.
    Process,
}

/// The start of a consumer in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// The position that is stored under the consumer's name. Without one the consumer begins with
    /// a [`gap`](EventConsumer::gap), never at 0. Only a [`ConsumerScope::Leader`] has one.
    Stored,
    /// The last event at the time of the start. The consumer begins with a gap, because earlier
    /// events are not delivered.
    Head,
    /// A sequence number that the consumer stores itself; events after it are delivered.
    Own(i64),
    /// The position that is stored under the name of an [`EventForwarder`]. Without a position, and
    /// where events are missing, its `resume` determines where it goes on. Only a
    /// [`ConsumerScope::Leader`] has one.
    Forwarding,
}

/// The events that a consumer that passes events on does not receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissedEvents {
    /// The reason for it.
    pub cause: MissedCause,
    /// The last event that is no longer available; those after it are.
    pub last: i64,
    /// The last event of the source.
    pub head: i64,
}

/// The reason for which a consumer that passes events on does not receive some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissedCause {
    /// It has no position yet.
    NoPosition,
    /// Its position is ahead of the relay's: the data was restored to an earlier state.
    Restored,
    /// They were deleted before it had passed them.
    Deleted,
}

/// The sequence number of the last event that was applied, with all events before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied(pub i64);

impl Applied {
    /// All of these events.
    #[must_use]
    pub fn all(events: &[SequencedEvent]) -> Self {
        Self(events.last().map_or(0, |last| last.number))
    }
}

/// The sizes and intervals of the batches of a consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batching {
    /// The maximum number of commits whose events are delivered together.
    pub commits: usize,
    /// The minimum interval between two batches, unless more events wait than fit in one batch.
    pub interval: Duration,
}

impl Batching {
    /// Batches for state that no reader waits for. Fewer and larger batches are cheaper, since each
    /// batch costs a commit.
    pub const DEFAULT: Self = Self { commits: 50, interval: Duration::from_millis(250) };
}

/// The stored positions of the event consumers of all data sources.
///
/// A position is the sequence number up to which a consumer has applied the events of a source. It
/// is 0 while the consumer builds its state from the rows for the first time. Events are retained
/// for every stored position, even if no process knows a consumer of that name.
#[async_trait]
pub trait ConsumerPositions: Send + Sync + std::fmt::Debug {
    /// Returns all positions of a source, by name.
    async fn all(&self, source: usize) -> Result<Vec<StoredPosition>>;

    /// Moves a position. Returns `false`, and changes nothing, if a later epoch has begun or the
    /// position is not `from`. A missing position counts as 0, and the first move stores it.
    async fn advance(&self, source: usize, epoch: Epoch, to: PositionMove<'_>) -> Result<bool>;

    /// Records that a running worker registers consumers with these names, until `until`. Names
    /// without a position are ignored. A later end stays, unless a wrong clock wrote it: one that
    /// is more than [`CLOCK_SKEW_MAX`] after `until`.
    async fn register(&self, source: usize, names: &[&str], until: Millis) -> Result<()>;

    /// Removes a position unless a running worker [registers](StoredPosition::is_registered) its
    /// name at `now`.
    async fn remove(&self, source: usize, name: &str, now: Millis) -> Result<PositionRemoval>;

    /// Deletes old events, of at most `limit` commits. Returns `None`, and changes nothing, if a
    /// later epoch has begun.
    async fn trim(&self, source: usize, epoch: Epoch, bounds: TrimBounds, limit: usize) -> Result<Option<TrimReport>>;
}

/// The stored position of a consumer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPosition {
    /// The stored name of the consumer.
    pub name: String,
    /// The sequence number up to which it has applied the events.
    pub number: i64,
    /// The end of the registration by a running worker, unless the worker renews it.
    pub registered_until: Millis,
}

impl StoredPosition {
    /// Returns `true` if a running worker registers the consumer at `now`. A registration that ends
    /// later than any worker registers at that time does not count.
    #[must_use]
    pub fn is_registered(&self, now: Millis) -> bool {
        now < self.registered_until && self.registered_until <= now.plus(REGISTRATION).plus(CLOCK_SKEW_MAX)
    }
}

/// A move of a stored position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionMove<'a> {
    /// The stored name of the consumer.
    pub name: &'a str,
    /// The sequence number at which the position must be.
    pub from: i64,
    /// The new sequence number.
    pub to: i64,
}

/// The outcome of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionRemoval {
    /// The position was removed.
    Removed,
    /// There is no position of that name.
    Absent,
    /// A running worker registers the name. The position stays.
    Registered,
}

/// The ages at which events are deleted, as times of their commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrimBounds {
    /// Events before this time are deleted once every stored position has passed them.
    pub passed_before: Millis,
    /// Events before this time are deleted although a position has not passed them.
    pub all_before: Millis,
}

/// The result of a deletion of events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrimReport {
    /// The number of commits whose events were deleted.
    pub commits: usize,
    /// The stored names of the consumers that had not passed some of them, each with the number of
    /// these commits.
    pub overtaken: Vec<(String, usize)>,
}

#[cfg(test)]
mod tests {
    use super::{CLOCK_SKEW_MAX, MEMBER_HISTORY, RANK_INDEX, REGISTRATION, StoredPosition, TOPIC_PREFIX, shown_name};
    use crate::domain::time::Millis;

    #[test]
    fn a_registration_counts_until_its_end_and_not_at_all_if_it_ends_too_late() {
        let position = |until| StoredPosition { name: "topic".to_owned(), number: 1, registered_until: Millis(until) };
        let latest = i64::try_from((REGISTRATION + CLOCK_SKEW_MAX).as_millis()).expect("a few minutes");
        let now = 1_000;
        let ends = [0, now, now + 1, now + latest, now + latest + 1, i64::MAX];
        let registered = ends.map(|until| position(until).is_registered(Millis(now)));
        assert_eq!(registered, [false, false, true, true, false, false]);
    }

    #[test]
    fn stored_names_of_consumers_are_fixed_for_ever() {
        assert_eq!([MEMBER_HISTORY, RANK_INDEX, TOPIC_PREFIX], ["history", "boards", "topic@"]);
        let shown = [MEMBER_HISTORY, RANK_INDEX, "topic@7", "other"].map(shown_name);
        assert_eq!(shown, ["member_history", "rank_index", "topic", "other"]);
    }
}
