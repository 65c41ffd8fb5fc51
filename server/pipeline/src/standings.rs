//! The standings of members in the memory of a process. They are few, so every process has all of
//! them, and a write asks no store. The rows are read completely before the process is ready, and
//! their changes from then on.

mod feed;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use riposte_core::ports::Standings;
use riposte_core::standing::{Standing, StandingChange, StandingInForce};
use riposte_core::{MemberId, Millis, ObjectType};
use tokio::sync::Notify;

pub use feed::{StandingFeed, StandingLoadError};

/// The standings in memory. A clone shares them.
#[derive(Debug, Clone, Default)]
pub struct StandingTable(Arc<TableState>);

#[derive(Debug, Default)]
struct TableState {
    /// Random in each process, so that two members with one hash cannot be computed.
    hash: RandomState,
    /// By the hash of object type and member; `None` while no member has a standing. Two of 200,000
    /// standings have one hash with a probability of 1 in 10⁹.
    entries: ArcSwapOption<HashMap<u64, Entry>>,
    /// Notified when this process has set a standing.
    set: Notify,
}

/// A standing in 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// The time at which it ends.
    until: i64,
    /// The weight of reports; negative if it is not set.
    weight: i32,
    standing: Standing,
}

/// The end of a standing without one.
const ENDLESS: i64 = i64::MAX;

impl From<StandingInForce> for Entry {
    fn from(StandingInForce { standing, until, report_weight }: StandingInForce) -> Self {
        Self { until: until.map_or(ENDLESS, |until| until.0), weight: report_weight.unwrap_or(-1), standing }
    }
}

impl From<Entry> for StandingInForce {
    fn from(Entry { until, weight, standing }: Entry) -> Self {
        let until = Some(Millis(until)).filter(|until| until.0 != ENDLESS);
        Self { standing, until, report_weight: Some(weight).filter(|weight| *weight >= 0) }
    }
}

impl StandingTable {
    /// Returns the number of standings.
    fn count(&self) -> usize {
        self.0.entries.load().as_ref().map_or(0, |entries| entries.len())
    }

    /// Removes all standings.
    fn clear(&self) {
        self.0.entries.store(None);
    }

    /// Applies changes in their order. Those that have ended at `now` or are those of every member
    /// leave no entry. Writes see the entries before or after all of the changes.
    fn apply(&self, changes: &[StandingChange], now: Millis) {
        let mut entries: Option<HashMap<u64, Entry>> = None;
        let present = self.0.entries.load_full();
        for StandingChange { of, in_force, .. } in changes {
            let key = self.key(&of.object_type, &of.member);
            let entry = Some(in_force.at(now)).filter(StandingInForce::is_notable).map(Entry::from);
            let before = entries.as_ref().or(present.as_deref()).and_then(|entries| entries.get(&key)).copied();
            if before == entry {
                continue;
            }
            let entries = entries.get_or_insert_with(|| present.as_deref().cloned().unwrap_or_default());
            match entry {
                Some(entry) => entries.insert(key, entry),
                None => entries.remove(&key),
            };
        }
        if let Some(entries) = entries {
            self.0.entries.store((!entries.is_empty()).then(|| Arc::new(entries)));
        }
    }

    fn key(&self, object_type: &ObjectType, member: &MemberId) -> u64 {
        self.0.hash.hash_one((object_type.as_str(), member.as_str()))
    }
}

impl Standings for StandingTable {
    fn of(&self, object_type: &ObjectType, member: &MemberId, now: Millis) -> Option<StandingInForce> {
        let entries = self.0.entries.load();
        let entry = entries.as_ref()?.get(&self.key(object_type, member))?;
        Some(StandingInForce::from(*entry).at(now))
    }

    fn was_set(&self) {
        self.0.set.notify_one();
    }
}

#[cfg(test)]
mod tests;
