//! Modes: the new comments that wait for review under a type and under a subject.

use anyhow::{Context, Result, ensure};
use riposte_sdk::Error;
use riposte_sdk::v1::{
    Comment, CommentState, ErrorReason, ModerationAction, ModerationMode, ProposalState, ReviewCause,
    SetSubjectModeRequest, SetSubjectModeResponse, Subject, SubjectKey, SubjectState, UpdateSubjectRequest,
};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::{Code, Status};

use super::policy::{decisions, edit, text, update};
use super::review::{judge, moderated, someone};
use super::rules::until_public;

pub(crate) const CASES: &[Case] = cases![
    texts_of_a_new_member_wait_until_enough_of_them_are_public,
    a_moderator_makes_a_subject_stricter_and_only_a_moderator_loosens_it,
    a_subject_may_hold_new_members_where_the_type_counts_comments,
    a_mode_is_set_once_by_a_request_and_wrong_requests_set_none,
];

/// The type in which the texts of new members wait, and the one whose subjects may have that mode.
const WELCOMED: &str = "welcomed";
const COUNTED: &str = "counted";

fn order(key: &SubjectKey, mode: ModerationMode) -> SetSubjectModeRequest {
    SetSubjectModeRequest {
        subject: Some(key.clone()),
        mode: mode.into(),
        moderator_id: "secret-moderator".to_owned(),
        request_id: uuid::Uuid::now_v7().to_string(),
    }
}

async fn send(fixture: &Fixture, request: &SetSubjectModeRequest) -> Result<SetSubjectModeResponse, Status> {
    let mut service = fixture.server.policy().map_err(|error| Status::unknown(error.to_string()))?;
    Ok(service.set_subject_mode(request.clone()).await?.into_inner())
}

async fn set(fixture: &Fixture, say: &Say, mode: ModerationMode) -> Result<Subject, Status> {
    Ok(send(fixture, &order(&say.key, mode)).await?.subject.unwrap_or_default())
}

/// Changes the mode of a subject as its owner does.
async fn update_mode(say: &Say, mode: ModerationMode) -> Result<Subject, Status> {
    let subject = Subject { key: Some(say.key.clone()), moderation_mode: mode.into(), ..Subject::default() };
    change(say, subject, "moderation_mode").await
}

async fn change(say: &Say, subject: Subject, field: &str) -> Result<Subject, Status> {
    let update_mask = Some(prost_types::FieldMask { paths: vec![field.to_owned()] });
    let request = UpdateSubjectRequest { subject: Some(subject), update_mask, ..UpdateSubjectRequest::default() };
    Ok(say.client.subjects().update_subject(request).await?.into_inner().subject.unwrap_or_default())
}

/// Checks that an error is a conflict with the mode of the subject.
fn check_conflict<T: std::fmt::Debug>(result: Result<T, Status>) -> Result<()> {
    let error = Error::from(result.err().context("not refused")?);
    ensure!((error.reason(), error.code()) == (ErrorReason::StateConflict, Code::FailedPrecondition), "{error:?}");
    ensure!(error.metadata().get("why").is_some_and(|cause| cause == "mode"), "{error:?}");
    Ok(())
}

/// Checks that a comment waits for the mode alone.
async fn check_held(fixture: &Fixture, made: &Comment) -> Result<()> {
    ensure!(made.state() == CommentState::Pending, "{made:?}");
    ensure!(decisions(fixture, made.id).await?.is_empty(), "a mode writes no decision");
    ensure!(moderated(fixture, made.id).await?.causes == [i32::from(ReviewCause::New)]);
    Ok(())
}

async fn texts_of_a_new_member_wait_until_enough_of_them_are_public(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, WELCOMED), someone());
    let first = say.comment(&ann, "first").await?;
    check_held(&fixture, &first).await?;
    judge(&fixture, ModerationAction::Approve, first.id).await?;
    until_public(&say, &ann, 1).await?;
    // One public comment is fewer than two: replies and edits wait too.
    let second = say.reply(first.id, &ann, "second").await?;
    check_held(&fixture, &second).await?;
    let edited = update(&say, &edit(first.id, &ann, "edited")).await?;
    let proposed = edited.proposed_edit.as_ref().map(|edit| edit.state());
    ensure!(text(edited.comment.as_ref()) == "first" && proposed == Some(ProposalState::Waiting), "{edited:?}");
    judge(&fixture, ModerationAction::Approve, second.id).await?;
    until_public(&say, &ann, 2).await?;
    for made in [say.comment(&ann, "third").await?, say.reply(first.id, &ann, "fourth").await?] {
        ensure!(made.state() == CommentState::Active, "{made:?}");
    }
    let edited = update(&say, &edit(first.id, &ann, "at once")).await?;
    ensure!(text(edited.comment.as_ref()) == "at once" && edited.proposed_edit.is_none(), "{edited:?}");
    // Another member is new, and so is this one under another type.
    check_held(&fixture, &say.comment(&someone(), "hello").await?).await?;
    super::floors::verify(&fixture, &say).await
}

async fn a_moderator_makes_a_subject_stricter_and_only_a_moderator_loosens_it(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    let first = say.comment(&ann, "before").await?;
    ensure!(first.state() == CommentState::Active, "{first:?}");
    let strict = set(&fixture, &say, ModerationMode::Pre).await?;
    ensure!(strict.moderation_mode() == ModerationMode::Pre && !strict.etag.is_empty(), "{strict:?}");
    let root = say.comment(&ann, "root").await?;
    check_held(&fixture, &root).await?;
    check_held(&fixture, &say.reply(first.id, &ann, "reply").await?).await?;
    for looser in [ModerationMode::Unspecified, ModerationMode::Post] {
        check_conflict(update_mode(&say, looser).await)?;
    }
    ensure!(update_mode(&say, ModerationMode::Pre).await?.moderation_mode() == ModerationMode::Pre);
    let key = Some(say.key.clone());
    let closed = Subject { key, state: SubjectState::ReadOnly.into(), ..Subject::default() };
    let closed = change(&say, closed, "state").await?;
    ensure!(closed.moderation_mode() == ModerationMode::Pre, "another change leaves the mode as it is");
    let open = Subject { state: SubjectState::Active.into(), ..closed };
    change(&say, Subject { etag: String::new(), ..open }, "state").await?;
    ensure!(set(&fixture, &say, ModerationMode::Unspecified).await?.moderation_mode() == ModerationMode::Unspecified);
    ensure!(say.comment(&ann, "after").await?.state() == CommentState::Active);
    ensure!(moderated(&fixture, root.id).await?.comment.unwrap_or_default().state() == CommentState::Pending);
    // Now the mode is the caller's again.
    for mode in [ModerationMode::Pre, ModerationMode::Unspecified] {
        ensure!(update_mode(&say, mode).await?.moderation_mode() == mode);
    }
    super::floors::verify(&fixture, &say).await
}

async fn a_subject_may_hold_new_members_where_the_type_counts_comments(fixture: Fixture) -> Result<()> {
    let ann = someone();
    let plain = Say::on(&fixture.client, "article");
    plain.comment(&ann, "hello").await?;
    check_conflict(set(&fixture, &plain, ModerationMode::PreNewMembers).await)?;
    check_conflict(update_mode(&plain, ModerationMode::PreNewMembers).await)?;
    let (before, strict) = (Say::on(&fixture.client, COUNTED), Say::on(&fixture.client, COUNTED));
    for n in 0..3 {
        ensure!(before.comment(&ann, &format!("comment {n}")).await?.state() == CommentState::Active);
    }
    let ben = someone();
    ensure!(strict.comment(&ben, "the first one").await?.state() == CommentState::Active);
    let mode = set(&fixture, &strict, ModerationMode::PreNewMembers).await?.moderation_mode();
    ensure!(mode == ModerationMode::PreNewMembers, "{mode:?}");
    check_held(&fixture, &strict.comment(&ben, "the second one").await?).await?;
    until_public(&before, &ann, 3).await?;
    ensure!(strict.comment(&ann, "not new").await?.state() == CommentState::Active);
    // Under the other subject no comment waits.
    ensure!(before.comment(&someone(), "new").await?.state() == CommentState::Active);
    // An owner may make it stricter, and cannot make it looser.
    update_mode(&strict, ModerationMode::Pre).await?;
    check_held(&fixture, &strict.comment(&ann, "waits").await?).await?;
    check_conflict(update_mode(&strict, ModerationMode::PreNewMembers).await)?;
    super::floors::verify(&fixture, &strict).await
}

async fn a_mode_is_set_once_by_a_request_and_wrong_requests_set_none(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let absent = refused(set(&fixture, &say, ModerationMode::Pre).await)?;
    ensure!(absent == (Code::NotFound, ErrorReason::SubjectNotFound), "{absent:?}");
    say.comment("ann", "hello").await?;
    let request = order(&say.key, ModerationMode::Pre);
    let first = send(&fixture, &request).await?;
    let loose = set(&fixture, &say, ModerationMode::Unspecified).await?;
    let again = send(&fixture, &request).await?;
    ensure!(again.subject_revision == first.subject_revision, "{again:?}");
    ensure!(again.subject.unwrap_or_default().etag == loose.etag, "a repeat sets nothing");
    let other = SetSubjectModeRequest { mode: ModerationMode::Post.into(), ..request };
    let reused = refused(send(&fixture, &other).await)?;
    ensure!(reused.1 == ErrorReason::RequestIdReused, "{reused:?}");
    let held = Say::on(&fixture.client, "held");
    held.comment("ann", "waits").await?;
    let wrong = [
        order(&held.key, ModerationMode::Post),
        order(&held.key, ModerationMode::PreNewMembers),
        SetSubjectModeRequest { mode: 99, ..order(&say.key, ModerationMode::Pre) },
        SetSubjectModeRequest { moderator_id: String::new(), ..order(&say.key, ModerationMode::Pre) },
        SetSubjectModeRequest { subject: None, ..order(&say.key, ModerationMode::Pre) },
    ];
    for request in wrong {
        let found = refused(send(&fixture, &request).await)?;
        ensure!(found == (Code::InvalidArgument, ErrorReason::FieldInvalid), "{request:?}: {found:?}");
    }
    Ok(())
}
