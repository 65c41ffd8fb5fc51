//! The rules of the protocol of subject entries, each separate so that it can be left out; and the
//! faults.

/// A rule. When a rule is left out, the checker must find a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cache_model) enum Rule {
    /// Lists and comments carry the incarnation of their entry; others are not part of it.
    PartsCarryTheirEntry,
    /// Entries of an older generation are invalid.
    OldGenerationsAreNone,
    /// The relay's position is stored next to the entries and is compared at each step; a relay
    /// that alone stores its position cannot detect a loss.
    CursorInTheSlot,
    /// The relay raises W.
    RelayRaises,
    /// An entry behind W cannot be read.
    EntriesAreReadAtW,
    /// A change that arrives before its predecessor waits.
    EarlyChangesWait,
    /// A fill presents a valid fill lease.
    FillsPresentLeases,
    /// Data that was read at an older revision is brought up to date by the log, or refused.
    LateFillsAreBrought,
    /// Likes are logged while a fill lease is outstanding.
    LikesAreLogged,
    /// When a part of the log is lost, all fill leases are revoked.
    LogIsComplete,
    /// A fill that is newer than its entry begins a new incarnation.
    NewerFillsBeginAnew,
    /// A fill lease has a name: it is used once, and only on the server that granted it.
    FillLeasesHaveNames,
    /// The relay reports all likes, and does not check first which comments are cached.
    RelayReportsAllLikes,
    /// The relay reports likes in the step that moves its cursor.
    LikesMoveTheCursor,
    /// An entry that is behind logs likes, and keeps them until it has caught up.
    EntriesBehindLogLikes,
    /// No fill lease for single comments is granted while the entry has no revision: the log would
    /// not give it one.
    CommentsNeedARevision,
    /// Single comments that are newer than their entry are filled only once the entry has caught
    /// up.
    NewerCommentsWait,
}

/// The remaining number of faults of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(in crate::cache_model) struct FaultBudget {
    /// A key of any kind is evicted.
    pub(super) evict: u8,
    /// A writer dies after its commit, or a filler with its fill lease.
    pub(super) crash: u8,
    /// A call of a writer does not reach the cache; the writer must then begin a new generation.
    pub(super) unavailable: u8,
    /// The replica takes over with the data that it has.
    pub(super) failover: u8,
    /// The cache restarts empty.
    pub(super) restart: u8,
    /// Time passes: all outstanding fill leases expire.
    pub(super) expiry: u8,
    /// The relay dies, or another process acquires the lease and the last call of this relay
    /// arrives late.
    pub(super) leader: u8,
}
