//! Events, positions and leases that a test of event consumers gives the oracle explicitly, without
//! a commit of rows, or as another process would change them.

use std::ops::RangeInclusive;

use riposte_core::Millis;
use riposte_core::event::Event;
use riposte_core::ports::{LeaseCandidate, StoredPosition};

use super::Model;

impl Model {
    /// Records the event of a commit.
    pub fn record_event(&self, event: Event) {
        self.tables().feed.waiting.push(vec![event]);
    }

    /// Assigns sequence numbers to all events, as a leader in another process would.
    pub fn sequence_all(&self) {
        self.tables().feed.assign_sequence(usize::MAX);
    }

    /// Removes the events with these sequence numbers. The head stays where it is.
    pub fn remove_events(&self, numbers: RangeInclusive<i64>) {
        self.tables().feed.sequenced.retain(|event| !numbers.contains(&event.number));
    }

    /// Returns the number of all recorded events, with and without sequence numbers.
    #[must_use]
    pub fn event_count(&self) -> usize {
        let feed = &self.tables().feed;
        feed.sequenced.len() + feed.waiting.iter().flatten().count()
    }

    /// Stores the position of a consumer.
    pub fn set_position(&self, name: &str, number: i64) {
        let absent = || StoredPosition { name: name.to_owned(), number, registered_until: Millis(0) };
        self.tables().feed.positions.entry(name.to_owned()).or_insert_with(absent).number = number;
    }

    /// Returns the stored position of a consumer.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<StoredPosition> {
        self.tables().feed.positions.get(name).cloned()
    }

    /// Returns the last holder of the lease, unless it was released.
    #[must_use]
    pub fn lease_holder(&self) -> Option<LeaseCandidate> {
        self.tables().feed.leader
    }

    /// Gives the lease to another process, or to none, whatever the present holder does.
    pub fn set_lease(&self, holder: Option<LeaseCandidate>, until: Millis) {
        let feed = &mut self.tables().feed;
        (feed.leader, feed.until) = (holder, until);
        feed.epoch += i64::from(holder.is_some());
    }
}
