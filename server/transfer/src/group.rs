//! Records as the readers of formats return them.

use super::addresses::{is_secret, without_addresses};
use super::input::SourcePosition;
use super::record::{Problem, Record};

/// One record as the reader of a format returns it. A record with a problem will be rejected.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroupEntry {
    pub(crate) record: Record,
    pub(crate) problem: Option<Problem>,
    /// Its place in the file; `None` for a record that several places describe.
    pub(crate) place: Option<SourcePosition>,
}

impl GroupEntry {
    /// Creates an entry without a problem.
    pub(crate) fn valid(record: Record) -> Self {
        Self { record, problem: None, place: None }
    }

    /// Names the place of the entry.
    pub(crate) fn at(self, place: SourcePosition) -> Self {
        Self { place: Some(place), ..self }
    }

    /// Returns a problem that names the place of the entry.
    pub(crate) fn problem(&self, reason: &str, message: &str) -> Problem {
        match self.place {
            Some(place) => Problem::at(reason, place, message),
            None => Problem::new(reason, message),
        }
    }

    /// Keeps the fields of the source that the record does not have as they are. E-mail addresses
    /// and passwords are never kept.
    pub(crate) fn keep_original<'f>(&mut self, fields: impl IntoIterator<Item = (&'f str, &'f str)>) {
        let record = &self.record;
        let is_text = |raw: &str| matches!(record, Record::Comment(comment) if comment.text == raw);
        let is_retained =
            |(name, raw): &(&str, &str)| !raw.is_empty() && !is_secret(name) && !is_text(raw) && !record.has_text(raw);
        let text = |name: &str, raw: &str| if name == "record" { without_addresses(raw) } else { raw.to_owned() };
        let retained = fields.into_iter().filter(is_retained).map(|(name, raw)| (name.to_owned(), text(name, raw)));
        let retained: Vec<_> = retained.collect();
        self.record.original_mut().extend(retained);
    }

    /// Creates an entry that will be rejected.
    pub(crate) fn rejected(record: Record, problem: Problem) -> Self {
        Self { record, problem: Some(problem), place: None }
    }
}

/// Receives records one by one; an error from it ends the reading.
pub(crate) type EntrySink<'a> = &'a mut dyn FnMut(GroupEntry) -> anyhow::Result<()>;

#[cfg(test)]
pub(crate) mod tests {
    //! Groups of records by subject, for tests of readers.

    use std::path::Path;

    use super::*;
    use crate::batch::SubjectBatch;
    use crate::ordering::{Orphans, write_batches};
    use crate::record::{Comment, Key, Like, Reject, Subject};
    use crate::spool::Spool;

    /// All records of one subject in a file, in the file's order.
    #[derive(Debug, Clone, Default, PartialEq)]
    pub(crate) struct Group {
        pub(crate) key: Key,
        pub(crate) subject: Option<Subject>,
        pub(crate) comments: Vec<Comment>,
        pub(crate) likes: Vec<Like>,
        pub(crate) rejects: Vec<Reject>,
    }

    /// Returns records grouped by subject, in the order in which their subjects first appear.
    pub(crate) fn groups(entries: &[GroupEntry]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for GroupEntry { record, problem, .. } in entries.iter().cloned() {
            let index = groups.iter().position(|group| group.key == *record.key()).unwrap_or_else(|| {
                groups.push(Group { key: record.key().clone(), ..Group::default() });
                groups.len() - 1
            });
            let group = &mut groups[index];
            match (problem, record) {
                (Some(problem), record) => group.rejects.push(Reject { record, problem }),
                (None, Record::Subject(subject)) => group.subject = Some(subject),
                (None, Record::Comment(comment)) => group.comments.push(comment),
                (None, Record::Like(like)) => group.likes.push(like),
            }
        }
        groups
    }

    /// Returns each subject as it would be sent, with its parts joined.
    pub(crate) fn batches(entries: &[GroupEntry], orphans: Orphans) -> Vec<SubjectBatch> {
        let mut spool = Spool::new(Path::new("."));
        entries.iter().for_each(|entry| spool.add(entry).unwrap());
        let mut batches: Vec<SubjectBatch> = Vec::new();
        let mut join = |mut part: SubjectBatch| {
            match batches.last_mut().filter(|_| part.continues) {
                None => batches.push(part),
                Some(batch) => {
                    assert_eq!(batch.key, part.key);
                    batch.comments.append(&mut part.comments);
                    batch.likes.append(&mut part.likes);
                    batch.rejects.append(&mut part.rejects);
                    batch.repeated += part.repeated;
                }
            }
            Ok(())
        };
        write_batches(spool, orphans, &mut join).unwrap();
        batches
    }
}
