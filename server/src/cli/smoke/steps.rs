//! The steps of the smoke test on one subject.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{Comment, ListCommentsRequest};
use riposte_sdk::{Client, Error, Subject};

/// The members that write and like.
const AUTHOR: &str = "smoke-author";
const LIKER: &str = "smoke-liker";

/// Writes, reads, likes and deletes under one subject. Lists are read from the primary, so that
/// each step is checked against the rows.
pub(super) async fn run(client: &Client, subject: &Subject) -> Result<()> {
    subject.ensure().await.context("create the subject")?;
    let root = subject.comment(AUTHOR, "smoke").await.context("comment")?;
    let reply = root.reply(AUTHOR, "smoke").await.context("reply")?;
    let like = reply.like(LIKER).await.context("like")?;
    ensure!(like.like_count == 1, "like: the reply has {} likes instead of 1", like.like_count);
    let (listed, replies) = find(client, subject, &root).await.context("list")?;
    ensure!(listed, "list: the comment is missing");
    let listed_reply = replies.first().context("list: the reply is missing")?;
    ensure!(listed_reply.id == reply.id, "list: it has another reply");
    ensure!(listed_reply.like_count == 1, "list: the reply has {} likes instead of 1", listed_reply.like_count);
    reply.delete(AUTHOR).await.context("delete the reply")?;
    root.delete(AUTHOR).await.context("delete the comment")?;
    let (listed, _) = find(client, subject, &root).await.context("list after the deletion")?;
    ensure!(!listed, "list after the deletion: the comment is still in it");
    Ok(())
}

/// Returns true if the list contains the comment, and the replies that the list shows below it.
async fn find(client: &Client, subject: &Subject, root: &Comment) -> Result<(bool, Vec<Comment>), Error> {
    let request = ListCommentsRequest {
        subject: Some((**subject).clone()),
        around_floor: root.floor,
        fresh: true,
        ..ListCommentsRequest::default()
    };
    let page = client.comments().list_comments(request).await?.into_inner();
    let thread =
        page.threads.into_iter().find(|thread| thread.comment.as_ref().is_some_and(|comment| comment.id == root.id));
    Ok((thread.is_some(), thread.map(|thread| thread.replies).unwrap_or_default()))
}
