//! Rules on writes: what a text with these facts becomes, and what its decision says.

use anyhow::{Context, Result, ensure};
use riposte_sdk::Error;
use riposte_sdk::v1::{
    Automation, Comment, CommentState, Content, CreateCommentRequest, Decision, Detection, ErrorReason,
    ListMemberCommentsRequest, ModerationAction, ProposalState, ReviewCause,
};
use riposte_tests::{Case, Fixture, Say, cases, refused, until};
use tonic::Status;

use super::policy::{code, decisions, edit, seen_by, statements, text, update};
use super::review::{moderated, someone};

pub(crate) const CASES: &[Case] = cases![
    a_text_of_which_all_terms_are_true_waits_by_its_rule,
    a_rule_rejects_or_refuses_a_text_and_names_its_code,
    the_stronger_of_a_list_and_a_rule_decides_and_both_are_findings,
    a_rule_in_dry_run_is_a_finding_without_effect,
    edits_have_the_same_details_and_one_of_their_own,
    rules_about_new_members_end_with_their_first_public_comments,
];

/// The object type with rules and a word list.
const RULED: &str = "ruled";

/// Two links in a short text.
const LINKS: &str = "a.com b.com";

fn mentioning(say: &Say, member: &str, count: usize) -> CreateCommentRequest {
    let mentioned_member_ids = (0..count).map(|n| format!("m{n}")).collect();
    let content = Content { text: "hello".to_owned(), mentioned_member_ids, ..Content::default() };
    let request_id = uuid::Uuid::now_v7().to_string();
    CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: member.to_owned(),
        content: Some(content),
        request_id,
        ..CreateCommentRequest::default()
    }
}

async fn create(say: &Say, request: CreateCommentRequest) -> Result<Comment, Status> {
    Ok(say.client.comments().create_comment(request).await?.into_inner().comment.unwrap_or_default())
}

/// Returns rule and effect of each finding of a decision.
fn found(decision: &Decision) -> Vec<(&str, bool)> {
    decision.hits.iter().map(|hit| (hit.rule.as_str(), hit.dry_run)).collect()
}

/// Checks what each decision of a rule has.
fn check_rule(decision: &Decision, action: ModerationAction, its_code: &str) -> Result<()> {
    let grounds = decision.grounds.clone().unwrap_or_default();
    ensure!(decision.action() == action && code(decision) == its_code, "{decision:?}");
    ensure!(decision.actor_id.is_empty(), "{decision:?}");
    ensure!(grounds.detection() == Detection::Rule && grounds.automation() == Automation::Full, "{decision:?}");
    let hit = decision.hits.first().context("no finding")?;
    ensure!(hit.source == "policy.rule" && hit.version.len() == 16 && (hit.start, hit.end) == (0, 0), "{decision:?}");
    Ok(())
}

async fn newest(fixture: &Fixture, id: i64) -> Result<Decision> {
    decisions(fixture, id).await?.into_iter().next().context("no decision")
}

async fn a_text_of_which_all_terms_are_true_waits_by_its_rule(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, RULED), someone());
    let root = say.comment("ben", "a.com").await?;
    ensure!(root.state() == CommentState::Active && decisions(&fixture, root.id).await?.is_empty(), "{root:?}");
    for made in [say.comment(&ann, LINKS).await?, say.reply(root.id, &ann, LINKS).await?] {
        ensure!(made.state() == CommentState::Pending, "{made:?}");
        let hidden = refused(seen_by(&say, "ben", made.id).await)?;
        ensure!(hidden.1 == ErrorReason::CommentNotFound, "{hidden:?}");
        let decision = newest(&fixture, made.id).await?;
        check_rule(&decision, ModerationAction::Hold, "rule.links")?;
        ensure!(found(&decision) == [("links", false)], "{decision:?}");
        ensure!(moderated(&fixture, made.id).await?.causes == [i32::from(ReviewCause::New)]);
    }
    let notified = statements(&say, &ann).await?;
    ensure!(notified.len() == 2 && notified.iter().all(|statement| statement.code == "rule.links"), "{notified:?}");
    // The second term is false.
    let long = say.comment(&ann, &format!("{LINKS}{}", " and more".repeat(12))).await?;
    ensure!(long.state() == CommentState::Active, "{long:?}");
    // Another type has no rules.
    let made = Say::on(&fixture.client, "article").comment(&ann, LINKS).await?;
    ensure!(made.state() == CommentState::Active && decisions(&fixture, made.id).await?.is_empty(), "{made:?}");
    Ok(())
}

async fn a_rule_rejects_or_refuses_a_text_and_names_its_code(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, RULED), someone());
    let made = say.comment(&ann, "nooooooooooo").await?;
    ensure!(made.state() == CommentState::Rejected, "{made:?}");
    let decision = newest(&fixture, made.id).await?;
    check_rule(&decision, ModerationAction::Reject, "rule.run")?;
    ensure!(decision.appeal_until.is_some(), "{decision:?}");
    ensure!(create(&say, mentioning(&say, &ann, 2)).await?.state() == CommentState::Active);
    let request = mentioning(&say, &ann, 3);
    let error = Error::from(create(&say, request.clone()).await.err().context("not refused")?);
    ensure!(error.reason() == ErrorReason::ContentBlocked, "{error:?}");
    ensure!(error.metadata().get("rule").is_some_and(|rule| rule == "rule.crowd"), "{error:?}");
    // A refused request uses its id up for nothing.
    let fewer = CreateCommentRequest { request_id: request.request_id, ..mentioning(&say, &ann, 1) };
    ensure!(create(&say, fewer).await?.state() == CommentState::Active);
    Ok(())
}

async fn the_stronger_of_a_list_and_a_rule_decides_and_both_are_findings(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, RULED), someone());
    for (sent, action, its_code, hits) in [
        ("a flagged-word a.com b.com", ModerationAction::Hold, "rule.links", ["links", "f-1"]),
        ("a held-word a.com b.com", ModerationAction::Hold, "list.hold", ["h-1", "links"]),
        ("rejected-word a.com b.com", ModerationAction::Reject, "list.reject", ["j-1", "links"]),
    ] {
        let made = say.comment(&ann, sent).await?;
        let decision = newest(&fixture, made.id).await?;
        ensure!((decision.action(), code(&decision)) == (action, its_code), "{decision:?}");
        let by_rule = decision.grounds.as_ref().is_some_and(|grounds| grounds.detection() == Detection::Rule);
        ensure!(by_rule == (its_code == "rule.links"), "{decision:?}");
        let live: Vec<_> = found(&decision).into_iter().filter(|(_, dry_run)| !dry_run).map(|(rule, _)| rule).collect();
        ensure!(live == hits, "{decision:?}");
        ensure!(decisions(&fixture, made.id).await?.len() == 1, "the policy decides once");
    }
    Ok(())
}

async fn a_rule_in_dry_run_is_a_finding_without_effect(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, RULED), someone());
    let made = say.comment(&ann, "a text of twenty code points and more").await?;
    ensure!(made.state() == CommentState::Active && decisions(&fixture, made.id).await?.is_empty(), "{made:?}");
    let held = say.comment(&ann, "a.com b.com and some more words").await?;
    let decision = newest(&fixture, held.id).await?;
    check_rule(&decision, ModerationAction::Hold, "rule.links")?;
    ensure!(found(&decision) == [("links", false), ("tried", true)], "{decision:?}");
    Ok(())
}

async fn edits_have_the_same_details_and_one_of_their_own(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, RULED), someone());
    let root = say.comment(&ann, "abc").await?;
    ensure!(root.state() == CommentState::Active && decisions(&fixture, root.id).await?.is_empty(), "{root:?}");
    let held = update(&say, &edit(root.id, &ann, LINKS)).await?;
    let proposed = held.proposed_edit.as_ref().map(|edit| edit.state());
    ensure!(text(held.comment.as_ref()) == "abc" && proposed == Some(ProposalState::Waiting), "{held:?}");
    let decision = newest(&fixture, root.id).await?;
    check_rule(&decision, ModerationAction::Hold, "rule.links")?;
    ensure!(decision.proposed_edit, "{decision:?}");
    let flagged = update(&say, &edit(root.id, &ann, "def")).await?;
    ensure!(text(flagged.comment.as_ref()) == "def", "{flagged:?}");
    check_rule(&newest(&fixture, root.id).await?, ModerationAction::Flag, "rule.edit")?;
    ensure!(moderated(&fixture, root.id).await?.causes == [i32::from(ReviewCause::Flag)]);
    ensure!(text(update(&say, &edit(root.id, &ann, "long enough")).await?.comment.as_ref()) == "long enough");
    ensure!(decisions(&fixture, root.id).await?.len() == 2);
    Ok(())
}

/// Waits until the history of a member has this number of public comments, which rules count.
pub(crate) async fn until_public(say: &Say, member: &str, count: usize) -> Result<()> {
    let request = ListMemberCommentsRequest {
        object_type: say.key.object_type.clone(),
        member_id: member.to_owned(),
        ..ListMemberCommentsRequest::default()
    };
    until("the history is complete", || async {
        let listed = say.client.comments().list_member_comments(request.clone()).await?.into_inner();
        Ok(listed.comments.len() == count)
    })
    .await
}

async fn rules_about_new_members_end_with_their_first_public_comments(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "newcomers"), someone());
    let first = say.comment(&ann, "see a.com").await?;
    ensure!(first.state() == CommentState::Pending, "{first:?}");
    let decision = newest(&fixture, first.id).await?;
    check_rule(&decision, ModerationAction::Hold, "new.links")?;
    ensure!(found(&decision) == [("early", false), ("first", false)], "{decision:?}");
    // A comment that waits is not public.
    let second = say.comment(&ann, "hello").await?;
    check_rule(&newest(&fixture, second.id).await?, ModerationAction::Flag, "new.first")?;
    until_public(&say, &ann, 1).await?;
    let third = say.comment(&ann, "hello again").await?;
    ensure!(third.state() == CommentState::Active && decisions(&fixture, third.id).await?.is_empty(), "{third:?}");
    until_public(&say, &ann, 2).await?;
    for made in [say.comment(&ann, "see a.com").await?, say.reply(second.id, &ann, "see b.com").await?] {
        ensure!(made.state() == CommentState::Active && decisions(&fixture, made.id).await?.is_empty(), "{made:?}");
    }
    let edited = update(&say, &edit(third.id, &ann, "see c.com")).await?;
    ensure!(text(edited.comment.as_ref()) == "see c.com" && edited.proposed_edit.is_none(), "{edited:?}");
    // Another member is new.
    let other = say.comment(&someone(), "see a.com").await?;
    ensure!(other.state() == CommentState::Pending, "{other:?}");
    Ok(())
}
