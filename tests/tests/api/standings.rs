//! Standings of members, and their effect on writes.

use anyhow::{Context, Result, ensure};
use riposte_sdk::Error;
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::{
    ActingAs, AppealDecisionRequest, CheckTextRequest, CheckTextResponse, Comment, CommentState, CreateCommentRequest,
    CreateSubjectRequest, Decision, DeleteCommentRequest, Detection, ErrorReason, Grounds, LikeValue,
    ListDecisionsRequest, ListMemberStandingsRequest, ListOwnDecisionsRequest, MemberOfType, MemberStanding,
    ModerationAction, PinCommentRequest, PolicyOutcome, ReportCommentRequest, ReportReason, ReviewCause,
    SetMemberStandingRequest, Standing, UndeleteCommentRequest, UpdateCommentRequest,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, cases, refused, until};
use tonic::{Code, Status};

use super::review::{judge, moderated, someone};

pub(crate) const CASES: &[Case] = cases![
    a_muted_member_writes_no_texts,
    a_banned_member_may_delete_and_appeal_and_nothing_else,
    a_banned_owner_of_a_subject_acts_on_nothing,
    texts_of_a_pre_moderated_member_wait_with_a_decision,
    a_trusted_member_passes_modes_and_flags_and_no_hold,
    a_standing_ends_by_itself,
    a_repeat_of_what_was_done_before_a_ban_gets_its_first_answer,
    reports_weigh_what_the_standing_says,
    standings_are_guarded_by_etags_and_listed_newest_first,
    wrong_standings_name_every_field,
    a_text_is_checked_by_lists_and_standing,
];

/// The object type with a word list, and the one whose comments wait.
const LISTED: &str = "listed";
const HELD: &str = "held";

fn of(say: &Say, member: &str) -> MemberStanding {
    let member = MemberOfType { object_type: say.key.object_type.clone(), member_id: member.to_owned() };
    MemberStanding { member: Some(member), ..MemberStanding::default() }
}

fn request(standing: MemberStanding) -> SetMemberStandingRequest {
    let request_id = uuid::Uuid::now_v7().to_string();
    SetMemberStandingRequest { standing: Some(standing), moderator_id: "mod-1".to_owned(), request_id }
}

async fn send(fixture: &Fixture, request: &SetMemberStandingRequest) -> Result<MemberStanding, Status> {
    let mut service = fixture.server.policy().map_err(|error| Status::unknown(error.to_string()))?;
    let response = service.set_member_standing(request.clone()).await?.into_inner();
    response.standing.ok_or_else(|| Status::unknown("no standing"))
}

async fn check(fixture: &Fixture, say: &Say, member: &str, text: &str) -> Result<CheckTextResponse, Status> {
    let mut service = fixture.server.policy().map_err(|error| Status::unknown(error.to_string()))?;
    let request = CheckTextRequest {
        object_type: say.key.object_type.clone(),
        content: content(text),
        member_id: member.to_owned(),
        with_services: false,
    };
    Ok(service.check_text(request).await?.into_inner())
}

/// Sets the standing of a member and waits until the process goes by it.
async fn set(fixture: &Fixture, say: &Say, member: &str, standing: Standing) -> Result<MemberStanding> {
    let set = send(fixture, &request(MemberStanding { standing: standing.into(), ..of(say, member) })).await?;
    in_force(fixture, say, member, standing).await?;
    Ok(set)
}

/// Waits until the process goes by a standing.
async fn in_force(fixture: &Fixture, say: &Say, member: &str, standing: Standing) -> Result<()> {
    let expected = match standing {
        Standing::PreModerated => PolicyOutcome::Hold,
        Standing::Muted | Standing::Banned => PolicyOutcome::Refuse,
        Standing::Unspecified | Standing::Normal | Standing::Trusted => PolicyOutcome::Allow,
    };
    until("the standing is in force", || async {
        Ok(check(fixture, say, member, "a text").await?.outcome() == expected)
    })
    .await
}

/// Returns the metadata `until` of the rejection by a standing.
fn suspended<T: std::fmt::Debug>(result: Result<T, Status>) -> Result<Option<String>> {
    let error = Error::from(result.err().context("not refused")?);
    ensure!(error.reason() == ErrorReason::MemberSuspended && error.code() == Code::PermissionDenied, "{error:?}");
    Ok(error.metadata().get("until").cloned())
}

async fn edit(say: &Say, id: i64, member: &str, text: &str) -> Result<Comment, Status> {
    let request = UpdateCommentRequest {
        id,
        member_id: member.into(),
        content: content(text),
        ..UpdateCommentRequest::default()
    };
    Ok(say.client.comments().update_comment(request).await?.into_inner().comment.unwrap_or_default())
}

async fn delete(say: &Say, id: i64, member: &str, acting_as: ActingAs) -> Result<(), Status> {
    let (member_id, acting_as) = (member.into(), acting_as.into());
    let request = DeleteCommentRequest { id, member_id, acting_as, ..DeleteCommentRequest::default() };
    say.client.comments().delete_comment(request).await.map(drop)
}

async fn undelete(say: &Say, id: i64, member: &str) -> Result<(), Status> {
    let request = UndeleteCommentRequest { id, member_id: member.into(), ..UndeleteCommentRequest::default() };
    say.client.comments().undelete_comment(request).await.map(drop)
}

fn report(id: i64, member: &str) -> ReportCommentRequest {
    ReportCommentRequest {
        comment_id: id,
        member_id: member.into(),
        reason: ReportReason::Spam.into(),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..ReportCommentRequest::default()
    }
}

async fn decisions(fixture: &Fixture, id: i64) -> Result<Vec<Decision>> {
    let request = ListDecisionsRequest { of: Some(Of::CommentId(id)), ..ListDecisionsRequest::default() };
    Ok(fixture.server.moderation()?.list_decisions(request).await?.into_inner().decisions)
}

async fn a_muted_member_writes_no_texts(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    let (own, root) = (say.comment(&ann, "own").await?, say.comment("ben", "a root").await?);
    let until = prost_types::Timestamp { seconds: 4_070_908_800, nanos: 0 };
    let muted = MemberStanding { standing: Standing::Muted.into(), until: Some(until), ..of(&say, &ann) };
    send(&fixture, &request(muted)).await?;
    in_force(&fixture, &say, &ann, Standing::Muted).await?;
    for rejection in [
        say.comment(&ann, "new").await.map(drop),
        say.reply(root.id, &ann, "new").await.map(drop),
        edit(&say, own.id, &ann, "new").await.map(drop),
    ] {
        ensure!(suspended(rejection)?.as_deref() == Some("2099-01-01T00:00:00Z"));
    }
    say.like(root.id, &ann, LikeValue::Like).await?;
    say.report(report(root.id, &ann)).await?;
    delete(&say, own.id, &ann, ActingAs::Author).await?;
    undelete(&say, own.id, &ann).await?;
    let other = Say::on(&fixture.client, "review");
    ensure!(other.comment(&ann, "new").await?.state() == CommentState::Active, "another type, another member");
    set(&fixture, &say, &ann, Standing::Normal).await?;
    ensure!(say.comment(&ann, "new").await?.state() == CommentState::Active);
    Ok(())
}

async fn a_banned_member_may_delete_and_appeal_and_nothing_else(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    let (own, gone, root) =
        (say.comment(&ann, "own").await?, say.comment(&ann, "gone").await?, say.comment("ben", "a root").await?);
    delete(&say, gone.id, &ann, ActingAs::Author).await?;
    judge(&fixture, ModerationAction::Hide, own.id).await?;
    set(&fixture, &say, &ann, Standing::Banned).await?;
    for rejection in [
        say.comment(&ann, "new").await.map(drop),
        say.reply(root.id, &ann, "new").await.map(drop),
        edit(&say, own.id, &ann, "new").await.map(drop),
        say.like(root.id, &ann, LikeValue::Like).await.map(drop),
        say.report(report(root.id, &ann)).await.map(drop),
        undelete(&say, gone.id, &ann).await,
    ] {
        ensure!(suspended(rejection)?.is_none(), "a standing without end");
    }
    let read = ListOwnDecisionsRequest {
        object_type: say.key.object_type.clone(),
        member_id: ann.clone(),
        ..ListOwnDecisionsRequest::default()
    };
    let statements = say.client.reports().list_own_decisions(read).await?.into_inner().statements;
    let appeal = AppealDecisionRequest {
        decision_id: statements.first().context("no statement")?.id.clone(),
        member_id: ann.clone(),
        text: "It is a quotation.".to_owned(),
        ..AppealDecisionRequest::default()
    };
    say.client.reports().appeal_decision(appeal).await?;
    delete(&say, own.id, &ann, ActingAs::Author).await?;
    Ok(())
}

async fn a_banned_owner_of_a_subject_acts_on_nothing(fixture: Fixture) -> Result<()> {
    let (say, owner) = (Say::on(&fixture.client, "article"), someone());
    let subject =
        CreateSubjectRequest { key: Some(say.key.clone()), owner_id: owner.clone(), ..CreateSubjectRequest::default() };
    say.client.subjects().create_subject(subject).await?;
    let (own, root) = (say.comment(&owner, "own").await?, say.comment("ben", "a root").await?);
    set(&fixture, &say, &owner, Standing::Banned).await?;
    let pin = PinCommentRequest { id: root.id, member_id: owner.clone(), ..PinCommentRequest::default() };
    suspended(say.client.comments().pin_comment(pin).await.map(drop))?;
    suspended(delete(&say, root.id, &owner, ActingAs::SubjectOwner).await)?;
    delete(&say, own.id, &owner, ActingAs::SubjectOwner).await?;
    suspended(undelete(&say, own.id, &owner).await)?;
    Ok(())
}

async fn texts_of_a_pre_moderated_member_wait_with_a_decision(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let root = say.comment(&ann, "in sight").await?;
    set(&fixture, &say, &ann, Standing::PreModerated).await?;
    for (made, code, detection, hits) in [
        (say.comment(&ann, "a text").await?, "policy.standing", Detection::MemberStanding, 0),
        (say.reply(root.id, &ann, "a flagged-word").await?, "policy.standing", Detection::MemberStanding, 1),
        (say.comment(&ann, "a held-word").await?, "list.hold", Detection::WordList, 1),
    ] {
        ensure!(made.state() == CommentState::Pending, "{made:?}");
        let [decision] = <[Decision; 1]>::try_from(decisions(&fixture, made.id).await?).ok().context("one decision")?;
        let grounds = decision.grounds.clone().unwrap_or_default();
        ensure!(decision.action() == ModerationAction::Hold && decision.actor_id.is_empty(), "{decision:?}");
        ensure!(grounds.code == code && grounds.detection() == detection, "{decision:?}");
        ensure!(decision.hits.len() == hits, "{decision:?}");
        ensure!(moderated(&fixture, made.id).await?.causes == [i32::from(ReviewCause::New)]);
        judge(&fixture, ModerationAction::Approve, made.id).await?;
    }
    let rejected = say.comment(&ann, "a rejected-word").await?;
    ensure!(rejected.state() == CommentState::Rejected, "{rejected:?}");
    let edited = edit(&say, root.id, &ann, "another text").await?;
    ensure!(edited.content.unwrap_or_default().text == "in sight", "an edit waits");
    ensure!(moderated(&fixture, root.id).await?.causes == [i32::from(ReviewCause::Edit)]);
    Ok(())
}

async fn a_trusted_member_passes_modes_and_flags_and_no_hold(fixture: Fixture) -> Result<()> {
    let ann = someone();
    let (held, listed) = (Say::on(&fixture.client, HELD), Say::on(&fixture.client, LISTED));
    for say in [&held, &listed] {
        send(&fixture, &request(MemberStanding { standing: Standing::Trusted.into(), ..of(say, &ann) })).await?;
    }
    until("trust is in force", || async {
        Ok(check(&fixture, &listed, &ann, "a flagged-word").await?.outcome() == PolicyOutcome::Allow)
    })
    .await?;
    let root = held.comment(&ann, "a text").await?;
    let reply = held.reply(root.id, &ann, "a reply").await?;
    ensure!([root.state(), reply.state()] == [CommentState::Active; 2], "{root:?}");
    ensure!(decisions(&fixture, root.id).await?.is_empty());
    let edited = edit(&held, root.id, &ann, "another text").await?;
    ensure!(edited.content.unwrap_or_default().text == "another text", "an edit is shown at once");
    ensure!(held.comment("ben", "a text").await?.state() == CommentState::Pending, "others wait");
    for (text, state, count) in [
        ("a flagged-word", CommentState::Active, 0),
        ("a held-word", CommentState::Pending, 1),
        ("a rejected-word", CommentState::Rejected, 1),
    ] {
        let made = listed.comment(&ann, text).await?;
        ensure!(made.state() == state && decisions(&fixture, made.id).await?.len() == count, "{made:?}");
    }
    let blocked = refused(listed.comment(&ann, "a refused-word").await)?;
    ensure!(blocked == (Code::InvalidArgument, ErrorReason::ContentBlocked), "{blocked:?}");
    Ok(())
}

async fn a_standing_ends_by_itself(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    // The service's own time. The mute is long enough to be seen on a slow machine.
    let now = say.comment("ben", "before").await?.create_time.context("no time")?;
    let end = prost_types::Timestamp { seconds: now.seconds + 10, nanos: 0 };
    let muted =
        MemberStanding { standing: Standing::Muted.into(), until: Some(end), report_weight: Some(7), ..of(&say, &ann) };
    let set = send(&fixture, &request(muted)).await?;
    ensure!(set.until == Some(end) && set.standing() == Standing::Muted, "{set:?}");
    in_force(&fixture, &say, &ann, Standing::Muted).await?;
    suspended(say.comment(&ann, "too early").await)?;
    until("the standing has ended", || async { Ok(say.comment(&ann, "later").await.is_ok()) }).await?;
    let listed = list(&fixture, &say, &ann).await?;
    ensure!(listed.len() == 1 && listed[0].standing() == Standing::Normal, "{listed:?}");
    ensure!(listed[0].until.is_none() && listed[0].report_weight == Some(7), "its weight stays: {listed:?}");
    Ok(())
}

async fn a_repeat_of_what_was_done_before_a_ban_gets_its_first_answer(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    let root = say.comment("ben", "a root").await?;
    let create = CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: ann.clone(),
        content: content("a text"),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..CreateCommentRequest::default()
    };
    let first = say.client.comments().create_comment(create.clone()).await?.into_inner();
    let id = first.comment.as_ref().map(|comment| comment.id).context("no comment")?;
    let update = UpdateCommentRequest {
        id,
        member_id: ann.clone(),
        content: content("another text"),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..UpdateCommentRequest::default()
    };
    let edited = say.client.comments().update_comment(update.clone()).await?.into_inner();
    let report = report(root.id, &ann);
    ensure!(say.report(report.clone()).await?, "the first report");
    set(&fixture, &say, &ann, Standing::Banned).await?;
    let again = say.client.comments().create_comment(create.clone()).await?.into_inner();
    ensure!(again.subject_revision == first.subject_revision, "{again:?}");
    ensure!(again.comment.as_ref().map(|comment| comment.id) == Some(id), "{again:?}");
    let again = say.client.comments().update_comment(update.clone()).await?.into_inner();
    ensure!(again.subject_revision == edited.subject_revision, "{again:?}");
    ensure!(say.report(report.clone()).await?, "the first answer");
    let other = CreateCommentRequest { content: content("a third text"), ..create };
    let reused = refused(say.client.comments().create_comment(other.clone()).await)?;
    ensure!(reused.1 == ErrorReason::RequestIdReused, "{reused:?}");
    // A refused request leaves its id free.
    let fresh = CreateCommentRequest { request_id: uuid::Uuid::now_v7().to_string(), ..other };
    suspended(say.client.comments().create_comment(fresh.clone()).await)?;
    set(&fixture, &say, &ann, Standing::Normal).await?;
    say.client.comments().create_comment(fresh).await?;
    Ok(())
}

async fn reports_weigh_what_the_standing_says(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("ben", "a root").await?;
    for (weight, opens) in [(0, false), (60, false), (40, true)] {
        let member = someone();
        let weighs =
            MemberStanding { standing: Standing::Banned.into(), report_weight: Some(weight), ..of(&say, &member) };
        send(&fixture, &request(weighs)).await?;
        in_force(&fixture, &say, &member, Standing::Banned).await?;
        let normal =
            MemberStanding { standing: Standing::Normal.into(), report_weight: Some(weight), ..of(&say, &member) };
        send(&fixture, &request(normal)).await?;
        in_force(&fixture, &say, &member, Standing::Normal).await?;
        say.report(report(root.id, &member)).await?;
        let causes = moderated(&fixture, root.id).await?.causes;
        ensure!((causes == [i32::from(ReviewCause::Report)]) == opens, "{weight}: {causes:?}");
    }
    ensure!(moderated(&fixture, root.id).await?.report_count == 3);
    Ok(())
}

async fn list(fixture: &Fixture, say: &Say, member: &str) -> Result<Vec<MemberStanding>> {
    let request = ListMemberStandingsRequest {
        object_type: say.key.object_type.clone(),
        member_id: member.to_owned(),
        ..ListMemberStandingsRequest::default()
    };
    Ok(fixture.server.policy()?.list_member_standings(request).await?.into_inner().standings)
}

async fn standings_are_guarded_by_etags_and_listed_newest_first(fixture: Fixture) -> Result<()> {
    // A list belongs to its type, so this case has one of its own.
    let object_type = format!("s{}", &uuid::Uuid::new_v4().simple().to_string()[..20]);
    let say = Say::on(&fixture.client, &object_type);
    let grounds = Grounds {
        code: "spam".into(),
        explanation: "Six links.".into(),
        legal_reference: "a law".into(),
        note: "seen before".into(),
        ..Grounds::default()
    };
    let muted = MemberStanding { standing: Standing::Muted.into(), grounds: Some(grounds), ..of(&say, "m1") };
    let order = request(muted.clone());
    let first = send(&fixture, &order).await?;
    let given = first.grounds.clone().unwrap_or_default();
    ensure!((&*given.code, &*given.explanation, &*given.note) == ("spam", "Six links.", "seen before"), "{first:?}");
    ensure!(given.detection() == Detection::Moderator && first.update_time.is_some(), "{first:?}");
    let banned = MemberStanding { standing: Standing::Banned.into(), etag: first.etag.clone(), ..muted.clone() };
    let second = send(&fixture, &request(banned.clone())).await?;
    ensure!(send(&fixture, &order).await? == first, "a repeat gets the first result");
    let stale = Error::from(send(&fixture, &request(banned)).await.err().context("not refused")?);
    ensure!(stale.reason() == ErrorReason::EtagMismatch, "{stale:?}");
    ensure!(stale.metadata().get("etag") == Some(&second.etag), "{stale:?}");
    let trusted = MemberStanding { standing: Standing::Trusted.into(), ..of(&say, "m2") };
    let reused = SetMemberStandingRequest { standing: Some(trusted.clone()), ..order };
    let reused = refused(send(&fixture, &reused).await)?;
    ensure!(reused == (Code::InvalidArgument, ErrorReason::RequestIdReused), "{reused:?}");
    let mut expected = vec!["m2".to_owned(), "m1".to_owned()];
    send(&fixture, &request(trusted)).await?;
    for member in ["m3", "m4", "m5"] {
        send(&fixture, &request(MemberStanding { standing: Standing::Trusted.into(), ..of(&say, member) })).await?;
        expected.insert(0, member.to_owned());
    }
    send(&fixture, &request(MemberStanding { standing: Standing::Normal.into(), ..of(&say, "m4") })).await?;
    expected.retain(|member| member != "m4");
    let walk = ListMemberStandingsRequest { object_type, page_size: 2, ..ListMemberStandingsRequest::default() };
    let listed = walked(&fixture, walk).await?;
    // Standings that were set one after the other have different times.
    let names: Vec<&str> = listed.iter().filter_map(|s| Some(s.member.as_ref()?.member_id.as_str())).collect();
    ensure!(names == expected, "{names:?}");
    ensure!(list(&fixture, &say, "m1").await? == [second], "of one member");
    // The etag of a member without a standing is that of its first one.
    let normal = MemberStanding { standing: Standing::Normal.into(), ..of(&say, "m8") };
    let unset = list(&fixture, &say, "m8").await?;
    let [never] = unset.as_slice() else { anyhow::bail!("one standing: {unset:?}") };
    ensure!(never.standing() == Standing::Normal && never.update_time.is_none(), "{never:?}");
    let set = send(&fixture, &request(MemberStanding { etag: never.etag.clone(), ..normal })).await?;
    ensure!(list(&fixture, &say, "m8").await? == [set.clone()], "NORMAL has an etag, too");
    let muted = MemberStanding { standing: Standing::Muted.into(), etag: set.etag, ..of(&say, "m8") };
    ensure!(send(&fixture, &request(muted)).await?.standing() == Standing::Muted);
    Ok(())
}

/// Walks over all pages of a list, each as long as was asked for.
async fn walked(fixture: &Fixture, mut request: ListMemberStandingsRequest) -> Result<Vec<MemberStanding>> {
    let mut found = Vec::new();
    loop {
        let page = fixture.server.policy()?.list_member_standings(request.clone()).await?.into_inner();
        found.extend(page.standings);
        if page.next_page_token.is_empty() {
            let sorted = found.is_sorted_by_key(|standing: &MemberStanding| {
                std::cmp::Reverse(standing.update_time.map(|time| (time.seconds, time.nanos)))
            });
            ensure!(sorted, "{found:?}");
            return Ok(found);
        }
        request.page_token = page.next_page_token;
    }
}

async fn wrong_standings_name_every_field(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let muted = |standing| MemberStanding { standing: Standing::Muted.into(), ..standing };
    let past = Some(prost_types::Timestamp { seconds: 1, nanos: 0 });
    let wrong = Grounds { code: "No Code".into(), ..Grounds::default() };
    for (standing, fields) in [
        (of(&say, ""), &["standing.member.member_id", "standing.standing"][..]),
        (MemberStanding { until: past, ..muted(of(&say, "m")) }, &["standing.until"]),
        (MemberStanding { report_weight: Some(1_001), ..muted(of(&say, "m")) }, &["standing.report_weight"]),
        (MemberStanding { grounds: Some(wrong), ..muted(of(&say, "m")) }, &["standing.grounds.code"]),
    ] {
        let error = Error::from(send(&fixture, &request(standing)).await.err().context("not refused")?);
        ensure!(error.reason() == ErrorReason::FieldInvalid, "{error:?}");
        let named: Vec<&str> = error.violations().iter().map(|violation| violation.field.as_str()).collect();
        ensure!(named == fields, "{named:?}");
    }
    let by_nobody = SetMemberStandingRequest { moderator_id: " ".into(), ..request(muted(of(&say, "m"))) };
    let error = Error::from(send(&fixture, &by_nobody).await.err().context("not refused")?);
    ensure!(error.violations().iter().any(|violation| violation.field == "moderator_id"), "{error:?}");
    Ok(())
}

async fn a_text_is_checked_by_lists_and_standing(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, LISTED), someone());
    let checked = check(&fixture, &say, "", "A HELD-word").await?;
    ensure!(checked.outcome() == PolicyOutcome::Hold && checked.code == "list.hold", "{checked:?}");
    ensure!(checked.shown_text == "A HELD-word" && checked.normalized_text == "a held-word", "{checked:?}");
    let hit = checked.hits.first().context("no hit")?;
    ensure!((&*hit.source, &*hit.rule, hit.start, hit.end) == ("listed", "h-1", 2, 11), "{hit:?}");
    ensure!(checked.time.is_some_and(|time| time.seconds == 0 && time.nanos > 0), "{checked:?}");
    let flagged = check(&fixture, &say, &ann, "a flagged-word").await?;
    ensure!(flagged.outcome() == PolicyOutcome::Flag, "{flagged:?}");
    set(&fixture, &say, &ann, Standing::PreModerated).await?;
    let flagged = check(&fixture, &say, &ann, "a flagged-word").await?;
    ensure!(flagged.outcome() == PolicyOutcome::Hold && flagged.code == "policy.standing", "{flagged:?}");
    let plain = check(&fixture, &say, "", "a text").await?;
    ensure!(plain.outcome() == PolicyOutcome::Allow && plain.code.is_empty() && plain.hits.is_empty(), "{plain:?}");
    let long = refused(check(&fixture, &say, "", &"x".repeat(5_001)).await)?;
    ensure!(long == (Code::InvalidArgument, ErrorReason::ContentTooLong), "{long:?}");
    let (member_id, object_type) = (ann, say.key.object_type.clone());
    let queue = riposte_sdk::v1::ListReviewItemsRequest { object_type, member_id, ..Default::default() };
    let queue = fixture.server.moderation()?.list_review_items(queue).await?.into_inner();
    ensure!(queue.items.is_empty(), "nothing is stored");
    Ok(())
}
