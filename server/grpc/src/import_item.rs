//! Converts items of an import from messages to domain types.

use riposte_core::content::is_blank;
use riposte_core::object_type::ModerationMode;
use riposte_core::origin::ImportOrigin;
use riposte_core::submit::{ImportItem, ImportKind};
use riposte_core::verbs::{ImportTimes, ImportedComment, ImportedLike, ImportedSubject};
use riposte_core::{
    Caller, CommentState, Comments, Content, DeletedBy, MemberId, Millis, Policy, SubjectKey, SubjectState, Violation,
};
use riposte_sdk::v1;
use riposte_sdk::v1::import_item::Kind;

use crate::parse::{self, Violations};
use crate::rpc_error::{ErrorMetadata, RpcError};

/// The longest name of a source, in bytes.
const MAX_SOURCE: usize = 64;
/// The longest external id, in bytes.
const MAX_EXTERNAL_ID: usize = 128;
/// The member id of a tombstone's author if its source no longer knows the author.
const UNKNOWN_AUTHOR: &str = "~";

/// Parses one item.
///
/// # Errors
/// All violations of the item.
pub(crate) fn parse(
    comments: &Comments,
    caller: &Caller,
    item: v1::ImportItem,
    now: Millis,
) -> Result<ImportItem, RpcError> {
    let v1::ImportItem { source, external_id, kind } = item;
    let mut v = Violations::default();
    let source = v.take(parse::name("source", &source, MAX_SOURCE));
    let external_id = v.take(parse::name("external_id", &external_id, MAX_EXTERNAL_ID));
    let parsed = match kind {
        None => v.take(Err(Violation::field("kind", "must be a subject, a comment or a like"))),
        Some(Kind::Subject(new)) => {
            let key = v.subject(comments, caller, "subject.key", new.key.as_ref())?;
            subject(&mut v, new).zip(key).map(|(kind, (key, _))| (key, kind))
        }
        Some(Kind::Comment(new)) => {
            let key = v.subject(comments, caller, "comment.subject", new.subject.as_ref())?;
            let policy = key.as_ref().map(|(_, policy)| *policy);
            comment(&mut v, policy, new, now).zip(key).map(|(kind, (key, _))| (key, kind))
        }
        Some(Kind::Like(new)) => {
            let key = v.subject(comments, caller, "like.subject", new.subject.as_ref())?;
            like(&mut v, new, now).zip(key).map(|(kind, (key, _))| (key, kind))
        }
    };
    let (source, external_id, parsed): (String, String, (SubjectKey, ImportKind)) =
        v.all((source, external_id, parsed))?;
    let (subject, kind) = parsed;
    Ok(ImportItem { subject, origin: ImportOrigin { source, external_id }, kind })
}

/// Returns the metadata of an error about an item: the external id that it references and that was
/// not found.
pub(crate) fn error_metadata(item: &ImportItem) -> ErrorMetadata {
    let metadata = ErrorMetadata::default();
    match &item.kind {
        ImportKind::Subject(_) => metadata,
        ImportKind::Comment(comment) => match &comment.parent {
            Some(parent) => metadata.with("external_id", parent),
            None => metadata,
        },
        ImportKind::Like(like) => metadata.with("external_id", &like.comment),
    }
}

fn subject(v: &mut Violations, new: v1::ImportedSubject) -> Option<ImportKind> {
    let owner = v.take(parse::optional_member("subject.owner_id", &new.owner_id));
    let state = v.take(parse::subject_state("subject.state", new.state));
    let metadata = v.take(parse::metadata("subject.metadata", new.metadata));
    let create_time = v.take(parse::time("subject.create_time", new.create_time));
    let (owner, state, metadata, create_time): (_, SubjectState, _, _) = (owner?, state?, metadata?, create_time?);
    Some(ImportKind::Subject(ImportedSubject { owner, state, metadata, create_time }))
}

fn comment(v: &mut Violations, policy: Option<&Policy>, new: v1::ImportedComment, now: Millis) -> Option<ImportKind> {
    let state = v.take(state(new.state)).map(|state| match policy {
        Some(policy) if new.hidden_without_review => without_review(state, policy),
        Some(_) | None => state,
    });
    // The source of a tombstone may have lost its content and its author.
    let is_deleted = state == Some(CommentState::Deleted);
    let parent = match new.parent_external_id.as_str() {
        "" => Some(None),
        parent => v.take(parse::name("comment.parent_external_id", parent, MAX_EXTERNAL_ID)).map(Some),
    };
    let member = if is_deleted && new.member_id.is_empty() { UNKNOWN_AUTHOR } else { &new.member_id };
    let member = v.take(MemberId::parse("comment.member_id", member));
    let is_erased = is_deleted && new.content.as_ref().is_none_or(|content| is_blank(&content.text));
    let content = if is_erased {
        Some(Content::stored(String::new(), Vec::new(), Default::default()))
    } else {
        parse::content_at(v, "comment.content", policy, new.content)
    };
    let client = v.take(parse::client_at("comment.client", new.client));
    let create = v.take(parse::time("comment.create_time", new.create_time));
    let edit = v.take(parse::time("comment.edit_time", new.edit_time));
    let delete = v.take(parse::time("comment.delete_time", new.delete_time));
    let deleted_by = v.take(deleted_by(new.deleted_by));
    let times = ImportTimes {
        create: create?.unwrap_or(now),
        edit: edit?,
        delete: is_deleted.then_some(delete?.unwrap_or(now)),
    };
    let deleted_by = deleted_by?.filter(|_| is_deleted).or(is_deleted.then_some(DeletedBy::Author));
    Some(ImportKind::Comment(Box::new(ImportedComment {
        parent: parent?,
        member: member?,
        content: content?,
        client: client?,
        state: state?,
        deleted_by,
        times,
    })))
}

fn like(v: &mut Violations, new: v1::ImportedLike, now: Millis) -> Option<ImportKind> {
    let comment = v.take(parse::name("like.comment_external_id", &new.comment_external_id, MAX_EXTERNAL_ID));
    let member = v.take(MemberId::parse("like.member_id", &new.member_id));
    let value = v.take(parse::like_value(new.value).map_err(|wrong| Violation { field: "like.value".into(), ..wrong }));
    let time = v.take(parse::time("like.time", new.time));
    let like = ImportedLike { comment: comment?, member: member?, value: value?, time: time?.unwrap_or(now) };
    Some(ImportKind::Like(like))
}

fn state(state: i32) -> Result<CommentState, Violation> {
    const IMPORTED: [(v1::CommentState, CommentState); 6] = [
        (v1::CommentState::Unspecified, CommentState::Active),
        (v1::CommentState::Active, CommentState::Active),
        (v1::CommentState::Pending, CommentState::Pending),
        (v1::CommentState::Rejected, CommentState::Rejected),
        (v1::CommentState::Hidden, CommentState::Hidden),
        (v1::CommentState::Deleted, CommentState::Deleted),
    ];
    let imported = IMPORTED.into_iter().find(|(value, _)| i32::from(*value) == state).map(|(_, state)| state);
    imported.ok_or_else(|| Violation::field("comment.state", "must be ACTIVE, PENDING, REJECTED, HIDDEN or DELETED"))
}

/// Returns the state of a comment that waits in its source: it is hidden where none waits here.
fn without_review(state: CommentState, policy: &Policy) -> CommentState {
    let is_hidden = state == CommentState::Pending && policy.moderation == ModerationMode::Post;
    if is_hidden { CommentState::Hidden } else { state }
}

fn deleted_by(role: i32) -> Result<Option<DeletedBy>, Violation> {
    match v1::DeletedBy::try_from(role) {
        Ok(v1::DeletedBy::Unspecified) => Ok(None),
        Ok(v1::DeletedBy::Author) => Ok(Some(DeletedBy::Author)),
        Ok(v1::DeletedBy::SubjectOwner) => Ok(Some(DeletedBy::SubjectOwner)),
        Ok(v1::DeletedBy::Moderator) => Ok(Some(DeletedBy::Moderator)),
        Err(_) => Err(Violation::field("comment.deleted_by", "is not a known value")),
    }
}
