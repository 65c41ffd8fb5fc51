//! The kinds of faults, and what each of them takes.

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A server dies by SIGKILL, and another takes its place.
    KillServer,
    /// A server dies by SIGKILL between its commits and their copies: what it says to Redis in its last moments arrives nowhere. Of
    /// creates, edits and deletes, since a like asks Redis before it is committed, too. In a cluster: what it says to a database.
    KillMidway,
    /// A server stands still.
    PauseServer,
    /// A server is asked to stop, and another takes its place.
    RollServer,
    /// The relay dies by SIGKILL, and another takes its place.
    KillRelay,
    /// The relay stands still, sometimes until another one leads.
    PauseRelay,
    /// The wall clock of a server is put ahead or back, and later right again.
    StepClock,
    KillMariaDb,
    PauseMariaDb,
    /// What a database wants on disk is not taken down (EIO), until it dies of it and comes back.
    FailSync,
    /// The disk of a database takes nothing more (ENOSPC); then it dies and comes back.
    FillDisk,
    /// Redis dies, and comes back with nothing, not even its functions; in a cluster a master does.
    KillRedis,
    PauseRedis,
    /// All keys go; in a cluster those of one master.
    FlushRedis,
    /// Some keys go, each drawn by lot.
    EvictRedis,
    /// A replica that lags takes over from its master.
    FailOver,
    /// A wire takes its time for each piece.
    Delay,
    /// A wire holds each piece for so long that what was given up, or what others have outrun, arrives in the end.
    Late,
    /// A wire carries pieces of a few bytes.
    Slices,
    /// Nothing arrives any more at either end of a wire.
    HalfOpen,
    /// Nothing arrives any more at the server's end of a wire.
    OneWay,
    /// Every connection over a wire is reset.
    Reset,
    /// Packets of a store to a server vanish on their way.
    Blackhole,
    /// Five times as many clients.
    Overload,
}

/// What not every run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// Servers with clocks of their own.
    Clocks,
    /// Databases whose system calls fail when asked.
    Disks,
    /// Servers in network namespaces.
    Networks,
    /// A Redis Cluster, and not a server alone.
    Cluster,
}

impl Means {
    const ALL: [(Self, &'static str); 4] =
        [(Self::Clocks, "clocks"), (Self::Disks, "disks"), (Self::Networks, "networks"), (Self::Cluster, "cluster")];

    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find_map(|(means, name)| (*means == self).then_some(*name)).unwrap_or_default()
    }

    /// The means of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find_map(|(means, of)| (of == name).then_some(means))
    }
}

impl Kind {
    /// All kinds, by their names.
    const ALL: [(Self, &'static str); 24] = [
        (Self::KillServer, "kill server"),
        (Self::KillMidway, "kill midway"),
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

    /// Those that can strike in a run with these means.
    pub(crate) fn with(means: &[Means]) -> Vec<Self> {
        let has = |kind: &Self| kind.takes().is_none_or(|takes| means.contains(&takes));
        Self::ALL.into_iter().map(|(kind, _)| kind).filter(has).collect()
    }

    /// Whether it strikes what copies are told by the server that waits for it.
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

    /// What people call it.
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
        assert_eq!((Kind::with(&[]).len(), Kind::with(&every).len()), (19, Kind::ALL.len()));
        assert!(Kind::with(&[Means::Disks]).contains(&Kind::FillDisk));
        assert_eq!((Means::named("clocks"), Means::named("clock")), (Some(Means::Clocks), None));
    }
}
