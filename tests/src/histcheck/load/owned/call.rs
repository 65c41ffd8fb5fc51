//! One attempt of one call about a subject with an owner.

use std::time::Duration;

use prost_types::FieldMask;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::subject_service_client::SubjectServiceClient;
use riposte_sdk::v1::{
    AdminServicePinCommentRequest, AdminServiceUnpinCommentRequest, Comment, CommentThread, CreateCommentRequest,
    CreateSubjectRequest, DeleteCommentRequest, DeleteSubjectRequest, GetCommentRequest, GetSubjectRequest,
    HideCommentRequest, ListCommentsRequest, PinCommentRequest, Subject, UndeleteCommentRequest,
    UndeleteSubjectRequest, UnhideCommentRequest, UnpinCommentRequest, UpdateSubjectRequest,
};
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::histcheck::fleet::Ports;
use crate::histcheck::history::{OwnedCall, OwnedResponse, OwnedState, SeenRoot, SeenSubject};
use crate::histcheck::names;

/// The moderator of all calls that hide, show and pin roots.
const MODERATOR: &str = "moderator";
/// The size of a page, which is larger than the number of roots of a subject.
const PAGE_SIZE: i32 = 100;

type OwnedResult = Result<OwnedResponse, Status>;

/// Sends a call once.
///
/// # Errors
/// Returns the status of the service or of the connection.
pub(crate) async fn attempt(
    ports: Ports,
    (subject, call): (u32, OwnedCall),
    request_id: String,
    limit: Duration,
) -> OwnedResult {
    match call {
        OwnedCall::Make | OwnedCall::SetState(_) | OwnedCall::DeleteSubject | OwnedCall::UndeleteSubject => {
            change_subject(ports.public, (subject, call), request_id, limit).await
        }
        OwnedCall::Root { .. } | OwnedCall::Delete { .. } | OwnedCall::Undelete { .. } => {
            write(ports.public, (subject, call), request_id, limit).await
        }
        OwnedCall::Pin { by_owner: true, .. } => pin(ports.public, call, request_id, limit).await,
        OwnedCall::Hide { .. } | OwnedCall::Unhide { .. } | OwnedCall::Pin { .. } => {
            moderate(ports.admin, call, request_id, limit).await
        }
        OwnedCall::List { .. } | OwnedCall::Subject { .. } | OwnedCall::Get { .. } => {
            read(ports.public, (subject, call), limit).await
        }
    }
}

async fn change_subject(
    channel: Channel,
    (number, call): (u32, OwnedCall),
    request_id: String,
    limit: Duration,
) -> OwnedResult {
    let (mut service, key) = (SubjectServiceClient::new(channel), Some(names::key(number)));
    let revision = match call {
        OwnedCall::Make => {
            let owner_id = names::member_id(names::OWNER);
            let request = CreateSubjectRequest { key, owner_id, request_id, ..Default::default() };
            service.create_subject(timed(limit, request)).await?.into_inner().subject_revision
        }
        OwnedCall::SetState(state) => {
            let subject = Some(Subject { key, state: state as i32, ..Default::default() });
            let update_mask = Some(FieldMask { paths: vec!["state".to_owned()] });
            let request = UpdateSubjectRequest { subject, update_mask, request_id };
            service.update_subject(timed(limit, request)).await?.into_inner().subject_revision
        }
        OwnedCall::DeleteSubject => {
            let request = DeleteSubjectRequest { key, etag: String::new(), request_id };
            service.delete_subject(timed(limit, request)).await?.into_inner().subject_revision
        }
        OwnedCall::UndeleteSubject => {
            let request = UndeleteSubjectRequest { key, request_id };
            service.undelete_subject(timed(limit, request)).await?.into_inner().subject_revision
        }
        OwnedCall::Root { .. }
        | OwnedCall::Delete { .. }
        | OwnedCall::Undelete { .. }
        | OwnedCall::Hide { .. }
        | OwnedCall::Unhide { .. }
        | OwnedCall::Pin { .. }
        | OwnedCall::List { .. }
        | OwnedCall::Subject { .. }
        | OwnedCall::Get { .. } => {
            return Err(Status::unimplemented("no call about a subject"));
        }
    };
    Ok(OwnedResponse::Written { comment: 0, revision })
}

async fn write(channel: Channel, (number, call): (u32, OwnedCall), request_id: String, limit: Duration) -> OwnedResult {
    let mut service = CommentServiceClient::new(channel);
    let (comment, revision) = match call {
        OwnedCall::Root { member, text } => {
            let (member_id, content) = (names::member_id(member), names::content(number, text));
            let subject = Some(names::key(number));
            let request = CreateCommentRequest { subject, member_id, content, request_id, ..Default::default() };
            let made = service.create_comment(timed(limit, request)).await?.into_inner();
            (made.comment, made.subject_revision)
        }
        OwnedCall::Delete { comment: id, member } => {
            let member_id = names::member_id(member);
            let request = DeleteCommentRequest { id, member_id, request_id, ..Default::default() };
            let deleted = service.delete_comment(timed(limit, request)).await?.into_inner();
            (deleted.comment, deleted.subject_revision)
        }
        OwnedCall::Undelete { comment: id, member } => {
            let request = UndeleteCommentRequest { id, member_id: names::member_id(member), request_id };
            let undeleted = service.undelete_comment(timed(limit, request)).await?.into_inner();
            (undeleted.comment, undeleted.subject_revision)
        }
        OwnedCall::Make
        | OwnedCall::SetState(_)
        | OwnedCall::DeleteSubject
        | OwnedCall::UndeleteSubject
        | OwnedCall::Hide { .. }
        | OwnedCall::Unhide { .. }
        | OwnedCall::Pin { .. }
        | OwnedCall::List { .. }
        | OwnedCall::Subject { .. }
        | OwnedCall::Get { .. } => {
            return Err(Status::unimplemented("no call of an author"));
        }
    };
    written(comment, revision)
}

async fn pin(channel: Channel, call: OwnedCall, request_id: String, limit: Duration) -> OwnedResult {
    let (mut service, member_id) = (CommentServiceClient::new(channel), names::member_id(names::OWNER));
    let OwnedCall::Pin { comment: id, pinned, .. } = call else {
        return Err(Status::unimplemented("no call of an owner"));
    };
    if pinned {
        let request = PinCommentRequest { id, member_id, request_id };
        let done = service.pin_comment(timed(limit, request)).await?.into_inner();
        return written(done.comment, done.subject_revision);
    }
    let request = UnpinCommentRequest { id, member_id, request_id };
    let done = service.unpin_comment(timed(limit, request)).await?.into_inner();
    written(done.comment, done.subject_revision)
}

async fn moderate(channel: Channel, call: OwnedCall, request_id: String, limit: Duration) -> OwnedResult {
    let (mut service, moderator_id) = (AdminServiceClient::new(channel), MODERATOR.to_owned());
    let (comment, revision) = match call {
        OwnedCall::Hide { comment: id } => {
            let request = HideCommentRequest { id, moderator_id, request_id, ..Default::default() };
            let hidden = service.hide_comment(timed(limit, request)).await?.into_inner();
            (hidden.comment, hidden.subject_revision)
        }
        OwnedCall::Unhide { comment: id } => {
            let request = UnhideCommentRequest { id, moderator_id, request_id, ..Default::default() };
            let shown = service.unhide_comment(timed(limit, request)).await?.into_inner();
            (shown.comment, shown.subject_revision)
        }
        OwnedCall::Pin { comment: id, pinned: true, .. } => {
            let request = AdminServicePinCommentRequest { id, moderator_id, request_id };
            let done = service.pin_comment(timed(limit, request)).await?.into_inner();
            (done.comment, done.subject_revision)
        }
        OwnedCall::Pin { comment: id, .. } => {
            let request = AdminServiceUnpinCommentRequest { id, moderator_id, request_id };
            let done = service.unpin_comment(timed(limit, request)).await?.into_inner();
            (done.comment, done.subject_revision)
        }
        OwnedCall::Make
        | OwnedCall::SetState(_)
        | OwnedCall::DeleteSubject
        | OwnedCall::UndeleteSubject
        | OwnedCall::Root { .. }
        | OwnedCall::Delete { .. }
        | OwnedCall::Undelete { .. }
        | OwnedCall::List { .. }
        | OwnedCall::Subject { .. }
        | OwnedCall::Get { .. } => {
            return Err(Status::unimplemented("no call of a moderator"));
        }
    };
    written(comment, revision)
}

async fn read(channel: Channel, (number, call): (u32, OwnedCall), limit: Duration) -> OwnedResult {
    let key = Some(names::key(number));
    match call {
        OwnedCall::List { fresh } => {
            let (page_size, reply_preview_size) = (PAGE_SIZE, Some(0));
            let request =
                ListCommentsRequest { subject: key, page_size, reply_preview_size, fresh, ..Default::default() };
            let page = CommentServiceClient::new(channel).list_comments(timed(limit, request)).await?.into_inner();
            let subject = seen_subject(page.subject.as_ref().ok_or_else(incomplete)?);
            let seen =
                |threads: &[CommentThread]| threads.iter().filter_map(|it| it.comment.as_ref()).map(seen).collect();
            Ok(OwnedResponse::Page { subject, roots: seen(&page.threads), pinned: seen(&page.pinned) })
        }
        OwnedCall::Subject { fresh } => {
            let request = GetSubjectRequest { key, min_revision: 0, fresh };
            let found = SubjectServiceClient::new(channel).get_subject(timed(limit, request)).await?.into_inner();
            Ok(OwnedResponse::Subject(seen_subject(found.subject.as_ref().ok_or_else(incomplete)?)))
        }
        OwnedCall::Get { comment: id, fresh } => {
            let request = GetCommentRequest { id, fresh, ..Default::default() };
            let found = CommentServiceClient::new(channel).get_comment(timed(limit, request)).await?.into_inner();
            Ok(OwnedResponse::Comment(seen(found.comment.as_ref().ok_or_else(incomplete)?)))
        }
        OwnedCall::Make
        | OwnedCall::SetState(_)
        | OwnedCall::DeleteSubject
        | OwnedCall::UndeleteSubject
        | OwnedCall::Root { .. }
        | OwnedCall::Delete { .. }
        | OwnedCall::Undelete { .. }
        | OwnedCall::Hide { .. }
        | OwnedCall::Unhide { .. }
        | OwnedCall::Pin { .. } => Err(Status::unimplemented("no read")),
    }
}

fn written(comment: Option<Comment>, revision: i64) -> OwnedResult {
    Ok(OwnedResponse::Written { comment: comment.ok_or_else(incomplete)?.id, revision })
}

/// Returns the error for a response without its main part. The service itself never uses this code.
fn incomplete() -> Status {
    Status::data_loss("the response lacks its comment or subject")
}

fn seen(comment: &Comment) -> SeenRoot {
    let text = comment.content.as_ref().map_or(0, |content| names::text_number(&content.text).1);
    SeenRoot { id: comment.id, text, pinned: comment.pinned }
}

fn seen_subject(subject: &Subject) -> SeenSubject {
    let (revision, state) = (subject.revision, OwnedState::of(subject.state));
    SeenSubject { revision, state, deleted: subject.delete_time.is_some(), roots: subject.root_count }
}

fn timed<T>(limit: Duration, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(limit);
    request
}
