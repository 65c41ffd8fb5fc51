//! The conversion between rows and domain types. A row that no version of this code can have
//! written is an error, never a guess.

mod content;
mod history;
mod like;
mod outbox;
mod ranking;
mod report;
mod review;
mod rule_hits;
mod standing;
mod subject;
mod withheld;

use riposte_core::request::{IdempotencyKey, RequestIdentity};
use riposte_core::{
    Comment, CommentCounts, CommentId, CommentRef, CommentState, DeletedBy, Error, Lifecycle, MemberId, Millis, Path,
    Result, SubjectId,
};
use sea_orm::ActiveValue::Set;

use super::entity::comment_index::{ActiveModel, Model};
pub(crate) use content::{client_model, client_row, content, content_model, edit_model, former_content, mentions};
pub(crate) use history::{HistoryEntry, history_model};
pub(crate) use like::{like, like_model, like_value};
pub(crate) use outbox::{commit_model, events, revision_model, unknown_event};
pub(crate) use ranking::{SnapshotFingerprint, ranking, ranking_model};
pub(crate) use report::{report, report_changes, report_model};
pub(crate) use review::{decision, decision_model, review, review_changes, review_model};
pub(crate) use standing::{ChangeColumns, standing, standing_change, standing_model};
pub(crate) use subject::{subject, subject_changes, subject_identity, subject_key, subject_model, subject_state};
pub(crate) use withheld::{
    FORMER, ORIGINAL, PROPOSAL, REPLACED, original, original_model, original_state, proposal, proposal_model,
    withheld_model,
};

/// Converts an index row to its comment.
pub(crate) fn comment(row: Model) -> Result<Comment> {
    let fault = |column: &str| unreadable("comment_index", row.id, column);
    Ok(Comment {
        lifecycle: Lifecycle {
            state: state(row.id, row.state)?,
            prior_state: state(row.id, row.prior_state)?,
            deleted_by: DeletedBy::from_code(row.deleted_by),
            listed: row.listed != 0,
            revision: row.revision,
            version: row.version,
            update_time: Millis(row.update_time),
            edit_time: row.edit_time.map(Millis),
            delete_time: row.delete_time.map(Millis),
        },
        reference: CommentRef {
            id: id(row.id)?,
            subject_id: SubjectId::new(row.subject_id).ok_or_else(|| fault("subject_id"))?,
            root_id: CommentId::new(row.root_id),
            parent_id: CommentId::new(row.parent_id),
            member: MemberId::stored(string(row.member_id).map_err(|_| fault("member_id"))?),
            path: Path::from_bytes(row.path).ok_or_else(|| fault("path"))?,
            floor: row.floor,
            born_revision: row.born_revision,
            create_time: Millis(row.create_time),
        },
        next_floor: row.next_floor,
        counts: CommentCounts {
            like_count: row.like_count,
            dislike_count: row.dislike_count,
            reply_count: row.reply_count,
            live_below: row.live_below,
        },
    })
}

/// Converts a stored state of a comment.
pub(crate) fn state(comment: i64, code: i8) -> Result<CommentState> {
    CommentState::from_code(code).ok_or_else(|| unreadable("comment_index", comment, "state"))
}

/// Returns the index row of a new comment.
pub(crate) fn comment_model(comment: &Comment, request: &RequestIdentity, part: i16) -> ActiveModel {
    let CommentRef { id, subject_id, root_id, parent_id, path, floor, member, born_revision: created_in, create_time } =
        &comment.reference;
    ActiveModel {
        id: Set(id.get()),
        part: Set(part),
        subject_id: Set(subject_id.get()),
        root_id: Set(root_id.map_or(0, CommentId::get)),
        parent_id: Set(parent_id.map_or(0, CommentId::get)),
        depth: Set(path.depth().cast_signed()),
        path: Set(path.as_bytes().to_vec()),
        floor: Set(*floor),
        member_id: Set(bytes(member.as_str())),
        born_revision: Set(*created_in),
        request_key: Set(request.key.0.to_vec()),
        request_print: Set(request.fingerprint.0),
        create_time: Set(create_time.0),
        ..comment_changes(comment)
    }
}

/// Returns every column of a comment that can change.
pub(crate) fn comment_changes(comment: &Comment) -> ActiveModel {
    let CommentCounts { like_count, dislike_count, reply_count, live_below } = comment.counts;
    let Lifecycle {
        state,
        prior_state: restored_state,
        deleted_by,
        listed,
        revision,
        version,
        update_time,
        edit_time,
        delete_time,
    } = comment.lifecycle;
    ActiveModel {
        next_floor: Set(comment.next_floor),
        state: Set(state.code()),
        prior_state: Set(restored_state.code()),
        deleted_by: Set(deleted_by.map_or(0, DeletedBy::code)),
        like_count: Set(like_count),
        dislike_count: Set(dislike_count),
        reply_count: Set(reply_count),
        live_below: Set(live_below),
        listed: Set(i8::from(listed)),
        revision: Set(revision),
        version: Set(version),
        update_time: Set(update_time.0),
        edit_time: Set(edit_time.map(|t| t.0)),
        delete_time: Set(delete_time.map(|t| t.0)),
        ..ActiveModel::default()
    }
}

/// Returns the error of a row with a value that no version of this code can have written. It names
/// the row by its table and the id of its subject or comment, and never contains the value.
fn unreadable(table: &str, id: i64, column: &str) -> Error {
    Error::internal(format!("{table}, row of {id}: {column} cannot be read"))
}

/// Converts a stored request key of 16 bytes.
pub(crate) fn request_key(stored: &[u8]) -> Result<IdempotencyKey> {
    let key = <[u8; 16]>::try_from(stored).map_err(|_| Error::internal("a stored request key has not 16 bytes"))?;
    Ok(IdempotencyKey(key))
}

/// Converts the id of a row; stored ids are positive.
pub(crate) fn id(stored: i64) -> Result<CommentId> {
    CommentId::new(stored).ok_or_else(|| Error::internal(format!("the stored id {stored} is invalid")))
}

/// Returns the bytes of a string. Strings owned by callers are stored as bytes, so that databases
/// compare them byte by byte.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

/// Converts a string that was stored as bytes.
pub(crate) fn string(stored: Vec<u8>) -> Result<String> {
    String::from_utf8(stored).map_err(|_| Error::internal("a stored string is not UTF-8"))
}

#[cfg(test)]
mod tests;
