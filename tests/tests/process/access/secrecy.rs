//! A comment that a caller may not read takes the same path as one that does not exist, because the
//! response time follows from the operations of the call.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::{Client, v1};
use riposte_tests::{Say, Server, refused};
use tonic::Code;

use super::callers::{Callers, dev};
use super::{GRANTED, OTHER, ask};
use crate::process::cache::{cache_url, start_redis};

/// The operations that serve GetComment: transactions, and a function of Redis.
const READS: [&str; 4] = ["locate comments", "read comments", "read subjects", "comments"];

/// Returns the number of operations of each kind that the stores have performed for requested
/// comments.
async fn operations(server: &Server) -> Result<BTreeMap<String, f64>> {
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    let of_reads = |line: &&str| {
        line.starts_with("db_client_operation_duration_seconds_count")
            && READS.iter().any(|name| line.contains(&format!("\"{name}\"")))
    };
    let count = |line: &str| {
        let (name, count) = line.rsplit_once(' ').context("no value")?;
        anyhow::Ok((name.to_owned(), count.parse()?))
    };
    metrics.lines().filter(of_reads).map(count).collect()
}

/// Waits until the event consumers, which also read comments, have applied what was written: no
/// operation is counted in several scrapes, which take longer than a poll of a process at rest.
async fn wait_until_read(server: &Server) -> Result<()> {
    let (mut last, mut unchanged) = (operations(server).await?, 0);
    while unchanged < 4 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = operations(server).await?;
        unchanged = if now == last { unchanged + 1 } else { 0 };
        last = now;
    }
    Ok(())
}

/// Returns the operations of the stores for one GetComment.
async fn cost(server: &Server, client: &Client, id: i64) -> Result<BTreeMap<String, f64>> {
    let before = operations(server).await?;
    let get = v1::GetCommentRequest { id, ..v1::GetCommentRequest::default() };
    ensure!(refused(client.comments().get_comment(get).await)?.0 == Code::NotFound);
    let mut cost = operations(server).await?;
    cost.iter_mut().for_each(|(name, count)| *count -= before.get(name).unwrap_or(&0.0));
    cost.retain(|_, count| *count != 0.0);
    Ok(cost)
}

#[tokio::test]
async fn a_comment_that_a_caller_may_not_read_costs_what_one_costs_that_does_not_exist() -> Result<()> {
    let redis = start_redis()?.map(|redis| ("redis", Some(redis)));
    for (cache, redis) in redis.into_iter().chain([("memory", None), ("none", None)]) {
        let callers = Callers::with_each_role(GRANTED).and("elsewhere", &["reader", "writer"], &[OTHER]);
        let address = redis.as_ref().map(|redis| ["--set".to_owned(), cache_url(redis)]);
        let kind = ["--set".to_owned(), format!("cache.kind={cache}")];
        let more: Vec<&str> = kind.iter().chain(address.iter().flatten()).map(String::as_str).collect();
        let server = dev(None, &callers, &more).await?;
        let writer = callers.client(&server, "elsewhere")?;
        let hidden = Say::on(&writer, OTHER).comment("m", "not for you").await?.id;
        let reader = callers.client(&server, "reader")?;
        wait_until_read(&server).await?;
        // An absent comment in the same partition.
        let missing = hidden + (1 << 40);
        let absent = cost(&server, &reader, missing).await?;
        ensure!(!absent.is_empty(), "no operation was counted: the test reads the wrong names");
        for time in ["the first time", "again"] {
            let found = cost(&server, &reader, hidden).await?;
            ensure!(found == absent, "{cache}, {time}: {found:?}, not {absent:?}");
        }
        let get = v1::GetCommentRequest { id: hidden, ..v1::GetCommentRequest::default() };
        for _ in 0..2 {
            writer.comments().get_comment(get.clone()).await?;
        }
        let found = cost(&server, &reader, hidden).await?;
        ensure!(found == absent, "{cache}, when others have read it: {found:?}, not {absent:?}");
        ensure!(cost(&server, &reader, missing).await? == absent, "{cache}: what is missing costs now this, now that");
    }
    Ok(())
}
