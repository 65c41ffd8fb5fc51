//! The compared protocols, described by their parts, and the faults that they must survive.

/// The parts of a protocol.
#[derive(Debug, Clone, Copy)]
pub(super) struct Protocol {
    /// The notification that a writer sends to Redis after its commit.
    pub(super) notification: Notification,
    /// Only the holder of a lease may fill.
    pub(super) lease: bool,
    /// A fill yields to a list of the same or a later revision.
    pub(super) revisions: bool,
    /// A fill yields to the highest revision that was reported to Redis.
    pub(super) watermark: bool,
    /// The relay, which repeats notifications that writers may have failed to send.
    pub(super) relay: Relay,
}

/// The notification after a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notification {
    /// The list is deleted, and an outstanding lease is revoked.
    Delete,
    /// If the list exists, the member is added to it, in two steps (EXPIRE, then ZADD).
    CheckThenAdd,
    /// The change is applied to the list.
    Apply(Gap),
}

/// The effect of a change on a list that misses an earlier change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// It stays: older, but correct for its revision.
    Keep,
    /// It is deleted.
    Delete,
}

/// The relay reads committed changes in order and reports each to Redis; it never gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relay {
    /// The protocol has no relay.
    None,
    /// The relay stores its position itself.
    StoresPosition,
    /// The relay stores its position itself, and is notified of every failover. After a failover it
    /// starts again from the beginning.
    SeesFailovers,
    /// The position is stored next to the list in Redis and is compared at each step. `cold_leases`
    /// is true if a Redis without a position grants leases.
    InRedis { cold_leases: bool },
}

/// The remaining number of faults of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct FaultBudget {
    /// The list is evicted.
    pub(super) list: u8,
    /// The header is evicted.
    pub(super) header: u8,
    /// A writer dies between its commit and its notification of Redis.
    pub(super) crash: u8,
    /// The replica takes over with the data that it has.
    pub(super) failover: u8,
    /// Redis restarts empty.
    pub(super) restart: u8,
    /// A lease expires while its holder is alive.
    pub(super) expiry: u8,
}

impl Protocol {
    /// Returns true if the relay's position is stored in Redis.
    pub(super) fn cursor(&self) -> bool {
        matches!(self.relay, Relay::InRedis { .. })
    }
}
