//! The reads at the end of a run. All data is read through the API into the history: by each server
//! from the cache, from the rows, and from the change streams of watchers. Then the rows of the
//! databases and the keys of Redis are read directly.

mod copies;
mod line;
mod tables;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use riposte_sdk::v1::{
    ExportSubjectRequest, SubjectScope, VerifyCountsRequest, export_subject_response::Item as Exported,
    subject_scope::Scope,
};
use tonic::Code;

use super::fault::Rig;
use super::fleet::SERVERS;
use super::history::{Call, Item, Op, Outcome, PageOf, Place, RequestId, Sort, USUAL, Value, View};
use super::load::{Acknowledged, Environment, SUBJECTS, Watcher, counts, failed, heard, item, send};
use super::names;
use crate::Server;
use crate::mysql::Databases;

/// The client number of these reads.
const CLIENT: u32 = 200_000;
/// Number of members of each subject whose like states are read, and of comments of each of them.
const MEMBERS: usize = 20;
const COMMENTS: usize = 8;
/// Number of acknowledged requests that are repeated.
const REPEATS: usize = 2_000;
/// Timeout of each read.
const WITHIN: Duration = Duration::from_secs(10);

/// The request id of a read.
const READ: RequestId = (0, 0);

/// Reads all data.
///
/// # Errors
/// Fails when a read fails, since no fault is injected any more.
pub(super) async fn read(environment: &Environment, rig: &Rig, databases: &Databases, seed: u64) -> Result<()> {
    let server = rig.fleet.any()?;
    let drifts = drifts(server).await?;
    for subject in 0..SUBJECTS as u32 {
        for door in 0..SERVERS {
            copies(environment, subject, door).await.with_context(|| format!("subject {subject} at server {door}"))?;
        }
        let likes = export(environment, server, subject, drifts.get(&subject).cloned().unwrap_or_default()).await?;
        states(environment, subject, &likes).await.with_context(|| format!("likes of subject {subject}"))?;
        let door = subject as usize % SERVERS;
        Watcher::new(CLIENT + 10, subject, seed)
            .rest(environment, door)
            .await
            .with_context(|| format!("watching subject {subject} at server {door}"))?;
    }
    tables::read(databases, &environment.recorder).await.context("reading the rows")?;
    copies::read(rig.redis(), &environment.recorder).await.context("reading the copies")
}

/// Repeats a sample of the acknowledged requests, alternately at each server: every repeat has to
/// be answered, as the first time.
///
/// # Errors
/// Fails when a repeat has no response, since no fault is injected any more.
pub(super) async fn repeat(
    environment: &Environment,
    mut acknowledged: Acknowledged,
    random: &mut StdRng,
) -> Result<()> {
    let (chosen, _) = acknowledged.partial_shuffle(random, REPEATS);
    for (number, (call, request)) in chosen.iter().enumerate() {
        one(environment, CLIENT + 11, (call.clone(), *request), number % SERVERS).await?;
    }
    Ok(())
}

/// Reads the first pages of several orders, and the counts; any cached response is allowed.
async fn copies(environment: &Environment, subject: u32, door: usize) -> Result<()> {
    let (view, client) = (View::default(), CLIENT + door as u32);
    let mut calls = vec![Call::Counts { subject, view }];
    let pages = [(Sort::Newest, USUAL), (Sort::Newest, 60), (Sort::Oldest, 63), (Sort::Top, 62)];
    for (order, (sort, size)) in (0..).zip(pages) {
        let walk = subject * 4 + order;
        calls.push(Call::List(PageOf { subject, sort, size, walk, number: 0, view }));
    }
    for call in calls {
        one(environment, client, (call, READ), door).await?;
    }
    Ok(())
}

/// Reads the like states of some members; any cached response is allowed.
async fn states(environment: &Environment, subject: u32, likes: &[(i64, u32, Value)]) -> Result<()> {
    let mut members: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
    for (comment, member, _) in likes {
        members.entry(*member).or_default().push(*comment);
    }
    for (member, mut comments) in members.into_iter().take(MEMBERS) {
        comments.truncate(COMMENTS);
        let call = Call::States { subject, member, comments: comments.into(), fresh: false };
        one(environment, CLIENT + 8, (call, READ), member as usize % SERVERS).await?;
    }
    Ok(())
}

/// Performs one call. A permanent refusal is recorded as its outcome and checked; no other failure
/// is allowed when no fault is injected.
async fn one(environment: &Environment, client: u32, (call, request): (Call, RequestId), door: usize) -> Result<()> {
    let begun = environment.now();
    let outcome = match send(environment.doors.channel(door), &call, request, "", WITHIN).await {
        Ok((outcome, _)) => outcome,
        Err(status) => {
            let (outcome, passing) = failed(status.clone());
            ensure!(!passing, status);
            outcome
        }
    };
    let (ended, server) = (environment.now(), door as u8);
    environment.recorder.op(Op { client, server, begun, ended, request, call, outcome })
}

/// Exports all rows and likes, and returns the likes.
async fn export(
    environment: &Environment,
    server: &Server,
    subject: u32,
    drifts: Vec<String>,
) -> Result<Vec<(i64, u32, Value)>> {
    let begun = environment.now();
    let request = ExportSubjectRequest { key: Some(names::key(subject)) };
    let mut told = None;
    let mut rows: Vec<Item> = Vec::new();
    let mut likes: Vec<(i64, u32, Value)> = Vec::new();
    match server.admin()?.export_subject(request).await {
        Ok(answers) => {
            let mut answers = answers.into_inner();
            while let Some(answer) = answers.message().await? {
                match answer.item.context("an empty item")? {
                    Exported::Subject(of) => told = of.subject.as_ref().map(counts),
                    Exported::Comment(of) => rows.push(item(&of.comment.context("an empty comment")?, Place::Row)),
                    Exported::Like(like) => {
                        likes.push((like.comment_id, names::member(&like.member_id), heard(like.value())));
                    }
                }
            }
        }
        // A subject is created with its first comment.
        Err(status) if status.code() == Code::NotFound => {}
        Err(status) => return Err(status.into()),
    }
    let (rows, drifts) = (rows.into(), drifts.into());
    let outcome = Outcome::Export { counts: told, rows, likes: likes.as_slice().into(), drifts };
    let (ended, call) = (environment.now(), Call::Export { subject });
    environment.recorder.op(Op { client: CLIENT + 9, server: 0, begun, ended, request: (0, 0), call, outcome })?;
    Ok(likes)
}

/// Returns the stored counts that differ from their rows, by subject.
async fn drifts(server: &Server) -> Result<BTreeMap<u32, Vec<String>>> {
    let mut drifts: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for object_type in names::OBJECT_TYPES {
        let scope = Some(SubjectScope { scope: Some(Scope::ObjectType(object_type.to_owned())) });
        let request = VerifyCountsRequest { scope, ..VerifyCountsRequest::default() };
        let mut answers = server.admin()?.verify_counts(request).await?.into_inner();
        loop {
            let answer = match answers.message().await {
                Ok(Some(answer)) => answer,
                Ok(None) => break,
                // The call visits only existing subjects, so NotFound is a violation. The status
                // does not name the subject.
                Err(status) if status.code() == Code::NotFound => {
                    drifts.entry(0).or_default().push(format!("VerifyCounts of {object_type}: {}", status.message()));
                    break;
                }
                Err(status) => return Err(status.into()),
            };
            let subject = names::subject(answer.subject.as_ref());
            drifts.entry(subject).or_default().extend(answer.drifts.iter().map(|drift| format!("{drift:?}")));
        }
    }
    Ok(drifts)
}
