//! The standings that were read, of the times at which others may still become visible.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use riposte_core::Millis;
use riposte_core::standing::StandingChange;
use tokio::time::Instant;

use super::LATE_MAX_MILLIS;

/// The standings of the last minute that were read. A count of the rows shows whether others have
/// become visible since.
#[derive(Debug, Default)]
pub(super) struct LateWindow {
    /// The times of standings by the keys of their members; `None` before the first read.
    times: Option<HashMap<u64, Millis>>,
    /// The newest standing that earlier reads found, and when.
    pub(super) reads: VecDeque<(Instant, Millis)>,
    /// The time up to which no standing can become visible any more.
    settled: Option<Millis>,
}

impl LateWindow {
    /// Returns the time after which standings may still become visible, of which that of the time
    /// `newest` was read last, and removes those before it. After a step of a database's clock the
    /// time of a row may lie ahead of `now`, and rows that are set later lie before it.
    pub(super) fn start(&mut self, newest: Millis, now: Millis) -> Millis {
        let latest = Millis(newest.min(now).0.saturating_sub(LATE_MAX_MILLIS));
        let settled = self.settled.filter(|settled| *settled <= now);
        let start = settled.map_or(latest, |settled| settled.max(latest));
        if let Some(times) = &mut self.times {
            times.retain(|_, time| *time > start);
            times.shrink_to(times.len() * 2);
        }
        start
    }

    /// Returns `true` if all standings of the window were read.
    pub(super) const fn is_known(&self) -> bool {
        self.times.is_some()
    }

    /// Returns the number of standings that were read, up to a time.
    pub(super) fn count_until(&self, until: Millis) -> u64 {
        self.times.iter().flat_map(HashMap::values).filter(|time| **time <= until).count() as u64
    }

    /// Removes all standings: they are read again.
    pub(super) fn clear(&mut self) {
        self.times = Some(HashMap::new());
    }

    /// Adds standings that were read, each with the key of its member.
    pub(super) fn add<'c>(&mut self, read: impl Iterator<Item = (u64, &'c StandingChange)>) {
        self.times.get_or_insert_default().extend(read.map(|(key, change)| (key, change.changed)));
    }

    /// Notes a read that began at `begun`, and the newest standing that was found then.
    pub(super) fn read_at(&mut self, begun: Instant, newest: Millis) {
        // What was newest a minute before this read began has been followed by all before it.
        while let Some((at, found)) = self.reads.front().copied() {
            if begun.duration_since(at) < Duration::from_millis(LATE_MAX_MILLIS.unsigned_abs()) {
                break;
            }
            self.settled = Some(found);
            self.reads.pop_front();
        }
        if self.reads.back().is_none_or(|(_, found)| *found != newest) && self.settled != Some(newest) {
            self.reads.push_back((Instant::now(), newest));
        }
    }
}
