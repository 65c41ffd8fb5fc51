//! Pages far down a list, through gRPC.

use crate::clients::{Clients, TargetArgs};
use crate::closed::MeasureTime;
use crate::page::{Pages, request};
use crate::report::Report;
use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use prost::Message;
use riposte_sdk::v1;
use std::sync::Arc;

/// The default number of roots on a page.
const PAGE: i32 = 20;

/// The page to read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// The page, counted from 1; the subject has at least that many pages
    #[arg(long, default_value_t = 5_000)]
    page: i32,
    /// Read the ranked list, and not the list that begins with the newest
    #[arg(long)]
    ranked: bool,
    /// Concurrent callers; each makes its next call when it has the response to the last one
    #[arg(long, default_value_t = 16)]
    callers: usize,
    #[command(flatten)]
    span: MeasureTime,
}

/// Finds the token of the page, then measures.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    let key = args.target.keys(1).pop().context("no subject")?;
    let newest = request(key);
    let sort = if args.ranked { v1::CommentSort::Hot } else { v1::CommentSort::Newest };
    let first = v1::ListCommentsRequest { sort: sort.into(), ..newest.clone() };
    let request = if args.page > 1 { deep(&args.target.open()?, &newest, &first, args.page).await? } else { first };
    let connections = args.target.open_raw()?;
    let requests = Arc::new(vec![Bytes::from(request.encode_to_vec())]);
    let caller = |number: usize| Pages {
        connection: connections[number % connections.len()].clone(),
        requests: Arc::clone(&requests),
    };
    args.span.closed((0..args.callers).map(caller).collect()).await
}

/// Returns the request of that page. A client that walks the list receives the token of the page
/// with the page before it. Here the token comes with a page around a comment. A ranked list
/// continues by floor after its ranked comments, so the comment is equally deep in both lists.
async fn deep(
    clients: &Clients,
    newest: &v1::ListCommentsRequest,
    first: &v1::ListCommentsRequest,
    page: i32,
) -> Result<v1::ListCommentsRequest> {
    let list = async |request: v1::ListCommentsRequest| {
        anyhow::Ok(clients.of(0).comments().list_comments(request).await.context("ListComments")?.into_inner())
    };
    let roots = list(newest.clone()).await?.subject.context("a response without a subject")?.root_count;
    let floor = roots - PAGE * (page - 1) + PAGE / 2;
    ensure!(floor > PAGE, "{roots} comments have no page {page}");
    let there = list(v1::ListCommentsRequest { around_floor: floor, ..newest.clone() }).await?;
    let middle = there.threads.get(there.threads.len() / 2).and_then(|thread| thread.comment.as_ref());
    let around_comment_id = middle.context("an empty page")?.id;
    let before = list(v1::ListCommentsRequest { around_comment_id, ..first.clone() }).await?;
    ensure!(!before.next_page_token.is_empty(), "the list ends before page {page}");
    Ok(v1::ListCommentsRequest { page_token: before.next_page_token, ..first.clone() })
}
