//! One attempt of one call about comments that the policy judges.

use std::time::Duration;

use prost_types::Timestamp;
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::policy_service_client::PolicyServiceClient;
use riposte_sdk::v1::{
    Comment, CreateCommentRequest, GetCommentRequest, MemberOfType, MemberStanding, SetMemberStandingRequest,
    UpdateCommentRequest,
};
use tonic::{Request, Status};

use crate::histcheck::fleet::Ports;
use crate::histcheck::history::{PolicyCall, PolicyResponse, WrittenComment, shown_word};
use crate::histcheck::names;
use crate::say::content;

/// Sends a call once.
///
/// # Errors
/// Returns the status of the service or of the connection.
pub(crate) async fn attempt(
    ports: Ports,
    (subject, call): (u32, PolicyCall),
    request_id: String,
    limit: Duration,
) -> Result<PolicyResponse, Status> {
    match call {
        PolicyCall::SetList { .. } | PolicyCall::SetFilter { .. } | PolicyCall::JudgeHeld { .. } => {
            Err(Status::unimplemented("performed by its client"))
        }
        PolicyCall::SetStanding { member, standing, end } => {
            let object_type = names::JUDGED_TYPE.to_owned();
            let member = MemberOfType { object_type, member_id: names::member_id(member) };
            let until = end
                .map(|end| Timestamp { seconds: end.unix_ms / 1_000, nanos: (end.unix_ms % 1_000) as i32 * 1_000_000 });
            let member = Some(member);
            let standing = MemberStanding { member, standing: standing as i32, until, ..MemberStanding::default() };
            let moderator_id = names::moderator_id(names::JUDGE);
            let request = SetMemberStandingRequest { standing: Some(standing), moderator_id, request_id };
            PolicyServiceClient::new(ports.admin).set_member_standing(timed(limit, request)).await?;
            Ok(PolicyResponse::Set)
        }
        PolicyCall::Create { member, text, word } => {
            let text = names::judged_text(subject, text, word);
            create(ports, (subject, member, &text), request_id, limit).await
        }
        PolicyCall::CreateFiltered { member, text, result, is_listed } => {
            let text = names::filtered_text(subject, text, result, is_listed);
            create(ports, (subject, member, &text), request_id, limit).await
        }
        PolicyCall::CreateNew { member, text } => {
            let text = names::text(subject, text);
            create(ports, (subject, member, &text), request_id, limit).await
        }
        PolicyCall::EditFiltered { comment: id, member, text, result } => {
            let content = content(&names::filtered_text(subject, text, result, false));
            let member_id = names::member_id(member);
            let request = UpdateCommentRequest { id, member_id, content, etag: String::new(), request_id };
            let edited = CommentServiceClient::new(ports.public).update_comment(timed(limit, request)).await?;
            let proposed = edited.into_inner().proposed_edit;
            let proposal = proposed.map_or(0, |edit| i8::try_from(edit.state).unwrap_or(i8::MAX));
            Ok(PolicyResponse::Edited { proposal })
        }
        PolicyCall::Get { comment: id, author, by_author } => {
            // Another member than the author reads without a name, as most readers do.
            let viewer_member_id = if by_author { names::member_id(author) } else { String::new() };
            let request = GetCommentRequest { id, viewer_member_id, ..GetCommentRequest::default() };
            let found = CommentServiceClient::new(ports.public).get_comment(timed(limit, request)).await?.into_inner();
            let comment = found.comment.ok_or_else(incomplete)?;
            let text = comment.content.as_ref().map_or(0, |content| names::text_number(&content.text).1);
            Ok(PolicyResponse::Seen { text, word: word(&comment), state: state(&comment) })
        }
    }
}

async fn create(
    ports: Ports,
    (subject, member, text): (u32, u32, &str),
    request_id: String,
    limit: Duration,
) -> Result<PolicyResponse, Status> {
    let request = CreateCommentRequest {
        subject: Some(names::key(subject)),
        member_id: names::member_id(member),
        content: content(text),
        request_id,
        ..CreateCommentRequest::default()
    };
    let done = CommentServiceClient::new(ports.public).create_comment(timed(limit, request)).await?.into_inner();
    let comment = done.comment.ok_or_else(incomplete)?;
    let (state, word, revision) = (state(&comment), word(&comment), done.subject_revision);
    Ok(PolicyResponse::Written(WrittenComment { id: comment.id, state, word, revision }))
}

/// Returns the state of a comment, by its number in the contract.
fn state(comment: &Comment) -> i8 {
    i8::try_from(comment.state).unwrap_or(i8::MAX)
}

/// Returns the word or the phrase that a comment shows.
fn word(comment: &Comment) -> u8 {
    comment.content.as_ref().map_or(u8::MAX, |content| shown_word(names::text_words(&content.text)))
}

/// Returns the error for a response without its main part. The service itself never uses this code.
fn incomplete() -> Status {
    Status::data_loss("the response lacks its comment")
}

fn timed<T>(limit: Duration, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(limit);
    request
}
