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
    let noted = text.lines().map(|line| {
        let (id, text) = line.split_once(' ').context("no line of a drill")?;
        anyhow::Ok((id.parse::<i64>()?, text))
    });
    let noted: HashMap<i64, &str> = noted.collect::<Result<_>>()?;
    let ids: Vec<i64> = noted.keys().copied().collect();
    let (mut stand, mut changed) = (0, 0);
    for ids in ids.chunks(200) {
        let request = BatchGetCommentsRequest { ids: ids.to_vec(), allow_missing: true, fresh: true };
        let found = client.comments().batch_get_comments(request).await?.into_inner().comments;
        for comment in found {
            let says = comment.content.unwrap_or_default().text;
            *(if noted[&comment.id] == says { &mut stand } else { &mut changed }) += 1;
        }
    }
    let missing = noted.len() - stand - changed;
    println!(
        "of {} acknowledged comments {stand} stand, {missing} are missing, {changed} say something else",
        noted.len()
    );
    for number in 0..SUBJECTS {
        let say = Say { client: client.clone(), key: subject(number) };
        // Cached data may lag a little, but must not stay stale.
        until("a first page by its copies is the one by its rows", || same(say.clone())).await?;
    }
    println!("{SUBJECTS} first pages from copies are those of the rows");
    Ok(())
}

async fn same(say: Say) -> Result<bool> {
    let newest =
        ListCommentsRequest { sort: CommentSort::Newest.into(), page_size: 50, ..ListCommentsRequest::default() };
    let copies = say.list(newest.clone()).await?;
    let rows = say.list(ListCommentsRequest { fresh: true, ..newest }).await?;
    Ok(copies.subject == rows.subject && copies.threads == rows.threads)
}
