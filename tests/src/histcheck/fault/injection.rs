//! Selection of the next fault, by chance.

use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::kind::{FaultKind, Means};
use crate::histcheck::fleet::SERVERS;
use crate::proxy::ProxyMode;

/// A store of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    /// A database, from 1.
    MariaDb(u8),
    Redis,
}

impl Store {
    /// Returns its index among all stores, from 0.
    pub(crate) fn index(self) -> u8 {
        match self {
            Self::MariaDb(number) => number - 1,
            Self::Redis => 2,
        }
    }
}

/// One fault. Each kind uses only the fields that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Injection {
    pub(crate) kind: FaultKind,
    /// A server or the relay.
    pub(crate) process: usize,
    /// Number of the database, from 1.
    pub(crate) database: u8,
    /// The store that the affected proxy forwards to.
    pub(crate) store: Store,
    /// Duration of the fault.
    pub(crate) length: Duration,
    /// The longest delay of a chunk.
    pub(crate) delay: Duration,
    /// Seconds by which a clock is set forward, or set back if negative.
    pub(crate) ahead: i32,
    /// Number of deleted keys.
    pub(crate) keys: u8,
    /// True if both servers are killed together.
    pub(crate) both_servers: bool,
    /// True if both databases are killed together.
    pub(crate) both_databases: bool,
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
/// and marks the partitions as invalid. The first of two concurrent likes is sent to this server.
pub(crate) const LONG_TIMEOUT_SERVER: usize = 1;

/// The kinds that affect a proxy with a fixed mode.
const PROXY_MODES: [(&[FaultKind], ProxyMode); 4] = [
    (&[FaultKind::Slices], ProxyMode::Slices),
    (&[FaultKind::HalfOpen, FaultKind::KillMidway], ProxyMode::Stalled),
    (&[FaultKind::OneWay], ProxyMode::OneWay),
    (&[FaultKind::Reset], ProxyMode::Reset),
];

impl Injection {
    /// Returns an endless sequence of faults. Each round contains every available kind once, in
    /// random order. The fault of the topic, if there is one, is the first of all: a short run with
    /// a topic is about that.
    pub(crate) fn plan(means: &[Means], mut random: StdRng) -> impl Iterator<Item = Self> + use<> {
        let (kinds, clustered) = (FaultKind::with(means), means.contains(&Means::Cluster));
        let mut remaining: Vec<FaultKind> = Vec::new();
        let mut is_first = true;
        std::iter::from_fn(move || {
            if remaining.is_empty() {
                remaining.clone_from(&kinds);
                remaining.shuffle(&mut random);
                if let Some(at) = remaining.iter().position(|kind| *kind == FaultKind::KillBroker).filter(|_| is_first)
                {
                    let last = remaining.len() - 1;
                    remaining.swap(at, last);
                }
                is_first = false;
            }
            remaining.pop().map(|kind| Self::of(kind, clustered, &mut random))
        })
    }

    fn of(kind: FaultKind, clustered: bool, random: &mut StdRng) -> Self {
        let database = random.random_range(1..=2);
        // A cluster announces its own addresses, so no proxy forwards to it.
        let to_redis = !clustered && (kind.affects_cache_updates() || random.random_ratio(1, 3));
        Self {
            kind,
            process: Self::affected_process(kind, random),
            database,
            store: if to_redis { Store::Redis } else { Store::MariaDb(database) },
            length: Duration::from_millis(random.random_range(kind.millis(clustered))),
            delay: Duration::from_millis(random.random_range(if kind == FaultKind::Late { 60..160 } else { 5..60 })),
            ahead: random.random_range(LEAST_STEP..=SKEW) * if random.random_ratio(1, 2) { 1 } else { -1 },
            keys: random.random_range(1..=20),
            both_servers: random.random_ratio(1, 3),
            both_databases: random.random_ratio(1, 3),
        }
    }

    /// Selects the process that a fault of this kind affects, directly or through the clock or the
    /// connections of the process.
    fn affected_process(kind: FaultKind, random: &mut StdRng) -> usize {
        if matches!(kind, FaultKind::Late | FaultKind::KillMidway) {
            return LONG_TIMEOUT_SERVER;
        }
        if matches!(kind, FaultKind::KillRelay | FaultKind::PauseRelay) {
            return RELAY;
        }
        let server = matches!(
            kind,
            FaultKind::KillServer | FaultKind::KillSeveral | FaultKind::PauseServer | FaultKind::RollServer
        );
        random.random_range(0..if server { SERVERS } else { PROCESSES })
    }

    /// Returns the mode of the affected proxy, if the fault affects one.
    pub(crate) fn proxy_mode(&self) -> Option<ProxyMode> {
        if matches!(self.kind, FaultKind::Delay | FaultKind::Late) {
            return Some(ProxyMode::Delay(self.delay));
        }
        PROXY_MODES.iter().find_map(|(kinds, mode)| kinds.contains(&self.kind).then_some(*mode))
    }

    /// Returns the servers that are killed together.
    pub(crate) fn servers(&self) -> std::ops::Range<usize> {
        if self.both_servers { 0..SERVERS } else { self.process..self.process + 1 }
    }

    /// Returns the databases that are killed together with them.
    pub(crate) fn databases(&self) -> Vec<u8> {
        if self.both_databases { vec![1, 2] } else { vec![self.database] }
    }

    /// Returns true if the fault may leave stale cached data that no process knows of. The next
    /// fault could hide this data, because the processes then fill the cache again.
    pub(crate) fn lingers(&self) -> bool {
        self.kind.affects_cache_updates() && self.store == Store::Redis
    }

    /// Describes the affected component and the duration.
    pub(crate) fn target(&self) -> String {
        let Self { process, database, store, ahead, keys, .. } = self;
        let process_name = if *process == RELAY { "the relay".to_owned() } else { format!("server {process}") };
        let duration = format!("for {:.1} s", self.length.as_secs_f64());
        match self.kind {
            FaultKind::KillServer | FaultKind::RollServer | FaultKind::KillRelay => process_name,
            FaultKind::KillSeveral => format!("servers {:?}, databases {:?}", self.servers(), self.databases()),
            FaultKind::PauseServer | FaultKind::PauseRelay => format!("{process_name} {duration}"),
            FaultKind::StepClock => format!("{process_name}: {ahead:+} s {duration}"),
            FaultKind::KillMariaDb | FaultKind::FailSync | FaultKind::FillDisk => format!("{database}"),
            FaultKind::PauseMariaDb => format!("{database} {duration}"),
            FaultKind::KillRedis | FaultKind::FlushRedis => String::new(),
            FaultKind::PauseRedis | FaultKind::Overload | FaultKind::FailOver | FaultKind::KillBroker => duration,
            FaultKind::EvictRedis => format!("{keys} keys"),
            FaultKind::Delay | FaultKind::Late => {
                format!("{:?} between {process_name} and {store:?} {duration}", self.delay)
            }
            FaultKind::KillMidway
            | FaultKind::Slices
            | FaultKind::HalfOpen
            | FaultKind::OneWay
            | FaultKind::Reset
            | FaultKind::Blackhole => {
                format!("between {process_name} and {store:?} {duration}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn every_kind_is_injected_once_in_each_round_and_a_seed_repeats_the_plan() {
        let kinds = FaultKind::with(&[Means::Disks]).len();
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
    fn one_or_both_servers_are_killed_with_one_or_both_databases() {
        let several = |injection: &Injection| injection.kind == FaultKind::KillSeveral;
        let injections = Injection::plan(&[], StdRng::seed_from_u64(1)).filter(several).take(50);
        let combinations: std::collections::BTreeSet<_> =
            injections.map(|injection| (injection.servers().collect::<Vec<_>>(), injection.databases())).collect();
        // Each server alone or both, with each database alone or both.
        assert_eq!(combinations.len(), 9, "{combinations:?}");
    }

    #[test]
    fn a_run_with_a_topic_begins_with_its_broker() {
        for seed in 0..20 {
            let first = Injection::plan(&[Means::Topic], StdRng::seed_from_u64(seed)).next().unwrap();
            assert_eq!(first.kind, FaultKind::KillBroker);
        }
    }

    #[test]
    fn no_fault_affects_a_proxy_to_a_cluster() {
        let mut injections = Injection::plan(&[Means::Cluster], StdRng::seed_from_u64(1)).take(500);
        assert!(injections.all(|injection| injection.store != Store::Redis));
    }
}
