//! One attempt of one call, through the generated clients of the public SDK.
//!
//! The clients use a bare channel: the SDK's own retries would merge several attempts into one
//! result, and here each attempt is an operation.

use std::time::Duration;

use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::like_service_client::LikeServiceClient;
use riposte_sdk::v1::reply_service_client::ReplyServiceClient;
use riposte_sdk::v1::subject_service_client::SubjectServiceClient;
use riposte_sdk::v1::{
    BatchGetCommentsRequest, BatchGetLikeStatesRequest, Comment, CommentSort, CreateCommentRequest, CreateReplyRequest,
    DegradedPart, DeleteCommentRequest, GetCommentRequest, GetSubjectRequest, GetThreadRequest, HideCommentRequest,
    LikeValue, ListCommentRevisionsRequest, ListCommentsRequest, ListCommentsResponse, ListConversationRequest,
    ListLikersRequest, ListMemberCommentsRequest, ListRepliesRequest, ListRepliesResponse, SetLikeRequest, Subject,
    UndeleteCommentRequest, UnhideCommentRequest, UpdateCommentRequest,
};
use tonic::transport::Channel;
use tonic::{Request, Status};

use super::failure::Failure;
use super::{owned, policy, review};
use crate::histcheck::fleet::Ports;
use crate::histcheck::history::{
    Call, CommentSelector, Counts, HISTORY_PAGE_SIZE, Item, ItemKind, LikeResponse, Misuse, Outcome, PageOf,
    PageResponse, RequestId, Sort, THREAD_PAGE_SIZE, USUAL_PAGE_SIZE, Value, View, WriteResponse,
};
use crate::histcheck::names;

/// The moderator of all calls that hide or show comments.
const MODERATOR: &str = "moderator";

/// Sizes of the pages of likers and of the comments of a member, so that some lists have several.
const LIKERS_PAGE_SIZE: i32 = 20;
const MEMBER_PAGE_SIZE: i32 = 10;

/// The outcome of a call and the token of the next page.
type CallResult = Result<(Outcome, String), Status>;

/// Sends a call once and waits at most `limit` for its response.
///
/// # Errors
/// Returns the status of the service or of the connection.
pub(crate) async fn send(ports: Ports, call: &Call, request: RequestId, token: &str, limit: Duration) -> CallResult {
    let sent = attempt(ports, call, request, token, limit);
    // The server enforces the deadline as well; the call ends at the first of the two timeouts.
    let waited = tokio::time::timeout(limit + Duration::from_millis(200), sent).await;
    waited.map_err(|_| Status::deadline_exceeded("no response in time"))?
}

/// Returns the outcome of a failed call, and true if the same call may succeed later.
pub(crate) fn failure_outcome(status: Status) -> (Outcome, bool) {
    let Failure { not_executed, retryable, reason } = Failure::of(status);
    let reason = reason.into_boxed_str();
    (if not_executed { Outcome::Refused(reason) } else { Outcome::Unknown(reason) }, retryable)
}

async fn attempt(ports: Ports, call: &Call, request: RequestId, token: &str, limit: Duration) -> CallResult {
    let channel = ports.public.clone();
    let request_id = uuid::Uuid::from_u64_pair(request.0, request.1).to_string();
    match call {
        Call::Root { .. } | Call::Reply { .. } => create(channel, call, request_id, limit).await,
        Call::Edit { .. } | Call::Delete { .. } | Call::Undelete { .. } => {
            change(channel, call, request_id, limit).await
        }
        Call::Hide { .. } | Call::Unhide { .. } => moderate(ports.admin, call, request_id, limit).await,
        Call::Like { comment, member, value, .. } => {
            let (comment_id, member_id, value) = (*comment, names::member_id(*member), like_value(*value).into());
            let request = SetLikeRequest { comment_id, member_id, value, request_id };
            let like = LikeServiceClient::new(channel).set_like(with_timeout(limit, request)).await?.into_inner();
            let value = value_of(like.value());
            let (likes, dislikes, revision) = (like.like_count, like.dislike_count, like.comment_revision);
            Ok((Outcome::Liked(LikeResponse { value, likes, dislikes, revision }), String::new()))
        }
        Call::List(page) => list(channel, *page, token, limit).await,
        Call::Replies { root, page } => replies(channel, *root, *page, token, limit).await,
        Call::Get { comment: id, view: View { min_revision, fresh }, .. } => {
            let request =
                GetCommentRequest { id: *id, min_revision: *min_revision, fresh: *fresh, ..Default::default() };
            let response =
                CommentServiceClient::new(channel).get_comment(with_timeout(limit, request)).await?.into_inner();
            let comment = response.comment.ok_or_else(incomplete_response)?;
            Ok((Outcome::Comment(item(&comment, ItemKind::Row)), String::new()))
        }
        Call::Several { comments, view, .. } => {
            let comments = several(channel, comments, *view, limit).await?;
            let items = comments.iter().map(|comment| item(comment, ItemKind::Row)).collect();
            Ok((Outcome::Comments(items), String::new()))
        }
        Call::History { comment, .. } => history(channel, *comment, limit).await,
        Call::Counts { subject, view: View { min_revision, fresh } } => {
            let key = Some(names::key(*subject));
            let request = GetSubjectRequest { key, min_revision: *min_revision, fresh: *fresh };
            let response =
                SubjectServiceClient::new(channel).get_subject(with_timeout(limit, request)).await?.into_inner();
            Ok((Outcome::Counts(counts(&response.subject.ok_or_else(incomplete_response)?)), String::new()))
        }
        Call::States { subject, member, comments, fresh } => {
            let (key, member_id) = (Some(names::key(*subject)), names::member_id(*member));
            let request =
                BatchGetLikeStatesRequest { subject: key, member_id, comment_ids: comments.to_vec(), fresh: *fresh };
            let response =
                LikeServiceClient::new(channel).batch_get_like_states(with_timeout(limit, request)).await?.into_inner();
            if response.states.iter().any(|state| state.value() == LikeValue::Unspecified) {
                return Err(Status::unavailable("the response has unspecified like states"));
            }
            let states = response.states.iter().map(|state| value_of(state.value())).collect();
            Ok((Outcome::States(states), String::new()))
        }
        Call::Likers { comment, .. } => likers(channel, *comment, limit).await,
        Call::OfMember { subject, member } => of_member(channel, *subject, *member, limit).await,
        Call::Misuse { subject, misuse: Misuse::Token(sort) } => {
            let (view, size) = (View::default(), USUAL_PAGE_SIZE);
            list(channel, PageOf { subject: *subject, sort: *sort, size, walk: 0, number: 1, view }, token, limit).await
        }
        Call::Misuse { subject, misuse: Misuse::Request { id, member, text } } => {
            let request_id = uuid::Uuid::from_u64_pair(id.0, id.1).to_string();
            let call = Call::Root { subject: *subject, member: *member, text: *text };
            create(channel, &call, request_id, limit).await
        }
        Call::Review { subject, call } => {
            let response = review::attempt(ports, (*subject, call), request_id, limit).await?;
            Ok((Outcome::Reviewed(response), String::new()))
        }
        Call::Owned { subject, call } => {
            let response = owned::attempt(ports, (*subject, *call), request_id, limit).await?;
            Ok((Outcome::Owned(response), String::new()))
        }
        Call::Policy { subject, call } => {
            let response = policy::attempt(ports, (*subject, *call), request_id, limit).await?;
            Ok((Outcome::Policy(response), String::new()))
        }
        Call::Export { .. } | Call::Watch { .. } => Err(Status::unimplemented("performed by another client")),
    }
}

async fn create(channel: Channel, call: &Call, request_id: String, limit: Duration) -> CallResult {
    let (comment, revision) = if let Call::Reply { subject, parent, member, text } = call {
        let (member_id, content) = (names::member_id(*member), names::content(*subject, *text));
        let request = CreateReplyRequest { parent_id: *parent, member_id, content, client: None, request_id };
        let created = ReplyServiceClient::new(channel).create_reply(with_timeout(limit, request)).await?.into_inner();
        (created.reply, created.subject_revision)
    } else {
        let (member, _, text) = call.makes().unwrap_or_default();
        let (member_id, content) = (names::member_id(member), names::content(call.subject(), text));
        let subject = Some(names::key(call.subject()));
        let request =
            CreateCommentRequest { subject, member_id, content, request_id, ..CreateCommentRequest::default() };
        let created =
            CommentServiceClient::new(channel).create_comment(with_timeout(limit, request)).await?.into_inner();
        (created.comment, created.subject_revision)
    };
    written(comment, revision)
}

async fn change(channel: Channel, call: &Call, request_id: String, limit: Duration) -> CallResult {
    let mut service = CommentServiceClient::new(channel);
    if let Call::Edit { subject, comment, member, text } = call {
        let (id, member_id, content) = (*comment, names::member_id(*member), names::content(*subject, *text));
        let request = UpdateCommentRequest { id, member_id, content, etag: String::new(), request_id };
        let edited = service.update_comment(with_timeout(limit, request)).await?.into_inner();
        return written(edited.comment, edited.subject_revision);
    }
    if let Call::Delete { comment, member, .. } = call {
        let (id, member_id) = (*comment, names::member_id(*member));
        let request = DeleteCommentRequest { id, member_id, request_id, ..Default::default() };
        let deleted = service.delete_comment(with_timeout(limit, request)).await?.into_inner();
        return written(deleted.comment, deleted.subject_revision);
    }
    let Call::Undelete { comment, member, .. } = call else {
        return Err(Status::unimplemented(format!("{call:?} changes no comment")));
    };
    let (id, member_id) = (*comment, names::member_id(*member));
    let request = UndeleteCommentRequest { id, member_id, request_id };
    let undeleted = service.undelete_comment(with_timeout(limit, request)).await?.into_inner();
    written(undeleted.comment, undeleted.subject_revision)
}

async fn moderate(channel: Channel, call: &Call, request_id: String, limit: Duration) -> CallResult {
    let (mut service, moderator_id) = (AdminServiceClient::new(channel), MODERATOR.to_owned());
    if let Call::Hide { comment: id, .. } = call {
        let request = HideCommentRequest { id: *id, moderator_id, request_id, ..Default::default() };
        let hidden = service.hide_comment(with_timeout(limit, request)).await?.into_inner();
        return written(hidden.comment, hidden.subject_revision);
    }
    let Call::Unhide { comment: id, .. } = call else {
        return Err(Status::unimplemented(format!("{call:?} is no call of a moderator")));
    };
    let request = UnhideCommentRequest { id: *id, moderator_id, request_id, ..Default::default() };
    let shown = service.unhide_comment(with_timeout(limit, request)).await?.into_inner();
    written(shown.comment, shown.subject_revision)
}

async fn list(channel: Channel, page: PageOf, token: &str, limit: Duration) -> CallResult {
    let PageOf { subject, sort, size, view: View { min_revision, fresh }, .. } = page;
    let request = ListCommentsRequest {
        subject: Some(names::key(subject)),
        sort: comment_sort(sort).into(),
        page_size: size.into(),
        page_token: token.to_owned(),
        reply_preview_size: Some(page.previews().into()),
        min_revision,
        fresh,
        ..Default::default()
    };
    let response = CommentServiceClient::new(channel).list_comments(with_timeout(limit, request)).await?.into_inner();
    let ListCommentsResponse { threads, next_page_token, subject, degraded, subject_revision, .. } = response;
    // No server in this environment has a reason to leave out these parts.
    if degraded.iter().any(|degraded| matches!(degraded.part(), DegradedPart::ReplyPreview | DegradedPart::Ranking)) {
        return Err(Status::data_loss("the page is incomplete"));
    }
    let mut items = Vec::with_capacity(threads.len());
    for thread in threads {
        items.push(item(&thread.comment.ok_or_else(incomplete_response)?, ItemKind::Row));
        items.extend(thread.replies.iter().map(|reply| item(reply, ItemKind::Preview)));
    }
    let counts = counts(&subject.ok_or_else(incomplete_response)?);
    if subject_revision != counts.revision {
        return Err(Status::data_loss("the page names two revisions"));
    }
    let last = next_page_token.is_empty();
    let page = PageResponse { revision: counts.revision, counts: Some(counts), last, items: items.into() };
    Ok((Outcome::Page(page), next_page_token))
}

async fn replies(channel: Channel, root: i64, page: PageOf, token: &str, limit: Duration) -> CallResult {
    let PageOf { sort, size, view: View { min_revision, fresh }, .. } = page;
    let request = ListRepliesRequest {
        root_id: root,
        sort: comment_sort(sort).into(),
        page_size: size.into(),
        page_token: token.to_owned(),
        min_revision,
        fresh,
        ..Default::default()
    };
    let response = ReplyServiceClient::new(channel).list_replies(with_timeout(limit, request)).await?.into_inner();
    let ListRepliesResponse { replies, next_page_token, root, subject_revision: revision, .. } = response;
    let head = root.iter().map(|root| item(root, ItemKind::Head));
    let items = head.chain(replies.iter().map(|reply| item(reply, ItemKind::Row))).collect();
    let page = PageResponse { revision, counts: None, last: next_page_token.is_empty(), items };
    Ok((Outcome::Page(page), next_page_token))
}

async fn likers(channel: Channel, comment_id: i64, limit: Duration) -> CallResult {
    let (mut service, mut members, mut page_token) = (LikeServiceClient::new(channel), Vec::new(), String::new());
    loop {
        let (value, page_size) = (LikeValue::Like.into(), LIKERS_PAGE_SIZE);
        let request = ListLikersRequest { comment_id, value, page_size, page_token };
        let page = service.list_likers(with_timeout(limit, request)).await?.into_inner();
        members.extend(page.likers.iter().map(|liker| names::member(&liker.member_id)));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok((Outcome::Members(members.into()), String::new()));
        }
    }
}

async fn of_member(channel: Channel, subject: u32, member: u32, limit: Duration) -> CallResult {
    let (mut service, mut items, mut page_token) = (CommentServiceClient::new(channel), Vec::new(), String::new());
    loop {
        let request = ListMemberCommentsRequest {
            object_type: names::key(subject).object_type,
            member_id: names::member_id(member),
            include_unlisted: false,
            page_size: MEMBER_PAGE_SIZE,
            page_token,
        };
        let page = service.list_member_comments(with_timeout(limit, request)).await?.into_inner();
        items.extend(page.comments.iter().map(|comment| item(comment, ItemKind::Row)));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok((Outcome::OfMember(items.into()), String::new()));
        }
    }
}

async fn history(channel: Channel, id: i64, limit: Duration) -> CallResult {
    let request = ListCommentRevisionsRequest { id, page_size: HISTORY_PAGE_SIZE as i32, ..Default::default() };
    let response = CommentServiceClient::new(channel).list_comment_revisions(with_timeout(limit, request)).await?;
    let contents = response.into_inner().revisions.into_iter().map(|former| former.content.unwrap_or_default());
    let texts = contents.map(|content| names::text_number(&content.text)).collect();
    Ok((Outcome::Texts(texts), String::new()))
}

async fn several(
    channel: Channel,
    selector: &CommentSelector,
    view: View,
    limit: Duration,
) -> Result<Vec<Comment>, Status> {
    let View { min_revision, fresh } = view;
    match selector {
        CommentSelector::Batch(ids) => {
            let request = BatchGetCommentsRequest { ids: ids.to_vec(), fresh, ..Default::default() };
            let response = CommentServiceClient::new(channel).batch_get_comments(with_timeout(limit, request)).await?;
            Ok(response.into_inner().comments)
        }
        CommentSelector::Conversation(id) => {
            let request = ListConversationRequest { comment_id: *id, min_revision, fresh };
            let response =
                ReplyServiceClient::new(channel).list_conversation(with_timeout(limit, request)).await?.into_inner();
            reached(response.subject_revision, min_revision)?;
            Ok(std::iter::once(response.comment.ok_or_else(incomplete_response)?).chain(response.ancestors).collect())
        }
        CommentSelector::Thread(id) => {
            let request = GetThreadRequest {
                comment_id: *id,
                page_size: THREAD_PAGE_SIZE as i32,
                min_revision,
                fresh,
                ..Default::default()
            };
            let response =
                ReplyServiceClient::new(channel).get_thread(with_timeout(limit, request)).await?.into_inner();
            reached(response.subject_revision, min_revision)?;
            Ok(response.comments)
        }
    }
}

/// Checks that a response shows at least the revision that was asked for.
fn reached(revision: i64, min_revision: i64) -> Result<(), Status> {
    if revision >= min_revision { Ok(()) } else { Err(Status::data_loss("the response is below its min_revision")) }
}

fn with_timeout<T>(limit: Duration, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(limit);
    request
}

/// Returns the error for a response without its main part. The service itself never uses this code.
fn incomplete_response() -> Status {
    Status::data_loss("the response lacks its comment or subject")
}

fn written(comment: Option<Comment>, revision: i64) -> CallResult {
    let Comment { id, root_id: root, floor, .. } = comment.ok_or_else(incomplete_response)?;
    Ok((Outcome::Written(WriteResponse { id, root, floor, revision }), String::new()))
}

/// Returns the counts of a subject in the form of the history.
pub(crate) fn counts(subject: &Subject) -> Counts {
    Counts { revision: subject.revision, roots: subject.root_count, comments: subject.comment_count }
}

/// Returns a comment in the form of the history.
pub(crate) fn item(comment: &Comment, kind: ItemKind) -> Item {
    let content = comment.content.as_ref().map(|content| names::text_number(&content.text));
    let (text_subject, text) = content.unwrap_or_default();
    Item {
        kind,
        id: comment.id,
        root: comment.root_id,
        parent: comment.parent_id,
        floor: comment.floor,
        member: names::member(&comment.member_id),
        text,
        subject: names::subject(comment.subject.as_ref()),
        text_subject,
        likes: comment.like_count,
        dislikes: comment.dislike_count,
        replies: comment.reply_count,
        revision: comment.revision,
    }
}

/// Returns a sort in the form of the API.
pub(crate) fn comment_sort(sort: Sort) -> CommentSort {
    match sort {
        Sort::Newest => CommentSort::Newest,
        Sort::Oldest => CommentSort::Oldest,
        Sort::Hot => CommentSort::Hot,
        Sort::Top => CommentSort::Top,
        Sort::Best => CommentSort::Best,
        Sort::Controversial => CommentSort::Controversial,
        Sort::MostReplies => CommentSort::MostReplies,
    }
}

/// Returns a like value in the form of the API.
fn like_value(value: Value) -> LikeValue {
    match value {
        Value::None => LikeValue::None,
        Value::Like => LikeValue::Like,
        Value::Dislike => LikeValue::Dislike,
    }
}

/// Returns a like value in the form of the history.
pub(crate) fn value_of(value: LikeValue) -> Value {
    match value {
        LikeValue::Like => Value::Like,
        LikeValue::Dislike => Value::Dislike,
        LikeValue::None | LikeValue::Unspecified => Value::None,
    }
}
