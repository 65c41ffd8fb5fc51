//! Groups records by subject. The groups are in the order in which their subjects first appear.

use std::collections::HashMap;

use super::record::{Comment, Key, Like, Problem, Record, Reject, Subject};

/// One record as the reader of a format returns it. A record with a problem will be rejected.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroupEntry {
    pub(crate) record: Record,
    pub(crate) problem: Option<Problem>,
}

/// All records of one subject in a file, in the file's order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Group {
    pub(crate) key: Key,
    pub(crate) subject: Option<Subject>,
    pub(crate) comments: Vec<Comment>,
    pub(crate) likes: Vec<Like>,
    pub(crate) rejects: Vec<Reject>,
}

/// The groups of a whole file. Each comment takes the size of its texts and about 200 bytes of
/// memory.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    by_key: HashMap<Key, usize>,
    groups: Vec<Group>,
}

impl GroupEntry {
    /// Creates an entry without a problem.
    pub(crate) fn valid(record: Record) -> Self {
        Self { record, problem: None }
    }

    /// Creates an entry that will be rejected.
    pub(crate) fn rejected(record: Record, problem: Problem) -> Self {
        Self { record, problem: Some(problem) }
    }
}

impl Group {
    /// Creates an empty group for this subject.
    pub(crate) fn new(key: Key) -> Self {
        Self { key, ..Self::default() }
    }

    /// Adds one record of this subject. Of several records of the subject itself, the last counts.
    pub(crate) fn add(&mut self, entry: GroupEntry) {
        match (entry.problem, entry.record) {
            (Some(problem), record) => self.rejects.push(Reject { record, problem }),
            (None, Record::Subject(subject)) => self.subject = Some(subject),
            (None, Record::Comment(comment)) => self.comments.push(comment),
            (None, Record::Like(like)) => self.likes.push(like),
        }
    }
}

impl Groups {
    /// Adds one record of any subject.
    pub(crate) fn add(&mut self, entry: GroupEntry) {
        let key = entry.record.key();
        let index = match self.by_key.get(key) {
            Some(index) => *index,
            None => {
                let index = self.groups.len();
                self.by_key.insert(key.clone(), index);
                self.groups.push(Group::new(key.clone()));
                index
            }
        };
        if let Some(group) = self.groups.get_mut(index) {
            group.add(entry);
        }
    }

    /// Returns the groups, in the order in which their subjects first appeared.
    pub(crate) fn into_groups(self) -> Vec<Group> {
        self.groups
    }
}

/// Receives groups one by one; an error from it ends the reading.
pub(crate) type GroupSink<'a> = &'a mut dyn FnMut(Group) -> anyhow::Result<()>;
