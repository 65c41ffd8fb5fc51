//! The kinds of faults, and the means that each of them requires.

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Kills a server by SIGKILL and starts a successor.
    KillServer,
    /// Kills a server by SIGKILL between its commits and their cache updates: its last messages to
    /// Redis are dropped. This covers creates, edits and deletes only, because a like calls Redis
    /// before its commit, too. In a cluster the last messages to a database are dropped.
    KillMidway,
    /// Kills servers and databases at once by SIGKILL, one or both of each, and starts them again.
    KillSeveral,
    /// Stops a server for a while (SIGSTOP).
    PauseServer,
    /// Terminates a server gracefully and starts a successor.
    RollServer,
    /// Kills the relay by SIGKILL and starts a successor.
    KillRelay,
    /// Stops the relay for a while (SIGSTOP), sometimes until another process holds the lease.
    PauseRelay,
    /// Sets the wall clock of a server forward or back, and later right again.
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
    /// Promotes a replica that lags behind its master.
    FailOver,
    /// Delays each chunk on a proxy.
    Delay,
    /// Delays each chunk on a proxy for so long that messages of abandoned calls, or messages that
    /// later ones have overtaken, still arrive in the end.
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
}

/// Longest pause of a cluster node in milliseconds; after a longer one its replica takes over.
const UNNOTICED: u64 = 400;

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
}

impl Means {
    const ALL: [(Self, &'static str); 4] =
        [(Self::Clocks, "clocks"), (Self::Disks, "disks"), (Self::Networks, "networks"), (Self::Cluster, "cluster")];

    /// Returns the name.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find_map(|(means, name)| (*means == self).then_some(*name)).unwrap_or_default()
    }

    /// Returns the means of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find_map(|(means, of)| (of == name).then_some(means))
    }
}

/// A kind with its name, the means that it requires, and its shortest and longest duration in
/// milliseconds.
type Row = (Kind, &'static str, Option<Means>, (u64, u64));

/// The duration of most kinds.
const USUAL: (u64, u64) = (100, 3_000);
/// The duration of faults that a connection or a clock has.
const LONG: (u64, u64) = (300, 3_000);

impl Kind {
    const ALL: [Row; 25] = [
        (Self::KillServer, "kill server", None, USUAL),
        // Short enough that the server does not time out and invalidate the cache.
        (Self::KillMidway, "kill midway", None, (100, 450)),
        (Self::KillSeveral, "kill several", None, USUAL),
        (Self::PauseServer, "pause server", None, USUAL),
        (Self::RollServer, "roll server", None, USUAL),
        (Self::KillRelay, "kill relay", None, USUAL),
        // Longer than a lease lasts, too: then it resumes when its successor already holds the
        // lease.
        (Self::PauseRelay, "pause relay", None, (300, 9_000)),
        (Self::StepClock, "step clock", Some(Means::Clocks), LONG),
        (Self::KillMariaDb, "kill MariaDB", None, USUAL),
        (Self::PauseMariaDb, "pause MariaDB", None, USUAL),
        (Self::FailSync, "fail fsync", Some(Means::Disks), USUAL),
        (Self::FillDisk, "fill disk", Some(Means::Disks), USUAL),
        (Self::KillRedis, "kill Redis", None, USUAL),
        (Self::PauseRedis, "pause Redis", None, (50, 2_000)),
        (Self::FlushRedis, "flush Redis", None, USUAL),
        (Self::EvictRedis, "evict from Redis", None, USUAL),
        (Self::FailOver, "fail over Redis", Some(Means::Cluster), (0, UNNOTICED)),
        (Self::Delay, "wire: delay", None, (300, 2_000)),
        (Self::Late, "wire: late", None, (2_000, 5_000)),
        (Self::Slices, "wire: slices", None, (300, 2_000)),
        (Self::HalfOpen, "wire: half-open", None, LONG),
        (Self::OneWay, "wire: one way", None, LONG),
        (Self::Reset, "wire: reset", None, (10, 500)),
        (Self::Blackhole, "blackhole", Some(Means::Networks), LONG),
        (Self::Overload, "overload", None, (300, 1_500)),
    ];

    /// Returns the kinds that can be injected in a run with these means.
    pub(crate) fn with(means: &[Means]) -> Vec<Self> {
        let has = |(.., takes, _): &Row| takes.is_none_or(|takes| means.contains(&takes));
        Self::ALL.into_iter().filter(has).map(|(kind, ..)| kind).collect()
    }

    /// Returns true if it affects cache updates, which the affected server waits for.
    pub(crate) fn is_of_copies(self) -> bool {
        matches!(self, Self::Late | Self::KillMidway)
    }

    /// Returns the range of its duration in milliseconds.
    pub(crate) fn millis(self, clustered: bool) -> std::ops::Range<u64> {
        let (least, most) = self.row().map_or(USUAL, |(.., millis)| millis);
        least..if clustered && self == Self::PauseRedis { UNNOTICED } else { most }
    }

    /// Returns the name that reports use.
    pub(crate) fn name(self) -> &'static str {
        self.row().map_or("", |(_, name, ..)| name)
    }

    fn row(self) -> Option<Row> {
        Self::ALL.into_iter().find(|(kind, ..)| *kind == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_without_its_tools_is_not_injected() {
        let every: Vec<Means> = Means::ALL.iter().map(|(means, _)| *means).collect();
        assert_eq!((Kind::with(&[]).len(), Kind::with(&every).len()), (20, Kind::ALL.len()));
        assert!(Kind::with(&[Means::Disks]).contains(&Kind::FillDisk));
        assert_eq!((Means::named("clocks"), Means::named("clock")), (Some(Means::Clocks), None));
    }
}
