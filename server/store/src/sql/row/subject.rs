//! Conversions between the rows of subjects and [`Subject`].

use prost::Message;
use riposte_core::object_type::ModerationMode;
use riposte_core::{CommentId, MemberId, Millis, Result, Subject, SubjectCounts, SubjectId, SubjectKey, SubjectState};
use sea_orm::ActiveValue::Set;

use super::content::{metadata, metadata_text};
use super::{bytes, id, string, unreadable};
use crate::sql::entity::comment_subject::{ActiveModel, Model};

#[expect(unreachable_pub, reason = "generated messages are public; none leaves the crate")]
mod internal {
    include!("generated/subject_policy.rs");
}

use internal::SubjectPolicy;

/// The table, as errors name it.
const TABLE: &str = "comment_subject";
const ID_BYTES: usize = 8;

/// Converts a row to its subject.
pub(crate) fn subject(row: Model) -> Result<Subject> {
    let fault = |column: &str| unreadable(TABLE, row.id, column);
    let (moderation, SubjectPolicy { unlisted, by_moderator, .. }) =
        policy(row.policy.as_deref()).ok_or_else(|| fault("policy"))?;
    Ok(Subject {
        id: SubjectId::new(row.id).ok_or_else(|| fault("id"))?,
        state: subject_state(row.id, row.state)?,
        pins: pins(&row.pins).map_err(|_| fault("pins"))?,
        metadata: metadata(&row.metadata).map_err(|_| fault("metadata"))?,
        moderation,
        mode_by_moderator: by_moderator,
        unlisted,
        key: subject_key(row.id, row.object_type, row.object_id)?,
        owner: row.owner_id.map(string).transpose().map_err(|_| fault("owner_id"))?.map(MemberId::stored),
        next_floor: row.next_floor,
        counts: SubjectCounts { root_count: row.root_count, comment_count: row.comment_count },
        revision: row.revision,
        version: row.version,
        create_time: Millis(row.create_time),
        update_time: Millis(row.update_time),
        delete_time: row.delete_time.map(Millis),
    })
}

/// Converts the state of a subject.
pub(crate) fn subject_state(subject: i64, code: i8) -> Result<SubjectState> {
    SubjectState::from_code(code).ok_or_else(|| unreadable(TABLE, subject, "state"))
}

/// Converts the id and the key of a row.
pub(crate) fn subject_identity(row: Model) -> Result<(SubjectId, SubjectKey)> {
    let id = SubjectId::new(row.id).ok_or_else(|| unreadable(TABLE, row.id, "id"))?;
    Ok((id, subject_key(row.id, row.object_type, row.object_id)?))
}

/// Returns the key in these columns of the row with this id.
pub(crate) fn subject_key(id: i64, object_type: Vec<u8>, object_id: Vec<u8>) -> Result<SubjectKey> {
    let text = |stored, column| string(stored).map_err(|_| unreadable(TABLE, id, column));
    Ok(SubjectKey::stored(text(object_type, "object_type")?, text(object_id, "object_id")?))
}

/// Returns the row of a new subject.
pub(crate) fn subject_model(subject: &Subject, part: i16) -> Result<ActiveModel> {
    Ok(ActiveModel {
        id: Set(subject.id.get()),
        part: Set(part),
        object_type: Set(bytes(subject.key.object_type().as_str())),
        object_id: Set(bytes(subject.key.object_id())),
        create_time: Set(subject.create_time.0),
        ..subject_changes(subject)?
    })
}

/// Returns the columns of a subject that can change after its creation.
pub(crate) fn subject_changes(subject: &Subject) -> Result<ActiveModel> {
    let SubjectCounts { root_count, comment_count } = subject.counts;
    Ok(ActiveModel {
        owner_id: Set(subject.owner.as_ref().map(|owner| bytes(owner.as_str()))),
        state: Set(subject.state.code()),
        next_floor: Set(subject.next_floor),
        root_count: Set(root_count),
        comment_count: Set(comment_count),
        revision: Set(subject.revision),
        version: Set(subject.version),
        pins: Set(subject.pins.iter().flat_map(|pin| pin.get().to_be_bytes()).collect()),
        metadata: Set(metadata_text(&subject.metadata)?),
        policy: Set(policy_bytes(subject)),
        update_time: Set(subject.update_time.0),
        delete_time: Set(subject.delete_time.map(|t| t.0)),
        ..ActiveModel::default()
    })
}

/// Returns a stored policy with its mode; `None` for a policy that no version has written.
fn policy(stored: Option<&[u8]>) -> Option<(Option<ModerationMode>, SubjectPolicy)> {
    let policy = SubjectPolicy::decode(stored.unwrap_or_default()).ok()?;
    if policy.moderation_mode == 0 {
        return Some((None, policy));
    }
    let mode = i8::try_from(policy.moderation_mode).ok().and_then(ModerationMode::from_code)?;
    Some((Some(mode), policy))
}

fn policy_bytes(subject: &Subject) -> Option<Vec<u8>> {
    let policy = SubjectPolicy {
        moderation_mode: subject.moderation.map_or(0, |mode| mode.code().into()),
        unlisted: subject.unlisted,
        by_moderator: subject.mode_by_moderator,
    };
    (policy != SubjectPolicy::default()).then(|| policy.encode_to_vec())
}

fn pins(stored: &[u8]) -> Result<Vec<CommentId>> {
    let number = |pin: &[u8]| pin.iter().fold(0, |number, byte| number << 8 | i64::from(*byte));
    stored.chunks(ID_BYTES).map(|pin| id(number(pin))).collect()
}
