//! More calls than the service can serve. The run first finds the knee: the rate beyond which more
//! callers only wait longer. During the overload, calls come at several times the rate of the knee.
//! They do not wait for earlier calls, and each has a deadline. Before and after the overload,
//! calls come at less than the rate of the knee. Pages of the response cache are read during the
//! overload. Instead of an overload, a process that the service needs can be stopped for a time,
//! while calls come at less than the rate of the knee.

mod arrivals;
pub(crate) mod hostile;
mod knee;
mod outcome;
mod stopped;

use crate::clients::TargetArgs;
use crate::prepare;
use crate::raw::{LIST_COMMENTS, Raw};
use anyhow::{Context, Result, ensure};
use arrivals::Arrivals;
use bytes::Bytes;
use knee::Knee;
use outcome::{OverloadReport, Phases};
use prost::Message;
use riposte_sdk::v1;
use std::sync::Arc;
use std::time::Duration;
use stopped::Stopped;

/// The number of comments under each subject.
const COMMENTS: usize = 4;
/// The time for which calls come at less than the rate of the knee, before and after the overload.
const BELOW: Duration = Duration::from_secs(8);
/// The ratio of this lower rate to the rate of the knee.
const BELOW_KNEE: f64 = 0.7;
/// The method of a create.
const CREATE_COMMENT: &str = "/riposte.v1.CommentService/CreateComment";

/// The calls that are made too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum What {
    /// Pages that must be read from the rows
    Pages,
    /// New comments
    Creates,
}

/// The calls, and their rate.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// The calls that are made too often
    #[arg(long, value_enum)]
    what: What,
    /// Subjects that the calls are spread over at random
    #[arg(long, default_value_t = 400)]
    subjects: usize,
    /// The rate of the overload, as a multiple of the rate of the knee
    #[arg(long, default_value_t = 5.0)]
    times: f64,
    /// The duration of the overload, in seconds
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Instead of an overload, stop this process for that duration
    #[arg(long, value_name = "PID", conflicts_with = "times")]
    stop: Option<i32>,
    /// The deadline of each call, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    deadline_ms: u64,
    /// Reads per second of a page in the response cache
    #[arg(long, default_value_t = 100.0)]
    hot_rate: f64,
}

/// A call that can be repeated as often as needed.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    connections: Arc<[Raw]>,
    method: &'static str,
    requests: Arc<[Bytes]>,
    deadline: Duration,
}

impl Load {
    /// Returns the calls of a method, each with one of the requests.
    fn open(target: &TargetArgs, method: &'static str, requests: Vec<Bytes>, deadline: Duration) -> Result<Self> {
        Ok(Self { connections: target.open_raw()?.into(), method, requests: requests.into(), deadline })
    }

    /// Returns the first pages of one subject, which the response cache holds as soon as they are
    /// requested often.
    fn cached(target: &TargetArgs, key: v1::SubjectKey, deadline: Duration) -> Result<Self> {
        Self::open(target, LIST_COMMENTS, vec![page(key, false)], deadline)
    }

    /// Makes one call. Fails unless its response is successful.
    async fn call(&self, number: usize) -> Result<(), tonic::Status> {
        let request = self.requests[rand::random_range(0..self.requests.len())].clone();
        let mut connection = self.connections[number % self.connections.len()].clone();
        connection.call_within(self.method, request, self.deadline).await.map(drop)
    }
}

/// Prepares the data, and measures all phases.
pub(crate) async fn run(args: &Args) -> Result<OverloadReport> {
    ensure!(args.subjects > 1 && args.times > 0.0 && args.seconds > 0.0, "two subjects, a rate and a time");
    let clients = args.target.open()?;
    prepare::comments(&clients, &args.target, args.subjects * COMMENTS, args.subjects).await?;
    let mut keys = args.target.keys(args.subjects);
    let hot = keys.pop().context("no subject")?;
    let deadline = Duration::from_millis(args.deadline_ms);
    let cached = Load::cached(&args.target, hot, deadline)?;
    let (method, requests) = match args.what {
        What::Pages => (LIST_COMMENTS, keys.into_iter().map(|key| page(key, true)).collect()),
        What::Creates => {
            let create = |(number, key): (usize, _)| prepare::comment(key, number).encode_to_vec().into();
            (CREATE_COMMENT, keys.iter().enumerate().map(create).collect())
        }
    };
    let load = Load::open(&args.target, method, requests, deadline)?;
    let knee = Knee::of(&load).await?;
    let below = || Arrivals::run(&load, knee.rate * BELOW_KNEE, BELOW);
    let before = below().await;
    // The time is long enough to make the page hot before the measurement.
    Arrivals::run(&cached, args.hot_rate, Duration::from_secs(3)).await;
    let duration = Duration::from_secs_f64(args.seconds);
    let cached_reads = tokio::spawn({
        let (cached, rate) = (cached.clone(), args.hot_rate);
        async move { Arrivals::run(&cached, rate, duration).await }
    });
    let stopped = args.stop.map(Stopped::begin).transpose()?;
    let times = if stopped.is_some() { BELOW_KNEE } else { args.times };
    let over = Arrivals::run(&load, knee.rate * times, duration).await;
    drop(stopped);
    let cached = cached_reads.await?;
    let after = below().await;
    Ok(OverloadReport::of(&knee, &Phases { before, over, after }, &cached))
}

/// Returns the request of a first page; a `fresh` one must be read from the rows.
fn page(key: v1::SubjectKey, fresh: bool) -> Bytes {
    v1::ListCommentsRequest { subject: Some(key), fresh, ..Default::default() }.encode_to_vec().into()
}
