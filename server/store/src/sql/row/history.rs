//! The rows of members' histories.

use riposte_core::{Comment, CommentId, CommentState, MemberId, Millis, ObjectType, Partition, SubjectId};
use sea_orm::ActiveValue::Set;

use super::bytes;
use crate::shard::part;
use crate::sql::entity::member_comment::ActiveModel;

/// The entry of a comment in its author's member history.
#[derive(Debug, Clone)]
pub(crate) struct HistoryEntry {
    /// The object type of the comment's subject; author and object type identify the history.
    pub(crate) object_type: ObjectType,
    /// The author.
    pub(crate) member: MemberId,
    /// The creation time.
    pub(crate) time: Millis,
    /// The comment.
    pub(crate) id: CommentId,
    /// Its subject.
    pub(crate) subject: SubjectId,
    /// Its state, as of `version`.
    pub(crate) state: CommentState,
    /// The version of the comment; of two rows of one comment, the row with the higher version is
    /// newer.
    pub(crate) version: i64,
}

impl HistoryEntry {
    /// Creates the entry of a comment under a subject of this type.
    pub(crate) fn of(object_type: ObjectType, comment: Comment) -> Self {
        Self {
            object_type,
            member: comment.reference.member,
            time: comment.reference.create_time,
            id: comment.reference.id,
            subject: comment.reference.subject_id,
            state: comment.lifecycle.state,
            version: comment.lifecycle.version,
        }
    }

    /// Returns the partition of the row, which is that of the author and not that of the subject.
    pub(crate) fn partition(&self) -> Partition {
        Partition::of(self.object_type.as_str(), self.member.as_str())
    }

    /// Returns the row's key within its table.
    pub(crate) fn key(&self) -> (&str, &str, i64, CommentId) {
        (self.object_type.as_str(), self.member.as_str(), self.time.0, self.id)
    }
}

/// Returns the row of a history entry.
pub(crate) fn history_model(entry: &HistoryEntry) -> ActiveModel {
    ActiveModel {
        object_type: Set(bytes(entry.object_type.as_str())),
        member_id: Set(bytes(entry.member.as_str())),
        create_time: Set(entry.time.0),
        comment_id: Set(entry.id.get()),
        part: Set(part(entry.partition())),
        subject_id: Set(entry.subject.get()),
        state: Set(entry.state.code()),
        version: Set(entry.version),
    }
}
