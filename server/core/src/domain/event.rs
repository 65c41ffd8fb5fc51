//! Events: they name the rows that a commit changed, never their contents. Consumers read the rows.

use std::collections::BTreeSet;

use crate::domain::ids::{CommentId, Partition, SubjectId};
use crate::domain::member::MemberId;
use crate::domain::time::Millis;

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

/// The changes of one event. Each comment change is listed once, in the order in which the changes
/// happened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// The comments that changed.
    pub comments: Vec<CommentChange>,
    /// The members whose likes under the subject changed.
    pub likers: BTreeSet<MemberId>,
    /// `true` if owner, state, metadata or deletion of the subject changed.
    pub subject: bool,
}

/// One change of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentChange {
    /// The comment.
    pub id: CommentId,
    /// The root of its thread; `None` for a root.
    pub root: Option<CommentId>,
    /// The kind of change.
    pub what: ChangeKind,
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
}

impl Changes {
    /// Adds a change, unless the same change was added before.
    pub(crate) fn tell(&mut self, change: CommentChange) {
        if !self.comments.contains(&change) {
            self.comments.push(change);
        }
    }

    /// Adds a member whose likes changed.
    pub(crate) fn tell_liker(&mut self, member: &MemberId) {
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
    use super::{ChangeKind, Changes, CommentChange, Event, SequencedEvent, commits};
    use crate::domain::ids::{CommentId, Partition};
    use crate::domain::member::MemberId;
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
    fn a_change_is_told_once_and_in_the_order_in_which_it_happened() {
        let id = CommentId::new(1).expect("positive");
        let [created, edited] =
            [ChangeKind::Created, ChangeKind::Edited].map(|what| CommentChange { id, root: None, what });
        let mut changes = Changes::default();
        for change in [edited, created, edited] {
            changes.tell(change);
        }
        let members = ["b", "a", "b"].map(|id| MemberId::stored(id.to_owned()));
        for member in &members {
            changes.tell_liker(member);
        }
        assert_eq!(changes.comments, [edited, created]);
        assert!(changes.likers.iter().eq([&members[1], &members[0]]));
    }
}
