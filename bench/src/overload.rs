//! Far more calls than can be answered. First the knee is looked for: the rate beyond which more callers only wait longer. Then
//! calls come at several times that rate, whatever becomes of them, each with a deadline of its own; then at less than the knee.
//! Pages that are kept ready are read beside all of it. In the place of many calls, a process that the service needs may stand still.

mod arrivals;
pub(crate) mod hostile;
mod knee;
mod stopped;
mod verdict;

use crate::clients::Target;
use crate::prepare;
use crate::raw::{LIST_COMMENTS, Raw};
use anyhow::{Context, Result, ensure};
use arrivals::Arrivals;
use bytes::Bytes;
use knee::Knee;
use prost::Message;
use riposte_sdk::v1;
use std::sync::Arc;
use std::time::Duration;
use stopped::Stopped;
use verdict::{Phases, Verdict};

/// Comments under each subject.
const COMMENTS: usize = 4;
/// How long calls come at less than the knee, before and after.
const BELOW: Duration = Duration::from_secs(8);
/// At which share of the knee's rate.
const BELOW_KNEE: f64 = 0.7;
/// The method of a create.
const CREATE_COMMENT: &str = "/riposte.v1.CommentService/CreateComment";

/// What is asked too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum What {
    /// Pages that the rows have to answer
    Pages,
    /// New comments
    Creates,
}

/// What to ask, and how often.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: Target,
    /// What is asked too often
    #[arg(long, value_enum)]
    what: What,
    /// Subjects that the calls are spread over at random
    #[arg(long, default_value_t = 400)]
    subjects: usize,
    /// How many times the rate of the knee
    #[arg(long, default_value_t = 5.0)]
    times: f64,
    /// Seconds of that
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// A process that stands still for that time, while calls come at less than the knee
    #[arg(long, value_name = "PID", conflicts_with = "times")]
    stop: Option<i32>,
    /// Milliseconds that a call has, as its client counts
    #[arg(long, default_value_t = 1_000)]
    deadline_ms: u64,
    /// Kept pages per second
    #[arg(long, default_value_t = 100.0)]
    hot_rate: f64,
}

/// One call as often as it is wanted.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    connections: Arc<[Raw]>,
    method: &'static str,
    requests: Arc<[Bytes]>,
    deadline: Duration,
}

impl Load {
    /// Calls of a method, each of them one of these.
    fn open(target: &Target, method: &'static str, requests: Vec<Bytes>, deadline: Duration) -> Result<Self> {
        Ok(Self { connections: target.open_raw()?.into(), method, requests: requests.into(), deadline })
    }

    /// First pages of one subject, kept ready as soon as they are asked for often.
    fn kept(target: &Target, key: v1::SubjectKey, deadline: Duration) -> Result<Self> {
        Self::open(target, LIST_COMMENTS, vec![page(key, false)], deadline)
    }

    /// Makes one call; whether it was answered well.
    async fn call(&self, number: usize) -> Result<(), tonic::Status> {
        let request = self.requests[rand::random_range(0..self.requests.len())].clone();
        let mut connection = self.connections[number % self.connections.len()].clone();
        connection.call_within(self.method, request, self.deadline).await.map(drop)
    }
}

/// Prepares, and measures all phases.
pub(crate) async fn run(args: &Args) -> Result<Verdict> {
    ensure!(args.subjects > 1 && args.times > 0.0 && args.seconds > 0.0, "two subjects, a rate and a time");
    let clients = args.target.open()?;
    prepare::comments(&clients, &args.target, args.subjects * COMMENTS, args.subjects).await?;
    let mut keys = args.target.keys(args.subjects);
    let hot = keys.pop().context("no subject")?;
    let deadline = Duration::from_millis(args.deadline_ms);
    let kept = Load::kept(&args.target, hot, deadline)?;
    let (method, requests) = match args.what {
        What::Pages => (LIST_COMMENTS, keys.into_iter().map(|key| page(key, true)).collect()),
        What::Creates => {
            let create = |(number, key): (usize, _)| prepare::comment(key, number).encode_to_vec().into();
            (CREATE_COMMENT, keys.iter().enumerate().map(create).collect())
        }
    };
    let much = Load::open(&args.target, method, requests, deadline)?;
    let knee = Knee::of(&much).await?;
    let below = || Arrivals::run(&much, knee.rate * BELOW_KNEE, BELOW);
    let before = below().await;
    // Long enough to make the page a hot one before anything counts.
    Arrivals::run(&kept, args.hot_rate, Duration::from_secs(3)).await;
    let most = Duration::from_secs_f64(args.seconds);
    let aside = tokio::spawn({
        let (kept, rate) = (kept.clone(), args.hot_rate);
        async move { Arrivals::run(&kept, rate, most).await }
    });
    let stopped = args.stop.map(Stopped::begin).transpose()?;
    let times = if stopped.is_some() { BELOW_KNEE } else { args.times };
    let over = Arrivals::run(&much, knee.rate * times, most).await;
    drop(stopped);
    let kept = aside.await?;
    let after = below().await;
    Ok(Verdict::of(&knee, &Phases { before, over, after }, &kept))
}

/// A first page; the rows have to answer a `fresh` one.
fn page(key: v1::SubjectKey, fresh: bool) -> Bytes {
    v1::ListCommentsRequest { subject: Some(key), fresh, ..Default::default() }.encode_to_vec().into()
}
