//! The records that are sent of one subject, in parts of bounded size.

use anyhow::Result;

use super::blank::is_blank;
use super::group::GroupEntry;
use super::input::SourcePosition;
use super::record::{Comment, CommentState, DeletedBy, Key, Like, Record, Reject, Subject, SubjectState};
use super::spool::{Head, Partition};

/// The most records in one part of a subject.
const BATCH_RECORDS: usize = 1024;
/// The most bytes of spooled records in one part, except for a single larger record.
const BATCH_BYTES: u64 = 1 << 20;

/// A part of one subject, ready to be sent in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SubjectBatch {
    pub(crate) key: Key,
    /// True if it is not the first part of the subject.
    pub(crate) continues: bool,
    pub(crate) subject: Subject,
    /// True if the subject itself is to be sent: the file describes it, or comments need it.
    pub(crate) requires_subject: bool,
    /// The place of the record that describes the subject.
    pub(crate) subject_place: Option<SourcePosition>,
    pub(crate) comments: Vec<OrderedComment>,
    pub(crate) likes: Vec<Like>,
    pub(crate) rejects: Vec<Reject>,
    /// The number of identical repetitions of comments in the file.
    pub(crate) repeated: u64,
}

/// A comment in its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OrderedComment {
    pub(crate) comment: Comment,
    /// True if its parent is not in the file: only the server knows whether the parent exists.
    pub(crate) orphan: bool,
    /// Its place in the file, for a rejection by the server.
    pub(crate) place: Option<SourcePosition>,
}

/// Receives the parts of subjects one by one; an error from it ends the reading.
pub(crate) type BatchSink<'a> = &'a mut dyn FnMut(SubjectBatch) -> Result<()>;

/// Fills the parts of one subject from its spooled records.
pub(crate) struct BatchWriter<'a> {
    partition: &'a Partition,
    sink: BatchSink<'a>,
    batch: SubjectBatch,
    bytes: u64,
}

impl std::fmt::Debug for BatchWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchWriter").field("batch", &self.batch).finish_non_exhaustive()
    }
}

impl<'a> BatchWriter<'a> {
    /// Creates a writer for the records of one subject.
    pub(crate) fn new(partition: &'a Partition, sink: BatchSink<'a>) -> Self {
        Self { partition, sink, batch: SubjectBatch::default(), bytes: 0 }
    }

    /// Begins the subject with its record, or without one for the subject of `first`. It is hidden
    /// if any of its records is.
    ///
    /// # Errors
    /// The spool cannot be read.
    pub(crate) fn begin(
        &mut self,
        subject: Option<&Head>,
        first: &Head,
        is_hidden: bool,
        has_comments: bool,
    ) -> Result<()> {
        let GroupEntry { record, place, .. } = self.partition.entry(subject.unwrap_or(first))?;
        self.batch.subject_place = place.filter(|_| subject.is_some());
        self.batch.key = record.key().clone();
        self.batch.requires_subject = subject.is_some() || has_comments;
        self.batch.subject = match record {
            Record::Subject(described) if subject.is_some() => described,
            Record::Subject(_) | Record::Comment(_) | Record::Like(_) => {
                Subject { key: self.batch.key.clone(), ..Subject::default() }
            }
        };
        if is_hidden {
            self.batch.subject.state = SubjectState::Hidden;
        }
        Ok(())
    }

    /// Adds a rejected record; `problem` is that of the order, without it the record has its own.
    ///
    /// # Errors
    /// The spool cannot be read; that of the sink.
    pub(crate) fn reject(&mut self, head: &Head, problem: Option<(&str, &str)>) -> Result<()> {
        let entry = self.partition.entry(head)?;
        let ordered = problem.map(|(reason, message)| entry.problem(reason, message));
        let Some(problem) = ordered.or(entry.problem) else { return Ok(()) };
        self.batch.rejects.push(Reject { record: entry.record, problem });
        self.count(head)
    }

    /// Adds a comment.
    ///
    /// # Errors
    /// Same as for [`Self::reject`].
    pub(crate) fn comment(&mut self, head: &Head, orphan: bool) -> Result<()> {
        let GroupEntry { record, place, .. } = self.partition.entry(head)?;
        if let Record::Comment(comment) = record {
            self.batch.comments.push(OrderedComment { comment: normalized(comment), orphan, place });
        }
        self.count(head)
    }

    /// Adds a deleted root in place of the missing parent of a reply, written at `time`
    /// (microseconds).
    ///
    /// # Errors
    /// Same as for [`Self::reject`].
    pub(crate) fn placeholder(&mut self, reply: &Head, time: i64) -> Result<()> {
        if let Record::Comment(reply) = self.partition.entry(reply)?.record {
            let time = jiff::Timestamp::from_microsecond(time).ok();
            let comment = Comment {
                key: reply.key,
                source: reply.source,
                external_id: reply.parent_external_id.unwrap_or_default(),
                member_id: "~missing".to_owned(),
                state: CommentState::Deleted,
                deleted_by: Some(DeletedBy::Moderator),
                create_time: time,
                delete_time: time,
                ..Comment::default()
            };
            self.batch.comments.push(OrderedComment { comment, orphan: false, place: None });
        }
        self.count(reply)
    }

    /// Adds a like.
    ///
    /// # Errors
    /// Same as for [`Self::reject`].
    pub(crate) fn like(&mut self, head: &Head) -> Result<()> {
        if let Record::Like(like) = self.partition.entry(head)?.record {
            self.batch.likes.push(like);
        }
        self.count(head)
    }

    /// Counts an identical repetition of a comment.
    pub(crate) fn repeated(&mut self) {
        self.batch.repeated += 1;
    }

    /// Passes on the last part.
    ///
    /// # Errors
    /// That of the sink.
    pub(crate) fn finish(self) -> Result<()> {
        (self.sink)(self.batch)
    }

    fn count(&mut self, head: &Head) -> Result<()> {
        self.bytes += u64::from(head.length);
        let SubjectBatch { comments, likes, rejects, .. } = &self.batch;
        if comments.len() + likes.len() + rejects.len() < BATCH_RECORDS && self.bytes < BATCH_BYTES {
            return Ok(());
        }
        self.bytes = 0;
        let next = SubjectBatch { key: self.batch.key.clone(), continues: true, ..SubjectBatch::default() };
        (self.sink)(std::mem::replace(&mut self.batch, next))
    }
}

/// Turns a comment without text into a tombstone, and clears the text of one that was deleted in
/// the source.
fn normalized(mut comment: Comment) -> Comment {
    if comment.state != CommentState::Deleted && is_blank(&comment.text) {
        comment.state = CommentState::Deleted;
        comment.deleted_by = Some(DeletedBy::Author);
        comment.delete_time = comment.create_time;
    }
    if comment.state == CommentState::Deleted {
        comment.text.clear();
        comment.deleted_by.get_or_insert(DeletedBy::Moderator);
        comment.delete_time = comment.delete_time.or(comment.edit_time).or(comment.create_time);
    }
    comment
}
