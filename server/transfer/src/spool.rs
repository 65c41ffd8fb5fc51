//! The records of an import between reading and sending: grouped by subject with little memory.
//!
//! Records are written to one of many partitions, chosen by a hash of the subject. While all of
//! them are small, there is one partition in memory. Later each partition is read alone: first the
//! heads of its records, from which the order of each subject is planned, then each record when it
//! is sent. The heads of a large subject have a file of their own. The files have no names, so
//! nothing remains when the process ends, however it ends.

mod comment_ids;
mod disk_space;
mod head_list;
mod partition;
mod record;

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub(crate) use self::comment_ids::CommentIds;
pub(crate) use self::disk_space::check as check_disk_space;
pub(crate) use self::head_list::HeadList;
pub(crate) use self::partition::Partition;
pub(crate) use self::record::{Head, RecordKind};
use super::group::GroupEntry;
use super::record::Record;

/// The bytes that stay in memory before files are created.
const MEMORY_BYTES_MAX: usize = 32 << 20;
/// The number of files, a power of two. 20 million records make about 80,000 in each.
const PARTITIONS: usize = 256;

/// Collects the records of an import.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    hashers: [RandomState; 2],
    /// One partition in memory, or [`PARTITIONS`] files.
    partitions: Vec<Partition>,
    /// True if a record is rejected that describes a subject, and it is not known which.
    has_unknown_subject: bool,
    /// The ids of all comments, if they are unique among all subjects.
    ids: Option<CommentIds>,
}

impl Spool {
    /// Creates an empty spool; its files lie in `folder`.
    pub(crate) fn new(folder: &Path) -> Self {
        let hashers = [RandomState::new(), RandomState::new()];
        let partitions = vec![Partition::default()];
        Self { folder: folder.to_owned(), hashers, partitions, has_unknown_subject: false, ids: None }
    }

    /// Collects the ids of all comments, which are unique among all subjects.
    pub(crate) fn with_unique_ids(self) -> Self {
        Self { ids: Some(CommentIds::new(&self.folder)), ..self }
    }

    /// Takes out the ids of all comments, as hashed in their heads.
    pub(crate) fn take_unique_ids(&mut self) -> Option<CommentIds> {
        self.ids.take()
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn add(&mut self, entry: &GroupEntry) -> Result<()> {
        let (mut head, body) = record::encode(entry)?;
        head.key = self.key_hash(&entry.record);
        head.content = self.hash(&body.get(record::PLACE_BYTES..));
        match &entry.record {
            Record::Subject(subject) => {
                let is_broken = entry.problem.as_ref().is_some_and(|problem| problem.reason == "RECORD_INVALID");
                self.has_unknown_subject |= is_broken && subject.key.object_id.is_empty();
            }
            Record::Comment(comment) => {
                head.id = self.hash(&comment.external_id);
                head.parent = comment.parent_external_id.as_ref().map(|parent| self.hash(parent));
                self.ids.as_mut().map_or(Ok(()), |ids| ids.add(head.id))?;
            }
            Record::Like(like) => head.id = self.hash(&(&like.comment_external_id, &like.member_id)),
        }
        let folder = &self.folder;
        let is_in_memory = self.partitions.len() == 1;
        let index = if is_in_memory { 0 } else { partition_of(head.key) };
        let Some(partition) = self.partitions.get_mut(index) else { return Ok(()) };
        partition.add(&head, &body);
        match is_in_memory {
            true if partition.buffered() > MEMORY_BYTES_MAX => self.spill(),
            true => Ok(()),
            false => partition.flush_if_full(folder),
        }
    }

    /// Returns true if a record is rejected that may describe any subject without another record.
    pub(crate) fn has_unknown_subject(&self) -> bool {
        self.has_unknown_subject
    }

    /// Passes the heads of each subject's records to `each`, with the partition that has them, in
    /// the order of the files.
    ///
    /// # Errors
    /// A file cannot be read or written; or the error of `each`.
    pub(crate) fn into_subjects(self, each: &mut dyn FnMut(&Partition, &HeadList) -> Result<()>) -> Result<()> {
        for partition in self.partitions {
            let subjects = by_subject(&partition, &self.folder)?;
            subjects.into_iter().try_for_each(|heads| each(&partition, &heads))?;
        }
        Ok(())
    }

    /// Distributes what is in memory over files.
    fn spill(&mut self) -> Result<()> {
        let Some(memory) = self.partitions.pop() else { return Ok(()) };
        self.partitions.resize_with(PARTITIONS, Partition::default);
        memory.each_head(&mut |head| {
            let body = memory.body_bytes(&head)?;
            let Some(partition) = self.partitions.get_mut(partition_of(head.key)) else { return Ok(()) };
            partition.add(&head, &body);
            partition.flush_if_full(&self.folder)
        })
    }

    fn hash(&self, value: &impl Hash) -> u64 {
        let [hasher, _] = &self.hashers;
        hasher.hash_one(value)
    }

    fn key_hash(&self, record: &Record) -> u128 {
        let [high, low] = self.hashers.each_ref().map(|hasher| u128::from(hasher.hash_one(record.key())));
        high << 64 | low
    }
}

fn partition_of(key: u128) -> usize {
    usize::try_from(key % 256).unwrap_or_default() % PARTITIONS
}

/// Groups heads by subject, in the order in which the subjects first appear.
fn by_subject(partition: &Partition, folder: &Path) -> Result<Vec<HeadList>> {
    let mut index_by_key: HashMap<u128, usize> = HashMap::new();
    let mut counts: Vec<u32> = Vec::new();
    partition.each_head(&mut |head| {
        let index = *index_by_key.entry(head.key).or_insert(counts.len());
        match counts.get_mut(index) {
            Some(count) => *count = count.checked_add(1).context("a subject has more than 4 billion records")?,
            None => counts.push(1),
        }
        Ok(())
    })?;
    let mut subjects = counts.into_iter().map(|count| HeadList::new(count, folder)).collect::<Result<Vec<_>>>()?;
    partition.each_head(&mut |head| {
        let subject = index_by_key.get(&head.key).and_then(|index| subjects.get_mut(*index));
        subject.map_or(Ok(()), |subject| subject.push(head))
    })?;
    subjects.iter_mut().try_for_each(HeadList::finish)?;
    Ok(subjects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Comment, Key};

    #[test]
    fn many_records_lie_in_files_without_names_and_keep_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path());
        let (subjects, replies) = (50, 1000);
        for n in 0..subjects * replies {
            let key = Key { object_type: "t".to_owned(), object_id: (n % subjects).to_string() };
            let comment = Comment {
                key,
                external_id: n.to_string(),
                parent_external_id: (n >= subjects).then(|| (n - subjects).to_string()),
                text: "x".repeat(1000),
                ..Comment::default()
            };
            spool.add(&GroupEntry::valid(Record::Comment(comment))).unwrap();
        }
        assert_eq!(spool.partitions.len(), PARTITIONS, "it is more than what stays in memory");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut next: HashMap<String, usize> = HashMap::new();
        spool
            .into_subjects(&mut |partition, heads| {
                heads.each(&mut |_, head| {
                    let Record::Comment(comment) = partition.entry(head)?.record else { panic!("only comments") };
                    let subject = comment.key.object_id;
                    let expected = next.entry(subject.clone()).or_insert_with(|| subject.parse().unwrap());
                    assert_eq!(comment.external_id, expected.to_string());
                    assert_eq!(head.parent.is_some(), *expected >= subjects);
                    *expected += subjects;
                    Ok(())
                })
            })
            .unwrap();
        assert_eq!(next.len(), subjects);
        assert!(next.values().all(|end| *end >= subjects * replies));
    }
}
