//! Which fault strikes next, by chance.

use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::kill::fleet::SERVERS;
use crate::wire::Weather;

/// A store that a wire leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    /// A database, from 1.
    MariaDb(u8),
    Redis,
}

/// One fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strike {
    /// A server dies by SIGKILL, and another takes its place.
    KillServer(usize),
    /// A server stands still for so long.
    PauseServer(usize, Duration),
    /// A server is asked to stop, and another takes its place.
    RollServer(usize),
    KillMariaDb(u8),
    PauseMariaDb(u8, Duration),
    /// Redis dies, and comes back with nothing, not even its functions.
    KillRedis,
    PauseRedis(Duration),
    /// All keys go.
    FlushRedis,
    /// So many keys go, each drawn by lot.
    EvictRedis(u8),
    /// The wire from a server to a store has weather for so long.
    Wire(usize, Store, Weather, Duration),
    /// Five times as many clients for so long.
    Overload(Duration),
}

/// How many kinds of strikes there are, by their names.
const KINDS: usize = 15;

impl Strike {
    /// An endless sequence of strikes in which each kind comes once in every so many.
    pub(crate) fn plan(mut random: StdRng) -> impl Iterator<Item = Self> {
        let mut bag: Vec<usize> = Vec::new();
        std::iter::from_fn(move || {
            if bag.is_empty() {
                bag = (0..KINDS).collect();
                bag.shuffle(&mut random);
            }
            bag.pop().map(|kind| Self::of(kind, &mut random))
        })
    }

    fn of(kind: usize, random: &mut StdRng) -> Self {
        let server = random.random_range(0..SERVERS);
        let database = random.random_range(1..=2);
        let store = if random.random_ratio(1, 3) { Store::Redis } else { Store::MariaDb(database) };
        let mut moment = |least: u64, most: u64| Duration::from_millis(random.random_range(least..most));
        match kind {
            0 => Self::KillServer(server),
            1 => Self::PauseServer(server, moment(100, 3_000)),
            2 => Self::RollServer(server),
            3 => Self::KillMariaDb(database),
            4 => Self::PauseMariaDb(database, moment(100, 3_000)),
            5 => Self::KillRedis,
            6 => Self::PauseRedis(moment(50, 2_000)),
            7 => Self::FlushRedis,
            8 => Self::EvictRedis(random.random_range(1..=20)),
            9 => Self::Wire(server, store, Weather::Delay(moment(5, 60)), moment(300, 2_000)),
            10 => Self::Wire(server, store, Weather::Slices, moment(300, 2_000)),
            11 => Self::Wire(server, store, Weather::Silent, moment(300, 3_000)),
            12 => Self::Wire(server, store, Weather::Deaf, moment(300, 3_000)),
            13 => Self::Wire(server, store, Weather::Reset, moment(10, 500)),
            _ => Self::Overload(moment(300, 1_500)),
        }
    }

    /// What is done, by one name for all of its kind.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::KillServer(_) => "kill server",
            Self::PauseServer(..) => "pause server",
            Self::RollServer(_) => "roll server",
            Self::KillMariaDb(_) => "kill MariaDB",
            Self::PauseMariaDb(..) => "pause MariaDB",
            Self::KillRedis => "kill Redis",
            Self::PauseRedis(_) => "pause Redis",
            Self::FlushRedis => "flush Redis",
            Self::EvictRedis(_) => "evict from Redis",
            Self::Wire(_, _, Weather::Delay(_), _) => "wire: delay",
            Self::Wire(_, _, Weather::Slices, _) => "wire: slices",
            Self::Wire(_, _, Weather::Silent, _) => "wire: half-open",
            Self::Wire(_, _, Weather::Deaf, _) => "wire: one way",
            Self::Wire(_, _, Weather::Reset, _) => "wire: reset",
            Self::Wire(_, _, Weather::Clear, _) => "wire: clear",
            Self::Overload(_) => "overload",
        }
    }

    /// To whom, and for how long.
    pub(crate) fn target(self) -> String {
        let lasts = |length: Duration| format!("for {:.1} s", length.as_secs_f64());
        match self {
            Self::KillServer(server) | Self::RollServer(server) => format!("server {server}"),
            Self::PauseServer(server, length) => format!("server {server} {}", lasts(length)),
            Self::KillMariaDb(database) => format!("{database}"),
            Self::PauseMariaDb(database, length) => format!("{database} {}", lasts(length)),
            Self::KillRedis | Self::FlushRedis => String::new(),
            Self::PauseRedis(length) | Self::Overload(length) => lasts(length),
            Self::EvictRedis(keys) => format!("{keys} keys"),
            Self::Wire(server, store, weather, length) => {
                format!("{weather:?} between server {server} and {store:?} {}", lasts(length))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng;

    use super::*;

    #[test]
    fn every_kind_strikes_once_in_each_round_and_a_seed_repeats_itself() {
        let plan = |seed| Strike::plan(StdRng::seed_from_u64(seed)).take(4 * KINDS).collect::<Vec<_>>();
        for round in plan(1).chunks(KINDS) {
            let kinds: BTreeSet<&str> = round.iter().map(|strike| strike.kind()).collect();
            assert_eq!(kinds.len(), KINDS, "{kinds:?}");
        }
        assert_eq!(plan(1), plan(1));
        assert_ne!(plan(1), plan(2));
    }
}
