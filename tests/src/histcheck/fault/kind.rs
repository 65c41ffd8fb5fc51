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

impl Kind {
    /// All kinds with their names.
    const ALL: [(Self, &'static str); 25] = [
        (Self::KillServer, "kill server"),
        (Self::KillMidway, "kill midway"),
        (Self::KillSeveral, "kill several"),
        (Self::PauseServer, "pause server"),
        (Self::RollServer, "roll server"),
        (Self::KillRelay, "kill relay"),
        (Self::PauseRelay, "pause relay"),
        (Self::StepClock, "step clock"),
        (Self::KillMariaDb, "kill MariaDB"),
        (Self::PauseMariaDb, "pause MariaDB"),
        (Self::FailSync, "fail fsync"),
        (Self::FillDisk, "fill disk"),
        (Self::KillRedis, "kill Redis"),
        (Self::PauseRedis, "pause Redis"),
        (Self::FlushRedis, "flush Redis"),
        (Self::EvictRedis, "evict from Redis"),
        (Self::FailOver, "fail over Redis"),
        (Self::Delay, "wire: delay"),
        (Self::Late, "wire: late"),
        (Self::Slices, "wire: slices"),
        (Self::HalfOpen, "wire: half-open"),
        (Self::OneWay, "wire: one way"),
        (Self::Reset, "wire: reset"),
        (Self::Blackhole, "blackhole"),
        (Self::Overload, "overload"),
    ];

    /// Returns the kinds that can be injected in a run with these means.
    pub(crate) fn with(means: &[Means]) -> Vec<Self> {
        let has = |kind: &Self| kind.takes().is_none_or(|takes| means.contains(&takes));
        Self::ALL.into_iter().map(|(kind, _)| kind).filter(has).collect()
    }

    /// Returns true if it affects cache updates, which the affected server waits for.
    pub(crate) fn is_of_copies(self) -> bool {
        matches!(self, Self::Late | Self::KillMidway)
    }

    fn takes(self) -> Option<Means> {
        match self {
            Self::StepClock => Some(Means::Clocks),
            Self::FailSync | Self::FillDisk => Some(Means::Disks),
            Self::Blackhole => Some(Means::Networks),
            Self::FailOver => Some(Means::Cluster),
            Self::KillServer
            | Self::KillMidway
            | Self::KillSeveral
            | Self::PauseServer
            | Self::RollServer
            | Self::KillRelay
            | Self::PauseRelay
            | Self::KillMariaDb
            | Self::PauseMariaDb
            | Self::KillRedis
            | Self::PauseRedis
            | Self::FlushRedis
            | Self::EvictRedis
            | Self::Delay
            | Self::Late
            | Self::Slices
            | Self::HalfOpen
            | Self::OneWay
            | Self::Reset
            | Self::Overload => None,
        }
    }

    /// Returns the name that reports use.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find_map(|(kind, name)| (*kind == self).then_some(*name)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_has_no_means_for_does_not_strike() {
        let every: Vec<Means> = Means::ALL.iter().map(|(means, _)| *means).collect();
        assert_eq!((Kind::with(&[]).len(), Kind::with(&every).len()), (20, Kind::ALL.len()));
        assert!(Kind::with(&[Means::Disks]).contains(&Kind::FillDisk));
        assert_eq!((Means::named("clocks"), Means::named("clock")), (Some(Means::Clocks), None));
    }
}
