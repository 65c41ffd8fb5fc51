//! Many concurrent readers of one subject.

use crate::clients::TargetArgs;
use crate::closed::Caller;
use crate::cpu::{Meter, Watch};
use crate::page::{Pages, request};
use crate::raw::LIST_COMMENTS;
use crate::report::{MeasuredTime, Report, Samples};
use anyhow::{Context, Result};
use bytes::Bytes;
use prost::Message;
use riposte_sdk::v1;
use std::sync::Arc;
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The readers of the storm.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// The number of readers; each makes one call
    #[arg(long, default_value_t = 1_000)]
    readers: usize,
    #[command(flatten)]
    watch: Watch,
}

/// Connects, lets all readers call at once, and returns their latencies.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    let mut connections = args.target.open_raw()?;
    let key = args.target.keys(1).pop().context("no subject")?;
    // A call about another subject opens the connections, and nothing else.
    let other = v1::SubjectKey { object_id: format!("{}-other", key.object_id), ..key.clone() };
    let other = Bytes::from(request(other).encode_to_vec());
    for connection in &mut connections {
        // That subject does not exist, so the call returns an error, which is a response too.
        drop(connection.call(LIST_COMMENTS, other.clone()).await);
    }
    let requests = Arc::new(vec![Bytes::from(request(key).encode_to_vec())]);
    let start = Arc::new(Barrier::new(args.readers + 1));
    let mut readers = JoinSet::new();
    for number in 0..args.readers {
        let connection = connections[number % connections.len()].clone();
        let (mut pages, start) = (Pages { connection, requests: Arc::clone(&requests) }, Arc::clone(&start));
        readers.spawn(async move {
            start.wait().await;
            let begin = Instant::now();
            let outcome = pages.call().await;
            (begin.elapsed(), outcome)
        });
    }
    let meter = Meter::start(&args.watch)?;
    let from = Instant::now();
    start.wait().await;
    let mut samples = Samples::default();
    while let Some(one) = readers.join_next().await {
        let (latency, outcome) = one?;
        samples.take(latency, outcome);
    }
    samples.report(MeasuredTime { from, until: Instant::now() }, &meter.stop()?)
}
