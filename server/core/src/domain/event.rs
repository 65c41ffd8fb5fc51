//! Events: they name the rows that a commit changed, never their contents. Consumers read the rows.

mod notice;
mod outcome;

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::ids::{CommentId, Partition, SubjectId};
use crate::domain::member::MemberId;
use crate::domain::time::Millis;
pub use notice::{MAX_NOTICES, Notice, NoticeReason};
pub use outcome::{ActorKind, CommentOutcome, DecisionNumbers, ModerationDetails};

/// All changes of one batch under one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The partition of the subject.
    pub partition: Partition,
    /// The subject.
    pub subject: SubjectId,
    /// The revision that the batch created; `None` for likes, which create none.
    pub revision: Option<i64>,
    /// The changes.
    pub changes: Changes,
    /// The time of the commit, by the clock of the committing process.
    pub time: Millis,
}

impl Event {
    /// Returns `true` if the commit made no revision and only noted details of moderation, so that
    /// readers see no difference.
    #[must_use]
    pub fn is_unseen(&self) -> bool {
        let Changes { comments, likers, subject, .. } = &self.changes;
        let only_notes = !comments.is_empty() && comments.iter().all(|change| change.kind == ChangeKind::Noted);
        self.revision.is_none() && only_notes && likers.is_empty() && !subject
    }
}

/// The changes of one event. Each change of a comment is listed once, in the order of the changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// The comments that changed.
    pub comments: Vec<CommentChange>,
    /// The members whose likes under the subject changed.
    pub likers: BTreeSet<MemberId>,
    /// `true` if owner, state, metadata or deletion of the subject changed.
    pub subject: bool,
    /// The outcomes that do not follow from the kinds of change; see [`Changes::outcome`]. `None`
    /// for an outcome with a state that only a newer version knows.
    pub outcomes: BTreeMap<CommentId, Option<CommentOutcome>>,
    /// The members that may be notified of the comments that the batch published, or whose new text
    /// in sight mentions members that no earlier public text mentioned. A comment that notifies
    /// no member is missing; see [`Changes::notices`].
    pub notices: BTreeMap<CommentId, Vec<Notice>>,
}

/// One change of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentChange {
    /// The comment.
    pub id: CommentId,
    /// The root of its thread; `None` for a root.
    pub root: Option<CommentId>,
    /// The kind of change.
    pub kind: ChangeKind,
}

/// The kind of change of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// The comment was created.
    Created,
    /// Its content changed.
    Edited,
    /// Its state changed.
    StateChanged,
    /// It was pinned or unpinned.
    PinChanged,
    /// Its likes or dislikes changed.
    Liked,
    /// A repair corrected its counts.
    Recounted,
    /// Something was noted about it that changes nothing in sight: a report, an appeal, a verdict
    /// that leaves it as it is, or a proposed edit. Caches, ranks, histories and watches skip it.
    Noted,
}

impl ChangeKind {
    /// Returns `true` if the batch has an outcome for a comment with such a change.
    #[must_use]
    pub const fn has_outcome(self) -> bool {
        match self {
            Self::Created | Self::Edited | Self::StateChanged | Self::Noted => true,
            Self::PinChanged | Self::Liked | Self::Recounted => false,
        }
    }

    /// Returns `true` if the batch changed the comment itself, by which readers may see it
    /// differently: its content, or its state.
    #[must_use]
    pub const fn moves_version(self) -> bool {
        match self {
            Self::Created | Self::Edited | Self::StateChanged => true,
            Self::PinChanged | Self::Liked | Self::Recounted | Self::Noted => false,
        }
    }
}

impl Changes {
    /// Adds a change, unless the same change was added before.
    pub(crate) fn record(&mut self, change: CommentChange) {
        if !self.comments.contains(&change) {
            self.comments.push(change);
        }
    }

    /// Returns the effect of the batch on a comment. `None` if the batch neither created nor edited
    /// it nor changed its state nor noted anything, for an event of a version that did not record
    /// outcomes, and for a state that only a newer version knows; the present row then has the
    /// state.
    #[must_use]
    pub fn outcome(&self, id: CommentId) -> Option<CommentOutcome> {
        let created = || self.comments.iter().any(|change| change.id == id && change.kind == ChangeKind::Created);
        let implied = || created().then_some(CommentOutcome::PUBLISHED);
        self.outcomes.get(&id).copied().unwrap_or_else(implied)
    }

    /// Returns the members that may be notified of a comment because of the batch, by the strength
    /// of the reasons and then in the order of the mentions.
    #[must_use]
    pub fn notices(&self, id: CommentId) -> &[Notice] {
        self.notices.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns the changes as a reader without rights sees them. A comment that becomes visible for
    /// the first time is created then. Changes of a comment that is not visible before or after are
    /// left out where it waits for review or was refused.
    #[must_use]
    pub fn public(&self) -> Vec<CommentChange> {
        let mut public = Vec::with_capacity(self.comments.len());
        for change in self.comments.iter().filter(|change| change.kind != ChangeKind::Noted) {
            let outcome = self.outcome(change.id).filter(|_| change.kind.has_outcome());
            let kinds = outcome.map_or([Some(change.kind), None], |outcome| outcome.public(change.kind));
            public.extend(kinds.into_iter().flatten().map(|kind| CommentChange { kind, ..*change }));
        }
        public
    }

    /// Adds a member whose likes changed.
    pub(crate) fn record_liker(&mut self, member: &MemberId) {
        if !self.likers.contains(member) {
            self.likers.insert(member.clone());
        }
    }
}

/// An event with the sequence number of its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequencedEvent {
    /// The sequence number, which starts at 1. It is assigned after the commit, is the same for all
    /// events of the commit, and is dense within the data source.
    pub number: i64,
    /// The event.
    pub event: Event,
}

/// Returns the number of commits that these events belong to. The commits must be consecutive.
#[must_use]
pub fn commits(events: &[SequencedEvent]) -> usize {
    let numbers = events.first().zip(events.last()).map_or(0, |(first, last)| last.number - first.number + 1);
    usize::try_from(numbers).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{
        ActorKind, ChangeKind, Changes, CommentChange, CommentOutcome, Event, ModerationDetails, SequencedEvent,
        commits,
    };
    use crate::domain::ids::{CommentId, Partition};
    use crate::domain::member::MemberId;
    use crate::domain::state::CommentState;
    use crate::domain::time::Millis;

    #[test]
    fn commits_are_counted_by_their_numbers() {
        let subject = CommentId::new(1).expect("positive").into();
        let changes = Changes::default();
        let event = Event { partition: Partition::number(0), subject, revision: None, changes, time: Millis(0) };
        let cases: [(&[i64], usize); 4] = [(&[], 0), (&[7], 1), (&[7, 7, 8], 2), (&[7, 8, 9, 9], 3)];
        for (numbers, expected) in cases {
            let events = numbers.iter().map(|number| SequencedEvent { number: *number, event: event.clone() });
            assert_eq!(commits(&events.collect::<Vec<_>>()), expected, "{numbers:?}");
        }
    }

    #[test]
    fn a_change_is_recorded_once_and_in_the_order_of_the_changes() {
        let id = CommentId::new(1).expect("positive");
        let [created, edited] =
            [ChangeKind::Created, ChangeKind::Edited].map(|kind| CommentChange { id, root: None, kind });
        let mut changes = Changes::default();
        for change in [edited, created, edited] {
            changes.record(change);
        }
        let members = ["b", "a", "b"].map(|id| MemberId::stored(id.to_owned()));
        for member in &members {
            changes.record_liker(member);
        }
        assert_eq!(changes.comments, [edited, created]);
        assert!(changes.likers.iter().eq([&members[1], &members[0]]));
    }

    #[test]
    fn readers_see_a_comment_created_when_it_becomes_visible_and_nothing_while_it_waits() {
        use ChangeKind::{Created, Edited, StateChanged};
        use CommentState::{Active, Deleted, Hidden, Pending, Rejected};
        type Case = (ChangeKind, Option<CommentState>, CommentState, bool, &'static [ChangeKind]);
        let id = CommentId::new(1).expect("positive");
        let cases: [Case; 17] = [
            (Created, None, Active, true, &[Created]),
            (Created, None, Hidden, true, &[Created]),
            (Created, None, Pending, false, &[]),
            (StateChanged, None, Pending, false, &[]),
            (StateChanged, None, Hidden, true, &[StateChanged]),
            (StateChanged, Some(Pending), Active, true, &[Created]),
            (StateChanged, Some(Pending), Hidden, true, &[Created, StateChanged]),
            (StateChanged, Some(Pending), Active, false, &[StateChanged]),
            (StateChanged, Some(Pending), Rejected, false, &[]),
            (StateChanged, Some(Pending), Deleted, false, &[]),
            (StateChanged, Some(Active), Pending, false, &[StateChanged]),
            (StateChanged, Some(Hidden), Deleted, false, &[StateChanged]),
            (StateChanged, Some(Deleted), Deleted, false, &[]),
            (Edited, Some(Active), Active, false, &[Edited]),
            (Edited, Some(Pending), Pending, false, &[]),
            (Edited, Some(Active), Pending, false, &[]),
            (Edited, Some(Active), Hidden, false, &[Edited]),
        ];
        for (kind, before, after, first_publication, expected) in cases {
            let (actor, moderation) = (ActorKind::Moderator, ModerationDetails::NONE);
            let outcome = CommentOutcome { actor, before, after, version: 2, first_publication, moderation };
            let comments = vec![CommentChange { id, root: None, kind }];
            let changes = Changes { comments, outcomes: [(id, Some(outcome))].into(), ..Changes::default() };
            let public: Vec<_> = changes.public().iter().map(|change| change.kind).collect();
            assert_eq!(public, expected, "{kind:?} from {before:?} to {after:?}, first: {first_publication}");
        }
    }

    #[test]
    fn an_outcome_follows_from_a_plain_create_and_is_recorded_for_all_others() {
        let [plain, hidden, edited, liked] = [1, 2, 3, 4].map(|id| CommentId::new(id).expect("positive"));
        let kinds = [
            (plain, ChangeKind::Created),
            (hidden, ChangeKind::Created),
            (edited, ChangeKind::Edited),
            (liked, ChangeKind::Liked),
        ];
        let comments = kinds.map(|(id, kind)| CommentChange { id, root: None, kind }).to_vec();
        let hidden_at_once = CommentOutcome {
            actor: ActorKind::Moderator,
            after: CommentState::Hidden,
            version: 2,
            ..CommentOutcome::PUBLISHED
        };
        let changes = Changes { comments, outcomes: [(hidden, Some(hidden_at_once))].into(), ..Changes::default() };
        let outcomes = [plain, hidden, edited, liked].map(|id| changes.outcome(id));
        assert_eq!(outcomes, [Some(CommentOutcome::PUBLISHED), Some(hidden_at_once), None, None]);
    }
}
