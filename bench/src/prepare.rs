//! The data that must exist before a measurement begins: subjects, and comments on them. Existing
//! data is kept.

use crate::clients::{Clients, TargetArgs};
use anyhow::{Context, Result};
use futures::{StreamExt, TryStreamExt, stream};
use riposte_sdk::{Client, v1};
use std::time::Duration;
use tonic::{Code, Response, Status};

/// The number of concurrent calls during preparation.
const WIDTH: usize = 64;
/// The maximum number of subjects in one BatchGetSubjects.
const BATCH: usize = 200;
/// The number of retries of a rejected call, and the wait before each.
const RETRIES: usize = 200;
const AGAIN: Duration = Duration::from_millis(100);
/// The maximum number of comments of one page.
const PAGE: i32 = 100;

/// Returns the keys of `count` subjects, all of which exist afterwards.
pub(crate) async fn subjects(clients: &Clients, target: &TargetArgs, count: usize) -> Result<Vec<v1::SubjectKey>> {
    let keys = target.keys(count);
    let missing: Vec<Vec<v1::SubjectKey>> = stream::iter(keys.chunks(BATCH).map(<[_]>::to_vec).enumerate())
        .map(|(number, keys)| missing(clients.of(number), keys))
        .buffered(WIDTH)
        .try_collect()
        .await?;
    stream::iter(missing.into_iter().flatten().enumerate())
        .map(|(number, key)| create_subject(clients.of(number), key))
        .buffered(WIDTH)
        .try_collect::<Vec<()>>()
        .await?;
    Ok(keys)
}

/// Retries a call until the service has capacity: a service that is set up for overload has little
/// of it.
async fn patient<T>(call: impl AsyncFn() -> Result<Response<T>, Status>) -> Result<T, Status> {
    for _ in 0..RETRIES {
        match call().await {
            Err(status) if status.code() == Code::ResourceExhausted => tokio::time::sleep(AGAIN).await,
            outcome => return outcome.map(Response::into_inner),
        }
    }
    call().await.map(Response::into_inner)
}

async fn missing(client: &Client, keys: Vec<v1::SubjectKey>) -> Result<Vec<v1::SubjectKey>> {
    let request = v1::BatchGetSubjectsRequest { keys, allow_missing: true, ..Default::default() };
    let batch = async || client.subjects().batch_get_subjects(request.clone()).await;
    Ok(patient(batch).await.context("BatchGetSubjects")?.missing)
}

async fn create_subject(client: &Client, key: v1::SubjectKey) -> Result<()> {
    let request = v1::CreateSubjectRequest { key: Some(key), ..Default::default() };
    patient(async || client.subjects().create_subject(request.clone()).await).await.context("CreateSubject")?;
    Ok(())
}

/// Returns the ids of `count` comments, spread as evenly as possible over `subjects` subjects; all
/// of them exist afterwards.
pub(crate) async fn comments(
    clients: &Clients,
    target: &TargetArgs,
    count: usize,
    subjects: usize,
) -> Result<Vec<i64>> {
    let keys = self::subjects(clients, target, subjects).await?;
    let shares = (0..subjects).map(|number| count / subjects + usize::from(number < count % subjects));
    let ids: Vec<Vec<i64>> = stream::iter(keys.into_iter().zip(shares).enumerate())
        .map(|(number, (key, share))| comments_on(clients.of(number), key, share))
        .buffered(WIDTH)
        .try_collect()
        .await?;
    Ok(ids.concat())
}

/// Returns the first `count` comments on one subject.
async fn comments_on(client: &Client, key: v1::SubjectKey, count: usize) -> Result<Vec<i64>> {
    let mut list = v1::ListCommentsRequest {
        subject: Some(key.clone()),
        sort: v1::CommentSort::Oldest.into(),
        page_size: PAGE,
        reply_preview_size: Some(0),
        ..Default::default()
    };
    let mut ids = Vec::new();
    while ids.len() < count {
        let page =
            patient(async || client.comments().list_comments(list.clone()).await).await.context("ListComments")?;
        ids.extend(page.threads.iter().filter_map(|thread| Some(thread.comment.as_ref()?.id)));
        list.page_token = page.next_page_token;
        if list.page_token.is_empty() {
            break;
        }
    }
    while ids.len() < count {
        let create = async || client.comments().create_comment(comment(&key, ids.len())).await;
        let response = patient(create).await.context("CreateComment")?;
        ids.push(response.comment.context("a response without a comment")?.id);
    }
    ids.truncate(count);
    Ok(ids)
}

/// Returns an ordinary comment, whose text is unique by its number.
pub(crate) fn comment(key: &v1::SubjectKey, number: usize) -> v1::CreateCommentRequest {
    v1::CreateCommentRequest {
        subject: Some(key.clone()),
        member_id: format!("m{}", number % 100_000),
        content: Some(v1::Content { text: text(number), ..Default::default() }),
        ..Default::default()
    }
}

/// Returns an ordinary reply.
pub(crate) fn reply(parent_id: i64, number: usize) -> v1::CreateReplyRequest {
    v1::CreateReplyRequest {
        parent_id,
        member_id: format!("m{}", number % 100_000),
        content: Some(v1::Content { text: text(number), ..Default::default() }),
        ..Default::default()
    }
}

/// Returns the text of a comment, for both sides of every comparison: about 80 bytes, the usual
/// length of people's comments.
pub(crate) fn text(number: usize) -> String {
    format!("Comment {number}: it agrees with some of what stands above, and with none of the rest.")
}
