//! What the protocol of blocks is made of, each rule alone, so that it can be left out; and the faults.

/// A rule. Whoever leaves it out has to be found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cache_model) enum Rule {
    /// Lists and comments bear the incarnation of their block; others are no part of it.
    PartsBearTheirBlock,
    /// Blocks of an older generation are none.
    OldGenerationsAreNone,
    /// The relay's place lies beside the blocks and is compared at each step; who remembers it alone cannot see a loss.
    CursorInTheSlot,
    /// The relay raises W.
    RelayRaises,
    /// A block behind W does not answer.
    AnswersAtW,
    /// What comes before its predecessor waits.
    EarlyChangesWait,
    /// A fill shows a ticket that is valid.
    FillsShowTickets,
    /// What was read at an older revision is brought forward by the log, or refused.
    LateFillsAreBrought,
    /// Likes are logged while a ticket is out.
    LikesAreLogged,
    /// A log that lost something tears all tickets up.
    LogIsWhole,
    /// A fill that is newer than its block begins a new incarnation.
    NewerFillsBeginAnew,
    /// A ticket has a name: it goes once, and only where it was given.
    TicketsHaveNames,
    /// The relay tells all likes, and does not ask first who has a copy.
    RelayTellsAllLikes,
    /// The relay tells likes in the step that moves its cursor.
    LikesMoveTheCursor,
    /// A block that is behind logs likes, and keeps them until it is not.
    BlocksBehindLogLikes,
    /// No ticket for single comments where the block has no revision yet: it would not come to one by the log.
    CommentsNeedARevision,
    /// Single comments that are newer than their block wait for it.
    NewerCommentsWait,
}

/// How many faults of each kind may still strike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(in crate::cache_model) struct Faults {
    /// A key is evicted, whichever it is.
    pub(super) evict: u8,
    /// A writer dies behind its commit, or a filler with its ticket.
    pub(super) crash: u8,
    /// The cache does not hear a writer, who then owes it a new generation.
    pub(super) away: u8,
    /// The replica takes over with what it has.
    pub(super) failover: u8,
    /// The cache starts again with nothing.
    pub(super) restart: u8,
    /// Time passes: tickets given until now are valid no more.
    pub(super) expiry: u8,
    /// The relay dies, or another process leads and the last word of this one comes late.
    pub(super) lead: u8,
}
