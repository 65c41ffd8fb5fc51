//! Which fault strikes next, by chance.

use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::kind::{Kind, Means};
use crate::kill::fleet::SERVERS;
use crate::wire::Weather;

/// A store of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    /// A database, from 1.
    MariaDb(u8),
    Redis,
}

impl Store {
    /// Its place among all stores, from 0.
    pub(crate) fn place(self) -> u8 {
        match self {
            Self::MariaDb(number) => number - 1,
            Self::Redis => 2,
        }
    }
}

/// One fault. Of what it says a kind takes what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Strike {
    pub(crate) kind: Kind,
    /// A server, or the relay.
    pub(crate) process: usize,
    /// From 1.
    pub(crate) database: u8,
    /// What a wire leads to.
    pub(crate) store: Store,
    /// How long it lasts.
    pub(crate) length: Duration,
    /// The longest delay of a piece.
    pub(crate) delay: Duration,
    /// How far a clock is put ahead, in seconds.
    pub(crate) ahead: i32,
    /// How many keys go.
    pub(crate) keys: u8,
}

/// How far clocks may be off: what a deployment is told to keep them within.
const SKEW: i32 = 60;
/// How far a step goes at least.
const LEAST_STEP: i32 = 5;
/// How long a process of a cluster stands still at most: longer, and its replica takes over.
const UNNOTICED: u64 = 400;
/// The process that serves no calls and does what is done once for all; a server takes that over from it, and it from the server.
pub(crate) const RELAY: usize = SERVERS;
/// Servers and the relay.
pub(crate) const PROCESSES: usize = SERVERS + 1;
/// The server that waits long enough for what Redis answers late, and for copies to hear of it: the other soon gives up, and owes
/// them. Of two rivals the first asks it.
pub(crate) const PATIENT: usize = 1;

impl Strike {
    /// An endless sequence of strikes in which each kind that there are means for comes once in every so many.
    pub(crate) fn plan(means: &[Means], mut random: StdRng) -> impl Iterator<Item = Self> + use<> {
        let (kinds, clustered) = (Kind::with(means), means.contains(&Means::Cluster));
        let mut bag: Vec<Kind> = Vec::new();
        std::iter::from_fn(move || {
            if bag.is_empty() {
                bag.clone_from(&kinds);
                bag.shuffle(&mut random);
            }
            bag.pop().map(|kind| Self::of(kind, clustered, &mut random))
        })
    }

    fn of(kind: Kind, clustered: bool, random: &mut StdRng) -> Self {
        let database = random.random_range(1..=2);
        // A cluster tells its own addresses, to which no wire leads.
        let to_redis = !clustered && (kind.is_of_copies() || random.random_ratio(1, 3));
        let millis = match kind {
            Kind::PauseRedis if clustered => 50..UNNOTICED,
            Kind::PauseRedis => 50..2_000,
            Kind::Delay | Kind::Slices => 300..2_000,
            Kind::Late => 2_000..5_000,
            Kind::Reset => 10..500,
            // Not so long that it gives up, and has copies forgotten.
            Kind::KillMidway => 100..450,
            Kind::Overload => 300..1_500,
            Kind::FailOver => 0..UNNOTICED,
            Kind::StepClock | Kind::HalfOpen | Kind::OneWay | Kind::Blackhole => 300..3_000,
            Kind::KillServer
            | Kind::PauseServer
            | Kind::RollServer
            | Kind::KillRelay
            | Kind::KillMariaDb
            | Kind::PauseMariaDb
            | Kind::FailSync
            | Kind::FillDisk
            | Kind::KillRedis
            | Kind::FlushRedis
            | Kind::EvictRedis => 100..3_000,
            // Longer than a lead lasts, too: then it wakes up beside its successor.
            Kind::PauseRelay => 300..9_000,
        };
        Self {
            kind,
            process: Self::whom(kind, random),
            database,
            store: if to_redis { Store::Redis } else { Store::MariaDb(database) },
            length: Duration::from_millis(random.random_range(millis)),
            delay: Duration::from_millis(random.random_range(if kind == Kind::Late { 60..160 } else { 5..60 })),
            ahead: random.random_range(LEAST_STEP..=SKEW) * if random.random_ratio(1, 2) { 1 } else { -1 },
            keys: random.random_range(1..=20),
        }
    }

    /// The process that a kind strikes itself, its clock or what leads to it.
    fn whom(kind: Kind, random: &mut StdRng) -> usize {
        match kind {
            Kind::Late | Kind::KillMidway => PATIENT,
            Kind::KillServer | Kind::PauseServer | Kind::RollServer => random.random_range(0..SERVERS),
            Kind::KillRelay | Kind::PauseRelay => RELAY,
            Kind::StepClock
            | Kind::KillMariaDb
            | Kind::PauseMariaDb
            | Kind::FailSync
            | Kind::FillDisk
            | Kind::KillRedis
            | Kind::PauseRedis
            | Kind::FlushRedis
            | Kind::EvictRedis
            | Kind::FailOver
            | Kind::Delay
            | Kind::Slices
            | Kind::HalfOpen
            | Kind::OneWay
            | Kind::Reset
            | Kind::Blackhole
            | Kind::Overload => random.random_range(0..PROCESSES),
        }
    }

    /// What it does to a wire, if that is what it strikes.
    pub(crate) fn weather(&self) -> Option<Weather> {
        match self.kind {
            Kind::Delay | Kind::Late => Some(Weather::Delay(self.delay)),
            Kind::Slices => Some(Weather::Slices),
            Kind::HalfOpen | Kind::KillMidway => Some(Weather::Silent),
            Kind::OneWay => Some(Weather::Deaf),
            Kind::Reset => Some(Weather::Reset),
            Kind::KillServer
            | Kind::PauseServer
            | Kind::RollServer
            | Kind::KillRelay
            | Kind::PauseRelay
            | Kind::StepClock
            | Kind::KillMariaDb
            | Kind::PauseMariaDb
            | Kind::FailSync
            | Kind::FillDisk
            | Kind::KillRedis
            | Kind::PauseRedis
            | Kind::FlushRedis
            | Kind::EvictRedis
            | Kind::FailOver
            | Kind::Blackhole
            | Kind::Overload => None,
        }
    }

    /// Whether it may leave copies behind what was committed, with nobody who knows: the next fault, which has copies made
    /// anew, would hide that.
    pub(crate) fn lingers(&self) -> bool {
        self.kind.is_of_copies() && self.store == Store::Redis
    }

    /// To whom, and for how long.
    pub(crate) fn target(&self) -> String {
        let Self { process, database, store, ahead, keys, .. } = self;
        let whom = if *process == RELAY { "the relay".to_owned() } else { format!("server {process}") };
        let lasts = format!("for {:.1} s", self.length.as_secs_f64());
        match self.kind {
            Kind::KillServer | Kind::RollServer | Kind::KillRelay => whom,
            Kind::PauseServer | Kind::PauseRelay => format!("{whom} {lasts}"),
            Kind::StepClock => format!("{whom}: {ahead:+} s {lasts}"),
            Kind::KillMariaDb | Kind::FailSync | Kind::FillDisk => format!("{database}"),
            Kind::PauseMariaDb => format!("{database} {lasts}"),
            Kind::KillRedis | Kind::FlushRedis => String::new(),
            Kind::PauseRedis | Kind::Overload | Kind::FailOver => lasts,
            Kind::EvictRedis => format!("{keys} keys"),
            Kind::Delay | Kind::Late => format!("{:?} between {whom} and {store:?} {lasts}", self.delay),
            Kind::KillMidway | Kind::Slices | Kind::HalfOpen | Kind::OneWay | Kind::Reset | Kind::Blackhole => {
                format!("between {whom} and {store:?} {lasts}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn every_kind_strikes_once_in_each_round_and_a_seed_repeats_itself() {
        let kinds = Kind::with(&[Means::Disks]).len();
        let plan =
            |seed| Strike::plan(&[Means::Disks], StdRng::seed_from_u64(seed)).take(4 * kinds).collect::<Vec<_>>();
        for round in plan(1).chunks(kinds) {
            let mut names: Vec<&str> = round.iter().map(|strike| strike.kind.name()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), kinds, "{names:?}");
        }
        assert_eq!(plan(1), plan(1));
        assert_ne!(plan(1), plan(2));
    }

    #[test]
    fn no_wire_leads_to_a_cluster() {
        let mut struck = Strike::plan(&[Means::Cluster], StdRng::seed_from_u64(1)).take(500);
        assert!(struck.all(|strike| strike.store != Store::Redis));
    }
}
