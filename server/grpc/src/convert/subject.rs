//! Subjects as messages.

use riposte_core::object_type::ModerationMode;
use riposte_core::{Subject, SubjectKey, SubjectState};
use riposte_sdk::v1;

use super::time;

/// Converts a subject. A subject that does not exist yet, whose type has auto_create, has neither
/// times nor an etag.
pub(crate) fn subject(subject: &Subject) -> v1::Subject {
    let exists = subject.version > 0;
    v1::Subject {
        key: Some(subject_key(&subject.key)),
        owner_id: subject.owner.as_ref().map_or_else(String::new, |owner| owner.as_str().to_owned()),
        state: state(subject.state).into(),
        root_count: subject.counts.root_count,
        comment_count: subject.counts.comment_count,
        revision: subject.revision,
        metadata: subject.metadata.clone(),
        etag: if exists { subject.etag() } else { String::new() },
        create_time: exists.then(|| time(subject.create_time)),
        update_time: exists.then(|| time(subject.update_time)),
        delete_time: subject.delete_time.map(time),
        moderation_mode: subject.moderation.map_or(v1::ModerationMode::Unspecified, moderation_mode).into(),
    }
}

fn moderation_mode(mode: ModerationMode) -> v1::ModerationMode {
    match mode {
        ModerationMode::Post => v1::ModerationMode::Post,
        ModerationMode::Pre => v1::ModerationMode::Pre,
        ModerationMode::PreNewMembers => v1::ModerationMode::PreNewMembers,
    }
}

/// Converts the key of a subject.
pub(crate) fn subject_key(key: &SubjectKey) -> v1::SubjectKey {
    v1::SubjectKey { object_type: key.object_type().as_str().to_owned(), object_id: key.object_id().to_owned() }
}

fn state(state: SubjectState) -> v1::SubjectState {
    match state {
        SubjectState::Active => v1::SubjectState::Active,
        SubjectState::ReadOnly => v1::SubjectState::ReadOnly,
        SubjectState::Hidden => v1::SubjectState::Hidden,
    }
}
