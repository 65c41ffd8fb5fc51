//! The feed of events while comments are created at a steady rate: the delays of events, and the
//! number of events that a service sends.

mod creates;
mod resume;
pub(crate) mod topic;

use crate::clients::{Clients, TargetArgs};
use crate::closed::MeasureTime;
use crate::report::Report;
use crate::subscribers::Subscribers;
use anyhow::{Context, Result, ensure};
use creates::CreateRate;

/// The subscribers, and the creates that they hear of.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// Open Subscribe streams
    #[arg(long, default_value_t = 1)]
    subscribers: usize,
    #[command(flatten)]
    rate: CreateRate,
    /// Raise the rate by half, again and again, until a subscriber or the creates do not keep up.
    /// The last rate at which all did is reported
    #[arg(long, conflicts_with = "backlog")]
    climb: bool,
    /// First create this number of comments, then subscribe from before them, and measure the time
    /// until all subscribers have all events. --rate and --seconds have no effect
    #[arg(long, value_name = "COMMENTS")]
    backlog: Option<usize>,
    #[command(flatten)]
    span: MeasureTime,
}

/// The factor between two rates of a climb.
const STEP: f64 = 1.5;
/// The share of the creates, and of the events, that must come within the measured time.
const IN_TIME: f64 = 0.95;

/// Subscribes, creates comments, and returns the delays of their events. A delay counts from the
/// time of the commit, in milliseconds of the service's clock: both must run on one machine. An
/// operation is an event that one subscriber has received.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    ensure!(args.subscribers > 0, "at least one subscriber");
    let clients = args.target.open()?;
    args.rate.prepare(&clients, &args.target).await?;
    if let Some(comments) = args.backlog {
        return resume::run(args, &clients, comments).await;
    }
    let mut rate = args.rate.clone();
    let mut last = None;
    loop {
        let step = step(args, &clients, &rate).await?;
        if !args.climb {
            ensure!(step.dropped == 0, "{} of {} streams were ended", step.dropped, args.subscribers);
            return Ok(step.report);
        }
        let is_reached = step.dropped == 0 && step.share >= IN_TIME;
        eprintln!(
            "  {} creates/s: {:.0} reached, {:.0} events/s, {} streams ended, {:.0} % in time",
            rate.rate,
            step.report.rate_aside(creates::KIND),
            step.report.rate(),
            step.dropped,
            step.share * 100.0,
        );
        if !is_reached {
            return last.context("the subscribers do not keep up with the first rate");
        }
        last = Some(step.report);
        rate.rate = (f64::from(rate.rate) * STEP).ceil() as u32;
    }
}

/// The figures of one rate.
struct Step {
    report: Report,
    /// The streams that the service ended since they read too slowly.
    dropped: usize,
    /// The smaller one of two shares: of the creates that were due, and of the events of those that
    /// were made, how many came within the measured time.
    share: f64,
}

/// Measures one rate.
async fn step(args: &Args, clients: &Clients, rate: &CreateRate) -> Result<Step> {
    let subscribers = Subscribers::open(clients, &args.target, args.subscribers).await?;
    // Opening thousands of streams takes a while, so the window begins after it.
    let window = args.span.begin();
    let receiving = subscribers.receive(window);
    let creating = tokio::spawn(rate.clone().run(window, clients, &args.target));
    let meter = args.span.meter(window).await?;
    let received = receiving.end().await?;
    let mut samples = received.samples;
    *samples.aside(creates::KIND) = creating.await??;
    let report = samples.report(window, &meter)?;
    let created = report.rate_aside(creates::KIND);
    let expected = created * args.subscribers as f64;
    let share = (created / f64::from(rate.rate)).min(report.rate() / expected.max(f64::MIN_POSITIVE));
    Ok(Step { report, dropped: received.dropped, share })
}
