//! One attempt of one call about comments that wait for review.

use std::time::Duration;

use prost::Message;
use prost_types::Timestamp;
use riposte_sdk::Error;
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::like_service_client::LikeServiceClient;
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::moderation_service_client::ModerationServiceClient;
use riposte_sdk::v1::reply_service_client::ReplyServiceClient;
use riposte_sdk::v1::report_service_client::ReportServiceClient;
use riposte_sdk::v1::verdict_result::Result as Judged;
use riposte_sdk::v1::{
    AppealDecisionRequest, BatchGetCommentsRequest, ClaimReviewItemsRequest, Comment, CommentSort,
    CreateCommentRequest, CreateReplyRequest, Decision, DeleteCommentRequest, GetCommentRequest,
    GetModeratedCommentsRequest, GetThreadRequest, Grounds, LikeValue, ListCommentRevisionsRequest,
    ListCommentsRequest, ListConversationRequest, ListDecisionsRequest, ListMemberCommentsRequest,
    ListOwnDecisionsRequest, ListOwnReportsRequest, ListRepliesRequest, ListReviewItemsRequest,
    ListUnlistedCommentsRequest, ModeratedComment, OwnReport, ProposedEdit, ReleaseReviewItemsRequest,
    ReportCommentRequest, ReportReason, ReviewItem, SetLikeRequest, Statement, SubmitVerdictsRequest,
    UndeleteCommentRequest, UpdateCommentRequest, VerdictResult, VerdictTarget,
};
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::histcheck::fleet::Ports;
use crate::histcheck::history::{
    JudgedTarget, ModeratedItem, ModeratorAct, Outcome, PublicRead, ReviewCall, ReviewResponse, SeenComment,
    SeenDecision, SeenProposal, SeenReport, SeenStatement,
};
use crate::histcheck::load::failure_outcome;
use crate::histcheck::names;

/// Size of the pages of public reads.
const PAGE_SIZE: i32 = 50;
/// Size of the pages of the queue and of decisions: the largest one.
const LARGEST_PAGE: i32 = 100;
/// The most items that one claim leases.
const CLAIMED: i32 = 8;

type ReviewResult = Result<ReviewResponse, Status>;

/// Sends a call once.
///
/// # Errors
/// Returns the status of the service or of the connection.
pub(crate) async fn attempt(
    ports: Ports,
    (subject, call): (u32, &ReviewCall),
    request_id: String,
    limit: Duration,
) -> ReviewResult {
    match call {
        ReviewCall::Create { .. }
        | ReviewCall::Edit { .. }
        | ReviewCall::Delete { .. }
        | ReviewCall::Undelete { .. } => write(ports.public, (subject, call), request_id, limit).await,
        ReviewCall::Like { comment, member } => {
            let (comment_id, member_id, value) = (*comment, names::member_id(*member), LikeValue::Like.into());
            let request = SetLikeRequest { comment_id, member_id, value, request_id };
            LikeServiceClient::new(ports.public).set_like(timed(limit, request)).await?;
            Ok(ReviewResponse::Liked)
        }
        ReviewCall::Report { comment, reporter } => {
            let request = ReportCommentRequest {
                comment_id: *comment,
                member_id: names::reporter_id(*comment, *reporter),
                reason: ReportReason::Spam.into(),
                claims_illegal: names::claims_illegal(*reporter),
                text: format!("{}words", names::SECRET),
                request_id,
                ..Default::default()
            };
            let reported = ReportServiceClient::new(ports.public).report_comment(timed(limit, request)).await?;
            Ok(ReviewResponse::Reported(reported.into_inner().first))
        }
        ReviewCall::Appeal { comment, number, member } => {
            let (decision_id, member_id) = (format!("{comment}.{number}"), names::member_id(*member));
            let request =
                AppealDecisionRequest { decision_id, member_id, text: format!("{}appeal", names::SECRET), request_id };
            ReportServiceClient::new(ports.public).appeal_decision(timed(limit, request)).await?;
            Ok(ReviewResponse::Appealed)
        }
        ReviewCall::Statements { member } => statements(ports.public, *member, limit).await,
        ReviewCall::OwnReports { comment, reporter } => own_reports(ports.public, (*comment, *reporter), limit).await,
        ReviewCall::Public { read, viewer, fresh } => {
            public(ports.public, (subject, *read), (*viewer, *fresh), limit).await
        }
        ReviewCall::Claim { .. } | ReviewCall::Release { .. } | ReviewCall::Judge { .. } => {
            moderate(ports.admin, call, request_id, limit).await
        }
        ReviewCall::Queue { leased } => queue(ports.admin, *leased, limit).await,
        ReviewCall::Moderated { comments } => {
            let request = GetModeratedCommentsRequest { ids: comments.to_vec(), allow_missing: true };
            let mut service = ModerationServiceClient::new(ports.admin);
            let found = service.get_moderated_comments(timed(limit, request)).await?.into_inner().comments;
            Ok(ReviewResponse::Moderated(found.iter().map(moderated).collect()))
        }
        ReviewCall::Decisions { comment } => decisions(ports.admin, *comment, limit).await,
    }
}

/// Returns the outcome of a failed call, and true if the same call may succeed later. The reason of
/// a refusal is followed by the state in its metadata, as in `PARENT_UNAVAILABLE HIDDEN`.
pub(crate) fn failure(status: Status) -> (Outcome, bool) {
    let state = Error::from(status.clone()).metadata().get("state").cloned();
    match (failure_outcome(status), state) {
        ((Outcome::Refused(reason), retryable), Some(state)) => {
            (Outcome::Refused(format!("{reason} {state}").into()), retryable)
        }
        (other, _) => other,
    }
}

async fn write(
    channel: Channel,
    (subject, call): (u32, &ReviewCall),
    request_id: String,
    limit: Duration,
) -> ReviewResult {
    let mut service = CommentServiceClient::new(channel.clone());
    let (comment, revision, proposal) = match call {
        ReviewCall::Create { parent: 0, member, text } => {
            let (member_id, content) = (names::member_id(*member), names::content(subject, *text));
            let key = Some(names::key(subject));
            let request = CreateCommentRequest { subject: key, member_id, content, request_id, ..Default::default() };
            let made = service.create_comment(timed(limit, request)).await?.into_inner();
            (made.comment, made.subject_revision, None)
        }
        ReviewCall::Create { parent, member, text } => {
            let (member_id, content) = (names::member_id(*member), names::content(subject, *text));
            let request = CreateReplyRequest { parent_id: *parent, member_id, content, client: None, request_id };
            let made = ReplyServiceClient::new(channel).create_reply(timed(limit, request)).await?.into_inner();
            (made.reply, made.subject_revision, None)
        }
        ReviewCall::Edit { comment, member, text } => {
            let (member_id, content) = (names::member_id(*member), names::content(subject, *text));
            let request = UpdateCommentRequest { id: *comment, member_id, content, etag: String::new(), request_id };
            let edited = service.update_comment(timed(limit, request)).await?.into_inner();
            (edited.comment, edited.subject_revision, edited.proposed_edit)
        }
        ReviewCall::Delete { comment, member } => {
            let member_id = names::member_id(*member);
            let request = DeleteCommentRequest { id: *comment, member_id, request_id, ..Default::default() };
            let deleted = service.delete_comment(timed(limit, request)).await?.into_inner();
            (deleted.comment, deleted.subject_revision, None)
        }
        ReviewCall::Undelete { comment, member } => {
            let request = UndeleteCommentRequest { id: *comment, member_id: names::member_id(*member), request_id };
            let undeleted = service.undelete_comment(timed(limit, request)).await?.into_inner();
            (undeleted.comment, undeleted.subject_revision, None)
        }
        ReviewCall::Like { .. }
        | ReviewCall::Report { .. }
        | ReviewCall::Appeal { .. }
        | ReviewCall::Statements { .. }
        | ReviewCall::OwnReports { .. }
        | ReviewCall::Public { .. }
        | ReviewCall::Claim { .. }
        | ReviewCall::Release { .. }
        | ReviewCall::Judge { .. }
        | ReviewCall::Queue { .. }
        | ReviewCall::Moderated { .. }
        | ReviewCall::Decisions { .. } => return Err(Status::unimplemented("no call of an author")),
    };
    let comment = comment.ok_or_else(|| Status::data_loss("the response lacks its comment"))?;
    Ok(ReviewResponse::Written { comment: seen(&comment), revision, proposal: proposal.as_ref().map(proposed) })
}

async fn moderate(channel: Channel, call: &ReviewCall, request_id: String, limit: Duration) -> ReviewResult {
    let mut service = ModerationServiceClient::new(channel);
    match call {
        ReviewCall::Claim { moderator, seconds } => {
            let request = ClaimReviewItemsRequest {
                object_type: names::REVIEWED_TYPE.to_owned(),
                limit: CLAIMED,
                lease: Some(prost_types::Duration { seconds: (*seconds).into(), nanos: 0 }),
                moderator_id: names::moderator_id(*moderator),
                request_id,
                ..Default::default()
            };
            let claimed = service.claim_review_items(timed(limit, request)).await?.into_inner();
            let leased = |item: &ReviewItem| Some((queued(item)?, millis(item.lease_until?)));
            let items = claimed.items.iter().filter_map(leased);
            Ok(ReviewResponse::Claimed { items: items.collect(), lease: claimed.lease_token.into() })
        }
        ReviewCall::Release { moderator, comments, lease } => {
            let (comment_ids, moderator_id) = (comments.to_vec(), names::moderator_id(*moderator));
            let lease_token = lease.to_string();
            let request = ReleaseReviewItemsRequest { comment_ids, lease_token, moderator_id, request_id };
            let released = service.release_review_items(timed(limit, request)).await?.into_inner();
            Ok(ReviewResponse::Released(released.released))
        }
        ReviewCall::Judge { moderator, act, targets, lease } => {
            let target = |(id, etag): &(i64, Box<str>)| VerdictTarget { comment_id: *id, etag: etag.to_string() };
            let request = SubmitVerdictsRequest {
                action: *act as i32,
                grounds: Some(grounds(*act)),
                targets: targets.iter().map(target).collect(),
                lease_token: lease.to_string(),
                moderator_id: names::moderator_id(*moderator),
                request_id,
            };
            let judged = service.submit_verdicts(timed(limit, request)).await?.into_inner();
            Ok(ReviewResponse::Judged(judged.results.iter().map(judged_target).collect()))
        }
        ReviewCall::Create { .. }
        | ReviewCall::Edit { .. }
        | ReviewCall::Delete { .. }
        | ReviewCall::Undelete { .. }
        | ReviewCall::Like { .. }
        | ReviewCall::Report { .. }
        | ReviewCall::Appeal { .. }
        | ReviewCall::Statements { .. }
        | ReviewCall::OwnReports { .. }
        | ReviewCall::Queue { .. }
        | ReviewCall::Moderated { .. }
        | ReviewCall::Decisions { .. }
        | ReviewCall::Public { .. } => Err(Status::unimplemented("no verdict and no lease")),
    }
}

/// Returns the reasons of an act. Their note is secret, as the moderator is.
fn grounds(act: ModeratorAct) -> Grounds {
    Grounds { code: format!("{act:?}").to_lowercase(), note: format!("{}note", names::SECRET), ..Grounds::default() }
}

async fn queue(channel: Channel, leased: bool, limit: Duration) -> ReviewResult {
    let mut service = ModerationServiceClient::new(channel);
    let (mut items, mut page_token) = (Vec::new(), String::new());
    loop {
        let object_type = names::REVIEWED_TYPE.to_owned();
        let request =
            ListReviewItemsRequest { object_type, leased, page_size: LARGEST_PAGE, page_token, ..Default::default() };
        let page = service.list_review_items(timed(limit, request)).await?.into_inner();
        items.extend(page.items.iter().filter_map(queued));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(ReviewResponse::Moderated(items.into()));
        }
    }
}

async fn decisions(channel: Channel, comment: i64, limit: Duration) -> ReviewResult {
    let mut service = ModerationServiceClient::new(channel);
    let (mut all, mut page_token) = (Vec::new(), String::new());
    loop {
        let of = Some(Of::CommentId(comment));
        let request = ListDecisionsRequest { of, page_size: LARGEST_PAGE, page_token };
        let page = service.list_decisions(timed(limit, request)).await?.into_inner();
        all.extend(page.decisions.iter().map(decision));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(ReviewResponse::Decisions(all.into()));
        }
    }
}

async fn statements(channel: Channel, member: u32, limit: Duration) -> ReviewResult {
    let mut service = ReportServiceClient::new(channel);
    let (mut all, mut page_token, mut leaks) = (Vec::new(), String::new(), false);
    loop {
        let (object_type, member_id) = (names::REVIEWED_TYPE.to_owned(), names::member_id(member));
        let request = ListOwnDecisionsRequest { object_type, member_id, page_size: LARGEST_PAGE, page_token };
        let page = service.list_own_decisions(timed(limit, request)).await?.into_inner();
        leaks |= has_secret(&page);
        all.extend(page.statements.iter().map(statement));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(ReviewResponse::Statements { statements: all.into(), has_secret: leaks });
        }
    }
}

async fn own_reports(channel: Channel, (comment, reporter): (i64, u8), limit: Duration) -> ReviewResult {
    let (object_type, member_id) = (names::REVIEWED_TYPE.to_owned(), names::reporter_id(comment, reporter));
    let request = ListOwnReportsRequest { object_type, member_id, page_size: LARGEST_PAGE, ..Default::default() };
    let page = ReportServiceClient::new(channel).list_own_reports(timed(limit, request)).await?.into_inner();
    let seen = |found: &OwnReport| SeenReport {
        comment: found.comment_id,
        outcome: found.outcome,
        day: found.outcome_day.map_or(0, |day| day.seconds),
    };
    let reports = page.reports.iter().map(seen).collect();
    Ok(ReviewResponse::OwnReports { reports, has_secret: has_secret(&page) })
}

async fn public(
    channel: Channel,
    (subject, read): (u32, PublicRead),
    (viewer, fresh): (Option<u32>, bool),
    limit: Duration,
) -> ReviewResult {
    let (key, member) = (Some(names::key(subject)), viewer.map(names::member_id).unwrap_or_default());
    let (mut comments, mut replies) = (CommentServiceClient::new(channel.clone()), ReplyServiceClient::new(channel));
    match read {
        PublicRead::List => {
            let sort = CommentSort::Newest.into();
            let (page_size, reply_preview_size) = (PAGE_SIZE, Some(3));
            let request =
                ListCommentsRequest { subject: key, sort, page_size, reply_preview_size, fresh, ..Default::default() };
            let page = comments.list_comments(timed(limit, request)).await?.into_inner();
            let counts = page.subject.as_ref().map(|subject| (subject.root_count, subject.comment_count));
            let shown = page.threads.iter().flat_map(|thread| thread.comment.iter().chain(&thread.replies));
            Ok(shown_as(&page, shown, counts))
        }
        PublicRead::Replies(root_id) => {
            let sort = CommentSort::Oldest.into();
            let request = ListRepliesRequest { root_id, sort, page_size: PAGE_SIZE, fresh, ..Default::default() };
            let page = replies.list_replies(timed(limit, request)).await?.into_inner();
            Ok(shown_as(&page, page.root.iter().chain(&page.replies), None))
        }
        PublicRead::Get(id) => {
            let request = GetCommentRequest { id, viewer_member_id: member, fresh, ..Default::default() };
            let found = comments.get_comment(timed(limit, request)).await?.into_inner();
            Ok(shown_with(&found, found.comment.iter().map(|comment| (comment, found.proposed_edit.as_ref()))))
        }
        PublicRead::Batch(id) => {
            let request = BatchGetCommentsRequest { ids: vec![id], allow_missing: true, fresh };
            let found = comments.batch_get_comments(timed(limit, request)).await?.into_inner();
            Ok(shown_as(&found, found.comments.iter(), None))
        }
        PublicRead::Thread(comment_id) => {
            let request = GetThreadRequest { comment_id, page_size: PAGE_SIZE, fresh, ..Default::default() };
            let found = replies.get_thread(timed(limit, request)).await?.into_inner();
            Ok(shown_as(&found, found.comments.iter(), None))
        }
        PublicRead::Conversation(comment_id) => {
            let request = ListConversationRequest { comment_id, min_revision: 0, fresh };
            let found = replies.list_conversation(timed(limit, request)).await?.into_inner();
            Ok(shown_as(&found, found.comment.iter().chain(&found.ancestors), None))
        }
        PublicRead::History(id) => {
            let request = ListCommentRevisionsRequest { id, page_size: LARGEST_PAGE, ..Default::default() };
            let found = comments.list_comment_revisions(timed(limit, request)).await?.into_inner();
            let texts = found.revisions.iter().filter_map(|former| former.content.as_ref());
            let text = |text: &str| SeenComment { id, text: names::text_number(text).1, state: 0 };
            let comments = texts.map(|content| text(&content.text)).collect();
            let (proposals, has_secret) = ([].into(), has_secret(&found));
            Ok(ReviewResponse::Seen { comments, proposals, counts: None, has_secret })
        }
        PublicRead::OfMember(of) => {
            let (object_type, member_id) = (names::REVIEWED_TYPE.to_owned(), names::member_id(of));
            let request =
                ListMemberCommentsRequest { object_type, member_id, page_size: PAGE_SIZE, ..Default::default() };
            let found = comments.list_member_comments(timed(limit, request)).await?.into_inner();
            Ok(shown_as(&found, found.comments.iter(), None))
        }
        PublicRead::Unlisted => {
            let page_size = PAGE_SIZE;
            let request =
                ListUnlistedCommentsRequest { subject: key, member_id: member, page_size, ..Default::default() };
            let found = comments.list_unlisted_comments(timed(limit, request)).await?.into_inner();
            let own = found.comments.iter();
            Ok(shown_with(&found, own.filter_map(|own| Some((own.comment.as_ref()?, own.proposed_edit.as_ref())))))
        }
    }
}

/// Returns the response of a public response with these comments.
fn shown_as<'c>(
    response: &impl Message,
    comments: impl Iterator<Item = &'c Comment>,
    counts: Option<(i32, i32)>,
) -> ReviewResponse {
    let (comments, proposals, has_secret) = (comments.map(seen).collect(), [].into(), has_secret(response));
    ReviewResponse::Seen { comments, proposals, counts, has_secret }
}

/// Returns the response of a public response with these comments and their proposed edits.
fn shown_with<'c>(
    response: &impl Message,
    comments: impl Iterator<Item = (&'c Comment, Option<&'c ProposedEdit>)>,
) -> ReviewResponse {
    let found: Vec<_> = comments.collect();
    let proposals = found.iter().filter_map(|(comment, proposal)| Some((comment.id, proposed((*proposal)?))));
    ReviewResponse::Seen {
        proposals: proposals.collect(),
        comments: found.iter().map(|(comment, _)| seen(comment)).collect(),
        counts: None,
        has_secret: has_secret(response),
    }
}

/// Returns true if a response contains a moderator's id or note, or a reporter's id or words,
/// anywhere.
fn has_secret(response: &impl Message) -> bool {
    let (bytes, secret) = (response.encode_to_vec(), names::SECRET.as_bytes());
    bytes.windows(secret.len()).any(|window| window == secret)
}

fn seen(comment: &Comment) -> SeenComment {
    let text = comment.content.as_ref().map_or(0, |content| names::text_number(&content.text).1);
    SeenComment { id: comment.id, text, state: i8::try_from(comment.state).unwrap_or_default() }
}

fn proposed(found: &ProposedEdit) -> SeenProposal {
    let text = found.content.as_ref().map_or(0, |content| names::text_number(&content.text).1);
    SeenProposal { number: found.number, text, state: i8::try_from(found.state).unwrap_or_default() }
}

fn moderated(found: &ModeratedComment) -> ModeratedItem {
    let SeenComment { id, text, state } =
        found.comment.as_ref().map_or_else(|| SeenComment { id: 0, text: 0, state: 0 }, seen);
    let decisions = found.last_decision.as_ref().map_or(0, |last| number(&last.id));
    let proposal = found.proposed_edit.as_ref().map(proposed);
    let (etag, proposal_etag) = (found.etag.as_str().into(), found.proposed_edit_etag.as_str().into());
    let open = !found.causes.is_empty();
    ModeratedItem { id, text, state, etag, open, decisions, due: 0, proposal, proposal_etag }
}

/// Returns an entry of the queue with the time at which it is due.
fn queued(found: &ReviewItem) -> Option<ModeratedItem> {
    let due = found.due_time.map_or(0, millis);
    Some(ModeratedItem { due, ..moderated(found.comment.as_ref()?) })
}

/// Returns a time of the contract in milliseconds.
fn millis(time: Timestamp) -> i64 {
    time.seconds * 1_000 + i64::from(time.nanos) / 1_000_000
}

/// Returns the number in the id of a decision. The id is opaque to callers; it is read here because
/// the rows name decisions by comment and number.
fn number(id: &str) -> i32 {
    id.rsplit_once('.').and_then(|(_, number)| number.parse().ok()).unwrap_or(-1)
}

fn decision(found: &Decision) -> SeenDecision {
    let state = |state: i32| i8::try_from(state).unwrap_or_default();
    SeenDecision {
        comment: found.comment_id,
        number: number(&found.id),
        act: found.action,
        of_proposal: found.proposed_edit,
        from: state(found.from_state),
        to: state(found.to_state),
        moderator: names::moderator(&found.actor_id),
    }
}

fn statement(found: &Statement) -> SeenStatement {
    let state = |state: i32| i8::try_from(state).unwrap_or_default();
    SeenStatement {
        comment: found.comment_id,
        number: number(&found.id),
        act: found.action,
        of_proposal: found.proposed_edit,
        from: state(found.from_state),
        to: state(found.to_state),
        is_contestable: found.appeal_until.is_some(),
    }
}

fn judged_target(result: &VerdictResult) -> JudgedTarget {
    let VerdictResult { comment_id, result, subject_revision, etag, proposed_edit_etag: _ } = result;
    let mut outcome = JudgedTarget {
        comment: *comment_id,
        decision: None,
        reason: "".into(),
        etag: etag.as_str().into(),
        winner: 0,
        revision: *subject_revision,
    };
    match result {
        Some(Judged::Decision(taken)) => outcome.decision = Some(decision(taken)),
        Some(Judged::Error(error)) => {
            let fact = |name: &str| error.metadata.get(name).map(String::as_str).unwrap_or_default();
            outcome.reason = error.reason.as_str().into();
            outcome.etag = fact("etag").into();
            outcome.winner = if fact("decision_id").is_empty() { 0 } else { number(fact("decision_id")) };
        }
        None => outcome.reason = "no result".into(),
    }
    outcome
}

fn timed<T>(limit: Duration, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(limit);
    request
}
