//! SetLike at a steady rate. The calls begin when they are due, independently of the earlier ones,
//! and their latency counts from that time: a service that stalls cannot slow down its own
//! measurement.

use crate::clients::TargetArgs;
use crate::closed::{Caller, MeasureTime};
use crate::like::Likes;
use crate::members::Members;
use crate::prepare;
use crate::report::{MeasuredTime, Report, Samples};
use anyhow::{Result, bail, ensure};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// The number of due calls without a response above which the measurement fails.
const BEHIND_MAX: usize = 50_000;

/// The comments to like, and the rate.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// Comments that the likes are spread over at random
    #[arg(long, default_value_t = 1)]
    comments: usize,
    /// Calls per second
    #[arg(long, default_value_t = 10_000)]
    rate: u32,
    #[command(flatten)]
    span: MeasureTime,
}

/// Prepares the comment, then measures.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    ensure!(args.rate > 0 && args.comments > 0, "a rate and a comment, at least one");
    let clients = args.target.open()?;
    let comments = Arc::new(prepare::comments(&clients, &args.target, args.comments, 1).await?);
    let members = Arc::new(Members::default());
    let caller = |number| Likes {
        likes: clients.of(number).likes(),
        comments: Arc::clone(&comments),
        members: Arc::clone(&members),
    };
    let window = args.span.begin();
    let calls = tokio::spawn(calls(args.rate, window, (0..64).map(caller).collect()));
    let meter = args.span.meter(window).await?;
    calls.await??.report(window, &meter)
}

/// Starts calls when they are due; those due within the window count.
async fn calls(rate: u32, window: MeasuredTime, callers: Vec<Likes>) -> Result<Samples> {
    let begin = Instant::now();
    let due = |number: u32| begin + Duration::from_secs(1) * number / rate;
    let mut running = JoinSet::new();
    let mut samples = Samples::default();
    let mut number = 0;
    while due(number) < window.until {
        // The clock of the runtime ticks in milliseconds: all calls that are due by now begin at
        // once.
        sleep_until(due(number)).await;
        let now = Instant::now();
        while due(number) <= now && due(number) < window.until {
            let callers = &callers;
            let Likes { likes, comments, members } = &callers[number as usize % callers.len()];
            let (likes, comments, members) = (likes.clone(), Arc::clone(comments), Arc::clone(members));
            running.spawn(call(Likes { likes, comments, members }, due(number)));
            number += 1;
        }
        while let Some(one) = running.try_join_next() {
            take(&mut samples, window, one?);
        }
        if running.len() > BEHIND_MAX {
            bail!("{BEHIND_MAX} calls are unanswered: the service does not follow {rate} per second");
        }
    }
    while let Some(one) = running.join_next().await {
        take(&mut samples, window, one?);
    }
    Ok(samples)
}

async fn call(mut caller: Likes, due: Instant) -> (Instant, Duration, Result<()>) {
    let outcome = caller.call().await;
    (due, due.elapsed(), outcome)
}

fn take(samples: &mut Samples, window: MeasuredTime, (due, latency, outcome): (Instant, Duration, Result<()>)) {
    if due >= window.from {
        samples.take(latency, outcome);
    }
}
