//! What a commit tells the world outside: which rows changed, never what they say. Consumers read the rows.

use std::collections::BTreeSet;

use crate::ids::{CommentId, Partition, SubjectId};
use crate::member::MemberId;
use crate::time::Millis;

/// All that one batch changed under one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The partition of the subject.
    pub partition: Partition,
    /// The subject.
    pub subject: SubjectId,
    /// The revision that the batch made; `None` for likes, which move none.
    pub revision: Option<i64>,
    /// What changed.
    pub changes: Changes,
    /// When it was committed, by the clock of the process that did it.
    pub time: Millis,
}

/// The changes of one event; those of comments each told once, in the order in which they happened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// The comments that changed.
    pub comments: Vec<CommentChange>,
    /// The members whose likes under the subject changed, each once.
    pub likers: BTreeSet<MemberId>,
    /// Whether owner, state, metadata or deletion of the subject changed.
    pub subject: bool,
}

/// One comment that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentChange {
    /// The comment.
    pub id: CommentId,
    /// The root of its thread; `None` for a root.
    pub root: Option<CommentId>,
    /// What happened to it.
    pub what: ChangeKind,
}

/// What happened to a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It came into being.
    Created,
    /// Its content changed.
    Edited,
    /// Its state changed.
    StateChanged,
    /// It was pinned or unpinned.
    PinChanged,
    /// Its likes or dislikes changed.
    Liked,
    /// A repair set its counts right.
    Recounted,
}

impl Changes {
    /// Adds a change, unless the same was told already.
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

/// An event with the number of its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequencedEvent {
    /// The number, from 1 on: given after the commit, the same for all events of the commit, and dense within the data source.
    pub number: i64,
    /// The event.
    pub event: Event,
}

/// How many commits these events are of, which follow each other.
#[must_use]
pub fn commits(events: &[SequencedEvent]) -> usize {
    let numbers = events.first().zip(events.last()).map_or(0, |(first, last)| last.number - first.number + 1);
    usize::try_from(numbers).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{ChangeKind, Changes, CommentChange, Event, SequencedEvent, commits};
    use crate::ids::{CommentId, Partition};
    use crate::member::MemberId;
    use crate::time::Millis;

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
