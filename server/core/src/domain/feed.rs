//! The feed of events for other services: what the commits of a data source changed, as one of the
//! services may see it. An event names rows and has no text.

mod derive;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::domain::caller::{Caller, Role};
use crate::domain::error::{Error, Result};
use crate::domain::event::Notice;
use crate::domain::ids::{CommentId, DecisionId, SubjectId};
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;
pub use derive::derive;

/// The longest wait for a page of events.
pub const MAX_WAIT: Duration = Duration::from_secs(20);

/// The changes that a subscriber receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventScope {
    /// Those that every reader could see.
    Public,
    /// Also those that only moderators see.
    Moderation,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// A comment became visible for the first time.
    CommentPublished,
    /// The text in sight changed.
    CommentEdited,
    /// A visible comment left sight.
    CommentWithdrawn,
    /// A comment that was visible before came back.
    CommentRestored,
    /// A visible comment was deleted.
    CommentDeleted,
    /// A comment was pinned or unpinned.
    CommentPinChanged,
    /// The subject was created, or its state, owner, moderation mode, metadata or deletion changed.
    SubjectChanged,
    /// A comment waits for review.
    CommentHeld,
    /// A decision was taken.
    CommentDecided,
    /// A comment was reported.
    CommentReported,
    /// An edit waits while the text in sight stays.
    EditProposed,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::CommentPublished,
        Self::CommentEdited,
        Self::CommentWithdrawn,
        Self::CommentRestored,
        Self::CommentDeleted,
        Self::CommentPinChanged,
        Self::SubjectChanged,
        Self::CommentHeld,
        Self::CommentDecided,
        Self::CommentReported,
        Self::EditProposed,
    ];

    /// The number in the contract and in tokens. It never changes.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::CommentPublished => 1,
            Self::CommentEdited => 2,
            Self::CommentWithdrawn => 3,
            Self::CommentRestored => 4,
            Self::CommentDeleted => 5,
            Self::CommentPinChanged => 6,
            Self::SubjectChanged => 7,
            Self::CommentHeld => 20,
            Self::CommentDecided => 21,
            Self::CommentReported => 22,
            Self::EditProposed => 23,
        }
    }

    /// Returns the smallest scope in which events of the kind exist.
    #[must_use]
    pub const fn scope(self) -> EventScope {
        match self {
            Self::CommentPublished
            | Self::CommentEdited
            | Self::CommentWithdrawn
            | Self::CommentRestored
            | Self::CommentDeleted
            | Self::CommentPinChanged
            | Self::SubjectChanged => EventScope::Public,
            Self::CommentHeld | Self::CommentDecided | Self::CommentReported | Self::EditProposed => {
                EventScope::Moderation
            }
        }
    }
}

/// An event as it follows from the outbox alone, without the rows that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedEvent {
    /// The kind.
    pub kind: EventKind,
    /// The smallest scope that has the event. Some changes of a comment out of sight have a kind
    /// that is public otherwise.
    pub scope: EventScope,
    /// The subject.
    pub subject: SubjectId,
    /// The revision of the subject; 0 if the commit made none.
    pub revision: i64,
    /// The comment; `None` for an event of the subject.
    pub comment: Option<CommentId>,
    /// The root of its thread; `None` for a root.
    pub root: Option<CommentId>,
    /// The members to notify.
    pub notices: Vec<Notice>,
    /// The facts that only moderators see; `None` for a kind of scope `Public`.
    pub moderation: Option<EventModeration>,
    /// `true` if the entry was written by a version that recorded no outcome: the present state of
    /// the comment decides on kind and scope.
    pub follows_row: bool,
    /// The time of the commit.
    pub time: Millis,
}

/// The facts of an event that only moderators see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventModeration {
    /// The state before the commit; `None` if it created the comment.
    pub from: Option<CommentState>,
    /// The state after the commit.
    pub to: CommentState,
    /// The decision.
    pub decision: Option<DecisionId>,
}

/// The parts of a comment's row that an event shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventComment {
    /// The comment that it answers; `None` for a root.
    pub parent: Option<CommentId>,
    /// The author.
    pub member: MemberId,
    /// The present state.
    pub state: CommentState,
}

/// An event as subscribers receive it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEvent {
    /// The data source, from 0.
    pub source: usize,
    /// Its position in the source.
    pub position: EventPosition,
    /// The part that follows from the outbox. `follows_row` is false.
    pub event: DerivedEvent,
    /// The key of the subject.
    pub key: SubjectKey,
    /// The comment that it answers; `None` for a root and for an event of the subject.
    pub parent: Option<CommentId>,
    /// The author; `None` if the comment was no longer visible when the event was read.
    pub member: Option<MemberId>,
}

impl FeedEvent {
    /// Completes a derived event with the rows that it names. Returns `None` if the event is
    /// delivered to no scope: the comment of an old entry has come into sight or left it since, or
    /// no longer exists.
    #[must_use]
    pub fn new(
        (source, position): (usize, EventPosition),
        mut event: DerivedEvent,
        key: SubjectKey,
        row: Option<&EventComment>,
    ) -> Option<Self> {
        if event.follows_row {
            derive::follow_row(&mut event, row?.state)?;
        }
        let visible = row.filter(|row| row.state.is_visible());
        let parent = row.and_then(|row| row.parent);
        Some(Self { source, position, event, key, parent, member: visible.map(|row| row.member.clone()) })
    }

    /// Returns the id, which is equal at every delivery. The data source is counted from 1, as in
    /// metrics.
    #[must_use]
    pub fn id(&self, timeline: u16) -> String {
        format!("{timeline}.{}.{}.{}", self.source + 1, self.position.number, self.position.index)
    }
}

/// The position of an event in a data source. A reader at this position has received every event
/// before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPosition {
    /// The sequence number of the commit.
    pub number: i64,
    /// The index among all events of the commit, of all scopes.
    pub index: u32,
}

impl EventPosition {
    /// Returns the position after all events of a commit.
    #[must_use]
    pub const fn after(number: i64) -> Self {
        Self { number: number.saturating_add(1), index: 0 }
    }

    /// Returns the position after the event at this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self { index: self.index.saturating_add(1), ..self }
    }
}

/// The events that a subscriber receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFilter {
    /// The object types.
    pub object_types: BTreeSet<ObjectType>,
    /// The kinds; empty for all of the scope.
    pub kinds: BTreeSet<EventKind>,
    /// The scope.
    pub scope: EventScope,
}

impl EventFilter {
    /// Checks that a caller may receive these events: its roles for the scope, and each type.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`].
    pub fn check(&self, caller: &Caller) -> Result<()> {
        let is_allowed = match self.scope {
            EventScope::Public => caller.has(Role::Subscriber),
            EventScope::Moderation => caller.has(Role::Subscriber) && caller.has(Role::Moderator),
        };
        if !is_allowed {
            return Err(Error::CallerNotAllowed);
        }
        self.object_types.iter().try_for_each(|object_type| caller.check_type(object_type))
    }

    /// Returns `true` if the subscriber receives this event.
    #[must_use]
    pub fn selects(&self, FeedEvent { event, key, .. }: &FeedEvent) -> bool {
        event.scope <= self.scope
            && (self.kinds.is_empty() || self.kinds.contains(&event.kind))
            && self.object_types.contains(key.object_type())
    }
}

/// The positions of a reader in all data sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPosition {
    /// The timeline of the data.
    pub timeline: u16,
    /// The position in each source, in their order. A source that a token does not name was added
    /// later.
    pub sources: Vec<EventPosition>,
}

/// The reason for which events are no longer available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GapReason {
    /// They are older than the retention.
    Retention,
    /// The data was restored to an earlier state.
    Restored,
}
