//! Parses the keys of subjects and the changes to them.

use riposte_core::object_type::ModerationMode;
use riposte_core::verbs::UpdateSubject;
use riposte_core::{SubjectKey, SubjectState, Violation};
use riposte_sdk::v1;

use super::{metadata, optional_member};

/// Parses the key of a subject.
pub(crate) fn subject_key(field: &str, key: Option<&v1::SubjectKey>) -> Result<SubjectKey, Vec<Violation>> {
    let Some(key) = key else { return Err(vec![Violation::field(field, "must be set")]) };
    SubjectKey::parse(field, &key.object_type, &key.object_id)
}

/// Parses the change of a subject: the fields in `mask`, or without a mask every field of `subject`
/// that is set. `of_type` is the mode of the object type; `None` if the type is not known.
pub(crate) fn patch(
    subject: &v1::Subject,
    of_type: Option<ModerationMode>,
    mask: Option<&prost_types::FieldMask>,
) -> Result<UpdateSubject, Vec<Violation>> {
    let mut violations = Vec::new();
    let mask = mask.map_or(&[][..], |mask| &mask.paths);
    let is_named = |path: &str, set: bool| if mask.is_empty() { set } else { mask.iter().any(|name| name == path) };
    let mut patch = UpdateSubject { etag: subject.etag.clone(), ..UpdateSubject::default() };
    if is_named("owner_id", !subject.owner_id.is_empty()) {
        let owner = optional_member("subject.owner_id", &subject.owner_id);
        patch.owner = owner.map_err(|violation| violations.push(violation)).ok();
    }
    if is_named("state", subject.state != 0) {
        patch.state =
            subject_state("subject.state", subject.state).map_err(|violation| violations.push(violation)).ok();
    }
    if is_named("metadata", !subject.metadata.is_empty()) {
        let fields = metadata("subject.metadata", subject.metadata.clone());
        patch.metadata = fields.map_err(|found| violations.extend(found)).ok();
    }
    if is_named("moderation_mode", subject.moderation_mode != 0) {
        let mode = moderation_mode("subject.moderation_mode", subject.moderation_mode, of_type);
        patch.moderation = mode.map_err(|violation| violations.push(violation)).ok();
    }
    for (n, path) in mask.iter().enumerate() {
        if !["owner_id", "state", "metadata", "moderation_mode"].contains(&path.as_str()) {
            let rule = "must be one of owner_id, state, metadata, moderation_mode";
            violations.push(Violation::field(format!("update_mask.paths[{n}]"), rule));
        }
    }
    let is_empty =
        patch.owner.is_none() && patch.state.is_none() && patch.metadata.is_none() && patch.moderation.is_none();
    if is_empty && violations.is_empty() {
        violations.push(Violation::field("update_mask", "must name a field, since none of the subject is set"));
    }
    if violations.is_empty() { Ok(patch) } else { Err(violations) }
}

/// Parses the mode of a subject, which may not be looser than that of its type. The unspecified
/// value is the mode of the type.
pub(crate) fn moderation_mode(
    field: &str,
    mode: i32,
    of_type: Option<ModerationMode>,
) -> Result<Option<ModerationMode>, Violation> {
    let mode = match v1::ModerationMode::try_from(mode) {
        Ok(v1::ModerationMode::Unspecified) => return Ok(None),
        Ok(v1::ModerationMode::Post) => ModerationMode::Post,
        Ok(v1::ModerationMode::Pre) => ModerationMode::Pre,
        Ok(v1::ModerationMode::PreNewMembers) => ModerationMode::PreNewMembers,
        Err(_) => return Err(Violation::field(field, "is not a known value")),
    };
    if of_type.is_some_and(|of_type| mode < of_type) {
        return Err(Violation::field(field, "must not be looser than the mode of the object type"));
    }
    Ok(Some(mode))
}

/// Parses the state of a subject; ACTIVE if none is named.
pub(crate) fn subject_state(field: &str, state: i32) -> Result<SubjectState, Violation> {
    match v1::SubjectState::try_from(state) {
        Ok(v1::SubjectState::Unspecified | v1::SubjectState::Active) => Ok(SubjectState::Active),
        Ok(v1::SubjectState::ReadOnly) => Ok(SubjectState::ReadOnly),
        Ok(v1::SubjectState::Hidden) => Ok(SubjectState::Hidden),
        Err(_) => Err(Violation::field(field, "is not a known value")),
    }
}
