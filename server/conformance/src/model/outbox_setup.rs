//! Direct changes of events, positions and leases by tests of event consumers: without a commit of
//! rows, or as another process would make them.

use std::ops::RangeInclusive;

use riposte_core::Millis;
use riposte_core::event::Event;
use riposte_core::ports::{LeaseCandidate, StoredPosition};

use super::Model;

impl Model {
    /// Records the event of a commit.
    pub fn record_event(&self, event: Event) {
        self.tables().outbox.waiting.push(vec![event]);
    }

    /// Assigns sequence numbers to all events, as a leader in another process would.
    pub fn sequence_all(&self) {
        self.tables().outbox.assign_sequence(usize::MAX);
    }

    /// Removes the events with these sequence numbers. The head stays where it is.
    pub fn remove_events(&self, numbers: RangeInclusive<i64>) {
        self.tables().outbox.sequenced.retain(|event| !numbers.contains(&event.number));
    }

    /// Returns the number of all recorded events, with and without sequence numbers.
    #[must_use]
    pub fn event_count(&self) -> usize {
        let outbox = &self.tables().outbox;
        outbox.sequenced.len() + outbox.waiting.iter().flatten().count()
    }

    /// Stores the position of a consumer.
    pub fn set_position(&self, name: &str, number: i64) {
        let absent = || StoredPosition { name: name.to_owned(), number, registered_until: Millis(0) };
        self.tables().outbox.positions.entry(name.to_owned()).or_insert_with(absent).number = number;
    }

    /// Sets the head of the sequence numbers, as damage to its row does.
    pub fn set_head(&self, number: i64) {
        self.tables().outbox.head = number;
    }

    /// Returns the stored position of a consumer.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<StoredPosition> {
        self.tables().outbox.positions.get(name).cloned()
    }

    /// Returns the last holder of the lease, unless it was released.
    #[must_use]
    pub fn lease_holder(&self) -> Option<LeaseCandidate> {
        self.tables().outbox.leader
    }

    /// Gives the lease to another process, or to none, even if its holder has not released it.
    pub fn set_lease(&self, holder: Option<LeaseCandidate>, until: Millis) {
        let outbox = &mut self.tables().outbox;
        (outbox.leader, outbox.until) = (holder, until);
        outbox.epoch += i64::from(holder.is_some());
    }
}
