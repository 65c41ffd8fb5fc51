//! A command that reads the first page of each subject a few times, so that every cache has it: the
//! first read fills the cache, and the next one may store the rendered page.

use crate::clients::TargetArgs;
use crate::page;
use crate::raw::LIST_COMMENTS;
use anyhow::{Result, ensure};
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use prost::Message;
use std::time::Duration;
use tonic::Code;

/// The number of concurrent calls.
const WIDTH: usize = 64;
/// The number of reads of each page.
const VISITS: usize = 3;
/// The number of retries of a page that was late: nothing is measured here.
const REPEATS: u32 = 10;
const TIMEOUT: Duration = Duration::from_secs(10);

/// The subjects to visit.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// The number of subjects
    #[arg(long, default_value_t = 1)]
    subjects: usize,
}

/// Reads the pages, and returns the length of a page.
pub(crate) async fn run(args: &Args) -> Result<String> {
    let connections = args.target.open_raw()?;
    let visits = std::iter::repeat_n(args.target.keys(args.subjects), VISITS).flatten();
    let pages: Vec<usize> = stream::iter(visits.enumerate())
        .map(|(number, key)| {
            let mut connection = connections[number % connections.len()].clone();
            async move {
                let request: Bytes = page::request(key).encode_to_vec().into();
                let mut tries = 0;
                let page = loop {
                    match connection.call_within(LIST_COMMENTS, request.clone(), TIMEOUT).await {
                        Err(late) if late.code() == Code::DeadlineExceeded && tries < REPEATS => tries += 1,
                        outcome => break outcome?,
                    }
                };
                ensure!(!page.is_empty(), "an empty page");
                Ok(page.len())
            }
        })
        .buffer_unordered(WIDTH)
        .try_collect()
        .await?;
    let bytes = pages.iter().sum::<usize>() / pages.len().max(1);
    Ok(serde_json::json!({ "pages": pages.len(), "bytes": bytes }).to_string())
}
