//! A command that creates comments on one subject until the subject has a number of them.

use crate::clients::{Clients, TargetArgs};
use crate::closed::Caller;
use crate::create::Creates;
use crate::prepare;
use anyhow::{Context, Result};
use riposte_sdk::v1;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The comments to create.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// The number of comments that the subject has afterwards, with those that exist already
    #[arg(long, default_value_t = 1_000_000)]
    comments: i32,
    /// The number of concurrent calls
    #[arg(long, default_value_t = 512)]
    callers: usize,
    /// Seconds after which the command stops, with any number of comments
    #[arg(long, default_value_t = 600.0)]
    within: f64,
}

/// Fills the subject, and returns its number of comments.
pub(crate) async fn run(args: &Args) -> Result<String> {
    let clients = args.target.open()?;
    let subjects = Arc::new(prepare::subjects(&clients, &args.target, 1).await?);
    let begin = Instant::now();
    let before = count(&clients, &subjects[0]).await?;
    let left = Arc::new(AtomicI64::new(i64::from(args.comments - before)));
    let end = begin + Duration::from_secs_f64(args.within);
    let mut running = JoinSet::new();
    for number in 0..args.callers {
        let comments = clients.of(number).comments();
        let mut caller = Creates { comments, subjects: Arc::clone(&subjects), next: number << 32, aside: None };
        let left = Arc::clone(&left);
        running.spawn(async move {
            while left.fetch_sub(1, Ordering::Relaxed) > 0 && Instant::now() < end {
                caller.call().await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(one) = running.join_next().await {
        one??;
    }
    let comments = count(&clients, &subjects[0]).await?;
    Ok(serde_json::json!({ "comments": comments, "seconds": begin.elapsed().as_secs_f64() }).to_string())
}

/// Returns the number of comments of a subject, by the subject's own count.
async fn count(clients: &Clients, key: &v1::SubjectKey) -> Result<i32> {
    let request = v1::GetSubjectRequest { key: Some(key.clone()), fresh: true, ..Default::default() };
    let response = clients.of(0).subjects().get_subject(request).await.context("GetSubject")?.into_inner();
    Ok(response.subject.context("a response without a subject")?.comment_count)
}
