//! The metadata of each request, for its errors and the audit log.

use riposte_core::{Error, SubjectKey};
use riposte_sdk::v1;
use riposte_sdk::v1::import_item::Kind;
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::subject_scope::Scope;
use serde_json::{Map, Value};

use crate::convert;
use crate::rpc_error::{ErrorMetadata, RpcError};

/// The most elements of a list in an audit record: the limit of every such list. Longer ones are
/// cut, because the first record is written before the request is validated.
const MAX_AUDITED_ELEMENTS: usize = 100;

/// Details of a request that only its audit records name.
pub(crate) type AuditDetails = Vec<(&'static str, Value)>;

/// A request that describes its subject matter.
pub(crate) trait ErrorSubject {
    /// Returns the metadata for its errors and the audit log.
    fn error_metadata(&self) -> ErrorMetadata;

    /// Returns what the audit log records besides the metadata; never a text.
    fn audit_details(&self) -> AuditDetails {
        Vec::new()
    }
}

/// A request field that audit records name.
pub(crate) trait AuditField {
    /// Returns the field as a record names it.
    fn to_audit(&self) -> Value;
}

impl AuditField for Vec<i64> {
    fn to_audit(&self) -> Value {
        ids(self.iter().copied())
    }
}

impl AuditField for Vec<v1::VerdictTarget> {
    fn to_audit(&self) -> Value {
        ids(self.iter().map(|target| target.comment_id))
    }
}

/// The member with the standing, its end and the rule, but no words of a moderator.
impl AuditField for Option<v1::MemberStanding> {
    fn to_audit(&self) -> Value {
        let v1::MemberStanding { member, standing, until, report_weight, grounds, .. } =
            self.clone().unwrap_or_default();
        let name = |standing: v1::Standing| Value::from(standing.as_str_name());
        let mut record = Map::new();
        record.insert("member_id".to_owned(), member.unwrap_or_default().member_id.into());
        record.insert("standing".to_owned(), v1::Standing::try_from(standing).map_or(standing.into(), name));
        record.extend(until.map(|until| ("until_seconds".to_owned(), until.seconds.into())));
        record.extend(report_weight.map(|weight| ("report_weight".to_owned(), weight.into())));
        let code = grounds.unwrap_or_default().code;
        record.extend((!code.is_empty()).then(|| ("code".to_owned(), code.into())));
        record.into()
    }
}

/// Returns the name of a value of an enum, or the number of a value that it does not have.
pub(crate) fn named<E: TryFrom<i32>>(value: i32, name: fn(&E) -> &'static str) -> Value {
    E::try_from(value).map_or_else(|_| Value::from(value), |known| Value::from(name(&known)))
}

/// Ids are texts in records, like every other number of a request.
fn ids(ids: impl Iterator<Item = i64>) -> Value {
    ids.take(MAX_AUDITED_ELEMENTS).map(|id| id.to_string()).collect()
}

/// A request field that is metadata.
pub(crate) trait MetadataField {
    /// Adds the field to the metadata, under this name.
    fn add_to(&self, metadata: ErrorMetadata, name: &'static str) -> ErrorMetadata;
}

impl MetadataField for i64 {
    fn add_to(&self, metadata: ErrorMetadata, name: &'static str) -> ErrorMetadata {
        metadata.with(name, self)
    }
}

impl MetadataField for String {
    fn add_to(&self, metadata: ErrorMetadata, name: &'static str) -> ErrorMetadata {
        metadata.with(name, self)
    }
}

impl MetadataField for Option<v1::SubjectKey> {
    fn add_to(&self, metadata: ErrorMetadata, _: &'static str) -> ErrorMetadata {
        let key = self.as_ref().map(subject).unwrap_or_default();
        key.or(metadata)
    }
}

impl MetadataField for Option<v1::Subject> {
    fn add_to(&self, metadata: ErrorMetadata, name: &'static str) -> ErrorMetadata {
        let Some(subject) = self else { return metadata };
        subject.key.add_to(metadata, name)
    }
}

impl MetadataField for Option<v1::SubjectScope> {
    fn add_to(&self, metadata: ErrorMetadata, name: &'static str) -> ErrorMetadata {
        match self.as_ref().and_then(|scope| scope.scope.as_ref()) {
            Some(Scope::Key(key)) => Some(key.clone()).add_to(metadata, name),
            Some(Scope::ObjectType(object_type)) => metadata.with("object_type", object_type),
            Some(Scope::All(_)) => metadata.with("scope", "all"),
            None => metadata,
        }
    }
}

impl MetadataField for Option<Of> {
    fn add_to(&self, metadata: ErrorMetadata, _: &'static str) -> ErrorMetadata {
        match self {
            Some(Of::CommentId(id)) => metadata.with("comment_id", id),
            Some(Of::Member(member)) => metadata.with("object_type", &member.object_type),
            None => metadata,
        }
    }
}

impl MetadataField for Option<v1::MemberStanding> {
    fn add_to(&self, metadata: ErrorMetadata, _: &'static str) -> ErrorMetadata {
        match self.as_ref().and_then(|standing| standing.member.as_ref()) {
            Some(member) => metadata.with("object_type", &member.object_type),
            None => metadata,
        }
    }
}

/// Returns the metadata of a subject's key.
pub(crate) fn subject(key: &v1::SubjectKey) -> ErrorMetadata {
    ErrorMetadata::default().with("object_type", &key.object_type).with("object_id", &key.object_id)
}

/// Returns the metadata of a comment's id.
pub(crate) fn comment(id: i64) -> ErrorMetadata {
    ErrorMetadata::default().with("comment_id", id)
}

/// Returns the metadata of an import item, for the audit log.
pub(crate) fn item(item: &v1::ImportItem) -> ErrorMetadata {
    let v1::ImportItem { source, external_id, .. } = item;
    subject_of_item(item).with("source", source).with("external_id", external_id)
}

/// Returns the metadata of the subject that an import item names, for its errors.
pub(crate) fn subject_of_item(item: &v1::ImportItem) -> ErrorMetadata {
    let key = match &item.kind {
        Some(Kind::Subject(new)) => new.key.as_ref(),
        Some(Kind::Comment(new)) => new.subject.as_ref(),
        Some(Kind::Like(new)) => new.subject.as_ref(),
        None => None,
    };
    key.map(subject).unwrap_or_default()
}

/// Adds the subject of a comment to an error. The request names only the comment.
pub(crate) fn under(key: &SubjectKey) -> impl FnOnce(Error) -> RpcError {
    let metadata = subject(&convert::subject_key(key));
    move |error| RpcError::about(error, metadata)
}

/// A stream has no metadata of its own: each of its items has its own metadata.
impl<Q> ErrorSubject for tonic::Streaming<Q> {
    fn error_metadata(&self) -> ErrorMetadata {
        ErrorMetadata::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_audit_names_the_values_of_enums_and_keeps_unknown_numbers() {
        let key = v1::SubjectKey { object_type: "video".to_owned(), object_id: "1".to_owned() };
        let request = |mode: i32| v1::SetSubjectModeRequest {
            subject: Some(key.clone()),
            mode,
            moderator_id: "mo".to_owned(),
            request_id: String::new(),
        };
        let pre = request(v1::ModerationMode::Pre.into());
        assert_eq!(pre.audit_details(), [("mode", Value::from("MODERATION_MODE_PRE"))]);
        assert_eq!(request(99).audit_details(), [("mode", Value::from(99))]);
        let named = pre.error_metadata();
        for (name, value) in [("object_type", "video"), ("object_id", "1"), ("moderator_id", "mo")] {
            assert_eq!(named.get(name), Some(value));
        }
    }
}
