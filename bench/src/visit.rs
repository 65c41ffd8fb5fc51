//! Reads the first page of each subject once, so that whatever keeps pages has them.

use crate::clients::Target;
use crate::page;
use crate::raw::LIST_COMMENTS;
use anyhow::{Result, ensure};
use futures::{StreamExt, TryStreamExt, stream};
use prost::Message;

/// Calls in flight.
const WIDTH: usize = 64;

/// Which subjects.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: Target,
    /// Subjects
    #[arg(long, default_value_t = 1)]
    subjects: usize,
}

/// Reads them, and tells how long a page is.
pub(crate) async fn run(args: &Args) -> Result<String> {
    let connections = args.target.open_raw()?;
    let pages: Vec<usize> = stream::iter(args.target.keys(args.subjects).into_iter().enumerate())
        .map(|(number, key)| {
            let mut connection = connections[number % connections.len()].clone();
            async move {
                let page = connection.call(LIST_COMMENTS, page::request(key).encode_to_vec().into()).await?;
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
