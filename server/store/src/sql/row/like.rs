//! The rows of likes.

use riposte_core::like::Like;
use riposte_core::request::RequestId;
use riposte_core::{Error, LikeValue, MemberId, Millis, Result, SubjectId};
use sea_orm::ActiveValue::Set;

use super::{bytes, id, string};
use crate::sql::entity::comment_like::{ActiveModel, Model};

/// Converts a row to its like.
pub(crate) fn like(row: Model) -> Result<Like> {
    let fault = |what: &str| Error::internal(format!("a like of comment {}: {what}", row.comment_id));
    let operation =
        <[u8; 16]>::try_from(row.operation.as_slice()).map_err(|_| fault("its operation has not 16 bytes"))?;
    Ok(Like {
        comment_id: id(row.comment_id)?,
        value: like_value(row.comment_id, row.value)?,
        member: MemberId::stored(string(row.member_id)?),
        operation: RequestId::from_bytes(operation),
        changed: row.changed != 0,
        time: Millis(row.time),
    })
}

/// Converts a stored like value.
pub(crate) fn like_value(comment: i64, value: i8) -> Result<LikeValue> {
    let unknown = || Error::internal(format!("a like of comment {comment}: its value is unknown"));
    LikeValue::from_code(value).ok_or_else(unknown)
}

/// Returns the row of a like of a comment under `subject`.
pub(crate) fn like_model(like: &Like, subject: SubjectId, part: i16) -> ActiveModel {
    ActiveModel {
        subject_id: Set(subject.get()),
        member_id: Set(bytes(like.member.as_str())),
        comment_id: Set(like.comment_id.get()),
        part: Set(part),
        value: Set(like.value.code()),
        operation: Set(like.operation.as_bytes().to_vec()),
        changed: Set(i8::from(like.changed)),
        time: Set(like.time.0),
    }
}
