//! The kinds of faults, and the means that each of them requires.

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// Kills a server by SIGKILL and starts a successor.
    KillServer,
    /// Kills a server by SIGKILL between its commits and their cache updates: its last messages to
    /// Redis are dropped. This covers creates, edits and deletes only, because a like calls Redis
    /// before its commit, too. In a cluster the last messages to a database are dropped.
    KillMidway,
    /// Kills one or both servers and one or both databases at once by SIGKILL, and starts them
    /// again.
    KillSeveral,
    /// Stops a server for a while (SIGSTOP).
    PauseServer,
    /// Terminates a server gracefully and starts a successor.
    RollServer,
    /// Kills the relay by SIGKILL and starts a successor.
    KillRelay,
    /// Stops the relay for a while (SIGSTOP), sometimes until another process holds the lease.
    PauseRelay,
    /// Sets the wall clock of a server forward or back, and corrects it later.
    StepClock,
    KillMariaDb,
    PauseMariaDb,
    /// Fails the disk flushes of a database (EIO) until it exits and is started again.
    FailSync,
    /// Fills the disk of a database (ENOSPC); then the database is killed and started again.
    FillDisk,
    /// Kills Redis, which starts again without any data or functions; in a cluster it kills one
    /// master.
    KillRedis,
    PauseRedis,
    /// Deletes all keys; in a cluster those of one master.
    FlushRedis,
    /// Deletes some randomly selected keys.
    EvictRedis,
    /// Promotes a replica whose data is older than that of its master.
    FailOver,
    /// Delays each chunk on a proxy.
    Delay,
    /// Delays each chunk on a proxy for so long that messages of abandoned calls, and messages that
    /// later ones have overtaken, still arrive.
    Late,
    /// Splits the data on a proxy into chunks of a few bytes.
    Slices,
    /// Drops all data in both directions of a proxy.
    HalfOpen,
    /// Drops all data on a proxy in the direction of the server.
    OneWay,
    /// Resets every connection of a proxy.
    Reset,
    /// Drops the packets of a store to a server.
    Blackhole,
    /// Multiplies the number of clients by five.
    Overload,
    /// Kills the broker of the topic by SIGKILL, and starts it on its data after a while. That may
    /// be longer than the interval of the checks of the topic.
    KillBroker,
}

/// Longest pause of a cluster node in milliseconds; after a longer one its replica takes over.
const LONGEST_PAUSE: u64 = 400;

/// Means that not every run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// Servers with clocks of their own.
    Clocks,
    /// Databases whose system calls fail on request.
    Disks,
    /// Servers in network namespaces.
    Networks,
    /// A Redis Cluster instead of a single server.
    Cluster,
    /// A Kafka broker, to whose topic the events are sent.
    Topic,
}

impl Means {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Clocks, "clocks"),
        (Self::Disks, "disks"),
        (Self::Networks, "networks"),
        (Self::Cluster, "cluster"),
        (Self::Topic, "topic"),
    ];

    /// Returns the name.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find_map(|(means, name)| (*means == self).then_some(*name)).unwrap_or_default()
    }

    /// Returns the means of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find_map(|(means, known)| (known == name).then_some(means))
    }
}

/// A kind with its name, the means that it requires, and its shortest and longest duration in
/// milliseconds.
type KindRow = (FaultKind, &'static str, Option<Means>, (u64, u64));

/// The duration of most kinds.
const USUAL_LENGTH: (u64, u64) = (100, 3_000);
/// The duration of faults of a connection or a clock.
const LONG_LENGTH: (u64, u64) = (300, 3_000);

impl FaultKind {
    const ALL: [KindRow; 26] = [
        (Self::KillServer, "kill server", None, USUAL_LENGTH),
        // Short enough that the server does not time out and invalidate the cache.
        (Self::KillMidway, "kill midway", None, (100, 450)),
        (Self::KillSeveral, "kill several", None, USUAL_LENGTH),
        (Self::PauseServer, "pause server", None, USUAL_LENGTH),
        (Self::RollServer, "roll server", None, USUAL_LENGTH),
        (Self::KillRelay, "kill relay", None, USUAL_LENGTH),
        // Up to longer than a lease lasts: then the relay resumes when its successor already holds
        // the lease.
        (Self::PauseRelay, "pause relay", None, (300, 9_000)),
        (Self::StepClock, "step clock", Some(Means::Clocks), LONG_LENGTH),
        (Self::KillMariaDb, "kill MariaDB", None, USUAL_LENGTH),
        (Self::PauseMariaDb, "pause MariaDB", None, USUAL_LENGTH),
        (Self::FailSync, "fail fsync", Some(Means::Disks), USUAL_LENGTH),
        (Self::FillDisk, "fill disk", Some(Means::Disks), USUAL_LENGTH),
        (Self::KillRedis, "kill Redis", None, USUAL_LENGTH),
        (Self::PauseRedis, "pause Redis", None, (50, 2_000)),
        (Self::FlushRedis, "flush Redis", None, USUAL_LENGTH),
        (Self::EvictRedis, "evict from Redis", None, USUAL_LENGTH),
        (Self::FailOver, "fail over Redis", Some(Means::Cluster), (0, LONGEST_PAUSE)),
        (Self::Delay, "wire: delay", None, (300, 2_000)),
        (Self::Late, "wire: late", None, (2_000, 5_000)),
        (Self::Slices, "wire: slices", None, (300, 2_000)),
        (Self::HalfOpen, "wire: half-open", None, LONG_LENGTH),
        (Self::OneWay, "wire: one way", None, LONG_LENGTH),
        (Self::Reset, "wire: reset", None, (10, 500)),
        (Self::Blackhole, "blackhole", Some(Means::Networks), LONG_LENGTH),
        (Self::Overload, "overload", None, (300, 1_500)),
        (Self::KillBroker, "kill broker", Some(Means::Topic), (1_000, 20_000)),
    ];

    /// Returns the kinds that can be injected in a run with these means.
    pub(crate) fn with(means: &[Means]) -> Vec<Self> {
        let has = |(.., required, _): &KindRow| required.is_none_or(|required| means.contains(&required));
        Self::ALL.into_iter().filter(has).map(|(kind, ..)| kind).collect()
    }

    /// Returns true if it delays or drops cache updates, which the affected server waits for.
    pub(crate) fn affects_cache_updates(self) -> bool {
        matches!(self, Self::Late | Self::KillMidway)
    }

    /// Returns the range of its duration in milliseconds.
    pub(crate) fn millis(self, clustered: bool) -> std::ops::Range<u64> {
        let (least, most) = self.row().map_or(USUAL_LENGTH, |(.., millis)| millis);
        least..if clustered && self == Self::PauseRedis { LONGEST_PAUSE } else { most }
    }

    /// Returns the name that reports use.
    pub(crate) fn name(self) -> &'static str {
        self.row().map_or("", |(_, name, ..)| name)
    }

    fn row(self) -> Option<KindRow> {
        Self::ALL.into_iter().find(|(kind, ..)| *kind == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_without_its_means_is_not_injected() {
        let every: Vec<Means> = Means::ALL.iter().map(|(means, _)| *means).collect();
        assert_eq!((FaultKind::with(&[]).len(), FaultKind::with(&every).len()), (20, FaultKind::ALL.len()));
        assert!(FaultKind::with(&[Means::Disks]).contains(&FaultKind::FillDisk));
        assert_eq!((Means::named("clocks"), Means::named("clock")), (Some(Means::Clocks), None));
    }
}
