//! Reads and writes on one subject at the same time, as in real use.

use crate::clients::TargetArgs;
use crate::closed::{Caller, MeasureTime};
use crate::create::Creates;
use crate::like::Likes;
use crate::members::Members;
use crate::page::{Pages, request};
use crate::prepare;
use crate::report::Report;
use crate::scrape;
use anyhow::{Result, ensure};
use bytes::Bytes;
use prost::Message;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The shares of the calls.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// Concurrent callers; each makes its next call when it has the response to the last one
    #[arg(long, default_value_t = 64)]
    callers: usize,
    /// The percentage of reads; half of the other calls are creates and half are likes
    #[arg(long, default_value_t = 95, value_parser = clap::value_parser!(u8).range(1..=99))]
    reads: u8,
    /// The metrics endpoint of the service, for the share of pages that are served from the
    /// response cache
    #[arg(long, value_name = "HOST:PORT")]
    metrics: Option<String>,
    #[command(flatten)]
    span: MeasureTime,
}

/// The service's counter of pages served from the response cache, updated each second.
const HITS: &str = "riposte_response_cache_hits_total";

/// One caller that makes every kind of call.
struct Everything {
    reads: u8,
    /// The kind of the last write, if the last call wrote.
    wrote: Option<&'static str>,
    /// The number of pages that all callers requested.
    pages_requested: Arc<AtomicU64>,
    pages: Pages,
    creates: Creates,
    likes: Likes,
}

/// Prepares comments to like, then measures. The figures are those of the reads; the latencies of
/// creates and likes are reported separately.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    let clients = args.target.open()?;
    let subjects = Arc::new(prepare::subjects(&clients, &args.target, 1).await?);
    let comments = Arc::new(prepare::comments(&clients, &args.target, 20, 1).await?);
    let (members, connections) = (Arc::new(Members::default()), args.target.open_raw()?);
    ensure!(args.callers > 0, "at least one caller");
    let requests = Arc::new(vec![Bytes::from(request(subjects[0].clone()).encode_to_vec())]);
    let pages_requested = Arc::new(AtomicU64::new(0));
    let caller = |number: usize| Everything {
        reads: args.reads,
        wrote: None,
        pages_requested: Arc::clone(&pages_requested),
        pages: Pages { connection: connections[number % connections.len()].clone(), requests: Arc::clone(&requests) },
        creates: Creates {
            comments: clients.of(number).comments(),
            subjects: Arc::clone(&subjects),
            next: number << 32,
            aside: None,
        },
        likes: Likes {
            likes: clients.of(number).likes(),
            comments: Arc::clone(&comments),
            members: Arc::clone(&members),
        },
    };
    let hits = async || match &args.metrics {
        Some(metrics) => scrape::settled(metrics, HITS).await.map(Some),
        None => Ok(None),
    };
    let before = hits().await?;
    let report = args.span.closed((0..args.callers).map(caller).collect()).await?;
    let hits = hits().await?.zip(before).map(|(after, before)| after - before);
    Ok(report.with_cached(hits.map(|hits| 100.0 * hits / pages_requested.load(Ordering::Relaxed) as f64)))
}

impl Caller for Everything {
    async fn call(&mut self) -> Result<()> {
        if rand::random_range(0..100) < self.reads {
            self.wrote = None;
            self.pages_requested.fetch_add(1, Ordering::Relaxed);
            self.pages.call().await
        } else if rand::random() {
            self.wrote = Some("creates");
            self.creates.call().await
        } else {
            self.wrote = Some("likes");
            self.likes.call().await
        }
    }

    fn aside(&self) -> Option<&'static str> {
        self.wrote
    }
}
