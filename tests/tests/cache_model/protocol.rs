//! The protocols that are compared, as what each of them does, and the faults they have to bear.

/// What a protocol is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Protocol {
    /// What a writer tells Redis after its commit.
    pub(super) tells: Tells,
    /// Only the holder of a lease may fill.
    pub(super) lease: bool,
    /// A fill yields to a list that is as new.
    pub(super) revisions: bool,
    /// A fill yields to the highest revision that Redis was told of.
    pub(super) watermark: bool,
    /// Who repeats what writers may have failed to tell.
    pub(super) relay: Relay,
}

/// What is told after a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tells {
    /// The list is deleted, and a lease that is out is revoked.
    Delete,
    /// If the list is there, the member is added to it, in two steps (EXPIRE, then ZADD).
    CheckThenAdd,
    /// The change is applied to the list.
    Apply(Gap),
}

/// What applying does to a list that misses a change before this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// It stays: older, but true for its revision.
    Keep,
    /// It goes.
    Delete,
}

/// The relay reads committed changes in their order and tells Redis of each; it never gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relay {
    /// There is none.
    None,
    /// It remembers its position itself.
    Remembers,
    /// The same, and somebody tells it of every failover, upon which it begins anew.
    HearsOfFailovers,
    /// Its position lies beside the list in Redis and is compared at each step. `cold_leases`: whether a Redis without
    /// a position gives leases out.
    InRedis { cold_leases: bool },
}

/// How many faults of each kind may still strike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Faults {
    /// The list is evicted.
    pub(super) list: u8,
    /// The header is evicted.
    pub(super) header: u8,
    /// A writer dies between its commit and telling Redis.
    pub(super) crash: u8,
    /// The replica takes over with what it has.
    pub(super) failover: u8,
    /// Redis starts again with nothing.
    pub(super) restart: u8,
    /// A lease expires though its holder lives.
    pub(super) expiry: u8,
}

impl Protocol {
    /// Whether the relay's position lies in Redis.
    pub(super) fn cursor(&self) -> bool {
        matches!(self.relay, Relay::InRedis { .. })
    }
}
