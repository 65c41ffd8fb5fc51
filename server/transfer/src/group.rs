//! Grouping of records by subject, in the order in which subjects first appear.

use std::collections::HashMap;

use super::record::{Comment, Key, Like, Problem, Record, Reject, Subject};

/// One record as a format read it. A record with a problem can only be rejected.
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

/// The groups of a whole file. For each comment they take about 200 bytes of memory and the size of
/// its texts.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    by_key: HashMap<Key, usize>,
    groups: Vec<Group>,
}

impl GroupEntry {
    /// A record without a problem.
    pub(crate) fn good(record: Record) -> Self {
        Self { record, problem: None }
    }

    /// A record that is rejected.
    pub(crate) fn bad(record: Record, problem: Problem) -> Self {
        Self { record, problem: Some(problem) }
    }
}

impl Group {
    /// An empty group for this subject.
    pub(crate) fn of(key: Key) -> Self {
        Self { key, ..Self::default() }
    }

    /// Adds one record of this subject. If the subject is named twice, the later line counts.
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
                self.groups.push(Group::of(key.clone()));
                index
            }
        };
        if let Some(group) = self.groups.get_mut(index) {
            group.add(entry);
        }
    }

    /// Returns the groups.
    pub(crate) fn into_groups(self) -> Vec<Group> {
        self.groups
    }
}

/// The consumer of groups; an error from it ends the reading.
pub(crate) type GroupSink<'a> = &'a mut dyn FnMut(Group) -> anyhow::Result<()>;
