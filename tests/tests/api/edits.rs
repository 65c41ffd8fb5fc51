//! Edits that wait for review beside the text in sight.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    Comment, CommentSort, CommentState, ErrorReason, GetCommentRequest, GetCommentResponse,
    ListCommentRevisionsRequest, ListUnlistedCommentsRequest, ModerationAction, ModerationMode, ProposalState,
    ProposedEdit, ReviewCause, Subject, SubmitVerdictsRequest, UnlistedComment, UpdateCommentRequest,
    UpdateCommentResponse, UpdateSubjectRequest, VerdictResult,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, Watch, cases, refused};
use tonic::Status;
use tonic_types::StatusExt;

use super::review::{decision, error, judge, moderated, of_member, queue, someone, submit, verdict};

pub(crate) const CASES: &[Case] = cases![
    an_edit_waits_beside_the_text_in_sight_until_it_is_approved,
    a_refused_edit_leaves_the_text_in_sight,
    only_the_newest_edit_is_judged_and_the_fourth_is_refused,
    an_edit_out_of_sight_waits_within_the_window,
    a_repeat_of_an_edit_returns_its_first_result,
    a_stricter_subject_holds_edits,
    an_author_lists_the_own_edits_that_wait,
];

/// Returns an edit of a comment.
fn edit(id: i64, member: &str, text: &str) -> UpdateCommentRequest {
    let request_id = uuid::Uuid::now_v7().to_string();
    UpdateCommentRequest {
        id,
        member_id: member.to_owned(),
        content: content(text),
        request_id,
        ..UpdateCommentRequest::default()
    }
}

async fn update(say: &Say, request: &UpdateCommentRequest) -> Result<UpdateCommentResponse, Status> {
    Ok(say.client.comments().update_comment(request.clone()).await?.into_inner())
}

/// Returns a visible comment.
async fn approved(fixture: &Fixture, say: &Say, member: &str, text: &str) -> Result<i64> {
    let id = say.comment(member, text).await?.id;
    judge(fixture, ModerationAction::Approve, id).await?;
    Ok(id)
}

async fn read(say: &Say, viewer: &str, id: i64) -> Result<GetCommentResponse, Status> {
    let request = GetCommentRequest { id, viewer_member_id: viewer.to_owned(), ..GetCommentRequest::default() };
    Ok(say.client.comments().get_comment(request).await?.into_inner())
}

async fn unlisted(say: &Say, member: &str) -> Result<Vec<UnlistedComment>, Status> {
    let (subject, member_id) = (Some(say.key.clone()), member.to_owned());
    let request = ListUnlistedCommentsRequest { subject, member_id, ..ListUnlistedCommentsRequest::default() };
    Ok(say.client.comments().list_unlisted_comments(request).await?.into_inner().comments)
}

/// Judges the edit of a comment that waits.
pub(crate) async fn judge_edit(fixture: &Fixture, action: ModerationAction, id: i64) -> Result<VerdictResult> {
    let etag = moderated(fixture, id).await?.proposed_edit_etag;
    ensure!(!etag.is_empty(), "no edit waits");
    submit(fixture, verdict(action, &[(id, etag)])).await?.into_iter().next().context("no result")
}

/// Returns number, text and state of a proposed edit.
fn proposed(edit: Option<&ProposedEdit>) -> Option<(i32, &str, ProposalState)> {
    let edit = edit?;
    Some((edit.number, text_of(edit), edit.state()))
}

fn text_of(edit: &ProposedEdit) -> &str {
    edit.content.as_ref().map_or("", |content| &content.text)
}

fn text(comment: Option<&Comment>) -> &str {
    comment.and_then(|comment| comment.content.as_ref()).map_or("", |content| &content.text)
}

/// Returns the former texts of a comment, latest first.
async fn former(say: &Say, id: i64) -> Result<Vec<String>> {
    let request = ListCommentRevisionsRequest { id, ..ListCommentRevisionsRequest::default() };
    let revisions = say.client.comments().list_comment_revisions(request).await?.into_inner().revisions;
    Ok(revisions.into_iter().map(|revision| revision.content.unwrap_or_default().text).collect())
}

/// Returns the metadata `why` of a STATE_CONFLICT.
fn conflict_cause(status: &Status) -> Option<String> {
    let info = status.get_details_error_info()?;
    info.metadata.get("why").cloned().filter(|_| info.reason == "STATE_CONFLICT")
}

async fn an_edit_waits_beside_the_text_in_sight_until_it_is_approved(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let id = approved(&fixture, &say, &ann, "old").await?;
    let before = read(&say, "", id).await?.comment.context("a comment")?;
    let mut watch = Watch::open(&say, 0).await?;
    let response = update(&say, &edit(id, &ann, "new")).await?;
    let waiting = Some((1, "new", ProposalState::Waiting));
    ensure!(response.comment.as_ref() == Some(&before) && proposed(response.proposed_edit.as_ref()) == waiting);
    let own = read(&say, &ann, id).await?;
    ensure!(own.comment.as_ref() == Some(&before) && own.proposed_edit == response.proposed_edit, "{own:?}");
    for stranger in ["", "ben"] {
        let seen = read(&say, stranger, id).await?;
        ensure!(seen.comment.as_ref() == Some(&before) && seen.proposed_edit.is_none(), "{seen:?}");
    }
    ensure!(say.roots(CommentSort::Newest, 10).await? == std::slice::from_ref(&before));
    ensure!(former(&say, id).await?.is_empty(), "no text has been replaced");

    let items = queue(&fixture, of_member("held", &ann)).await?;
    let item = items.first().and_then(|item| item.comment.clone()).context("nothing waits")?;
    ensure!(items.len() == 1 && item.causes == [i32::from(ReviewCause::Edit)], "{items:?}");
    ensure!(proposed(item.proposed_edit.as_ref()) == waiting && text(item.comment.as_ref()) == "old", "{item:?}");
    // A verdict on the text leaves the edit, and every decision moves both etags.
    let of_text = submit(&fixture, verdict(ModerationAction::Approve, &[(id, item.etag)])).await?;
    ensure!(!decision(&of_text[0])?.proposed_edit && of_text[0].subject_revision == 0, "{of_text:?}");
    let current = &of_text[0].proposed_edit_etag;
    ensure!(!current.is_empty() && *current != item.proposed_edit_etag, "{of_text:?}");
    let late = submit(&fixture, verdict(ModerationAction::Approve, &[(id, item.proposed_edit_etag)])).await?;
    let (reason, metadata) = error(&late[0])?;
    ensure!(reason == "ETAG_MISMATCH" && metadata.get("etag") == Some(current), "{late:?}");
    ensure!(metadata.get("decision_id") == Some(&decision(&of_text[0])?.id), "{late:?}");

    let result = judge_edit(&fixture, ModerationAction::Approve, id).await?;
    let judged = decision(&result)?;
    ensure!(judged.proposed_edit && judged.action() == ModerationAction::Approve, "{judged:?}");
    ensure!((judged.from_state(), judged.to_state()) == (CommentState::Active, CommentState::Active), "{judged:?}");
    ensure!(result.proposed_edit_etag.is_empty() && result.subject_revision > response.subject_revision, "{result:?}");
    let moderated = moderated(&fixture, id).await?;
    ensure!(moderated.etag == result.etag && moderated.proposed_edit.is_none(), "{moderated:?}");
    ensure!(moderated.causes.is_empty() && moderated.last_decision.as_ref() == Some(judged), "{moderated:?}");
    let shown = say.roots(CommentSort::Newest, 10).await?;
    ensure!(text(shown.first()) == "new" && shown[0].floor == before.floor, "{shown:?}");
    ensure!(shown[0].edit_time == judged.time, "it was edited when it was approved: {shown:?}");
    ensure!(read(&say, &ann, id).await?.proposed_edit.is_none() && former(&say, id).await? == ["old"]);
    // The watch reports the proposal as a revision without a change, and then the edit.
    let changes = [watch.change().await?.comments, watch.change().await?.comments];
    ensure!(changes[0].is_empty() && changes[1].len() == 1 && changes[1][0].comment_id == id, "{changes:?}");
    super::floors::verify(&fixture, &say).await
}

async fn a_refused_edit_leaves_the_text_in_sight(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let id = approved(&fixture, &say, &ann, "old").await?;
    update(&say, &edit(id, &ann, "bad")).await?;
    let result = judge_edit(&fixture, ModerationAction::Reject, id).await?;
    ensure!(decision(&result)?.proposed_edit && result.subject_revision == 0, "{result:?}");
    let own = read(&say, &ann, id).await?;
    ensure!(text(own.comment.as_ref()) == "old", "{own:?}");
    ensure!(proposed(own.proposed_edit.as_ref()) == Some((1, "bad", ProposalState::Rejected)), "{own:?}");
    ensure!(read(&say, "ben", id).await?.proposed_edit.is_none() && unlisted(&say, &ann).await?.is_empty());
    ensure!(queue(&fixture, of_member("held", &ann)).await?.is_empty() && former(&say, id).await?.is_empty());
    let moderated = moderated(&fixture, id).await?;
    ensure!(moderated.proposed_edit == own.proposed_edit && moderated.proposed_edit_etag.is_empty(), "{moderated:?}");
    // A comment that is hidden drops its edit.
    update(&say, &edit(id, &ann, "another")).await?;
    judge(&fixture, ModerationAction::Hide, id).await?;
    judge(&fixture, ModerationAction::Unhide, id).await?;
    let own = read(&say, &ann, id).await?;
    ensure!(text(own.comment.as_ref()) == "old" && own.proposed_edit.is_none(), "{own:?}");
    super::floors::verify(&fixture, &say).await
}

async fn only_the_newest_edit_is_judged_and_the_fourth_is_refused(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let id = approved(&fixture, &say, &ann, "old").await?;
    update(&say, &edit(id, &ann, "first")).await?;
    let first = moderated(&fixture, id).await?.proposed_edit_etag;
    for (number, newer) in [(2, "second"), (3, "third")] {
        let response = update(&say, &edit(id, &ann, newer)).await?;
        ensure!(proposed(response.proposed_edit.as_ref()) == Some((number, newer, ProposalState::Waiting)));
    }
    let current = moderated(&fixture, id).await?.proposed_edit_etag;
    for action in [ModerationAction::Approve, ModerationAction::Reject] {
        let late = submit(&fixture, verdict(action, &[(id, first.clone())])).await?;
        let (reason, metadata) = error(&late[0])?;
        ensure!(reason == "ETAG_MISMATCH" && metadata.get("etag") == Some(&current), "{late:?}");
    }
    for action in [ModerationAction::Hide, ModerationAction::Keep, ModerationAction::Delete] {
        let wrong = refused(submit(&fixture, verdict(action, &[(id, current.clone())])).await)?;
        ensure!(wrong.1 == ErrorReason::FieldInvalid, "{action:?}: {wrong:?}");
    }
    let fourth = update(&say, &edit(id, &ann, "fourth")).await.err().context("a fourth edit")?;
    ensure!(conflict_cause(&fourth).as_deref() == Some("edits"), "{fourth:?}");
    judge_edit(&fixture, ModerationAction::Approve, id).await?;
    ensure!(text(say.roots(CommentSort::Newest, 1).await?.first()) == "third" && former(&say, id).await? == ["old"]);
    let none = submit(&fixture, verdict(ModerationAction::Approve, &[(id, current)])).await?;
    let (reason, metadata) = error(&none[0])?;
    ensure!(reason == "ETAG_MISMATCH" && metadata.get("etag").is_some_and(String::is_empty), "{none:?}");
    let again = update(&say, &edit(id, &ann, "fourth")).await?;
    ensure!(proposed(again.proposed_edit.as_ref()) == Some((4, "fourth", ProposalState::Waiting)), "{again:?}");
    Ok(())
}

async fn an_edit_out_of_sight_waits_within_the_window(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let id = say.comment(&ann, "old").await?.id;
    let etag = moderated(&fixture, id).await?.etag;
    let waits = |response: &UpdateCommentResponse, new: &str| {
        let state = response.comment.as_ref().map(Comment::state);
        let is_edited = response.comment.as_ref().is_some_and(|comment| comment.edit_time.is_some());
        state == Some(CommentState::Pending)
            && text(response.comment.as_ref()) == new
            && response.proposed_edit.is_none()
            && !is_edited
    };
    let response = update(&say, &edit(id, &ann, "better")).await?;
    ensure!(waits(&response, "better"), "{response:?}");
    let late = submit(&fixture, verdict(ModerationAction::Approve, &[(id, etag)])).await?;
    ensure!(error(&late[0])?.0 == "ETAG_MISMATCH", "a text that no moderator read: {late:?}");
    judge(&fixture, ModerationAction::Reject, id).await?;
    let response = update(&say, &edit(id, &ann, "good")).await?;
    ensure!(waits(&response, "good"), "{response:?}");
    ensure!(queue(&fixture, of_member("held", &ann)).await?.len() == 1);
    judge(&fixture, ModerationAction::Approve, id).await?;
    ensure!(text(say.roots(CommentSort::Newest, 1).await?.first()) == "good" && former(&say, id).await?.is_empty());

    // A type whose window of refused comments is closed at once.
    let strict = Say::on(&fixture.client, "final");
    let id = strict.comment(&ann, "bad").await?.id;
    loop {
        judge(&fixture, ModerationAction::Reject, id).await?;
        // An edit in the same millisecond is in time.
        if let Err(closed) = update(&strict, &edit(id, &ann, "late")).await {
            let info = closed.get_details_error_info().context("no reason")?;
            ensure!(info.reason == "EDIT_WINDOW_CLOSED" && info.metadata.contains_key("until"), "{closed:?}");
            return Ok(());
        }
    }
}

async fn a_repeat_of_an_edit_returns_its_first_result(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let id = approved(&fixture, &say, &ann, "old").await?;
    let request = edit(id, &ann, "new");
    let first = update(&say, &request).await?;
    ensure!(update(&say, &request).await? == first, "a repeat");
    let other = UpdateCommentRequest { content: content("other"), ..request.clone() };
    ensure!(refused(update(&say, &other).await)?.1 == ErrorReason::RequestIdReused);
    for n in 0..2 {
        update(&say, &edit(id, &ann, &format!("newer {n}"))).await?;
    }
    // A repeat is no fourth edit, and shows no edit of another request.
    let repeated = update(&say, &request).await?;
    ensure!(repeated.proposed_edit.is_none() && repeated.subject_revision == first.subject_revision, "{repeated:?}");
    judge_edit(&fixture, ModerationAction::Approve, id).await?;
    let repeated = update(&say, &request).await?;
    ensure!(text(repeated.comment.as_ref()) == "newer 1" && repeated.proposed_edit.is_none(), "{repeated:?}");
    let refused_edit = edit(id, &ann, "bad");
    update(&say, &refused_edit).await?;
    judge_edit(&fixture, ModerationAction::Reject, id).await?;
    let repeated = update(&say, &refused_edit).await?;
    ensure!(proposed(repeated.proposed_edit.as_ref()) == Some((4, "bad", ProposalState::Rejected)), "{repeated:?}");
    Ok(())
}

async fn a_stricter_subject_holds_edits(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    let id = say.comment(&ann, "old").await?.id;
    let set = async |mode: ModerationMode| -> Result<()> {
        let (key, moderation_mode) = (Some(say.key.clone()), mode.into());
        let request = UpdateSubjectRequest {
            subject: Some(Subject { key, moderation_mode, ..Subject::default() }),
            update_mask: Some(prost_types::FieldMask { paths: vec!["moderation_mode".to_owned()] }),
            ..UpdateSubjectRequest::default()
        };
        fixture.client.subjects().update_subject(request).await?;
        Ok(())
    };
    let plain = update(&say, &edit(id, &ann, "at once")).await?;
    ensure!(text(plain.comment.as_ref()) == "at once" && plain.proposed_edit.is_none(), "{plain:?}");
    set(ModerationMode::Pre).await?;
    let request = edit(id, &ann, "waits");
    let response = update(&say, &request).await?;
    ensure!(text(response.comment.as_ref()) == "at once", "{response:?}");
    ensure!(proposed(response.proposed_edit.as_ref()) == Some((1, "waits", ProposalState::Waiting)), "{response:?}");
    // Under another mode, a repeat has its first result, and a new edit drops what waits.
    set(ModerationMode::Unspecified).await?;
    ensure!(update(&say, &request).await? == response, "a repeat");
    let plain = update(&say, &edit(id, &ann, "latest")).await?;
    ensure!(text(plain.comment.as_ref()) == "latest" && plain.proposed_edit.is_none(), "{plain:?}");
    ensure!(read(&say, &ann, id).await?.proposed_edit.is_none() && unlisted(&say, &ann).await?.is_empty());
    let moderated = moderated(&fixture, id).await?;
    ensure!(moderated.causes.is_empty() && moderated.proposed_edit_etag.is_empty(), "{moderated:?}");
    ensure!(former(&say, id).await? == ["at once", "old"]);
    super::floors::verify(&fixture, &say).await
}

async fn an_author_lists_the_own_edits_that_wait(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let shown = [approved(&fixture, &say, &ann, "one").await?, approved(&fixture, &say, &ann, "two").await?];
    let waits = say.comment(&ann, "three").await?.id;
    for id in shown {
        update(&say, &edit(id, &ann, &format!("edit of {id}"))).await?;
    }
    let found = unlisted(&say, &ann).await?;
    let listed = |one: &UnlistedComment| {
        let id = one.comment.as_ref().map_or(0, |comment| comment.id);
        (id, one.proposed_edit.as_ref().map(|edit| text_of(edit).to_owned()))
    };
    let edited = |id: i64| (id, Some(format!("edit of {id}")));
    let expected = [(waits, None), edited(shown[1]), edited(shown[0])];
    ensure!(found.iter().map(listed).eq(expected), "{found:?}");
    ensure!(unlisted(&say, "ben").await?.is_empty());
    judge_edit(&fixture, ModerationAction::Approve, shown[0]).await?;
    let results = submit(&fixture, both(&fixture, &[shown[1], waits]).await?).await?;
    ensure!(decision(&results[0])?.proposed_edit && !decision(&results[1])?.proposed_edit, "{results:?}");
    ensure!(unlisted(&say, &ann).await?.is_empty());
    Ok(())
}

/// Returns the approval of an edit and of a text in one request.
async fn both(fixture: &Fixture, [edited, waiting]: &[i64; 2]) -> Result<SubmitVerdictsRequest> {
    let etags = (moderated(fixture, *edited).await?.proposed_edit_etag, moderated(fixture, *waiting).await?.etag);
    Ok(verdict(ModerationAction::Approve, &[(*edited, etags.0), (*waiting, etags.1)]))
}
