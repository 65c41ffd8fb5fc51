//! VerifyCounts, RepairCounts and RebuildMemberHistory: clean data stays unchanged, and a walk
//! resumes where it stopped.

use std::collections::HashSet;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::subject_scope::Scope;
use riposte_sdk::v1::{
    AllSubjects, ErrorReason, LikeValue, RebuildCacheRequest, RebuildMemberHistoryRequest, RebuildRanksRequest,
    RepairCountsRequest, SubjectScope, VerifyCountsRequest,
};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    a_repair_of_clean_counts_changes_nothing,
    a_verification_resumes_after_any_subject_that_it_has_reported,
    a_verification_of_all_subjects_visits_every_type_and_resumes_by_its_own_tokens,
    a_rebuild_reads_every_comment_and_changes_nothing_the_second_time,
    upkeep_of_a_missing_subject_or_with_an_invalid_token_is_refused,
    upkeep_with_a_request_id_that_is_no_uuid_is_refused,
];

fn of(object_type: &str) -> Option<SubjectScope> {
    Some(SubjectScope { scope: Some(Scope::ObjectType(object_type.to_owned())) })
}

fn one(say: &Say) -> Option<SubjectScope> {
    Some(SubjectScope { scope: Some(Scope::Key(say.key.clone())) })
}

/// Creates an object type with some subjects, each with three comments.
async fn filled(fixture: &Fixture, subjects: usize) -> Result<(String, Vec<Say>)> {
    let object_type = format!("t{}", &uuid::Uuid::new_v4().simple().to_string()[..20]);
    let says: Vec<_> = (0..subjects).map(|_| Say::on(&fixture.client, &object_type)).collect();
    for say in &says {
        let root = say.comment("m", "root").await?;
        say.reply(root.id, "x", "reply").await?;
        say.like(root.id, "x", LikeValue::Like).await?;
        say.comment("x", "another").await?;
    }
    Ok((object_type, says))
}

async fn a_repair_of_clean_counts_changes_nothing(fixture: Fixture) -> Result<()> {
    let (object_type, says) = filled(&fixture, 4).await?;
    let request = RepairCountsRequest { scope: of(&object_type), ..RepairCountsRequest::default() };
    let mut responses = fixture.server.admin()?.repair_counts(request).await?.into_inner();
    let mut repaired = 0;
    while let Some(response) = responses.message().await? {
        let key = response.subject.context("no subject")?;
        let say = says.iter().find(|say| say.key == key).context("a subject of another type")?;
        let page = say.page(Default::default(), 1).await?;
        let now = page.subject.unwrap_or_default().revision;
        ensure!(response.repaired.is_empty() && response.subject_revision == now, "{:?}, now {now}", response.repaired);
        repaired += 1;
    }
    ensure!(repaired == says.len(), "{repaired} subjects");
    Ok(())
}

async fn a_verification_resumes_after_any_subject_that_it_has_reported(fixture: Fixture) -> Result<()> {
    let (object_type, says) = filled(&fixture, 6).await?;
    let mut request = VerifyCountsRequest { scope: of(&object_type), ..VerifyCountsRequest::default() };
    let (mut reported, mut calls) = (Vec::new(), 0);
    loop {
        calls += 1;
        let mut responses = fixture.server.admin()?.verify_counts(request.clone()).await?.into_inner();
        // Each call processes two subjects and is then abandoned.
        for _ in 0..2 {
            let Some(response) = responses.message().await? else { break };
            ensure!(response.drifts.is_empty() && response.comments_checked == 3, "{response:?}");
            reported.push(response.subject.context("no subject")?.object_id);
            request.resume_token = response.resume_token;
        }
        if request.resume_token.is_empty() {
            break;
        }
    }
    ensure!(calls == 3 && reported.len() == says.len(), "{calls} calls, {reported:?}");
    ensure!(reported.into_iter().collect::<HashSet<_>>().len() == says.len());
    Ok(())
}

async fn a_verification_of_all_subjects_visits_every_type_and_resumes_by_its_own_tokens(
    fixture: Fixture,
) -> Result<()> {
    let ((one, first), (_, second)) = (filled(&fixture, 3).await?, filled(&fixture, 3).await?);
    let mut missing: HashSet<_> = first.iter().chain(&second).map(|say| say.key.object_id.clone()).collect();
    let all = Some(SubjectScope { scope: Some(Scope::All(AllSubjects {})) });
    let mut request = VerifyCountsRequest { scope: all, ..VerifyCountsRequest::default() };
    let (mut admin, mut seen, mut begun) = (fixture.server.admin()?, HashSet::new(), false);
    while !begun || !request.resume_token.is_empty() {
        begun = true;
        let mut responses = admin.verify_counts(request.clone()).await?.into_inner();
        // Each call is abandoned early.
        for _ in 0..20 {
            let Some(response) = responses.message().await? else { break };
            let key = response.subject.context("no subject")?;
            missing.remove(&key.object_id);
            ensure!(seen.insert((key.object_type, key.object_id)), "a subject was reported twice");
            if !response.resume_token.is_empty() {
                let scope = of(&one);
                let strange = VerifyCountsRequest { scope, resume_token: response.resume_token.clone() };
                let mismatch = (Code::InvalidArgument, ErrorReason::PageTokenMismatch);
                ensure!(refused(admin.verify_counts(strange).await)? == mismatch);
            }
            request.resume_token = response.resume_token;
        }
    }
    ensure!(missing.is_empty(), "{missing:?} are not among {}", seen.len());
    Ok(())
}

async fn a_rebuild_reads_every_comment_and_changes_nothing_the_second_time(fixture: Fixture) -> Result<()> {
    let (object_type, says) = filled(&fixture, 4).await?;
    for second in [false, true] {
        let request = RebuildMemberHistoryRequest { scope: of(&object_type), ..RebuildMemberHistoryRequest::default() };
        let mut responses = fixture.server.admin()?.rebuild_member_history(request).await?.into_inner();
        let mut last = None;
        while let Some(response) = responses.message().await? {
            last = Some(response);
        }
        let last = last.context("no progress was reported")?;
        let comments = 3 * i64::try_from(says.len())?;
        ensure!(last.subjects_done == 4 && last.comments_checked == comments, "{last:?}");
        ensure!(last.resume_token.is_empty() && !(second && last.rows_changed > 0), "{last:?}");
    }
    Ok(())
}

async fn upkeep_of_a_missing_subject_or_with_an_invalid_token_is_refused(fixture: Fixture) -> Result<()> {
    let nothing = Say::on(&fixture.client, "article");
    let missing = (Code::NotFound, ErrorReason::SubjectNotFound);
    let mut admin = fixture.server.admin()?;
    let request = VerifyCountsRequest { scope: one(&nothing), ..VerifyCountsRequest::default() };
    ensure!(refused(admin.verify_counts(request.clone()).await)? == missing);
    let repair = RepairCountsRequest { scope: one(&nothing), ..RepairCountsRequest::default() };
    ensure!(refused(admin.repair_counts(repair).await)? == missing);
    let rebuild = RebuildMemberHistoryRequest { scope: one(&nothing), ..RebuildMemberHistoryRequest::default() };
    ensure!(refused(admin.rebuild_member_history(rebuild).await)? == missing);
    let forged = VerifyCountsRequest { scope: of("article"), resume_token: "forged".into() };
    ensure!(refused(admin.verify_counts(forged).await)? == (Code::InvalidArgument, ErrorReason::PageTokenInvalid));
    let both = VerifyCountsRequest { resume_token: "x".into(), ..request };
    ensure!(refused(admin.verify_counts(both).await)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
    Ok(())
}

async fn upkeep_with_a_request_id_that_is_no_uuid_is_refused(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    say.comment("m", "root").await?;
    let (mut admin, scope) = (fixture.server.admin()?, one(&say));
    let invalid = (Code::InvalidArgument, ErrorReason::FieldInvalid);
    let request_id = || "once\nmore".to_owned();
    let repair = RepairCountsRequest { scope: scope.clone(), request_id: request_id(), ..Default::default() };
    ensure!(refused(admin.repair_counts(repair).await)? == invalid);
    let history = RebuildMemberHistoryRequest { scope: scope.clone(), request_id: request_id(), ..Default::default() };
    ensure!(refused(admin.rebuild_member_history(history).await)? == invalid);
    let ranks = RebuildRanksRequest { scope: scope.clone(), request_id: request_id(), ..Default::default() };
    ensure!(refused(admin.rebuild_ranks(ranks).await)? == invalid);
    let cache = RebuildCacheRequest { scope, request_id: request_id() };
    ensure!(refused(admin.rebuild_cache(cache).await)? == invalid);
    Ok(())
}
