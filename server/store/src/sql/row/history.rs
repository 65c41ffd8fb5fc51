//! The rows of members' histories.

use riposte_core::{Comment, CommentId, CommentState, MemberId, Millis, ObjectType, Partition, SubjectId};
use sea_orm::ActiveValue::Set;

use super::bytes;
use crate::shard::part;
use crate::sql::entity::member_comment::ActiveModel;

/// What the history of a comment's author says of it.
#[derive(Debug, Clone)]
pub(crate) struct HistoryEntry {
    /// The type of the comment's subject: with the author, the history that it belongs to.
    pub(crate) object_type: ObjectType,
    /// The author.
    pub(crate) member: MemberId,
    /// When it was written.
    pub(crate) time: Millis,
    /// The comment.
    pub(crate) id: CommentId,
    /// Its subject.
    pub(crate) subject: SubjectId,
    /// Its state, as of `version`.
    pub(crate) state: CommentState,
    /// Of two rows of one comment, the higher one is the newer.
    pub(crate) version: i64,
}

impl HistoryEntry {
    /// What is said of a comment under a subject of this type.
    pub(crate) fn of(object_type: ObjectType, comment: Comment) -> Self {
        Self {
            object_type,
            member: comment.member,
            time: comment.create_time,
            id: comment.id,
            subject: comment.subject_id,
            state: comment.state,
            version: comment.version,
        }
    }

    /// Where the row lies: with the author, not with the subject.
    pub(crate) fn home(&self) -> Partition {
        Partition::of(self.object_type.as_str(), self.member.as_str())
    }

    /// Where it lies within its table.
    pub(crate) fn place(&self) -> (&str, &str, i64, CommentId) {
        (self.object_type.as_str(), self.member.as_str(), self.time.0, self.id)
    }
}

/// The row of a comment in its author's history of a type.
pub(crate) fn history_model(one: &HistoryEntry) -> ActiveModel {
    ActiveModel {
        object_type: Set(bytes(one.object_type.as_str())),
        member_id: Set(bytes(one.member.as_str())),
        create_time: Set(one.time.0),
        comment_id: Set(one.id.get()),
        part: Set(part(one.home())),
        subject_id: Set(one.subject.get()),
        state: Set(one.state.code()),
        version: Set(one.version),
    }
}
