//! Verdicts on comments, the review queue and its leases.

use std::collections::HashSet;

use anyhow::{Context, Result, ensure};
use futures::future::{try_join, try_join_all};
use riposte_sdk::v1::{
    AdminServiceDeleteCommentRequest, ClaimReviewItemsRequest, ClaimReviewItemsResponse, DeleteSubjectRequest,
    ErrorReason, Grounds, ListDecisionsRequest, ListReviewItemsRequest, ModerationAction, ReleaseReviewItemsRequest,
    ReviewCause, SubmitVerdictsRequest, UpdateCommentRequest, list_decisions_request::Of,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;
use tonic_types::StatusExt;

use super::review::{decision, error, ids, judge, moderated, of_member, queue, someone, submit, verdict};

pub(crate) const CASES: &[Case] = cases![
    one_verdict_on_each_version_wins_and_the_other_learns_which,
    results_are_those_of_their_targets_and_a_repeat_returns_them_again,
    a_lease_keeps_others_off_until_it_is_given_back,
    comments_of_a_deleted_subject_do_not_stop_the_queue,
    the_queue_is_walked_once_in_the_order_of_due_times,
    verdicts_with_faults_are_refused_as_a_whole,
    an_error_of_a_list_of_decisions_names_the_comment,
];

async fn one_verdict_on_each_version_wins_and_the_other_learns_which(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let write = |n: i32| {
        let (say, ann) = (&say, &ann);
        async move { say.comment(ann, &format!("text {n}")).await }
    };
    let made = try_join_all((0..40).map(write)).await?;
    let mut targets = Vec::new();
    for comment in &made {
        targets.push((comment.id, moderated(&fixture, comment.id).await?.etag));
    }
    let judged = |moderator: &str, action| {
        let request = SubmitVerdictsRequest { moderator_id: moderator.to_owned(), ..verdict(action, &targets) };
        submit(&fixture, request)
    };
    let (ours, theirs) =
        try_join(judged("one", ModerationAction::Approve), judged("two", ModerationAction::Reject)).await?;
    let mut decided = HashSet::new();
    for (a, b) in ours.iter().zip(&theirs) {
        let (winner, loser) = if error(a).is_err() { (a, b) } else { (b, a) };
        let (won, (reason, metadata)) = (decision(winner)?, error(loser)?);
        ensure!(reason == "ETAG_MISMATCH", "{loser:?}");
        ensure!(
            metadata.get("decision_id") == Some(&won.id) && metadata.get("etag") == Some(&winner.etag),
            "{metadata:?}"
        );
        ensure!(winner.subject_revision > 0 && winner.etag == moderated(&fixture, a.comment_id).await?.etag);
        ensure!(decided.insert(won.id.clone()), "{} twice", won.id);
    }
    ensure!(decided.len() == made.len());
    super::floors::verify(&fixture, &say).await
}

async fn results_are_those_of_their_targets_and_a_repeat_returns_them_again(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let (good, gone) = (say.comment(&ann, "good").await?, say.comment(&ann, "gone").await?);
    let etag = async |id| anyhow::Ok(moderated(&fixture, id).await?.etag);
    let targets =
        [(good.id, etag(good.id).await?), (gone.id, "another".to_owned()), (gone.id + 1, etag(good.id).await?)];
    let request = verdict(ModerationAction::Approve, &targets);
    let first = submit(&fixture, request.clone()).await?;
    ensure!(first.iter().map(|result| result.comment_id).eq(targets.iter().map(|(id, _)| *id)), "{first:?}");
    let approved = decision(&first[0])?.clone();
    ensure!(approved.action() == ModerationAction::Approve && approved.grounds.is_some(), "{approved:?}");
    let (reason, metadata) = error(&first[1])?;
    ensure!(reason == "ETAG_MISMATCH" && metadata.get("etag") == Some(&etag(gone.id).await?), "{first:?}");
    ensure!(error(&first[2])?.0 == "COMMENT_NOT_FOUND", "{first:?}");
    // A repeat returns the decision, also after another one.
    judge(&fixture, ModerationAction::Hide, good.id).await?;
    let again = submit(&fixture, request.clone()).await?;
    ensure!(decision(&again[0])? == &approved && again[0].subject_revision == first[0].subject_revision, "{again:?}");
    let other = SubmitVerdictsRequest { action: ModerationAction::Keep.into(), ..request };
    let reused = submit(&fixture, other).await?;
    ensure!(error(&reused[0])?.0 == "REQUEST_ID_REUSED", "{reused:?}");
    // Nothing is open on a hidden comment, and an approval is not for it.
    let results = submit(&fixture, verdict(ModerationAction::Approve, &[(good.id, etag(good.id).await?)])).await?;
    let (reason, metadata) = error(&results[0])?;
    ensure!(reason == "STATE_CONFLICT" && metadata.get("state").is_some_and(|state| state == "HIDDEN"), "{results:?}");
    Ok(())
}

async fn claim(
    fixture: &Fixture,
    object_type: &str,
    moderator: &str,
    request_id: &str,
) -> Result<ClaimReviewItemsResponse> {
    let request = ClaimReviewItemsRequest {
        object_type: object_type.to_owned(),
        limit: 2,
        moderator_id: moderator.to_owned(),
        request_id: request_id.to_owned(),
        ..ClaimReviewItemsRequest::default()
    };
    Ok(fixture.server.moderation()?.claim_review_items(request).await?.into_inner())
}

async fn a_lease_keeps_others_off_until_it_is_given_back(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "leased"), someone());
    let mut made = Vec::new();
    for n in 0..3 {
        made.push(say.comment(&ann, &format!("text {n}")).await?.id);
    }
    let request_id = uuid::Uuid::now_v7().to_string();
    let leased = claim(&fixture, "leased", "one", &request_id).await?;
    let held = ids(&leased.items);
    ensure!(held.len() == 2 && leased.lease_until.is_some() && !leased.lease_token.is_empty(), "{leased:?}");
    ensure!(leased.items.iter().all(|item| item.leased_by == "one" && item.lease_until.is_some()), "{leased:?}");
    let again = claim(&fixture, "leased", "one", &request_id).await?;
    ensure!(ids(&again.items) == held && again.lease_token == leased.lease_token, "a repeat renews");
    let other = ids(&claim(&fixture, "leased", "two", "").await?.items);
    ensure!(other.len() == 1 && !held.contains(&other[0]), "{other:?}");
    let all = ListReviewItemsRequest { leased: true, ..of_member("leased", &ann) };
    ensure!(queue(&fixture, of_member("leased", &ann)).await?.is_empty());
    ensure!(ids(&queue(&fixture, all).await?).into_iter().collect::<HashSet<_>>() == made.iter().copied().collect());

    let target = [(held[0], moderated(&fixture, held[0]).await?.etag)];
    let by = |moderator: &str, action| SubmitVerdictsRequest {
        moderator_id: moderator.to_owned(),
        ..verdict(action, &target)
    };
    let lost = submit(&fixture, by("two", ModerationAction::Approve)).await?;
    ensure!(error(&lost[0])?.0 == "REVIEW_LEASE_LOST", "{lost:?}");
    let late = SubmitVerdictsRequest { lease_token: leased.lease_token.clone(), ..by("one", ModerationAction::Reject) };
    decision(&submit(&fixture, late).await?[0])?;
    // A deletion by another moderator ends the lease.
    let request = AdminServiceDeleteCommentRequest { id: held[1], moderator_id: "two".into(), ..Default::default() };
    fixture.server.admin()?.delete_comment(request).await?;
    let release = |comment_ids: &[i64]| ReleaseReviewItemsRequest {
        comment_ids: comment_ids.to_vec(),
        lease_token: leased.lease_token.clone(),
        moderator_id: "one".into(),
        ..ReleaseReviewItemsRequest::default()
    };
    let released = fixture.server.moderation()?.release_review_items(release(&held)).await?.into_inner().released;
    ensure!(released == 0, "both leases have ended: {released}");

    let fresh = say.comment(&ann, "one more").await?.id;
    let next = claim(&fixture, "leased", "one", "").await?;
    ensure!(ids(&next.items) == [fresh], "{next:?}");
    let release = ReleaseReviewItemsRequest { lease_token: next.lease_token, ..release(&[fresh]) };
    // Another moderator with the token does not end the lease.
    for (moderator, expected) in [("two", 0), ("one", 1), ("one", 0)] {
        let request = ReleaseReviewItemsRequest { moderator_id: moderator.into(), ..release.clone() };
        let released = fixture.server.moderation()?.release_review_items(request).await?.into_inner().released;
        ensure!(released == expected, "{moderator}: {released}");
    }
    ensure!(ids(&queue(&fixture, of_member("leased", &ann)).await?) == [fresh]);
    Ok(())
}

async fn comments_of_a_deleted_subject_do_not_stop_the_queue(fixture: Fixture) -> Result<()> {
    let (gone, say, ann) = (Say::on(&fixture.client, "skipped"), Say::on(&fixture.client, "skipped"), someone());
    for n in 0..3 {
        gone.comment(&ann, &format!("gone {n}")).await?;
    }
    let made = [say.comment(&ann, "one").await?.id, say.comment(&ann, "two").await?.id];
    let delete = DeleteSubjectRequest { key: Some(gone.key.clone()), ..DeleteSubjectRequest::default() };
    fixture.client.subjects().delete_subject(delete).await?;
    let request_id = uuid::Uuid::now_v7().to_string();
    for _ in 0..2 {
        let claimed = ids(&claim(&fixture, "skipped", "one", &request_id).await?.items);
        ensure!(claimed.iter().copied().collect::<HashSet<_>>() == made.into(), "{claimed:?}");
    }
    let lease_token = claim(&fixture, "skipped", "one", &request_id).await?.lease_token;
    let moderator_id = "one".to_owned();
    let comment_ids = made.to_vec();
    let release = ReleaseReviewItemsRequest { comment_ids, lease_token, moderator_id, ..Default::default() };
    ensure!(fixture.server.moderation()?.release_review_items(release).await?.into_inner().released == 2);
    ensure!(ids(&queue(&fixture, of_member("skipped", &ann)).await?) == made);
    Ok(())
}

async fn the_queue_is_walked_once_in_the_order_of_due_times(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "claimed"), someone());
    let mut made = Vec::new();
    for n in 0..7 {
        made.push(say.comment(&ann, &format!("text {n}")).await?.id);
    }
    let mut walked = Vec::new();
    let mut request = ListReviewItemsRequest { page_size: 3, ..of_member("claimed", &ann) };
    loop {
        let page = fixture.server.moderation()?.list_review_items(request.clone()).await?.into_inner();
        walked.extend(ids(&page.items));
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    ensure!(walked == made, "{walked:?}");
    let other = ListReviewItemsRequest { leased: true, ..request.clone() };
    let mismatch = fixture.server.moderation()?.list_review_items(other).await;
    ensure!(refused(mismatch)?.1 == ErrorReason::PageTokenMismatch);
    let reports = vec![ReviewCause::Report.into()];
    let none = ListReviewItemsRequest { causes: reports, ..of_member("claimed", &ann) };
    ensure!(queue(&fixture, none).await?.is_empty());
    // An edit changes the version that a verdict names.
    let before = moderated(&fixture, made[0]).await?.etag;
    let edit = UpdateCommentRequest {
        id: made[0],
        member_id: ann.clone(),
        content: content("another text"),
        ..Default::default()
    };
    fixture.client.comments().update_comment(edit).await?;
    let late = submit(&fixture, verdict(ModerationAction::Approve, &[(made[0], before)])).await?;
    ensure!(error(&late[0])?.0 == "ETAG_MISMATCH", "a text that no moderator read: {late:?}");
    Ok(())
}

async fn verdicts_with_faults_are_refused_as_a_whole(fixture: Fixture) -> Result<()> {
    let target = [(1, "e".to_owned())];
    let fine = verdict(ModerationAction::Reject, &target);
    let twice = verdict(ModerationAction::Reject, &[target[0].clone(), target[0].clone()]);
    let unnamed = Grounds::default();
    let spam = Grounds { code: "spam".into(), ..Grounds::default() };
    let grounded = |grounds| SubmitVerdictsRequest { grounds: Some(grounds), ..fine.clone() };
    for wrong in [
        SubmitVerdictsRequest { action: 0, ..fine.clone() },
        SubmitVerdictsRequest { action: 8, ..fine.clone() },
        SubmitVerdictsRequest { grounds: Some(unnamed), ..fine.clone() },
        SubmitVerdictsRequest { targets: Vec::new(), ..fine.clone() },
        SubmitVerdictsRequest { lease_token: "?".into(), ..fine.clone() },
        SubmitVerdictsRequest { moderator_id: String::new(), ..fine.clone() },
        SubmitVerdictsRequest { moderator_id: " ".into(), ..fine.clone() },
        SubmitVerdictsRequest { moderator_id: "a\nb".into(), ..fine.clone() },
        grounded(Grounds { explanation: "a\0b".into(), ..spam.clone() }),
        grounded(Grounds { note: "a\0b".into(), ..spam.clone() }),
        grounded(Grounds { legal_reference: "a\nb".into(), ..spam.clone() }),
        twice,
    ] {
        let rejection = refused(submit(&fixture, wrong.clone()).await)?;
        ensure!(rejection == (Code::InvalidArgument, ErrorReason::FieldInvalid), "{wrong:?}");
    }
    // An explanation may have several lines.
    let largest = "x".repeat(998) + "\r\n";
    let many: Vec<(i64, String)> = (1..=100).map(|id| (id, "e".repeat(40))).collect();
    let grounds = Grounds { code: "spam".into(), explanation: largest, ..Grounds::default() };
    let large = SubmitVerdictsRequest { grounds: Some(grounds), ..verdict(ModerationAction::Reject, &many) };
    let results = submit(&fixture, large).await?;
    ensure!(results.len() == 100 && results.iter().all(|result| error(result).is_ok()), "{results:?}");
    let many: Vec<(i64, String)> = (1..=100).map(|id| (id, "e".repeat(700))).collect();
    let rejection = refused(submit(&fixture, verdict(ModerationAction::Approve, &many)).await)?;
    ensure!(rejection == (Code::InvalidArgument, ErrorReason::MessageTooLarge));
    Ok(())
}

async fn an_error_of_a_list_of_decisions_names_the_comment(fixture: Fixture) -> Result<()> {
    let request = ListDecisionsRequest { of: Some(Of::CommentId(1)), ..Default::default() };
    let status = fixture.server.moderation()?.list_decisions(request).await.err().context("no error")?;
    let metadata = status.get_details_error_info().map(|info| info.metadata).unwrap_or_default();
    ensure!(metadata.get("comment_id").is_some_and(|id| id == "1"), "{metadata:?}");
    ensure!(refused(Err::<(), _>(status))?.1 == ErrorReason::CommentNotFound);
    Ok(())
}
