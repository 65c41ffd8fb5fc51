//! Far more calls than can be answered. First the knee is looked for: the rate beyond which more callers only wait longer. Then
//! calls come at several times that rate, whatever becomes of them, each with a deadline of its own; then at less than the knee.
//! Pages that are kept ready are read beside all of it.

mod arrivals;
mod knee;
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
use verdict::{Phases, Verdict};

/// Comments under each subject.
const COMMENTS: usize = 4;
/// How long calls come at less than the knee, before and after.
const BELOW: Duration = Duration::from_secs(8);
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
    let load = |method, requests: Vec<Bytes>| -> Result<Load> {
        Ok(Load { connections: args.target.open_raw()?.into(), method, requests: requests.into(), deadline })
    };
    let page = |key, fresh| v1::ListCommentsRequest { subject: Some(key), fresh, ..Default::default() }.encode_to_vec();
    let kept = load(LIST_COMMENTS, vec![page(hot, false).into()])?;
    let much = match args.what {
        What::Pages => load(LIST_COMMENTS, keys.into_iter().map(|key| page(key, true).into()).collect())?,
        What::Creates => {
            let create = |(number, key): (usize, _)| prepare::comment(key, number).encode_to_vec().into();
            load(CREATE_COMMENT, keys.iter().enumerate().map(create).collect())?
        }
    };
    let knee = Knee::of(&much).await?;
    let below = || Arrivals::run(&much, knee.rate * 0.7, BELOW);
    let before = below().await;
    // Long enough to make the page a hot one before anything counts.
    Arrivals::run(&kept, args.hot_rate, Duration::from_secs(3)).await;
    let most = Duration::from_secs_f64(args.seconds);
    let aside = tokio::spawn({
        let (kept, rate) = (kept.clone(), args.hot_rate);
        async move { Arrivals::run(&kept, rate, most).await }
    });
    let over = Arrivals::run(&much, knee.rate * args.times, most).await;
    let kept = aside.await?;
    let after = below().await;
    Ok(Verdict::of(&knee, &Phases { before, over, after }, &kept))
}
