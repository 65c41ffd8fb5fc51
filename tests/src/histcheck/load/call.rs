//! One attempt of one call, through the generated clients of the public SDK.
//!
//! The clients use a bare channel: the SDK's own retries would merge several attempts into one
//! result, and here each attempt is an operation.

use std::time::Duration;

use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::like_service_client::LikeServiceClient;
use riposte_sdk::v1::reply_service_client::ReplyServiceClient;
use riposte_sdk::v1::subject_service_client::SubjectServiceClient;
use riposte_sdk::v1::{
    BatchGetCommentsRequest, BatchGetLikeStatesRequest, Comment, CommentSort, CreateCommentRequest, CreateReplyRequest,
    DegradedPart, DeleteCommentRequest, GetCommentRequest, GetSubjectRequest, GetThreadRequest, LikeValue,
    ListCommentsRequest, ListCommentsResponse, ListConversationRequest, ListRepliesRequest, ListRepliesResponse,
    SetLikeRequest, Subject, UndeleteCommentRequest, UpdateCommentRequest,
};
use tonic::transport::Channel;
use tonic::{Request, Status};

use super::failure::Failure;
use crate::histcheck::history::{
    Call, Counts, Item, Liked, Misuse, Outcome, PageOf, Place, RequestId, Shown, Sort, THREAD, USUAL, Value, View,
    Which, Written,
};
use crate::histcheck::names;
use crate::say::content;

/// The outcome of a call and the token of the next page.
type Told = Result<(Outcome, String), Status>;

/// Sends a call once and waits at most `limit` for its response.
///
/// # Errors
/// Returns the status of the service or of the connection.
pub(crate) async fn send(channel: Channel, call: &Call, request: RequestId, token: &str, limit: Duration) -> Told {
    let sent = attempt(channel, call, request, token, limit);
    // The server enforces the deadline as well; the call ends with the first of the two timeouts.
    let waited = tokio::time::timeout(limit + Duration::from_millis(200), sent).await;
    waited.map_err(|_| Status::deadline_exceeded("no answer in time"))?
}

/// Returns the outcome of a failed call, and true if the same call may succeed later.
pub(crate) fn failed(status: Status) -> (Outcome, bool) {
    let Failure { effectless, passing, words } = Failure::of(status);
    let words = words.into_boxed_str();
    (if effectless { Outcome::Refused(words) } else { Outcome::Unknown(words) }, passing)
}

async fn attempt(channel: Channel, call: &Call, request: RequestId, token: &str, limit: Duration) -> Told {
    let request_id = uuid::Uuid::from_u64_pair(request.0, request.1).to_string();
    match call {
        Call::Root { .. } | Call::Reply { .. } => create(channel, call, request_id, limit).await,
        Call::Edit { .. } | Call::Delete { .. } | Call::Undelete { .. } => {
            change(channel, call, request_id, limit).await
        }
        Call::Like { comment, member, value, .. } => {
            let (comment_id, member_id, value) = (*comment, names::member_id(*member), spoken(*value).into());
            let request = SetLikeRequest { comment_id, member_id, value, request_id };
            let like = LikeServiceClient::new(channel).set_like(within(limit, request)).await?.into_inner();
            let value = heard(like.value());
            let (likes, dislikes, revision) = (like.like_count, like.dislike_count, like.comment_revision);
            Ok((Outcome::Liked(Liked { value, likes, dislikes, revision }), String::new()))
        }
        Call::List(page) => list(channel, *page, token, limit).await,
        Call::Replies { root, page } => replies(channel, *root, *page, token, limit).await,
        Call::Get { comment: id, view: View { min_revision, fresh }, .. } => {
            let request =
                GetCommentRequest { id: *id, min_revision: *min_revision, fresh: *fresh, ..Default::default() };
            let got = CommentServiceClient::new(channel).get_comment(within(limit, request)).await?.into_inner();
            let comment = got.comment.ok_or_else(nothing)?;
            Ok((Outcome::Comment(item(&comment, Place::Row)), String::new()))
        }
        Call::Several { which, view, .. } => {
            let comments = several(channel, which, *view, limit).await?;
            let items = comments.iter().map(|comment| item(comment, Place::Row)).collect();
            Ok((Outcome::Comments(items), String::new()))
        }
        Call::Counts { subject, view: View { min_revision, fresh } } => {
            let key = Some(names::key(*subject));
            let request = GetSubjectRequest { key, min_revision: *min_revision, fresh: *fresh };
            let got = SubjectServiceClient::new(channel).get_subject(within(limit, request)).await?.into_inner();
            Ok((Outcome::Counts(counts(&got.subject.ok_or_else(nothing)?)), String::new()))
        }
        Call::States { subject, member, comments, fresh } => {
            let (key, member_id) = (Some(names::key(*subject)), names::member_id(*member));
            let request =
                BatchGetLikeStatesRequest { subject: key, member_id, comment_ids: comments.to_vec(), fresh: *fresh };
            let got = LikeServiceClient::new(channel).batch_get_like_states(within(limit, request)).await?.into_inner();
            if got.states.iter().any(|state| state.value() == LikeValue::Unspecified) {
                return Err(Status::unavailable("the response has unspecified like states"));
            }
            let states = got.states.iter().map(|state| heard(state.value())).collect();
            Ok((Outcome::States(states), String::new()))
        }
        Call::Misuse { subject, how: Misuse::Token(sort) } => {
            let (view, size) = (View::default(), USUAL);
            list(channel, PageOf { subject: *subject, sort: *sort, size, walk: 0, number: 1, view }, token, limit).await
        }
        Call::Misuse { subject, how: Misuse::Request { id, member, text } } => {
            let request_id = uuid::Uuid::from_u64_pair(id.0, id.1).to_string();
            let call = Call::Root { subject: *subject, member: *member, text: *text };
            create(channel, &call, request_id, limit).await
        }
        Call::Export { .. } | Call::Watch { .. } => Err(Status::unimplemented("read at the end of the run")),
    }
}

async fn create(channel: Channel, call: &Call, request_id: String, limit: Duration) -> Told {
    let (comment, revision) = if let Call::Reply { subject, parent, member, text } = call {
        let (member_id, content) = (names::member_id(*member), content(&names::text(*subject, *text)));
        let request = CreateReplyRequest { parent_id: *parent, member_id, content, client: None, request_id };
        let made = ReplyServiceClient::new(channel).create_reply(within(limit, request)).await?.into_inner();
        (made.reply, made.subject_revision)
    } else {
        let (member, _, text) = call.makes().unwrap_or_default();
        let (member_id, content) = (names::member_id(member), content(&names::text(call.subject(), text)));
        let subject = Some(names::key(call.subject()));
        let request =
            CreateCommentRequest { subject, member_id, content, request_id, ..CreateCommentRequest::default() };
        let made = CommentServiceClient::new(channel).create_comment(within(limit, request)).await?.into_inner();
        (made.comment, made.subject_revision)
    };
    written(comment, revision)
}

async fn change(channel: Channel, call: &Call, request_id: String, limit: Duration) -> Told {
    let mut service = CommentServiceClient::new(channel);
    if let Call::Edit { subject, comment, member, text } = call {
        let (id, member_id, content) = (*comment, names::member_id(*member), content(&names::text(*subject, *text)));
        let request = UpdateCommentRequest { id, member_id, content, etag: String::new(), request_id };
        let edited = service.update_comment(within(limit, request)).await?.into_inner();
        return written(edited.comment, edited.subject_revision);
    }
    if let Call::Delete { comment, member, .. } = call {
        let (id, member_id) = (*comment, names::member_id(*member));
        let request = DeleteCommentRequest { id, member_id, request_id, ..Default::default() };
        let gone = service.delete_comment(within(limit, request)).await?.into_inner();
        return written(gone.comment, gone.subject_revision);
    }
    let Call::Undelete { comment, member, .. } = call else {
        return Err(Status::unimplemented(format!("{call:?} changes no comment")));
    };
    let (id, member_id) = (*comment, names::member_id(*member));
    let request = UndeleteCommentRequest { id, member_id, request_id };
    let back = service.undelete_comment(within(limit, request)).await?.into_inner();
    written(back.comment, back.subject_revision)
}

async fn list(channel: Channel, page: PageOf, token: &str, limit: Duration) -> Told {
    let PageOf { subject, sort, size, view: View { min_revision, fresh }, .. } = page;
    let request = ListCommentsRequest {
        subject: Some(names::key(subject)),
        sort: order(sort).into(),
        page_size: size.into(),
        page_token: token.to_owned(),
        reply_preview_size: Some(page.previews().into()),
        min_revision,
        fresh,
        ..Default::default()
    };
    let got = CommentServiceClient::new(channel).list_comments(within(limit, request)).await?.into_inner();
    let ListCommentsResponse { threads, next_page_token, subject, degraded, .. } = got;
    // No server in this environment has a reason to leave out these parts.
    if degraded.iter().any(|of| matches!(of.part(), DegradedPart::ReplyPreview | DegradedPart::Ranking)) {
        return Err(Status::data_loss("a page that is not complete"));
    }
    let mut items = Vec::with_capacity(threads.len());
    for thread in threads {
        items.push(item(&thread.comment.ok_or_else(nothing)?, Place::Row));
        items.extend(thread.replies.iter().map(|reply| item(reply, Place::Preview)));
    }
    let counts = counts(&subject.ok_or_else(nothing)?);
    let last = next_page_token.is_empty();
    let shown = Shown { revision: counts.revision, counts: Some(counts), last, items: items.into() };
    Ok((Outcome::Page(shown), next_page_token))
}

async fn replies(channel: Channel, root: i64, page: PageOf, token: &str, limit: Duration) -> Told {
    let PageOf { sort, size, view: View { min_revision, fresh }, .. } = page;
    let request = ListRepliesRequest {
        root_id: root,
        sort: order(sort).into(),
        page_size: size.into(),
        page_token: token.to_owned(),
        min_revision,
        fresh,
        ..Default::default()
    };
    let got = ReplyServiceClient::new(channel).list_replies(within(limit, request)).await?.into_inner();
    let ListRepliesResponse { replies, next_page_token, root, subject_revision: revision, .. } = got;
    let head = root.iter().map(|root| item(root, Place::Head));
    let items = head.chain(replies.iter().map(|reply| item(reply, Place::Row))).collect();
    let shown = Shown { revision, counts: None, last: next_page_token.is_empty(), items };
    Ok((Outcome::Page(shown), next_page_token))
}

async fn several(channel: Channel, which: &Which, view: View, limit: Duration) -> Result<Vec<Comment>, Status> {
    let View { min_revision, fresh } = view;
    match which {
        Which::Batch(ids) => {
            let request = BatchGetCommentsRequest { ids: ids.to_vec(), fresh, ..Default::default() };
            let got = CommentServiceClient::new(channel).batch_get_comments(within(limit, request)).await?;
            Ok(got.into_inner().comments)
        }
        Which::Conversation(id) => {
            let request = ListConversationRequest { comment_id: *id, min_revision, fresh };
            let got = ReplyServiceClient::new(channel).list_conversation(within(limit, request)).await?.into_inner();
            Ok(std::iter::once(got.comment.ok_or_else(nothing)?).chain(got.ancestors).collect())
        }
        Which::Thread(id) => {
            let request = GetThreadRequest {
                comment_id: *id,
                page_size: THREAD as i32,
                min_revision,
                fresh,
                ..Default::default()
            };
            Ok(ReplyServiceClient::new(channel).get_thread(within(limit, request)).await?.into_inner().comments)
        }
    }
}

fn within<T>(limit: Duration, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(limit);
    request
}

/// The error for a response without its main part: a code of our own, which no service here uses.
fn nothing() -> Status {
    Status::data_loss("an answer without its comment or subject")
}

fn written(comment: Option<Comment>, revision: i64) -> Told {
    let Comment { id, root_id: root, floor, .. } = comment.ok_or_else(nothing)?;
    Ok((Outcome::Written(Written { id, root, floor, revision }), String::new()))
}

/// Returns the counts of a subject in the form of the history.
pub(crate) fn counts(subject: &Subject) -> Counts {
    Counts { revision: subject.revision, roots: subject.root_count, comments: subject.comment_count }
}

/// Returns a comment in the form of the history.
pub(crate) fn item(comment: &Comment, place: Place) -> Item {
    let shown = comment.content.as_ref().map(|content| names::mark(&content.text));
    let (marked, text) = shown.unwrap_or_default();
    Item {
        place,
        id: comment.id,
        root: comment.root_id,
        parent: comment.parent_id,
        floor: comment.floor,
        member: names::member(&comment.member_id),
        text,
        subject: names::subject(comment.subject.as_ref()),
        marked,
        likes: comment.like_count,
        dislikes: comment.dislike_count,
        replies: comment.reply_count,
        revision: comment.revision,
    }
}

fn order(sort: Sort) -> CommentSort {
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

fn spoken(value: Value) -> LikeValue {
    match value {
        Value::None => LikeValue::None,
        Value::Like => LikeValue::Like,
        Value::Dislike => LikeValue::Dislike,
    }
}

/// Returns a like value in the form of the history.
pub(crate) fn heard(value: LikeValue) -> Value {
    match value {
        LikeValue::Like => Value::Like,
        LikeValue::Dislike => Value::Dislike,
        LikeValue::None | LikeValue::Unspecified => Value::None,
    }
}
