//! Selection of the next fault, by chance.

use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::kind::{Kind, Means};
use crate::histcheck::fleet::SERVERS;
use crate::proxy::Weather;

/// A store of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    /// A database, from 1.
    MariaDb(u8),
    Redis,
}

impl Store {
    /// Returns its index among all stores, from 0.
    pub(crate) fn place(self) -> u8 {
        match self {
            Self::MariaDb(number) => number - 1,
            Self::Redis => 2,
        }
    }
}

/// One fault. Each kind uses only the fields that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Injection {
    pub(crate) kind: Kind,
    /// A server or the relay.
    pub(crate) process: usize,
    /// Number of the database, from 1.
    pub(crate) database: u8,
    /// The store that the affected proxy leads to.
    pub(crate) store: Store,
    /// Duration of the fault.
    pub(crate) length: Duration,
    /// The longest delay of a chunk.
    pub(crate) delay: Duration,
    /// Seconds by which a clock is set forward.
    pub(crate) ahead: i32,
    /// Number of deleted keys.
    pub(crate) keys: u8,
    /// True if both servers are killed together, and if both databases are.
    pub(crate) both: (bool, bool),
}

/// Largest clock error in seconds: the limit that the documentation sets for deployments.
const SKEW: i32 = 60;
/// The least step of a clock, in seconds.
const LEAST_STEP: i32 = 5;
/// The process that serves no calls and runs the singleton tasks. A server takes these over when
/// the relay fails, and the relay takes them back.
pub(crate) const RELAY: usize = SERVERS;
/// Number of servers plus the relay.
pub(crate) const PROCESSES: usize = SERVERS + 1;
/// The server with long timeouts for Redis reads and cache updates. The other server soon gives up
/// and marks the partitions as invalid. The first of two rival likes is sent to this server.
pub(crate) const PATIENT: usize = 1;

/// The kinds that affect a proxy, with a fixed effect.
const WEATHER: [(&[Kind], Weather); 4] = [
    (&[Kind::Slices], Weather::Slices),
    (&[Kind::HalfOpen, Kind::KillMidway], Weather::Stalled),
    (&[Kind::OneWay], Weather::Deaf),
    (&[Kind::Reset], Weather::Reset),
];

impl Injection {
    /// Returns an endless sequence of faults. Each round contains every available kind once, in
    /// random order.
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
        // A cluster announces its own addresses, so no proxy leads to it.
        let to_redis = !clustered && (kind.is_of_copies() || random.random_ratio(1, 3));
        Self {
            kind,
            process: Self::whom(kind, random),
            database,
            store: if to_redis { Store::Redis } else { Store::MariaDb(database) },
            length: Duration::from_millis(random.random_range(kind.millis(clustered))),
            delay: Duration::from_millis(random.random_range(if kind == Kind::Late { 60..160 } else { 5..60 })),
            ahead: random.random_range(LEAST_STEP..=SKEW) * if random.random_ratio(1, 2) { 1 } else { -1 },
            keys: random.random_range(1..=20),
            both: (random.random_ratio(1, 3), random.random_ratio(1, 3)),
        }
    }

    /// Returns the process affected by a kind: the process itself, its clock, or its connections.
    fn whom(kind: Kind, random: &mut StdRng) -> usize {
        if matches!(kind, Kind::Late | Kind::KillMidway) {
            return PATIENT;
        }
        if matches!(kind, Kind::KillRelay | Kind::PauseRelay) {
            return RELAY;
        }
        let server = matches!(kind, Kind::KillServer | Kind::KillSeveral | Kind::PauseServer | Kind::RollServer);
        random.random_range(0..if server { SERVERS } else { PROCESSES })
    }

    /// Returns the effect on a proxy, if the fault affects one.
    pub(crate) fn weather(&self) -> Option<Weather> {
        if matches!(self.kind, Kind::Delay | Kind::Late) {
            return Some(Weather::Delay(self.delay));
        }
        WEATHER.iter().find_map(|(kinds, weather)| kinds.contains(&self.kind).then_some(*weather))
    }

    /// Returns the servers that are killed together.
    pub(crate) fn servers(&self) -> std::ops::Range<usize> {
        if self.both.0 { 0..SERVERS } else { self.process..self.process + 1 }
    }

    /// Returns the databases that are killed together with them.
    pub(crate) fn databases(&self) -> Vec<u8> {
        if self.both.1 { vec![1, 2] } else { vec![self.database] }
    }

    /// Returns true if it may leave stale cached data that no process knows of. The next fault,
    /// which makes the cache be filled again, would hide that.
    pub(crate) fn lingers(&self) -> bool {
        self.kind.is_of_copies() && self.store == Store::Redis
    }

    /// Describes the affected component and the duration.
    pub(crate) fn target(&self) -> String {
        let Self { process, database, store, ahead, keys, .. } = self;
        let whom = if *process == RELAY { "the relay".to_owned() } else { format!("server {process}") };
        let lasts = format!("for {:.1} s", self.length.as_secs_f64());
        match self.kind {
            Kind::KillServer | Kind::RollServer | Kind::KillRelay => whom,
            Kind::KillSeveral => format!("servers {:?}, databases {:?}", self.servers(), self.databases()),
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
    fn every_kind_is_injected_once_in_each_round_and_a_seed_repeats_itself() {
        let kinds = Kind::with(&[Means::Disks]).len();
        let plan =
            |seed| Injection::plan(&[Means::Disks], StdRng::seed_from_u64(seed)).take(4 * kinds).collect::<Vec<_>>();
        for round in plan(1).chunks(kinds) {
            let mut names: Vec<&str> = round.iter().map(|injection| injection.kind.name()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), kinds, "{names:?}");
        }
        assert_eq!(plan(1), plan(1));
        assert_ne!(plan(1), plan(2));
    }

    #[test]
    fn servers_and_databases_die_together_alone_and_both() {
        let several = |injection: &Injection| injection.kind == Kind::KillSeveral;
        let struck = Injection::plan(&[], StdRng::seed_from_u64(1)).filter(several).take(50);
        let struck: std::collections::BTreeSet<_> =
            struck.map(|injection| (injection.servers().collect::<Vec<_>>(), injection.databases())).collect();
        // Each server alone or both, with each database alone or both.
        assert_eq!(struck.len(), 9, "{struck:?}");
    }

    #[test]
    fn no_wire_leads_to_a_cluster() {
        let mut struck = Injection::plan(&[Means::Cluster], StdRng::seed_from_u64(1)).take(500);
        assert!(struck.all(|injection| injection.store != Store::Redis));
    }
}
