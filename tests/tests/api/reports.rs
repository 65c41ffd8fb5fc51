//! Reports of members, the reasons of decisions, and appeals, as members and moderators see them.

use anyhow::{Context, Result, ensure};
use futures::stream::{self, StreamExt, TryStreamExt};
use riposte_sdk::Error;
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::{
    AppealDecisionRequest, ClaimReviewItemsRequest, CommentSort, CommentState, Decision, ErrorReason,
    GetCommentRequest, ListDecisionsRequest, ListOwnDecisionsRequest, ListOwnDecisionsResponse, ListOwnReportsRequest,
    ListOwnReportsResponse, ListReportsRequest, MemberOfType, ModerationAction, OwnReport, Report,
    ReportCommentRequest, ReportOutcome, ReportReason, ReviewCause, Statement, Subject, SubjectState,
    UpdateSubjectRequest, VerdictResult,
};
use riposte_tests::{Case, Fixture, Say, Watch, cases, refused};
use tonic::{Code, Status};

use super::review::{decision, error, ids, judge, moderated, of_member, queue, someone, submit, verdict};

pub(crate) const CASES: &[Case] = cases![
    a_report_waits_for_a_moderator_and_its_outcome_is_shown,
    a_report_needs_a_comment_that_its_member_sees,
    a_comment_of_a_hidden_subject_is_reported_by_its_id,
    a_member_makes_twenty_reports_an_hour,
    a_wave_of_reports_hides_nothing_and_opens_one_item,
    an_author_reads_the_reasons_and_appeals_once,
    an_appeal_is_judged_by_another_moderator,
    no_reporter_and_no_moderator_is_named_on_the_public_port,
    own_reports_and_decisions_are_walked_page_by_page,
    moderators_list_the_decisions_on_a_members_comments,
];

pub(crate) fn report_of(id: i64, member: &str) -> ReportCommentRequest {
    ReportCommentRequest {
        comment_id: id,
        member_id: member.into(),
        reason: ReportReason::Spam.into(),
        text: "secret-words".into(),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..ReportCommentRequest::default()
    }
}

/// Reports a comment, and returns whether it was the member's first report of it.
async fn report(say: &Say, request: ReportCommentRequest) -> Result<bool, Status> {
    say.report(request).await
}

async fn own_reports(say: &Say, member: &str) -> Result<Vec<OwnReport>> {
    let (object_type, member_id) = (say.key.object_type.clone(), member.to_owned());
    let request = ListOwnReportsRequest { object_type, member_id, ..ListOwnReportsRequest::default() };
    Ok(say.client.reports().list_own_reports(request).await?.into_inner().reports)
}

async fn statements(say: &Say, member: &str) -> Result<Vec<Statement>> {
    let (object_type, member_id) = (say.key.object_type.clone(), member.to_owned());
    let request = ListOwnDecisionsRequest { object_type, member_id, ..ListOwnDecisionsRequest::default() };
    Ok(say.client.reports().list_own_decisions(request).await?.into_inner().statements)
}

async fn reports_on(fixture: &Fixture, id: i64, page_size: i32) -> Result<Vec<Report>> {
    let request = ListReportsRequest { comment_id: id, page_size, ..ListReportsRequest::default() };
    Ok(fixture.server.moderation()?.list_reports(request).await?.into_inner().reports)
}

async fn decisions_on(fixture: &Fixture, id: i64) -> Result<Vec<Decision>> {
    let of = Some(Of::CommentId(id));
    let request = ListDecisionsRequest { of, ..ListDecisionsRequest::default() };
    Ok(fixture.server.moderation()?.list_decisions(request).await?.into_inner().decisions)
}

fn appeal_of(decision: &str, member: &str) -> AppealDecisionRequest {
    AppealDecisionRequest {
        decision_id: decision.into(),
        member_id: member.into(),
        text: "It is a quotation.".into(),
        request_id: uuid::Uuid::now_v7().to_string(),
    }
}

async fn appeal(say: &Say, request: AppealDecisionRequest) -> Result<(), Status> {
    say.client.reports().appeal_decision(request).await.map(drop)
}

/// Returns the obstacle of an appeal that was refused.
fn obstacle(outcome: Result<(), Status>) -> Result<String> {
    let rejection = Error::from(outcome.err().context("not refused")?);
    ensure!(rejection.reason() == ErrorReason::AppealNotAllowed, "{rejection:?}");
    rejection.metadata().get("why").cloned().context("no cause")
}

/// Judges a comment as this moderator.
async fn judge_as(fixture: &Fixture, moderator: &str, act: ModerationAction, id: i64) -> Result<VerdictResult> {
    let etag = moderated(fixture, id).await?.etag;
    let mut request = verdict(act, &[(id, etag)]);
    request.moderator_id = moderator.into();
    submit(fixture, request).await?.into_iter().next().context("no result")
}

async fn a_report_waits_for_a_moderator_and_its_outcome_is_shown(fixture: Fixture) -> Result<()> {
    let (say, ann, ben) = (Say::on(&fixture.client, "article"), someone(), someone());
    let root = say.comment(&ann, "a root").await?;
    let request = report_of(root.id, &ben);
    ensure!(report(&say, request.clone()).await? && report(&say, request.clone()).await?, "a repeat is the first");
    let reused = ReportCommentRequest { text: "other".into(), ..request };
    ensure!(refused(report(&say, reused).await)?.1 == ErrorReason::RequestIdReused);
    ensure!(!report(&say, report_of(root.id, &ben)).await?, "a second report replaces the first");
    let items = queue(&fixture, of_member("article", &ann)).await?;
    let comment = items.first().and_then(|item| item.comment.as_ref()).context("no item")?;
    ensure!(ids(&items) == [root.id] && comment.report_count == 1, "{items:?}");
    ensure!(comment.causes == [i32::from(ReviewCause::Report)], "{comment:?}");
    let found = reports_on(&fixture, root.id, 0).await?;
    let [stored] = found.as_slice() else { anyhow::bail!("{found:?}") };
    ensure!(stored.member_id == ben && stored.text == "secret-words" && stored.open && stored.weight == 100);
    let own = own_reports(&say, &ben).await?;
    ensure!(own.len() == 1 && own[0].outcome() == ReportOutcome::Open && own[0].outcome_day.is_none(), "{own:?}");
    judge(&fixture, ModerationAction::Keep, root.id).await?;
    ensure!(moderated(&fixture, root.id).await?.report_count == 0);
    let own = own_reports(&say, &ben).await?;
    let day = own.first().and_then(|own| own.outcome_day).context("no day")?;
    ensure!(own[0].outcome() == ReportOutcome::Kept && day.seconds % 86_400 == 0 && day.nanos == 0, "{own:?}");
    ensure!(!reports_on(&fixture, root.id, 0).await?[0].open);
    // A later report of the judged version counts nothing, also one that claims illegality.
    let claim = ReportCommentRequest { claims_illegal: true, ..report_of(root.id, &someone()) };
    ensure!(report(&say, claim).await?);
    ensure!(queue(&fixture, of_member("article", &ann)).await?.is_empty());
    Ok(())
}

async fn a_report_needs_a_comment_that_its_member_sees(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let held = say.comment(&ann, "unjudged").await?;
    ensure!(refused(report(&say, report_of(held.id, "ben")).await)? == (Code::NotFound, ErrorReason::CommentNotFound));
    let own = (Code::PermissionDenied, ErrorReason::MemberNotAllowed);
    ensure!(refused(report(&say, report_of(held.id, &ann)).await)? == own);
    judge(&fixture, ModerationAction::Approve, held.id).await?;
    ensure!(refused(report(&say, report_of(held.id, &ann)).await)? == own);
    let etag = moderated(&fixture, held.id).await?.comment.unwrap_or_default().etag;
    ensure!(report(&say, ReportCommentRequest { etag, ..report_of(held.id, "ben") }).await?);
    judge(&fixture, ModerationAction::Hide, held.id).await?;
    ensure!(refused(report(&say, report_of(held.id, "cid")).await)?.1 == ErrorReason::CommentNotFound);
    let wrong = ReportCommentRequest {
        member_id: String::new(),
        reason: 0,
        text: "a".repeat(1_001),
        legal_reference: "b".repeat(257),
        etag: "x".into(),
        request_id: "x".into(),
        ..report_of(held.id, "")
    };
    let rejection = Error::from(report(&say, wrong).await.err().context("not refused")?);
    let fields: Vec<&str> = rejection.violations().iter().map(|violation| violation.field.as_str()).collect();
    ensure!(fields == ["member_id", "reason", "text", "legal_reference", "etag", "request_id"], "{fields:?}");
    Ok(())
}

/// A comment of a hidden subject is in no list, but it can be read by its id, and so reported.
async fn a_comment_of_a_hidden_subject_is_reported_by_its_id(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = say.comment(&someone(), "a text").await?.id;
    let mut subject = Subject { key: Some(say.key.clone()), ..Subject::default() };
    subject.set_state(SubjectState::Hidden);
    let request = UpdateSubjectRequest { subject: Some(subject), ..UpdateSubjectRequest::default() };
    say.client.subjects().update_subject(request).await?;
    let list = say.page(CommentSort::Newest, 20).await;
    ensure!(refused(list)? == (Code::FailedPrecondition, ErrorReason::SubjectHidden));
    let get = GetCommentRequest { id, viewer_member_id: "ben".into(), ..GetCommentRequest::default() };
    let read = say.client.comments().get_comment(get).await?.into_inner().comment.context("no comment")?;
    ensure!(read.state() == CommentState::Active && read.content.is_some(), "{read:?}");
    ensure!(report(&say, report_of(id, "ben")).await?, "the first report");
    ensure!(reports_on(&fixture, id, 10).await?.len() == 1);
    ensure!(moderated(&fixture, id).await?.causes().eq([ReviewCause::Report]));
    Ok(())
}

async fn a_member_makes_twenty_reports_an_hour(fixture: Fixture) -> Result<()> {
    let (say, ben) = (Say::on(&fixture.client, "article"), someone());
    let root = say.comment("ann", "a root").await?;
    let requests: Vec<ReportCommentRequest> = (0..20).map(|_| report_of(root.id, &ben)).collect();
    for request in &requests {
        report(&say, request.clone()).await?;
    }
    let newest = requests.last().cloned().context("no request")?;
    let last = report_of(root.id, &ben);
    let rejection = Error::from(report(&say, last).await.err().context("not refused")?);
    ensure!(rejection.reason() == ErrorReason::RateLimited, "{rejection:?}");
    ensure!(!report(&say, newest).await?, "a repeat is answered");
    report(&say, report_of(root.id, &someone())).await?;
    ensure!(own_reports(&say, &ben).await?.len() == 1);
    Ok(())
}

async fn a_wave_of_reports_hides_nothing_and_opens_one_item(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    let root = say.comment(&ann, "unloved").await?;
    let wave = |prefix: &'static str| {
        let say = &say;
        let id = root.id;
        let reported = (0..1_000).map(move |n| report(say, report_of(id, &format!("{prefix}-{n}-{id}"))));
        stream::iter(reported).buffer_unordered(32).try_collect::<Vec<bool>>()
    };
    ensure!(wave("secret-reporter").await?.into_iter().all(|first| first));
    let seen = moderated(&fixture, root.id).await?;
    ensure!(seen.report_count == 1_000 && seen.comment.unwrap_or_default().state() == CommentState::Active);
    ensure!(ids(&queue(&fixture, of_member("article", &ann)).await?) == [root.id], "one item");
    ensure!(reports_on(&fixture, root.id, 100).await?.len() == 100);
    judge(&fixture, ModerationAction::Keep, root.id).await?;
    ensure!(wave("secret-follower").await?.into_iter().all(|first| first));
    ensure!(queue(&fixture, of_member("article", &ann)).await?.is_empty(), "the version was judged");
    ensure!(moderated(&fixture, root.id).await?.report_count == 0);
    Ok(())
}

async fn an_author_reads_the_reasons_and_appeals_once(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    let root = say.comment(&ann, "a root").await?;
    let hidden = judge(&fixture, ModerationAction::Hide, root.id).await?;
    let found = statements(&say, &ann).await?;
    let [statement] = found.as_slice() else { anyhow::bail!("{found:?}") };
    ensure!(statement.id == hidden.id && statement.comment_id == root.id && statement.code == "spam", "{statement:?}");
    ensure!(statement.action() == ModerationAction::Hide && statement.to_state() == CommentState::Hidden);
    let (time, until) = (statement.time.context("no time")?, statement.appeal_until.context("no appeal")?);
    ensure!(until.seconds - time.seconds == 180 * 86_400, "{statement:?}");
    ensure!(refused(appeal(&say, appeal_of(&hidden.id, "ben")).await)?.1 == ErrorReason::DecisionNotFound);
    let missing = format!("{}.9", root.id);
    ensure!(refused(appeal(&say, appeal_of(&missing, &ann)).await)? == (Code::NotFound, ErrorReason::DecisionNotFound));
    let empty = AppealDecisionRequest { text: " ".into(), ..appeal_of("x", "") };
    let rejection = Error::from(appeal(&say, empty).await.err().context("not refused")?);
    let fields: Vec<&str> = rejection.violations().iter().map(|violation| violation.field.as_str()).collect();
    ensure!(fields == ["decision_id", "member_id", "text"], "{fields:?}");
    let request = appeal_of(&hidden.id, &ann);
    appeal(&say, request.clone()).await?;
    appeal(&say, request.clone()).await?;
    ensure!(statements(&say, &ann).await?.iter().all(|statement| statement.appeal_until.is_none()));
    ensure!(obstacle(appeal(&say, appeal_of(&hidden.id, &ann)).await)? == "appealed");
    let other = AppealDecisionRequest { text: "Other words.".into(), ..request };
    ensure!(refused(appeal(&say, other).await)?.1 == ErrorReason::RequestIdReused);
    let log = decisions_on(&fixture, root.id).await?;
    ensure!(log.len() == 2 && log[0].action() == ModerationAction::Appeal, "{log:?}");
    ensure!(log[0].appeal_text == "It is a quotation." && log[0].appealed_decision_id == hidden.id, "{log:?}");
    Ok(())
}

async fn an_appeal_is_judged_by_another_moderator(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "appealed"), someone());
    for (settles, state) in
        [(ModerationAction::Unhide, CommentState::Active), (ModerationAction::Keep, CommentState::Hidden)]
    {
        let root = say.comment(&ann, "a root").await?;
        let hidden = decision(&judge_as(&fixture, "mod-x", ModerationAction::Hide, root.id).await?)?.clone();
        appeal(&say, appeal_of(&hidden.id, &ann)).await?;
        let claim = |moderator: &str| ClaimReviewItemsRequest {
            object_type: "appealed".into(),
            moderator_id: moderator.into(),
            ..ClaimReviewItemsRequest::default()
        };
        let mut service = fixture.server.moderation()?;
        let skipped = service.claim_review_items(claim("mod-x")).await?.into_inner().items;
        ensure!(skipped.is_empty(), "{skipped:?}");
        let claimed = service.claim_review_items(claim("mod-y")).await?.into_inner().items;
        ensure!(ids(&claimed) == [root.id], "{claimed:?}");
        let causes = claimed[0].comment.as_ref().map(|comment| comment.causes.clone());
        ensure!(causes == Some(vec![ReviewCause::Appeal.into()]), "{causes:?}");
        let own = judge_as(&fixture, "mod-x", ModerationAction::Unhide, root.id).await?;
        // The lease of the other moderator does not matter to Unhide; the own decision does.
        let (reason, metadata) = error(&own)?;
        ensure!(
            reason == "STATE_CONFLICT" && metadata.get("why").is_some_and(|cause| cause == "own_decision"),
            "{own:?}"
        );
        let settled = decision(&judge_as(&fixture, "mod-y", settles, root.id).await?)?.clone();
        ensure!(settled.appealed_decision_id == hidden.id, "{settled:?}");
        let now = moderated(&fixture, root.id).await?;
        ensure!(now.causes.is_empty() && now.comment.unwrap_or_default().state() == state);
        ensure!(obstacle(appeal(&say, appeal_of(&hidden.id, &ann)).await)? == "appealed");
    }
    let root = say.comment(&ann, "a root").await?;
    let hidden = judge(&fixture, ModerationAction::Hide, root.id).await?;
    let shown = judge(&fixture, ModerationAction::Unhide, root.id).await?;
    ensure!(obstacle(appeal(&say, appeal_of(&hidden.id, &ann)).await)? == "overturned");
    ensure!(obstacle(appeal(&say, appeal_of(&shown.id, &ann)).await)? == "not_restricted");
    judge(&fixture, ModerationAction::Delete, root.id).await?;
    ensure!(obstacle(appeal(&say, appeal_of(&hidden.id, &ann)).await)? == "gone");
    Ok(())
}

async fn no_reporter_and_no_moderator_is_named_on_the_public_port(fixture: Fixture) -> Result<()> {
    let (say, ann, reporter) = (Say::on(&fixture.client, "article"), someone(), format!("secret-{}", someone()));
    let root = say.comment(&ann, "a root").await?;
    let mut watch = Watch::open(&say, 0).await?;
    report(&say, report_of(root.id, &reporter)).await?;
    let again = report(&say, report_of(root.id, "ben")).await;
    let own = report(&say, report_of(root.id, &ann)).await;
    let rejected = judge(&fixture, ModerationAction::Reject, root.id).await?;
    let late = report(&say, report_of(root.id, "cid")).await;
    let shown = [
        format!("{again:?}"),
        format!("{own:?}"),
        format!("{late:?}"),
        format!("{:?}", statements(&say, &ann).await?),
        format!("{:?}", own_reports(&say, "ben").await?),
        format!("{:?}", appeal(&say, appeal_of(&rejected.id, &ann)).await),
        format!("{:?}", appeal(&say, appeal_of(&rejected.id, &ann)).await),
        format!("{:?}", statements(&say, &ann).await?),
        format!("{:?}", say.reply(root.id, &ann, "late").await),
    ];
    say.comment("ben", "the last change").await?;
    // Reports and the appeal made no event: between the comments there is the rejection alone.
    let (opened, last) = (watch.opened(), watch.opened() + 2);
    let changes = watch.until(opened, last).await?;
    for response in shown.iter().chain([&format!("{changes:?}")]) {
        let leaks = [reporter.as_str(), "secret-moderator", "secret-note", "secret-words"];
        ensure!(!leaks.iter().any(|leak| response.contains(leak)), "{response}");
    }
    Ok(())
}

async fn own_reports_and_decisions_are_walked_page_by_page(fixture: Fixture) -> Result<()> {
    let (ann, ben) = (someone(), someone());
    let mut expected = Vec::new();
    for n in 0..5 {
        let say = Say::on(&fixture.client, "article");
        let root = say.comment(&ann, &format!("root {n}")).await?;
        report(&say, report_of(root.id, &ben)).await?;
        judge(&fixture, ModerationAction::Hide, root.id).await?;
        expected.insert(0, root.id);
    }
    let (mut reported, mut token) = (Vec::new(), String::new());
    loop {
        let request = ListOwnReportsRequest {
            object_type: "article".into(),
            member_id: ben.clone(),
            page_size: 2,
            page_token: token,
        };
        let page = fixture.client.reports().list_own_reports(request).await?.into_inner();
        let ListOwnReportsResponse { reports, next_page_token } = page;
        ensure!(reports.iter().all(|report| report.outcome() == ReportOutcome::Acted), "{reports:?}");
        reported.extend(reports.into_iter().map(|report| report.comment_id));
        token = next_page_token;
        if token.is_empty() {
            break;
        }
    }
    ensure!(reported == expected, "{reported:?}");
    let (mut stated, mut token) = (Vec::new(), String::new());
    loop {
        let request = ListOwnDecisionsRequest {
            object_type: "article".into(),
            member_id: ann.clone(),
            page_size: 2,
            page_token: token,
        };
        let page = fixture.client.reports().list_own_decisions(request).await?.into_inner();
        let ListOwnDecisionsResponse { statements, next_page_token } = page;
        stated.extend(statements.into_iter().map(|statement| statement.comment_id));
        token = next_page_token;
        if token.is_empty() {
            break;
        }
    }
    ensure!(stated == expected, "{stated:?}");
    let foreign = ListOwnReportsRequest {
        object_type: "article".into(),
        member_id: ben,
        page_size: 2,
        page_token: "AAAA".into(),
    };
    let rejection = refused(fixture.client.reports().list_own_reports(foreign).await)?;
    ensure!(rejection.1 == ErrorReason::PageTokenInvalid, "{rejection:?}");
    Ok(())
}

async fn moderators_list_the_decisions_on_a_members_comments(fixture: Fixture) -> Result<()> {
    let (ann, ben) = (someone(), someone());
    let mut expected = Vec::new();
    for n in 0..3 {
        let say = Say::on(&fixture.client, "article");
        let root = say.comment(&ann, &format!("root {n}")).await?;
        let other = say.comment(&ben, "of another member").await?;
        judge(&fixture, ModerationAction::Approve, other.id).await?;
        let hidden = judge(&fixture, ModerationAction::Hide, root.id).await?;
        appeal(&say, appeal_of(&hidden.id, &ann)).await?;
        let shown = judge_as(&fixture, "another", ModerationAction::Unhide, root.id).await?;
        let appealed = decisions_on(&fixture, root.id).await?.into_iter().nth(1).context("no appeal")?;
        expected.extend([hidden, appealed, decision(&shown)?.clone()]);
    }
    expected.reverse();
    for one in &expected {
        let window = one.appeal_until.zip(one.time).map(|(until, time)| until.seconds - time.seconds);
        ensure!(window == (one.action() == ModerationAction::Hide).then_some(180 * 86_400), "{one:?}");
    }
    let list = async |object_type: &str, member: &str, page_token: &str| {
        let (object_type, member_id) = (object_type.to_owned(), member.to_owned());
        let of = Some(Of::Member(MemberOfType { object_type, member_id }));
        let request = ListDecisionsRequest { of, page_size: 2, page_token: page_token.to_owned() };
        let mut service = fixture.server.moderation().map_err(|error| Status::unknown(error.to_string()))?;
        Ok(service.list_decisions(request).await?.into_inner())
    };
    let (mut found, mut token) = (Vec::new(), String::new());
    loop {
        let page = list("article", &ann, &token).await?;
        found.extend(page.decisions);
        ensure!(found.len() <= expected.len(), "{found:?}");
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
        let foreign = refused(list("article", &ben, &token).await)?;
        ensure!(foreign.1 == ErrorReason::PageTokenMismatch, "{foreign:?}");
    }
    ensure!(found == expected, "{found:?}");
    ensure!(list("deep", &ann, "").await?.decisions.is_empty(), "under another type it is another person");
    let invalid = refused(list("", "", "").await)?;
    ensure!(invalid.1 == ErrorReason::FieldInvalid, "{invalid:?}");
    Ok(())
}
