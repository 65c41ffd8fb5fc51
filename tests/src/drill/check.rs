//! The check for acknowledged comments that are missing.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use riposte_sdk::Client;
use riposte_sdk::v1::{BatchGetCommentsRequest, CommentSort, ListCommentsRequest};

use super::{SUBJECTS, subject};
use crate::{Say, until};

/// Reads every acknowledged comment from the rows, and compares every subject's cached page with
/// its rows.
pub(super) async fn check(client: &Client, file: &Path) -> Result<()> {
    let text = std::fs::read_to_string(file)?;
    let acknowledged = text.lines().map(|line| {
        let (id, text) = line.split_once(' ').context("a line without a text")?;
        anyhow::Ok((id.parse::<i64>()?, text))
    });
    let acknowledged: HashMap<i64, &str> = acknowledged.collect::<Result<_>>()?;
    let ids: Vec<i64> = acknowledged.keys().copied().collect();
    let (mut unchanged, mut changed) = (0, 0);
    for ids in ids.chunks(200) {
        let request = BatchGetCommentsRequest { ids: ids.to_vec(), allow_missing: true, fresh: true };
        let found = client.comments().batch_get_comments(request).await?.into_inner().comments;
        for comment in found {
            let text = comment.content.unwrap_or_default().text;
            *(if acknowledged[&comment.id] == text { &mut unchanged } else { &mut changed }) += 1;
        }
    }
    let missing = acknowledged.len() - unchanged - changed;
    println!(
        "of {} acknowledged comments {unchanged} are unchanged, {missing} are missing, {changed} have another text",
        acknowledged.len()
    );
    for number in 0..SUBJECTS {
        let say = Say { client: client.clone(), key: subject(number) };
        // Cached data may lag a little, but must not stay stale.
        until("the cached first page equals the rows", || pages_are_equal(say.clone())).await?;
    }
    println!("{SUBJECTS} cached first pages equal the rows");
    Ok(())
}

async fn pages_are_equal(say: Say) -> Result<bool> {
    let newest =
        ListCommentsRequest { sort: CommentSort::Newest.into(), page_size: 50, ..ListCommentsRequest::default() };
    let cached = say.list(newest.clone()).await?;
    let rows = say.list(ListCommentsRequest { fresh: true, ..newest }).await?;
    Ok(cached.subject == rows.subject && cached.threads == rows.threads)
}
