//! Hostile clients together with an honest one: tens of thousands of calls that are cancelled at
//! once, or thousands of connections. The measurement reports the memory of the service and the
//! latencies of the honest client, which reads a cached page.

mod http2;
mod idle;
mod memory;
mod resets;

use super::arrivals::{Arrivals, CallOutcome, percentile};
use super::{COMMENTS, Load, page};
use crate::clients::TargetArgs;
use crate::prepare;
use anyhow::{Context, Result, ensure};
use memory::Memory;
use serde::Serialize;
use std::time::Duration;

/// The pages per second that the honest client requests.
const HONEST: f64 = 100.0;
/// The time for which that client is alone: first to make the page hot, then to measure the usual
/// latency, and at the end to measure the memory.
const ALONE: Duration = Duration::from_secs(3);
/// The deadline of a page.
const DEADLINE: Duration = Duration::from_secs(1);

/// The kind of the hostile clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum What {
    /// Calls, each reset after its last byte
    Resets,
    /// Connections that greet, reply to pings and make no call
    Idle,
}

/// The hostile clients, and their target.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// The kind of the hostile clients
    #[arg(long, value_enum)]
    what: What,
    /// The process of the service, whose memory is measured
    #[arg(long)]
    pid: i32,
    /// The number of hostile connections
    #[arg(long, default_value_t = 20)]
    hostile: usize,
    /// Resets per second, if the service accepts that many
    #[arg(long, default_value_t = 50_000.0)]
    rate: f64,
    /// Seconds of it
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
}

/// The actions of the hostile clients.
#[derive(Debug, Default)]
struct Done {
    /// The number of calls that were reset.
    resets: u64,
    /// The number of connections that were opened in total.
    opened: u64,
    /// The number of those that the service closed or did not accept.
    ended: u64,
}

/// The result, printed as one line.
#[derive(Debug, Serialize)]
pub(crate) struct Harm {
    resets: u64,
    resets_per_second: f64,
    opened: u64,
    ended: u64,
    /// Resident memory of the service: before the attack, the maximum during it, and some seconds
    /// after it.
    before_mib: f64,
    most_mib: f64,
    after_mib: f64,
    /// The latencies of the honest client alone and during the attack.
    alone_p99_ms: f64,
    honest_p99_ms: f64,
    honest_calls: usize,
    honest_lost: usize,
}

/// Prepares and runs the attack, and returns its effects.
pub(crate) async fn run(args: &Args) -> Result<Harm> {
    ensure!(args.hostile > 0 && args.rate > 0.0 && args.seconds > 0.0, "connections, a rate and a time");
    let clients = args.target.open()?;
    prepare::comments(&clients, &args.target, COMMENTS, 1).await?;
    let key = args.target.keys(1).pop().context("no subject")?;
    let honest = Load::cached(&args.target, key.clone(), DEADLINE)?;
    Arrivals::run(&honest, HONEST, ALONE).await;
    let alone = Arrivals::run(&honest, HONEST, ALONE).await;
    let memory = Memory::watch(args.pid)?;
    let lasting = Duration::from_secs_f64(args.seconds);
    let honest_reads = tokio::spawn(async move { Arrivals::run(&honest, HONEST, lasting).await });
    let address = args.target.address()?;
    let done = match args.what {
        What::Resets => resets::run(address, &page(key, true), args.hostile, args.rate, lasting).await?,
        What::Idle => idle::run(address, args.hostile, lasting).await?,
    };
    let honest_reads = honest_reads.await?;
    tokio::time::sleep(ALONE).await;
    let (before_mib, most_mib, after_mib) = memory.stop()?;
    Ok(Harm {
        resets: done.resets,
        resets_per_second: done.resets as f64 / args.seconds,
        opened: done.opened,
        ended: done.ended,
        before_mib,
        most_mib,
        after_mib,
        alone_p99_ms: percentile(&alone.latencies_ms(), 99.0),
        honest_p99_ms: percentile(&honest_reads.latencies_ms(), 99.0),
        honest_calls: honest_reads.calls.len(),
        honest_lost: honest_reads.calls.len() - honest_reads.count(CallOutcome::Good),
    })
}
