//! VerifyCounts, RepairCounts and RebuildMemberHistory: clean data stays unchanged, and a walk
//! resumes where it stopped.

use std::collections::HashSet;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::subject_scope::Scope;
use riposte_sdk::v1::{
    AllSubjects, ErrorReason, LikeValue, RebuildMemberHistoryRequest, RepairCountsRequest, SubjectScope,
    VerifyCountsRequest,
};
use riposte_tests::{Case, Say, World, cases, refused};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    a_repair_of_clean_counts_changes_nothing,
    a_verification_goes_on_behind_any_subject_it_has_told,
    a_verification_of_all_subjects_visits_every_type_and_goes_on_by_its_own_tokens,
    a_rebuild_looks_at_every_comment_and_finds_nothing_left_to_do_the_second_time,
    what_is_not_there_cannot_be_kept_up,
];

fn of(object_type: &str) -> Option<SubjectScope> {
    Some(SubjectScope { scope: Some(Scope::ObjectType(object_type.to_owned())) })
}

fn one(say: &Say) -> Option<SubjectScope> {
    Some(SubjectScope { scope: Some(Scope::Key(say.key.clone())) })
}

/// Creates an object type with some subjects, each with three comments.
async fn filled(world: &World, subjects: usize) -> Result<(String, Vec<Say>)> {
    let object_type = format!("t{}", &uuid::Uuid::new_v4().simple().to_string()[..20]);
    let says: Vec<_> = (0..subjects).map(|_| Say::on(&world.client, &object_type)).collect();
    for say in &says {
        let root = say.comment("m", "root").await?;
        say.reply(root.id, "x", "reply").await?;
        say.like(root.id, "x", LikeValue::Like).await?;
        say.comment("x", "another").await?;
    }
    Ok((object_type, says))
}

async fn a_repair_of_clean_counts_changes_nothing(world: World) -> Result<()> {
    let (object_type, says) = filled(&world, 4).await?;
    let request = RepairCountsRequest { scope: of(&object_type), ..RepairCountsRequest::default() };
    let mut answers = world.server.admin()?.repair_counts(request).await?.into_inner();
    let mut repaired = 0;
    while let Some(answer) = answers.message().await? {
        let key = answer.subject.context("no subject")?;
        let say = says.iter().find(|say| say.key == key).context("a subject of another type")?;
        let page = say.page(Default::default(), 1).await?;
        let now = page.subject.unwrap_or_default().revision;
        ensure!(answer.repaired.is_empty() && answer.subject_revision == now, "{:?}, now {now}", answer.repaired);
        repaired += 1;
    }
    ensure!(repaired == says.len(), "{repaired} subjects");
    Ok(())
}

async fn a_verification_goes_on_behind_any_subject_it_has_told(world: World) -> Result<()> {
    let (object_type, says) = filled(&world, 6).await?;
    let mut request = VerifyCountsRequest { scope: of(&object_type), ..VerifyCountsRequest::default() };
    let (mut told, mut calls) = (Vec::new(), 0);
    loop {
        calls += 1;
        let mut answers = world.server.admin()?.verify_counts(request.clone()).await?.into_inner();
        // Each call processes two subjects and is then abandoned.
        for _ in 0..2 {
            let Some(answer) = answers.message().await? else { break };
            ensure!(answer.drifts.is_empty() && answer.comments_checked == 3, "{answer:?}");
            told.push(answer.subject.context("no subject")?.object_id);
            request.resume_token = answer.resume_token;
        }
        if request.resume_token.is_empty() {
            break;
        }
    }
    ensure!(calls == 3 && told.len() == says.len(), "{calls} calls, {told:?}");
    ensure!(told.into_iter().collect::<HashSet<_>>().len() == says.len());
    Ok(())
}

async fn a_verification_of_all_subjects_visits_every_type_and_goes_on_by_its_own_tokens(world: World) -> Result<()> {
    let ((one, first), (_, second)) = (filled(&world, 3).await?, filled(&world, 3).await?);
    let mut missing: HashSet<_> = first.iter().chain(&second).map(|say| say.key.object_id.clone()).collect();
    let all = Some(SubjectScope { scope: Some(Scope::All(AllSubjects {})) });
    let mut request = VerifyCountsRequest { scope: all, ..VerifyCountsRequest::default() };
    let (mut admin, mut seen, mut begun) = (world.server.admin()?, HashSet::new(), false);
    while !begun || !request.resume_token.is_empty() {
        begun = true;
        let mut answers = admin.verify_counts(request.clone()).await?.into_inner();
        // Each call is abandoned early.
        for _ in 0..20 {
            let Some(answer) = answers.message().await? else { break };
            let key = answer.subject.context("no subject")?;
            missing.remove(&key.object_id);
            ensure!(seen.insert((key.object_type, key.object_id)), "one was told twice");
            if !answer.resume_token.is_empty() {
                let scope = of(&one);
                let strange = VerifyCountsRequest { scope, resume_token: answer.resume_token.clone() };
                let mismatch = (Code::InvalidArgument, ErrorReason::PageTokenMismatch);
                ensure!(refused(admin.verify_counts(strange).await)? == mismatch);
            }
            request.resume_token = answer.resume_token;
        }
    }
    ensure!(missing.is_empty(), "{missing:?} are not among {}", seen.len());
    Ok(())
}

async fn a_rebuild_looks_at_every_comment_and_finds_nothing_left_to_do_the_second_time(world: World) -> Result<()> {
    let (object_type, says) = filled(&world, 4).await?;
    for second in [false, true] {
        let request = RebuildMemberHistoryRequest { scope: of(&object_type), ..RebuildMemberHistoryRequest::default() };
        let mut answers = world.server.admin()?.rebuild_member_history(request).await?.into_inner();
        let mut last = None;
        while let Some(answer) = answers.message().await? {
            last = Some(answer);
        }
        let last = last.context("no progress was told")?;
        let comments = 3 * i64::try_from(says.len())?;
        ensure!(last.subjects_done == 4 && last.comments_checked == comments, "{last:?}");
        ensure!(last.resume_token.is_empty() && !(second && last.rows_changed > 0), "{last:?}");
    }
    Ok(())
}

async fn what_is_not_there_cannot_be_kept_up(world: World) -> Result<()> {
    let nothing = Say::on(&world.client, "article");
    let missing = (Code::NotFound, ErrorReason::SubjectNotFound);
    let mut admin = world.server.admin()?;
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
