//! Comments that wait for review: what their authors, other members and moderators see of them.

use anyhow::{Context, Result, ensure};
use futures::future::join_all;
use prost::Message;
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::verdict_result::Result as Outcome;
use riposte_sdk::v1::{
    BatchGetCommentsRequest, ClaimReviewItemsRequest, Comment, CommentChangeKind, CommentSort, CommentState,
    CreateCommentRequest, CreateCommentResponse, Decision, ErrorReason, GetCommentRequest, GetModeratedCommentsRequest,
    Grounds, HideCommentRequest, LikeValue, ListCommentsResponse, ListDecisionsRequest, ListMemberCommentsRequest,
    ListReviewItemsRequest, ListUnlistedCommentsRequest, ModeratedComment, ModerationAction, ModerationMode,
    ReleaseReviewItemsRequest, ReviewCause, ReviewItem, Subject, SubmitVerdictsRequest, UpdateSubjectRequest,
    VerdictResult, VerdictTarget,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, Watch, cases, refused, until};
use tonic::{Code, Status};

pub(crate) const CASES: &[Case] = cases![
    a_comment_that_waits_is_its_authors_alone_until_it_is_approved,
    a_reply_waits_outside_its_thread,
    a_repeat_of_a_create_returns_the_comment_as_its_author_sees_it,
    an_author_lists_what_no_list_shows,
    no_moderator_is_named_on_the_public_port,
    pages_are_the_same_bytes_with_and_without_comments_that_wait,
    a_watch_reports_a_comment_when_it_becomes_visible,
    a_subject_may_be_stricter_than_its_type,
];

const MODERATOR: &str = "secret-moderator";

pub(crate) async fn moderated(fixture: &Fixture, id: i64) -> Result<ModeratedComment> {
    let request = GetModeratedCommentsRequest { ids: vec![id], allow_missing: false };
    let found = fixture.server.moderation()?.get_moderated_comments(request).await?.into_inner().comments;
    found.into_iter().next().context("no comment")
}

pub(crate) fn verdict(action: ModerationAction, targets: &[(i64, String)]) -> SubmitVerdictsRequest {
    let target = |(id, etag): &(i64, String)| VerdictTarget { comment_id: *id, etag: etag.clone() };
    SubmitVerdictsRequest {
        action: action.into(),
        grounds: Some(Grounds { code: "spam".into(), note: "secret-note".into(), ..Grounds::default() }),
        targets: targets.iter().map(target).collect(),
        moderator_id: MODERATOR.into(),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..SubmitVerdictsRequest::default()
    }
}

pub(crate) async fn submit(fixture: &Fixture, request: SubmitVerdictsRequest) -> Result<Vec<VerdictResult>, Status> {
    let mut service = fixture.server.moderation().map_err(|error| Status::unknown(error.to_string()))?;
    Ok(service.submit_verdicts(request).await?.into_inner().results)
}

/// Judges one comment as it is now.
pub(crate) async fn judge(fixture: &Fixture, action: ModerationAction, id: i64) -> Result<Decision> {
    let etag = moderated(fixture, id).await?.etag;
    let results = submit(fixture, verdict(action, &[(id, etag)])).await?;
    decision(results.first().context("no result")?).cloned()
}

pub(crate) fn decision(result: &VerdictResult) -> Result<&Decision> {
    match &result.result {
        Some(Outcome::Decision(decision)) => Ok(decision),
        other => anyhow::bail!("no decision: {other:?}"),
    }
}

/// Returns the reason and the facts of the error of a target.
pub(crate) fn error(result: &VerdictResult) -> Result<(&str, &std::collections::BTreeMap<String, String>)> {
    match &result.result {
        Some(Outcome::Error(error)) => Ok((&error.reason, &error.metadata)),
        other => anyhow::bail!("no error: {other:?}"),
    }
}

async fn seen_by(say: &Say, viewer: &str, id: i64) -> Result<Comment, Status> {
    let request = GetCommentRequest { id, viewer_member_id: viewer.into(), ..GetCommentRequest::default() };
    Ok(say.client.comments().get_comment(request).await?.into_inner().comment.unwrap_or_default())
}

pub(crate) async fn queue(fixture: &Fixture, request: ListReviewItemsRequest) -> Result<Vec<ReviewItem>> {
    Ok(fixture.server.moderation()?.list_review_items(request).await?.into_inner().items)
}

pub(crate) fn of_member(object_type: &str, member: &str) -> ListReviewItemsRequest {
    let (object_type, member_id) = (object_type.to_owned(), member.to_owned());
    ListReviewItemsRequest { object_type, member_id, ..ListReviewItemsRequest::default() }
}

pub(crate) fn ids(items: &[ReviewItem]) -> Vec<i64> {
    let comment = |item: &ReviewItem| item.comment.as_ref()?.comment.as_ref().map(|comment| comment.id);
    items.iter().filter_map(comment).collect()
}

/// Returns a member that no other case names.
pub(crate) fn someone() -> String {
    uuid::Uuid::now_v7().to_string()
}

async fn a_comment_that_waits_is_its_authors_alone_until_it_is_approved(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let made = say.comment(&ann, "unjudged").await?;
    let complete = |comment: &Comment| comment.content == content("unjudged") && comment.member_id == ann;
    ensure!(made.state() == CommentState::Pending && complete(&made) && made.floor == 1, "{made:?}");
    let own = seen_by(&say, &ann, made.id).await?;
    ensure!(own.state() == CommentState::Pending && complete(&own), "{own:?}");
    for stranger in ["", "ben"] {
        ensure!(refused(seen_by(&say, stranger, made.id).await)? == (Code::NotFound, ErrorReason::CommentNotFound));
    }
    let batch = BatchGetCommentsRequest { ids: vec![made.id], allow_missing: true, ..Default::default() };
    ensure!(fixture.client.comments().batch_get_comments(batch).await?.into_inner().missing == [made.id]);
    ensure!(refused(say.like(made.id, "ben", LikeValue::Like).await)?.1 == ErrorReason::CommentNotFound);
    ensure!(refused(say.like(made.id, &ann, LikeValue::Like).await)?.1 == ErrorReason::CommentUnavailable);
    ensure!(refused(say.reply(made.id, "ben", "late").await)?.1 == ErrorReason::CommentNotFound);
    ensure!(refused(say.reply(made.id, &ann, "late").await)?.1 == ErrorReason::ParentUnavailable);
    let subject = say.page(CommentSort::Newest, 10).await?;
    ensure!(subject.threads.is_empty() && subject.subject.unwrap_or_default().comment_count == 0);

    let items = queue(&fixture, of_member("held", &ann)).await?;
    let item = items.first().context("nothing waits")?;
    let waiting = item.comment.clone().context("an item without comment")?;
    ensure!(ids(&items) == [made.id] && waiting.causes == [i32::from(ReviewCause::New)], "{items:?}");
    ensure!(waiting.comment.as_ref().is_some_and(complete) && waiting.last_decision.is_none(), "{waiting:?}");
    let due = item.due_time.context("no due time")?.seconds - made.create_time.context("no time")?.seconds;
    ensure!((1_799..=1_801).contains(&due), "due after {due} s");

    let decision = judge(&fixture, ModerationAction::Approve, made.id).await?;
    ensure!((decision.from_state(), decision.to_state()) == (CommentState::Pending, CommentState::Active));
    ensure!(decision.actor_id == MODERATOR && decision.comment_id == made.id, "{decision:?}");
    ensure!(queue(&fixture, of_member("held", &ann)).await?.is_empty());
    let listed = say.roots(CommentSort::Newest, 10).await?;
    ensure!(listed.len() == 1 && listed[0].state() == CommentState::Active && complete(&listed[0]), "{listed:?}");
    ensure!(listed[0].floor == 1, "it keeps its floor");
    let request = ListDecisionsRequest { of: Some(Of::CommentId(made.id)), ..ListDecisionsRequest::default() };
    let log = fixture.server.moderation()?.list_decisions(request).await?.into_inner().decisions;
    ensure!(log == [decision], "{log:?}");
    super::floors::verify(&fixture, &say).await
}

async fn a_reply_waits_outside_its_thread(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "answered"), someone());
    let root = say.comment(&ann, "root").await?;
    judge(&fixture, ModerationAction::Approve, root.id).await?;
    let reply = say.reply(root.id, &ann, "a reply").await?;
    ensure!(reply.state() == CommentState::Pending && reply.content == content("a reply"), "{reply:?}");
    let page = say.page(CommentSort::Newest, 10).await?;
    ensure!(page.threads.len() == 1 && page.threads[0].replies.is_empty(), "{page:?}");
    ensure!(say.replies(root.id, CommentSort::Oldest, 10).await?.is_empty());
    let claim = ClaimReviewItemsRequest {
        object_type: "answered".into(),
        limit: 25,
        moderator_id: MODERATOR.into(),
        ..ClaimReviewItemsRequest::default()
    };
    let claimed = fixture.server.moderation()?.claim_review_items(claim).await?.into_inner();
    let item = claimed.items.iter().find(|item| ids(std::slice::from_ref(item)) == [reply.id]);
    if let Some(item) = item {
        let parent = item.parent.as_ref().and_then(|parent| parent.comment.as_ref());
        ensure!(parent.is_some_and(|parent| parent.id == root.id), "{item:?}");
    }
    let comment_ids = ids(&claimed.items);
    if !comment_ids.is_empty() {
        let (lease_token, moderator_id) = (claimed.lease_token, MODERATOR.to_owned());
        let release = ReleaseReviewItemsRequest { comment_ids, lease_token, moderator_id, ..Default::default() };
        fixture.server.moderation()?.release_review_items(release).await?;
    }
    judge(&fixture, ModerationAction::Reject, reply.id).await?;
    let rejected = seen_by(&say, &ann, reply.id).await?;
    ensure!(rejected.state() == CommentState::Rejected && rejected.content == reply.content, "{rejected:?}");
    ensure!(refused(seen_by(&say, "ben", reply.id).await)?.1 == ErrorReason::CommentNotFound);
    judge(&fixture, ModerationAction::Approve, reply.id).await?;
    let replies = say.replies(root.id, CommentSort::Oldest, 10).await?;
    ensure!(replies.len() == 1 && replies[0].floor == reply.floor, "{replies:?}");
    super::floors::verify(&fixture, &say).await
}

async fn a_repeat_of_a_create_returns_the_comment_as_its_author_sees_it(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let request = CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: ann.clone(),
        content: content("again"),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..CreateCommentRequest::default()
    };
    let create = async || -> Result<CreateCommentResponse> {
        Ok(fixture.client.comments().create_comment(request.clone()).await?.into_inner())
    };
    let first = create().await?;
    let made = first.comment.clone().context("no comment")?;
    for (action, state, is_complete) in [
        (None, CommentState::Pending, true),
        (Some(ModerationAction::Reject), CommentState::Rejected, true),
        (Some(ModerationAction::Approve), CommentState::Active, true),
        (Some(ModerationAction::Hide), CommentState::Hidden, false),
    ] {
        if let Some(action) = action {
            judge(&fixture, action, made.id).await?;
        }
        let again = create().await?;
        ensure!((again.subject_revision, again.ack) == (first.subject_revision, first.ack), "{again:?}");
        let comment = again.comment.context("no comment")?;
        ensure!((comment.id, comment.floor, comment.state()) == (made.id, made.floor, state), "{comment:?}");
        ensure!(comment.content.is_some() == is_complete, "{comment:?}");
    }
    Ok(())
}

async fn an_author_lists_what_no_list_shows(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let unlisted = async |root_id: i64, member: &str, page_size: i32| -> Result<Vec<(i64, CommentState)>> {
        let mut request = ListUnlistedCommentsRequest {
            subject: Some(say.key.clone()),
            member_id: member.to_owned(),
            root_id,
            page_size,
            ..ListUnlistedCommentsRequest::default()
        };
        let mut found = Vec::new();
        loop {
            let page = fixture.client.comments().list_unlisted_comments(request.clone()).await?.into_inner();
            let comments = page.comments.into_iter().filter_map(|unlisted| unlisted.comment);
            found.extend(comments.map(|comment| (comment.id, comment.state())));
            if page.next_page_token.is_empty() {
                return Ok(found);
            }
            request.page_token = page.next_page_token;
        }
    };
    ensure!(unlisted(0, &ann, 0).await?.is_empty(), "a subject without comments");
    let mut made = Vec::new();
    for n in 0..4 {
        made.push(say.comment(&ann, &format!("text {n}")).await?.id);
    }
    judge(&fixture, ModerationAction::Approve, made[0]).await?;
    judge(&fixture, ModerationAction::Reject, made[1]).await?;
    let reply = say.reply(made[0], &ann, "a reply").await?.id;
    let (pending, rejected) = (CommentState::Pending, CommentState::Rejected);
    let expected = [(reply, pending), (made[3], pending), (made[2], pending), (made[1], rejected)];
    for page_size in [0, 1, 3] {
        ensure!(unlisted(0, &ann, page_size).await? == expected, "{page_size}");
    }
    ensure!(unlisted(made[0], &ann, 0).await? == expected[..1], "of one thread");
    ensure!(unlisted(0, "ben", 0).await?.is_empty(), "of another member");
    judge(&fixture, ModerationAction::Delete, made[3]).await?;
    ensure!(!unlisted(0, &ann, 0).await?.contains(&(made[3], pending)));
    let request = ListMemberCommentsRequest {
        object_type: "held".into(),
        member_id: ann.clone(),
        include_unlisted: true,
        ..ListMemberCommentsRequest::default()
    };
    until("the history has all comments", async || {
        let page = fixture.client.comments().list_member_comments(request.clone()).await?.into_inner();
        let of = |id: i64| page.comments.iter().find(|comment| comment.id == id).map(|comment| comment.state());
        Ok([made[1], made[2], reply].map(of) == [Some(rejected), Some(pending), Some(pending)])
    })
    .await?;
    let listed = ListMemberCommentsRequest { include_unlisted: false, ..request };
    let listed = fixture.client.comments().list_member_comments(listed).await?.into_inner().comments;
    ensure!(listed.iter().map(|comment| comment.id).eq([made[0]]), "{listed:?}");
    Ok(())
}

async fn no_moderator_is_named_on_the_public_port(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let root = say.comment(&ann, "root").await?;
    judge(&fixture, ModerationAction::Approve, root.id).await?;
    let reply = say.reply(root.id, &ann, "reply").await?;
    judge(&fixture, ModerationAction::Reject, reply.id).await?;
    let hide = HideCommentRequest { id: root.id, moderator_id: MODERATOR.into(), ..HideCommentRequest::default() };
    fixture.server.admin()?.hide_comment(hide).await?;
    let unlisted = ListUnlistedCommentsRequest {
        subject: Some(say.key.clone()),
        member_id: ann.clone(),
        ..ListUnlistedCommentsRequest::default()
    };
    let own = ListMemberCommentsRequest {
        object_type: "held".into(),
        member_id: ann.clone(),
        include_unlisted: true,
        ..ListMemberCommentsRequest::default()
    };
    let shown = [
        format!("{:?}", say.page(CommentSort::Newest, 10).await?),
        format!("{:?}", seen_by(&say, &ann, reply.id).await),
        format!("{:?}", seen_by(&say, "ben", reply.id).await),
        format!("{:?}", say.reply(reply.id, &ann, "late").await),
        format!("{:?}", say.like(root.id, &ann, LikeValue::Like).await),
        format!("{:?}", fixture.client.comments().list_unlisted_comments(unlisted).await?),
        format!("{:?}", fixture.client.comments().list_member_comments(own).await?),
    ];
    for response in &shown {
        ensure!(
            !response.contains(MODERATOR) && !response.contains("secret-note") && !response.contains("spam"),
            "{response}"
        );
    }
    Ok(())
}

/// Returns the bytes of a page without the numbers that every write of the subject moves.
fn bytes(mut page: ListCommentsResponse) -> Vec<u8> {
    page.subject_revision = 0;
    page.subject = page.subject.map(|subject| Subject { revision: 0, ..subject });
    page.encode_to_vec()
}

async fn pages_are_the_same_bytes_with_and_without_comments_that_wait(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let mut parents = Vec::new();
    for n in 0..5 {
        let root = say.comment(&ann, &format!("root {n}")).await?;
        judge(&fixture, ModerationAction::Approve, root.id).await?;
        let reply = say.reply(root.id, "ben", "reply").await?;
        judge(&fixture, ModerationAction::Approve, reply.id).await?;
        parents.extend([root.id, reply.id]);
    }
    let pages = async || -> Result<Vec<Vec<u8>>> {
        let mut pages = Vec::new();
        for sort in [CommentSort::Newest, CommentSort::Oldest] {
            pages.push(bytes(say.page(sort, 100).await?));
        }
        Ok(pages)
    };
    let before = pages().await?;
    for _ in 0..10 {
        let say = &say;
        let parents = &parents;
        let write = |n: usize| async move {
            let text = format!("waits {n}");
            match parents.get(n % (2 * parents.len())) {
                Some(parent) => say.reply(*parent, &someone(), &text).await,
                None => say.comment(&someone(), &text).await,
            }
        };
        let made = join_all((0..100).map(write)).await;
        ensure!(made.into_iter().all(|made| made.is_ok_and(|made| made.state() == CommentState::Pending)));
    }
    ensure!(pages().await? == before, "1,000 comments that wait changed a page");
    Ok(())
}

async fn a_watch_reports_a_comment_when_it_becomes_visible(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let first = say.comment(&ann, "first").await?;
    let mut watch = Watch::open(&say, 0).await?;
    let made = say.comment(&ann, "watched").await?;
    judge(&fixture, ModerationAction::Reject, made.id).await?;
    judge(&fixture, ModerationAction::Approve, made.id).await?;
    judge(&fixture, ModerationAction::Hide, made.id).await?;
    judge(&fixture, ModerationAction::Reject, first.id).await?;
    let mut revision = watch.opened();
    for expected in [None, None, Some(CommentChangeKind::Created), Some(CommentChangeKind::StateChanged), None] {
        let change = watch.change().await?;
        revision += 1;
        let reported: Vec<(i64, CommentChangeKind)> =
            change.comments.iter().map(|change| (change.comment_id, change.kind())).collect();
        ensure!(change.revision == revision, "{change:?}");
        ensure!(reported == expected.map(|kind| (made.id, kind)).into_iter().collect::<Vec<_>>(), "{change:?}");
    }
    Ok(())
}

async fn a_subject_may_be_stricter_than_its_type(fixture: Fixture) -> Result<()> {
    let update = async |say: &Say, mode: ModerationMode| -> Result<Subject, Status> {
        let (key, moderation_mode) = (Some(say.key.clone()), mode.into());
        let request = UpdateSubjectRequest {
            subject: Some(Subject { key, moderation_mode, ..Subject::default() }),
            update_mask: Some(prost_types::FieldMask { paths: vec!["moderation_mode".to_owned()] }),
            ..UpdateSubjectRequest::default()
        };
        let updated = fixture.client.subjects().update_subject(request).await?;
        Ok(updated.into_inner().subject.unwrap_or_default())
    };
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    let first = say.comment(&ann, "before").await?;
    ensure!(first.state() == CommentState::Active, "{first:?}");
    let before = say.page(CommentSort::Newest, 1).await?.subject.unwrap_or_default();
    let strict = update(&say, ModerationMode::Pre).await?;
    ensure!(strict.moderation_mode() == ModerationMode::Pre && strict.etag != before.etag, "{strict:?}");
    let shown = say.page(CommentSort::Newest, 1).await?.subject.unwrap_or_default();
    ensure!(shown.moderation_mode() == ModerationMode::Pre, "{shown:?}");
    let states = [say.comment(&ann, "root").await?.state(), say.reply(first.id, &ann, "reply").await?.state()];
    ensure!(states == [CommentState::Pending; 2], "{states:?}");
    ensure!(update(&say, ModerationMode::Unspecified).await?.moderation_mode() == ModerationMode::Unspecified);
    ensure!(say.comment(&ann, "after").await?.state() == CommentState::Active);
    let held = Say::on(&fixture.client, "held");
    held.comment(&ann, "waits").await?;
    ensure!(refused(update(&held, ModerationMode::Post).await)?.1 == ErrorReason::FieldInvalid);
    super::floors::verify(&fixture, &say).await
}
