//! Masked words: what members, authors and moderators read of a text with words of a list that
//! masks.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    Automation, CommentSort, CommentState, CreateCommentRequest, Decision, Detection, ErrorReason,
    ListCommentRevisionsRequest, ModerationAction, ProposalState, UpdateCommentRequest,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, cases, refused};

use super::edits::judge_edit;
use super::policy::{code, decisions, edit, seen_by, statements, text, update};
use super::review::{judge, moderated, someone};

pub(crate) const CASES: &[Case] = cases![
    a_masked_text_is_read_by_all_and_its_original_by_moderators,
    a_text_is_masked_beside_a_weaker_or_stronger_outcome_but_not_if_it_is_rejected,
    a_repeat_of_a_masked_write_returns_its_first_result,
    a_masked_edit_that_waits_is_found_again_by_its_original,
    the_history_of_edits_has_masked_texts_alone,
];

/// The object type with a word list.
const LISTED: &str = "listed";

const SENT: &str = "a Masked-Word here";
const SHOWN: &str = "a *********** here";

/// Returns the text before words were masked, as moderators read it.
async fn original(fixture: &Fixture, id: i64) -> Result<Option<String>> {
    Ok(moderated(fixture, id).await?.original.map(|content| content.text))
}

fn actions(decisions: &[Decision]) -> Vec<ModerationAction> {
    decisions.iter().map(Decision::action).collect()
}

async fn a_masked_text_is_read_by_all_and_its_original_by_moderators(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let root = say.comment(&ann, SENT).await?;
    let reply = say.reply(root.id, &ann, SENT).await?;
    for made in [&root, &reply] {
        ensure!(made.state() == CommentState::Active && text(Some(made)) == SHOWN, "{made:?}");
        for viewer in [ann.as_str(), "ben", ""] {
            ensure!(text(Some(&seen_by(&say, viewer, made.id).await?)) == SHOWN, "{viewer}");
        }
        ensure!(original(&fixture, made.id).await?.as_deref() == Some(SENT));
        let found = decisions(&fixture, made.id).await?;
        ensure!(actions(&found) == [ModerationAction::Mask] && code(&found[0]) == "list.mask", "{found:?}");
        let grounds = found[0].grounds.clone().unwrap_or_default();
        ensure!(grounds.detection() == Detection::WordList && grounds.automation() == Automation::Full, "{found:?}");
        let [hit] = found[0].hits.as_slice() else { anyhow::bail!("{found:?}") };
        ensure!((hit.rule.as_str(), hit.start, hit.end, hit.dry_run) == ("m-1", 2, 13, false), "{hit:?}");
        let states = (found[0].from_state(), found[0].to_state());
        ensure!(states == (CommentState::Unspecified, CommentState::Active), "{found:?}");
        ensure!(moderated(&fixture, made.id).await?.causes.is_empty(), "nothing is left to judge");
    }
    ensure!(text(say.roots(CommentSort::Newest, 10).await?.first()) == SHOWN);
    let notified = statements(&say, &ann).await?;
    ensure!(notified.len() == 2, "{notified:?}");
    for statement in &notified {
        ensure!(statement.action() == ModerationAction::Mask && statement.code == "list.mask", "{statement:?}");
        ensure!(statement.appeal_until.is_none(), "{statement:?}");
    }
    ensure!(!format!("{notified:?}").contains("Masked-Word"));
    let plain = say.comment(&ann, "nothing masked").await?;
    ensure!(original(&fixture, plain.id).await?.is_none());
    Ok(())
}

async fn a_text_is_masked_beside_a_weaker_or_stronger_outcome_but_not_if_it_is_rejected(
    fixture: Fixture,
) -> Result<()> {
    use ModerationAction::{Flag, Hold, Mask, Reject};
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    for (word, state, acts) in [
        ("flagged-word", CommentState::Active, &[Flag, Mask][..]),
        ("held-word", CommentState::Pending, &[Hold, Mask]),
        ("rejected-word", CommentState::Rejected, &[Reject]),
    ] {
        let made = say.comment(&ann, &format!("masked-word {word}")).await?;
        let is_masked = state != CommentState::Rejected;
        let shown = if is_masked { format!("*********** {word}") } else { format!("masked-word {word}") };
        ensure!(made.state() == state && text(Some(&made)) == shown, "{made:?}");
        let found = decisions(&fixture, made.id).await?;
        ensure!(actions(&found) == acts, "{found:?}");
        ensure!(original(&fixture, made.id).await?.is_some() == is_masked, "{made:?}");
        ensure!(moderated(&fixture, made.id).await?.last_decision.as_ref() == found.first());
        if state == CommentState::Pending {
            judge(&fixture, ModerationAction::Approve, made.id).await?;
            ensure!(text(Some(&seen_by(&say, "ben", made.id).await?)) == shown, "an approval shows the masked text");
            ensure!(original(&fixture, made.id).await?.is_some());
        }
    }
    ensure!(say.comment(&ann, "masked-word refused-word").await.is_err());
    Ok(())
}

async fn a_repeat_of_a_masked_write_returns_its_first_result(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let request = CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: ann.clone(),
        content: content(SENT),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..CreateCommentRequest::default()
    };
    let first = say.client.comments().create_comment(request.clone()).await?.into_inner();
    let again = say.client.comments().create_comment(request.clone()).await?.into_inner();
    ensure!(first == again && text(first.comment.as_ref()) == SHOWN, "{first:?} {again:?}");
    // The body is the one that was sent, and not the one that is stored.
    let masked = CreateCommentRequest { content: content(SHOWN), ..request };
    let reused = refused(say.client.comments().create_comment(masked).await)?;
    ensure!(reused.1 == ErrorReason::RequestIdReused, "{reused:?}");
    Ok(())
}

async fn a_masked_edit_that_waits_is_found_again_by_its_original(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let root = say.comment(&ann, "in sight").await?;
    let request = edit(root.id, &ann, "a masked-word and a held-word");
    let first = update(&say, &request).await?;
    let proposed = first.proposed_edit.clone().context("no proposed edit")?;
    let shown = "a *********** and a held-word";
    ensure!(proposed.state() == ProposalState::Waiting, "{first:?}");
    ensure!(proposed.content.as_ref().is_some_and(|content| content.text == shown), "{first:?}");
    ensure!(actions(&decisions(&fixture, root.id).await?) == [ModerationAction::Hold, ModerationAction::Mask]);
    let again = update(&say, &request).await?;
    ensure!(again == first, "{again:?}");
    let masked = UpdateCommentRequest { content: content(shown), ..request.clone() };
    ensure!(refused(update(&say, &masked).await)?.1 == ErrorReason::RequestIdReused);
    ensure!(original(&fixture, root.id).await?.is_none(), "the text in sight is not masked");
    judge_edit(&fixture, ModerationAction::Approve, root.id).await?;
    ensure!(text(Some(&seen_by(&say, "ben", root.id).await?)) == shown);
    ensure!(original(&fixture, root.id).await?.as_deref() == Some("a masked-word and a held-word"));
    Ok(())
}

async fn the_history_of_edits_has_masked_texts_alone(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let root = say.comment(&ann, SENT).await?;
    let second = update(&say, &edit(root.id, &ann, "another masked-word")).await?;
    ensure!(text(second.comment.as_ref()) == "another ***********" && second.proposed_edit.is_none(), "{second:?}");
    ensure!(original(&fixture, root.id).await?.as_deref() == Some("another masked-word"));
    ensure!(text(update(&say, &edit(root.id, &ann, "plain")).await?.comment.as_ref()) == "plain");
    ensure!(original(&fixture, root.id).await?.is_none(), "the original belongs to the former text");
    let request = ListCommentRevisionsRequest { id: root.id, ..ListCommentRevisionsRequest::default() };
    let history = say.client.comments().list_comment_revisions(request).await?.into_inner();
    let shown = format!("{history:?}");
    ensure!(shown.contains(SHOWN) && shown.contains("another ***********"), "{shown}");
    ensure!(!shown.to_lowercase().contains("masked-word"), "{shown}");
    Ok(())
}
