//! The rows of members' histories.

use riposte_core::{Comment, ObjectType};
use sea_orm::ActiveValue::Set;

use super::bytes;
use crate::sql::entity::member_comment::ActiveModel;

/// The row of a comment in its author's history of a type.
pub(crate) fn history_model(object_type: &ObjectType, comment: &Comment, part: i16) -> ActiveModel {
    ActiveModel {
        object_type: Set(bytes(object_type.as_str())),
        member_id: Set(bytes(comment.member.as_str())),
        create_time: Set(comment.create_time.0),
        comment_id: Set(comment.id.get()),
        part: Set(part),
        subject_id: Set(comment.subject_id.get()),
        state: Set(comment.state.code()),
        version: Set(comment.version),
    }
}
