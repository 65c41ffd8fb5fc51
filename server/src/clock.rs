//! The wall clock of this machine, behind the Clock port. Every decision about a time uses the
//! port. Telemetry reads the clock itself for its timestamps, on which no decision depends.

use riposte_core::{Millis, ports::Clock};
use std::time::{SystemTime, UNIX_EPOCH};

/// The wall clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        Millis(self.unix_millis())
    }
}

impl SystemClock {
    /// Returns the milliseconds since 1970, for clients, which know no type of the domain.
    #[expect(clippy::disallowed_methods, reason = "this is the Clock port")]
    #[must_use]
    pub fn unix_millis(&self) -> i64 {
        // A clock before 1970 is broken; with 0 the id generator rejects new ids instead of
        // wrapping around.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::SystemClock;
    use riposte_core::ports::Clock;

    #[test]
    fn the_wall_clock_gives_milliseconds_since_1970() {
        let year_2020 = 1_577_836_800_000;
        assert!((year_2020..year_2020 * 4).contains(&SystemClock.now().0));
    }
}
