//! What stands when all is over, read through the API into the history: by each server from whatever copies it has, and
//! from the rows.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use riposte_sdk::v1::{
    ExportSubjectRequest, SubjectScope, VerifyCountsRequest, export_subject_response::Item as Exported,
    subject_scope::Scope,
};
use tonic::Code;

use super::history::{Call, Item, Op, Outcome, PageOf, Place, Sort, Value, View};
use super::load::{SUBJECTS, Stage, heard, item, send};
use super::names;
use crate::Server;
use crate::kill::fleet::SERVERS;

/// The client number of these reads.
const CLIENT: u32 = 200_000;
/// How long each may take.
const WITHIN: Duration = Duration::from_secs(10);

/// Reads everything.
///
/// # Errors
/// When a read fails: no fault strikes any more.
pub(super) async fn read(stage: &Stage, server: &Server) -> Result<()> {
    let drifts = drifts(server).await?;
    for subject in 0..SUBJECTS as u32 {
        for door in 0..SERVERS {
            copies(stage, subject, door).await.with_context(|| format!("subject {subject} at server {door}"))?;
        }
        export(stage, server, subject, drifts.get(&subject).cloned().unwrap_or_default()).await?;
    }
    Ok(())
}

/// The first pages of several orders, and the counts, as whatever copy tells them.
async fn copies(stage: &Stage, subject: u32, door: usize) -> Result<()> {
    let (view, client) = (View::default(), CLIENT + door as u32);
    let mut calls = vec![Call::Counts { subject, view }];
    for (order, sort) in (0..).zip([Sort::Newest, Sort::Oldest, Sort::Top]) {
        let walk = subject * 4 + order;
        calls.push(Call::List(PageOf { subject, sort, size: 60, walk, number: 0, view }));
    }
    for call in calls {
        let begun = stage.now();
        let (outcome, _) = send(stage.doors.channel(door), &call, (0, 0), "", WITHIN).await?;
        let (ended, server) = (stage.now(), door as u8);
        stage.recorder.op(Op { client, server, begun, ended, request: (0, 0), call, outcome })?;
    }
    Ok(())
}

/// All rows and likes.
async fn export(stage: &Stage, server: &Server, subject: u32, drifts: Vec<String>) -> Result<()> {
    let begun = stage.now();
    let request = ExportSubjectRequest { key: Some(names::key(subject)) };
    let mut rows: Vec<Item> = Vec::new();
    let mut likes: Vec<(i64, u32, Value)> = Vec::new();
    match server.admin()?.export_subject(request).await {
        Ok(answers) => {
            let mut answers = answers.into_inner();
            while let Some(answer) = answers.message().await? {
                match answer.item.context("an empty item")? {
                    Exported::Subject(_) => {}
                    Exported::Comment(of) => rows.push(item(&of.comment.context("an empty comment")?, Place::Row)),
                    Exported::Like(like) => {
                        likes.push((like.comment_id, names::member(&like.member_id), heard(like.value())));
                    }
                }
            }
        }
        // A subject comes into being with its first comment.
        Err(status) if status.code() == Code::NotFound => {}
        Err(status) => return Err(status.into()),
    }
    let outcome = Outcome::Export { rows: rows.into(), likes: likes.into(), drifts: drifts.into() };
    let (ended, call) = (stage.now(), Call::Export { subject });
    stage.recorder.op(Op { client: CLIENT + 9, server: 0, begun, ended, request: (0, 0), call, outcome })
}

/// Stored counts that differ from their rows, by subject.
async fn drifts(server: &Server) -> Result<BTreeMap<u32, Vec<String>>> {
    let mut drifts: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for object_type in names::OBJECT_TYPES {
        let scope = Some(SubjectScope { scope: Some(Scope::ObjectType(object_type.to_owned())) });
        let request = VerifyCountsRequest { scope, ..VerifyCountsRequest::default() };
        let mut answers = server.admin()?.verify_counts(request).await?.into_inner();
        while let Some(answer) = answers.message().await? {
            let subject = names::subject(answer.subject.as_ref());
            drifts.entry(subject).or_default().extend(answer.drifts.iter().map(|drift| format!("{drift:?}")));
        }
    }
    Ok(drifts)
}
