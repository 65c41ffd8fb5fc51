//! Word lists on writes: what each outcome makes of a new text and of an edit, and what authors,
//! moderators and others read of it.

use anyhow::{Context, Result, ensure};
use riposte_sdk::Error;
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::{
    Automation, Comment, CommentSort, CommentState, CreateCommentRequest, Decision, Detection, ErrorReason,
    GetCommentRequest, ListDecisionsRequest, ListOwnDecisionsRequest, ModerationAction, ProposalState, ReviewCause,
    Statement, UpdateCommentRequest, UpdateCommentResponse,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::{Code, Status};

use super::review::{ids, judge, moderated, of_member, queue, someone};

pub(crate) const CASES: &[Case] = cases![
    a_new_text_that_a_list_holds_waits_with_a_decision_of_the_policy,
    a_new_text_that_a_list_rejects_is_its_authors_alone_and_may_be_appealed,
    a_text_that_a_list_refuses_is_not_stored_and_names_the_rule,
    a_flagged_text_is_in_sight_and_in_the_queue,
    an_allowed_word_and_another_object_type_have_no_effect,
    edits_of_a_text_in_sight_follow_the_lists,
    edits_of_a_text_that_waits_follow_the_lists,
    a_repeat_of_a_write_that_a_list_judged_returns_its_first_result,
];

/// The object type with a word list.
const LISTED: &str = "listed";

pub(crate) async fn decisions(fixture: &Fixture, id: i64) -> Result<Vec<Decision>> {
    let request = ListDecisionsRequest { of: Some(Of::CommentId(id)), ..ListDecisionsRequest::default() };
    Ok(fixture.server.moderation()?.list_decisions(request).await?.into_inner().decisions)
}

/// Returns the only decision on a comment, which the policy took.
async fn of_policy(fixture: &Fixture, id: i64) -> Result<Decision> {
    let [decision] = <[Decision; 1]>::try_from(decisions(fixture, id).await?)
        .map_err(|found| anyhow::anyhow!("not one decision: {found:?}"))?;
    check_policy(&decision)?;
    Ok(decision)
}

/// Checks what each decision of a word list has.
fn check_policy(decision: &Decision) -> Result<()> {
    let grounds = decision.grounds.clone().unwrap_or_default();
    ensure!(decision.actor_id.is_empty() && decision.first_hit().is_some(), "{decision:?}");
    ensure!(grounds.detection() == Detection::WordList && grounds.automation() == Automation::Full, "{decision:?}");
    Ok(())
}

trait Hits {
    /// Returns list, entry and span of the first finding, if the finding is complete.
    fn first_hit(&self) -> Option<(&str, &str, i32, i32)>;
}

impl Hits for Decision {
    fn first_hit(&self) -> Option<(&str, &str, i32, i32)> {
        let hit = self.hits.first().filter(|hit| hit.version.len() == 16 && !hit.dry_run)?;
        Some((&hit.source, &hit.rule, hit.start, hit.end))
    }
}

pub(crate) fn code(decision: &Decision) -> &str {
    decision.grounds.as_ref().map_or("", |grounds| &grounds.code)
}

pub(crate) async fn statements(say: &Say, member: &str) -> Result<Vec<Statement>> {
    let request = ListOwnDecisionsRequest {
        object_type: say.key.object_type.clone(),
        member_id: member.to_owned(),
        ..ListOwnDecisionsRequest::default()
    };
    Ok(say.client.reports().list_own_decisions(request).await?.into_inner().statements)
}

pub(crate) async fn seen_by(say: &Say, viewer: &str, id: i64) -> Result<Comment, Status> {
    let request = GetCommentRequest { id, viewer_member_id: viewer.into(), ..GetCommentRequest::default() };
    Ok(say.client.comments().get_comment(request).await?.into_inner().comment.unwrap_or_default())
}

pub(crate) fn edit(id: i64, member: &str, text: &str) -> UpdateCommentRequest {
    let request_id = uuid::Uuid::now_v7().to_string();
    UpdateCommentRequest {
        id,
        member_id: member.to_owned(),
        content: content(text),
        request_id,
        ..UpdateCommentRequest::default()
    }
}

pub(crate) async fn update(say: &Say, request: &UpdateCommentRequest) -> Result<UpdateCommentResponse, Status> {
    Ok(say.client.comments().update_comment(request.clone()).await?.into_inner())
}

pub(crate) fn text(comment: Option<&Comment>) -> &str {
    comment.and_then(|comment| comment.content.as_ref()).map_or("", |content| &content.text)
}

async fn a_new_text_that_a_list_holds_waits_with_a_decision_of_the_policy(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let root = say.comment("ben", "a root").await?;
    ensure!(root.state() == CommentState::Active, "{root:?}");
    ensure!(decisions(&fixture, root.id).await?.is_empty(), "a plain text has no decision");
    for (made, span) in
        [(say.comment(&ann, "a HELD-word").await?, (2, 11)), (say.reply(root.id, &ann, "held-word").await?, (0, 9))]
    {
        ensure!(made.state() == CommentState::Pending && !text(Some(&made)).is_empty(), "{made:?}");
        let hidden = refused(seen_by(&say, "ben", made.id).await)?;
        ensure!(hidden == (Code::NotFound, ErrorReason::CommentNotFound), "{hidden:?}");
        let decision = of_policy(&fixture, made.id).await?;
        ensure!(decision.action() == ModerationAction::Hold && code(&decision) == "list.hold", "{decision:?}");
        let states = (decision.from_state(), decision.to_state());
        ensure!(states == (CommentState::Unspecified, CommentState::Pending), "{decision:?}");
        let (start, end) = span;
        ensure!(decision.first_hit() == Some(("listed", "h-1", start, end)), "{decision:?}");
        let item = moderated(&fixture, made.id).await?;
        ensure!(item.causes == [i32::from(ReviewCause::New)], "{item:?}");
        ensure!(item.last_decision == Some(decision), "{item:?}");
    }
    ensure!(say.roots(CommentSort::Newest, 10).await?.len() == 1);
    let notified = statements(&say, &ann).await?;
    ensure!(
        notified.len() == 2 && notified.iter().all(|statement| statement.action() == ModerationAction::Hold),
        "{notified:?}"
    );
    ensure!(notified.iter().all(|statement| statement.code == "list.hold" && statement.appeal_until.is_none()));
    let waiting = queue(&fixture, of_member(LISTED, &ann)).await?;
    for id in ids(&waiting) {
        judge(&fixture, ModerationAction::Approve, id).await?;
        let shown = seen_by(&say, "ben", id).await?;
        ensure!(shown.state() == CommentState::Active && !text(Some(&shown)).is_empty(), "{shown:?}");
    }
    ensure!(waiting.len() == 2 && queue(&fixture, of_member(LISTED, &ann)).await?.is_empty());
    Ok(())
}

async fn a_new_text_that_a_list_rejects_is_its_authors_alone_and_may_be_appealed(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let root = say.comment("ben", "a root").await?;
    for made in
        [say.comment(&ann, "a rejected-word").await?, say.reply(root.id, &ann, "a held-word, a rejected-word").await?]
    {
        ensure!(made.state() == CommentState::Rejected && !text(Some(&made)).is_empty(), "{made:?}");
        ensure!(refused(seen_by(&say, "ben", made.id).await)?.1 == ErrorReason::CommentNotFound);
        ensure!(seen_by(&say, &ann, made.id).await?.state() == CommentState::Rejected);
        let decision = of_policy(&fixture, made.id).await?;
        ensure!(decision.action() == ModerationAction::Reject && code(&decision) == "list.reject", "{decision:?}");
        ensure!(decision.to_state() == CommentState::Rejected, "{decision:?}");
        ensure!(decision.from_state() == CommentState::Unspecified && decision.appeal_until.is_some(), "{decision:?}");
        ensure!(decision.first_hit().is_some_and(|(_, rule, ..)| rule == "j-1"), "{decision:?}");
        ensure!(moderated(&fixture, made.id).await?.causes.is_empty(), "nothing is left to judge");
    }
    let notified = statements(&say, &ann).await?;
    ensure!(notified.len() == 2 && notified.iter().all(|statement| statement.appeal_until.is_some()), "{notified:?}");
    let appeal = riposte_sdk::v1::AppealDecisionRequest {
        decision_id: notified[0].id.clone(),
        member_id: ann.clone(),
        text: "It is a quotation.".to_owned(),
        request_id: uuid::Uuid::now_v7().to_string(),
    };
    say.client.reports().appeal_decision(appeal).await?;
    let waiting = queue(&fixture, of_member(LISTED, &ann)).await?;
    ensure!(ids(&waiting) == [notified[0].comment_id], "{waiting:?}");
    judge(&fixture, ModerationAction::Approve, notified[0].comment_id).await?;
    ensure!(seen_by(&say, "ben", notified[0].comment_id).await?.state() == CommentState::Active);
    Ok(())
}

async fn a_text_that_a_list_refuses_is_not_stored_and_names_the_rule(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let root = say.comment(&ann, "a root").await?;
    let rejections = [
        say.comment(&ann, "a refused-word").await.map(drop),
        say.reply(root.id, &ann, "a refused-word, a rejected-word").await.map(drop),
        update(&say, &edit(root.id, &ann, "Refused-Word")).await.map(drop),
    ];
    for rejection in rejections {
        let error = Error::from(rejection.err().context("not refused")?);
        ensure!(error.reason() == ErrorReason::ContentBlocked, "{error:?}");
        ensure!(error.metadata().get("rule").is_some_and(|rule| rule == "list.refuse"), "{error:?}");
        ensure!(error.violations().iter().map(|violation| violation.field.as_str()).eq(["content.text"]), "{error:?}");
        ensure!(!format!("{error:?}").contains("refused-word"), "{error:?}");
    }
    let shown = say.roots(CommentSort::Newest, 10).await?;
    ensure!(shown == [root.clone()] && shown[0].reply_count == 0, "{shown:?}");
    ensure!(decisions(&fixture, root.id).await?.is_empty() && statements(&say, &ann).await?.is_empty());
    // A refused request uses its id up for nothing.
    let request = edit(root.id, &ann, "refused-word");
    ensure!(refused(update(&say, &request).await)?.0 == Code::InvalidArgument);
    let sound = UpdateCommentRequest { content: content("another text"), ..request };
    ensure!(text(update(&say, &sound).await?.comment.as_ref()) == "another text");
    Ok(())
}

async fn a_flagged_text_is_in_sight_and_in_the_queue(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let root = say.comment(&ann, "a flagged-word").await?;
    let reply = say.reply(root.id, &ann, "a flagged-word").await?;
    for made in [&root, &reply] {
        ensure!(made.state() == CommentState::Active, "{made:?}");
        ensure!(text(Some(&seen_by(&say, "ben", made.id).await?)) == "a flagged-word");
        let decision = of_policy(&fixture, made.id).await?;
        ensure!(decision.action() == ModerationAction::Flag && code(&decision) == "list.flag", "{decision:?}");
        ensure!(decision.to_state() == CommentState::Active && decision.appeal_until.is_none(), "{decision:?}");
        let item = moderated(&fixture, made.id).await?;
        ensure!(item.causes == [i32::from(ReviewCause::Flag)], "{item:?}");
    }
    ensure!(queue(&fixture, of_member(LISTED, &ann)).await?.len() == 2);
    ensure!(statements(&say, &ann).await?.is_empty(), "authors do not read that a text was flagged");
    let shown = say.roots(CommentSort::Newest, 10).await?;
    ensure!(shown.len() == 1 && shown[0].reply_count == 1, "{shown:?}");
    judge(&fixture, ModerationAction::Keep, root.id).await?;
    judge(&fixture, ModerationAction::Reject, reply.id).await?;
    ensure!(queue(&fixture, of_member(LISTED, &ann)).await?.is_empty());
    ensure!(seen_by(&say, "ben", reply.id).await?.state() == CommentState::Hidden);
    Ok(())
}

async fn an_allowed_word_and_another_object_type_have_no_effect(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let allowed = say.comment(&ann, "a held-word of honour").await?;
    ensure!(allowed.state() == CommentState::Active && decisions(&fixture, allowed.id).await?.is_empty());
    let beside = say.comment(&ann, "a held-word of honour and a held-word").await?;
    ensure!(beside.state() == CommentState::Pending, "{beside:?}");
    let other = Say::on(&fixture.client, "article");
    for word in ["refused-word", "rejected-word", "held-word"] {
        let made = other.comment(&ann, word).await?;
        ensure!(made.state() == CommentState::Active && decisions(&fixture, made.id).await?.is_empty(), "{made:?}");
    }
    Ok(())
}

async fn edits_of_a_text_in_sight_follow_the_lists(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let id = say.comment(&ann, "in sight").await?.id;
    let held = update(&say, &edit(id, &ann, "a held-word")).await?;
    let state = |response: &UpdateCommentResponse| response.proposed_edit.as_ref().map(|edit| edit.state());
    ensure!(text(held.comment.as_ref()) == "in sight" && state(&held) == Some(ProposalState::Waiting), "{held:?}");
    let decision = of_policy(&fixture, id).await?;
    ensure!(decision.action() == ModerationAction::Hold && decision.proposed_edit, "{decision:?}");
    let states = (decision.from_state(), decision.to_state());
    ensure!(states == (CommentState::Active, CommentState::Active) && code(&decision) == "list.hold", "{decision:?}");
    ensure!(moderated(&fixture, id).await?.causes == [i32::from(ReviewCause::Edit)]);
    let rejected = update(&say, &edit(id, &ann, "a rejected-word")).await?;
    ensure!(text(rejected.comment.as_ref()) == "in sight", "{rejected:?}");
    ensure!(state(&rejected) == Some(ProposalState::Rejected), "{rejected:?}");
    let decision = decisions(&fixture, id).await?.into_iter().next().context("no decision")?;
    check_policy(&decision)?;
    ensure!(decision.action() == ModerationAction::Reject && decision.proposed_edit, "{decision:?}");
    ensure!(moderated(&fixture, id).await?.causes.is_empty());
    let flagged = update(&say, &edit(id, &ann, "a flagged-word")).await?;
    ensure!(text(flagged.comment.as_ref()) == "a flagged-word" && flagged.proposed_edit.is_none(), "{flagged:?}");
    let log = decisions(&fixture, id).await?;
    ensure!(log.len() == 3 && log[0].action() == ModerationAction::Flag && !log[0].proposed_edit, "{log:?}");
    ensure!(moderated(&fixture, id).await?.causes == [i32::from(ReviewCause::Flag)]);
    let notified: Vec<_> = statements(&say, &ann).await?.iter().map(|s| (s.action(), s.proposed_edit)).collect();
    ensure!(notified == [(ModerationAction::Reject, true), (ModerationAction::Hold, true)], "{notified:?}");
    let plain = update(&say, &edit(id, &ann, "plain")).await?;
    ensure!(text(plain.comment.as_ref()) == "plain" && decisions(&fixture, id).await?.len() == 3, "{plain:?}");
    Ok(())
}

async fn edits_of_a_text_that_waits_follow_the_lists(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let id = say.comment(&ann, "a held-word").await?.id;
    let state = |response: &UpdateCommentResponse| response.comment.as_ref().map(|comment| comment.state());
    let plain = update(&say, &edit(id, &ann, "plain")).await?;
    ensure!(state(&plain) == Some(CommentState::Pending), "an edit is no way out: {plain:?}");
    let rejected = update(&say, &edit(id, &ann, "a rejected-word")).await?;
    ensure!(state(&rejected) == Some(CommentState::Rejected), "{rejected:?}");
    let log = decisions(&fixture, id).await?;
    ensure!(log.len() == 2 && log[0].action() == ModerationAction::Reject && !log[0].proposed_edit, "{log:?}");
    check_policy(&log[0])?;
    ensure!((log[0].from_state(), log[0].to_state()) == (CommentState::Pending, CommentState::Rejected), "{log:?}");
    let sound = update(&say, &edit(id, &ann, "better")).await?;
    ensure!(state(&sound) == Some(CommentState::Pending) && decisions(&fixture, id).await?.len() == 2, "{sound:?}");
    judge(&fixture, ModerationAction::Approve, id).await?;
    ensure!(text(Some(&seen_by(&say, "ben", id).await?)) == "better");
    Ok(())
}

async fn a_repeat_of_a_write_that_a_list_judged_returns_its_first_result(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    for (word, state) in [("held-word", CommentState::Pending), ("rejected-word", CommentState::Rejected)] {
        let request = CreateCommentRequest {
            subject: Some(say.key.clone()),
            member_id: ann.clone(),
            content: content(word),
            request_id: uuid::Uuid::now_v7().to_string(),
            ..CreateCommentRequest::default()
        };
        let first = say.client.comments().create_comment(request.clone()).await?.into_inner();
        ensure!(first.comment.as_ref().is_some_and(|comment| comment.state() == state), "{first:?}");
        let again = say.client.comments().create_comment(request.clone()).await?.into_inner();
        ensure!(again == first, "{again:?}");
        ensure!(decisions(&fixture, first.comment.unwrap_or_default().id).await?.len() == 1, "one decision");
        let other = CreateCommentRequest { content: content("refused-word"), ..request };
        let reused = say.client.comments().create_comment(other).await;
        ensure!(refused(reused)?.1 == ErrorReason::RequestIdReused, "the id belongs to another text");
    }
    Ok(())
}
