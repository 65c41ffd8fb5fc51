//! The relay lease of a data source: one process at a time assigns sequence numbers.

use std::time::Duration;

use crate::domain::time::Millis;
use crate::ports::CLOCK_SKEW_MAX;

/// The relay lease of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayLease {
    /// The name of the candidate that acquired it last; empty if it was released.
    pub holder: Vec<u8>,
    /// The epoch of the holder.
    pub epoch: Epoch,
    /// The time at which the lease expires.
    pub until: Millis,
}

impl RelayLease {
    /// The duration of a lease unless it is extended: the longest time that sequencing pauses after
    /// a leader died.
    pub const DURATION: Duration = Duration::from_secs(5);

    /// Returns `true` if the lease has not expired at `now`.
    #[must_use]
    pub fn is_held(&self, now: Millis) -> bool {
        self.until > now && self.until <= Self::latest_end(now)
    }

    /// Returns the latest end of a lease that is valid at `now`.
    #[must_use]
    pub fn latest_end(now: Millis) -> Millis {
        now.plus(Self::DURATION).plus(CLOCK_SKEW_MAX)
    }

    /// Returns `true` if `candidate` cannot acquire the lease at `now`, because another candidate
    /// holds it and does not have to yield.
    #[must_use]
    pub fn excludes(&self, candidate: LeaseCandidate, now: Millis) -> bool {
        self.holder != candidate.name() && self.is_held(now) && !candidate.displaces(&self.holder)
    }
}

/// A candidate for the relay lease, with a random name. The leader also repairs the shared cache,
/// so a candidate without a shared cache yields: it holds the lease only while no other candidate
/// requests it. The first byte of its name is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseCandidate([u8; 16]);

impl LeaseCandidate {
    /// Creates a candidate that repairs the shared cache while it holds the lease.
    #[must_use]
    pub const fn repairing(mut name: [u8; 16]) -> Self {
        name[0] |= 1;
        Self(name)
    }

    /// Creates a candidate without a shared cache.
    #[must_use]
    pub const fn yielding(mut name: [u8; 16]) -> Self {
        name[0] = 0;
        Self(name)
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &[u8; 16] {
        &self.0
    }

    /// Returns `true` if this candidate takes the lease from the current holder, whose name is
    /// `holder`.
    #[must_use]
    pub fn displaces(&self, holder: &[u8]) -> bool {
        self.0[0] != 0 && holder.first() == Some(&0)
    }
}

/// The epoch of a lease. Each new leader of a source has a greater epoch, and statements of an
/// earlier epoch have no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub i64);

#[cfg(test)]
mod tests {
    use super::LeaseCandidate;

    #[test]
    fn a_yielding_candidate_is_displaced_by_one_that_repairs_and_by_no_other() {
        for first in [0, 1, 2, 254, 255] {
            let name: [u8; 16] = std::array::from_fn(|n| if n == 0 { first } else { n as u8 });
            let (repairing, yielding) = (LeaseCandidate::repairing(name), LeaseCandidate::yielding(name));
            assert_eq!([repairing, yielding].map(|candidate| candidate.name()[1..] == name[1..]), [true; 2], "{first}");
            assert!(repairing.name()[0] == first | 1 && yielding.name()[0] == 0, "{first}");
            for (candidate, holder, displaces) in [
                (repairing, yielding.name().as_slice(), true),
                (repairing, repairing.name(), false),
                (yielding, yielding.name(), false),
                (yielding, repairing.name(), false),
                (repairing, &[], false),
            ] {
                assert_eq!(candidate.displaces(holder), displaces, "{candidate:?} displaces {holder:?}");
            }
        }
    }
}
