//! The reads at the end of a run. They add all data to the history: through the API, from the cache
//! of each server, from the rows and from the change streams of watchers; and directly, from the
//! rows of the databases and the keys of Redis.

mod cache;
pub(super) mod feed;
mod line;
mod listings;
mod owned;
mod policy;
mod review;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use riposte_sdk::v1::{
    CommentState, ExportSubjectRequest, ListReviewItemsRequest, ReviewCause, ReviewItem, SubjectScope,
    VerifyCountsRequest, export_subject_response::Item as Exported, subject_scope::Scope,
};
use tonic::{Code, Status};

use super::fault::Deployment;
use super::fleet::SERVERS;
use super::history::{
    Call, FilterResult, Item, ItemKind, Op, Outcome, PageOf, RequestId, Sort, USUAL_PAGE_SIZE, Value, View,
};
use super::load::{Acknowledged, Environment, SUBJECTS, Watcher, counts, failure_outcome, item, send, value_of};
use super::names;
use crate::Server;
use crate::mysql::Databases;

/// The client number of these reads.
const CLIENT: u32 = names::LAST_READS;
/// Number of members of each subject whose like states are read.
const MEMBERS: usize = 20;
/// Number of comments whose like states are read for each member.
const COMMENTS: usize = 8;
/// Number of comments of each subject whose likers are read.
const LIKED: usize = 2;
/// Number of acknowledged requests that are repeated.
const REPEATS: usize = 2_000;
/// Number of attempts of a repeat. A server under load may reject some of them.
const REPEAT_ATTEMPTS: usize = 10;
/// Timeout of each read.
const WITHIN: Duration = Duration::from_secs(10);

/// The time within which the service settles what an outage of the filter held.
const DRAINED_WITHIN: Duration = Duration::from_secs(30);

/// The request id of a read.
const READ: RequestId = (0, 0);

/// Reads all data into the history.
///
/// # Errors
/// Fails when a read fails, since no fault is injected any more.
pub(super) async fn read(
    environment: &Environment,
    deployment: &Deployment,
    databases: &Databases,
    seed: u64,
) -> Result<()> {
    let server = deployment.fleet.any_serving()?;
    let drifts = drifts(server).await?;
    for subject in 0..SUBJECTS as u32 {
        for number in 0..SERVERS {
            pages(environment, subject, number)
                .await
                .with_context(|| format!("subject {subject} at server {number}"))?;
        }
        let drifts = drifts.get(&subject).cloned().unwrap_or_default();
        let ExportedSubject { likes, visible } = export(environment, server, subject, drifts).await?;
        lists(environment, subject, &likes, &visible).await.with_context(|| format!("lists of subject {subject}"))?;
        states(environment, subject, &likes).await.with_context(|| format!("likes of subject {subject}"))?;
        let number = subject as usize % SERVERS;
        Watcher::new(CLIENT + 10, subject, seed)
            .catch_up(environment, number)
            .await
            .with_context(|| format!("watching subject {subject} at server {number}"))?;
    }
    review::read(environment, seed).await.context("reading what waits for review")?;
    owned::read(environment).await.context("reading the subjects with an owner")?;
    policy::read(environment, seed).await.context("reading what the policy judged")?;
    tables::read(databases, &environment.recorder).await.context("reading the rows")?;
    cache::read(deployment.redis(), &environment.recorder).await.context("reading the cache")
}

/// Waits until the service has settled what an outage of the filter held, or for the time within
/// which it must have done so. What still waits then is in the rows.
///
/// # Errors
/// Fails when the queue cannot be read, since no fault is injected any more.
pub(super) async fn drained(deployment: &Deployment) -> Result<()> {
    let server = deployment.fleet.any_serving()?;
    let begun = Instant::now();
    while begun.elapsed() < DRAINED_WITHIN && waits_for_filter(server).await? {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// Returns true if an outage holds a text that the filter does not leave open.
async fn waits_for_filter(server: &Server) -> Result<bool> {
    for object_type in [names::FILTERED_TYPE, names::SHOWN_TYPE] {
        let mut page_token = String::new();
        loop {
            let page = ListReviewItemsRequest {
                object_type: object_type.to_owned(),
                causes: vec![ReviewCause::ServiceUnavailable.into()],
                leased: true,
                page_size: 100,
                page_token,
                ..ListReviewItemsRequest::default()
            };
            let page = server.moderation()?.list_review_items(page).await?.into_inner();
            if page.items.iter().any(|item| !is_left_open(item)) {
                return Ok(true);
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
    }
    Ok(false)
}

/// Returns true if the filter leaves the text that waits open, or a word list holds it.
fn is_left_open(item: &ReviewItem) -> bool {
    let held = item.comment.as_ref();
    if held.is_some_and(|held| held.causes().any(|cause| cause == ReviewCause::New)) {
        return true;
    }
    let proposed = held.and_then(|held| held.proposed_edit.as_ref()?.content.as_ref());
    let present = held.and_then(|held| held.comment.as_ref()?.content.as_ref());
    let words = proposed.or(present).map(|content| names::text_words(&content.text));
    words == Some(FilterResult::Open.word())
}

/// Repeats a sample of the acknowledged requests, alternately at each server. Every repeat must
/// have a response, as the first request had.
///
/// # Errors
/// Fails when no attempt of a repeat has a response, since no fault is injected any more.
pub(super) async fn repeat(
    environment: &Environment,
    mut acknowledged: Acknowledged,
    random: &mut StdRng,
) -> Result<()> {
    let (chosen, _) = acknowledged.partial_shuffle(random, REPEATS);
    for (number, (call, request)) in chosen.iter().enumerate() {
        let mut failure = None;
        for _ in 0..REPEAT_ATTEMPTS {
            failure = attempt(environment, CLIENT + 11, (call.clone(), *request), number % SERVERS).await?;
            if failure.is_none() {
                break;
            }
        }
        if let Some(status) = failure {
            return Err(status.into());
        }
    }
    Ok(())
}

/// Reads the first pages of several orders, and the counts; any cached response is allowed.
async fn pages(environment: &Environment, subject: u32, server: usize) -> Result<()> {
    let (view, client) = (View::default(), CLIENT + server as u32);
    let mut calls = vec![Call::Counts { subject, view }];
    let lists = [(Sort::Newest, USUAL_PAGE_SIZE), (Sort::Newest, 60), (Sort::Oldest, 63), (Sort::Top, 62)];
    for (order, (sort, size)) in (0..).zip(lists) {
        let walk = subject * 4 + order;
        calls.push(Call::List(PageOf { subject, sort, size, walk, number: 0, view }));
    }
    for call in calls {
        perform(environment, client, (call, READ), server).await?;
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
        perform(environment, CLIENT + 8, (call, READ), member as usize % SERVERS).await?;
    }
    Ok(())
}

/// Reads the likers of some visible comments, and the comments of an author.
async fn lists(
    environment: &Environment,
    subject: u32,
    likes: &[(i64, u32, Value)],
    visible: &[(i64, u32)],
) -> Result<()> {
    let liked: BTreeSet<i64> = likes.iter().map(|(comment, ..)| *comment).collect();
    for (comment, _) in visible.iter().filter(|(comment, _)| liked.contains(comment)).take(LIKED) {
        listings::likers(environment, *comment).await?;
    }
    if let Some((_, member)) = visible.last() {
        listings::of_member(environment, subject, *member).await?;
    }
    Ok(())
}

/// Performs one call. A permanent refusal is recorded as its outcome and checked; no other failure
/// is allowed when no fault is injected.
async fn perform(environment: &Environment, client: u32, call: (Call, RequestId), server: usize) -> Result<()> {
    match attempt(environment, client, call, server).await? {
        None => Ok(()),
        Some(status) => Err(status.into()),
    }
}

/// Attempts one call and records its outcome. Returns the status of a failure that another attempt
/// may avoid.
async fn attempt(
    environment: &Environment,
    client: u32,
    (call, request): (Call, RequestId),
    server: usize,
) -> Result<Option<Status>> {
    let begun = environment.now();
    let (outcome, failure) = match send(environment.channels.ports(server), &call, request, "", WITHIN).await {
        Ok((outcome, _)) => (outcome, None),
        Err(status) => {
            let (outcome, retryable) = failure_outcome(status.clone());
            (outcome, retryable.then_some(status))
        }
    };
    let (ended, server) = (environment.now(), server as u8);
    environment.recorder.op(Op { client, server, begun, ended, request, call, outcome })?;
    Ok(failure)
}

/// The likes of a subject, and its visible comments with their authors.
struct ExportedSubject {
    likes: Vec<(i64, u32, Value)>,
    visible: Vec<(i64, u32)>,
}

/// Exports all rows and likes.
async fn export(
    environment: &Environment,
    server: &Server,
    subject: u32,
    drifts: Vec<String>,
) -> Result<ExportedSubject> {
    let begun = environment.now();
    let request = ExportSubjectRequest { key: Some(names::key(subject)) };
    let mut subject_counts = None;
    let mut rows: Vec<Item> = Vec::new();
    let mut likes: Vec<(i64, u32, Value)> = Vec::new();
    match server.admin()?.export_subject(request).await {
        Ok(responses) => {
            let mut responses = responses.into_inner();
            while let Some(response) = responses.message().await? {
                match response.item.context("an empty item")? {
                    Exported::Subject(exported) => subject_counts = exported.subject.as_ref().map(counts),
                    Exported::Comment(exported) => {
                        let mut comment = exported.comment.context("an empty comment")?;
                        // Operators get the content of a hidden comment, as no reader does.
                        if comment.state() == CommentState::Hidden {
                            comment.content = None;
                        }
                        rows.push(item(&comment, ItemKind::Row));
                    }
                    Exported::Like(like) => {
                        likes.push((like.comment_id, names::member(&like.member_id), value_of(like.value())));
                    }
                }
            }
        }
        // A subject is created with its first comment.
        Err(status) if status.code() == Code::NotFound => {}
        Err(status) => return Err(status.into()),
    }
    let visible = rows.iter().filter(|row| row.text != 0).map(|row| (row.id, row.member)).collect();
    let (rows, drifts) = (rows.into(), drifts.into());
    let outcome = Outcome::Export { counts: subject_counts, rows, likes: likes.as_slice().into(), drifts };
    let (ended, call) = (environment.now(), Call::Export { subject });
    environment.recorder.op(Op { client: CLIENT + 9, server: 0, begun, ended, request: (0, 0), call, outcome })?;
    Ok(ExportedSubject { likes, visible })
}

/// Returns the stored counts that differ from their rows, by subject.
async fn drifts(server: &Server) -> Result<BTreeMap<u32, Vec<String>>> {
    let mut drifts: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for object_type in names::OBJECT_TYPES {
        let scope = Some(SubjectScope { scope: Some(Scope::ObjectType(object_type.to_owned())) });
        let request = VerifyCountsRequest { scope, ..VerifyCountsRequest::default() };
        let mut responses = server.admin()?.verify_counts(request).await?.into_inner();
        loop {
            let response = match responses.message().await {
                Ok(Some(response)) => response,
                Ok(None) => break,
                // The call visits only existing subjects, so NotFound is a violation. The status
                // does not name the subject.
                Err(status) if status.code() == Code::NotFound => {
                    drifts.entry(0).or_default().push(format!("VerifyCounts of {object_type}: {}", status.message()));
                    break;
                }
                Err(status) => return Err(status.into()),
            };
            let subject = names::subject(response.subject.as_ref());
            drifts.entry(subject).or_default().extend(response.drifts.iter().map(|drift| format!("{drift:?}")));
        }
    }
    Ok(drifts)
}
