//! Callers that mean no good, beside one who does: calls that are given up at once by the ten thousands, or connections by the
//! thousands. Told are what the service's memory does and how the honest caller fares, whose page is kept ready.

mod idle;
mod memory;
mod resets;
mod wire;

use super::arrivals::{Arrivals, Fate, percentile};
use super::{COMMENTS, Load, page};
use crate::clients::Target;
use crate::prepare;
use anyhow::{Context, Result, ensure};
use memory::Memory;
use serde::Serialize;
use std::time::Duration;

/// Pages per second that the honest caller asks for.
const HONEST: f64 = 100.0;
/// How long that caller is alone: first until the page is a hot one, then to see what is usual, in the end for the memory.
const ALONE: Duration = Duration::from_secs(3);
/// How long a page may take.
const DEADLINE: Duration = Duration::from_secs(1);

/// What is done to the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum What {
    /// Calls, each reset behind its last byte
    Resets,
    /// Connections that greet, answer pings and ask for nothing
    Idle,
}

/// What is done, and to whom.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: Target,
    /// What is done
    #[arg(long, value_enum)]
    what: What,
    /// The process of the service, whose memory is told
    #[arg(long)]
    pid: i32,
    /// How many connections do it
    #[arg(long, default_value_t = 20)]
    hostile: usize,
    /// Resets per second, if so many are taken
    #[arg(long, default_value_t = 50_000.0)]
    rate: f64,
    /// Seconds of it
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
}

/// What was done by those who mean no good.
#[derive(Debug, Default)]
struct Done {
    /// Calls that were reset.
    resets: u64,
    /// Connections that were open, all together.
    opened: u64,
    /// Those of them that the service ended, or did not take.
    ended: u64,
}

/// Printed as one line.
#[derive(Debug, Serialize)]
pub(crate) struct Harm {
    resets: u64,
    resets_per_second: f64,
    opened: u64,
    ended: u64,
    /// Resident memory of the service: before it, the most during it, and some seconds after it.
    before_mib: f64,
    most_mib: f64,
    after_mib: f64,
    /// The honest caller alone, and beside it.
    alone_p99_ms: f64,
    honest_p99_ms: f64,
    honest_calls: usize,
    honest_lost: usize,
}

/// Prepares, does it, and tells what came of it.
pub(crate) async fn run(args: &Args) -> Result<Harm> {
    ensure!(args.hostile > 0 && args.rate > 0.0 && args.seconds > 0.0, "connections, a rate and a time");
    let clients = args.target.open()?;
    prepare::comments(&clients, &args.target, COMMENTS, 1).await?;
    let key = args.target.keys(1).pop().context("no subject")?;
    let honest = Load::kept(&args.target, key.clone(), DEADLINE)?;
    Arrivals::run(&honest, HONEST, ALONE).await;
    let alone = Arrivals::run(&honest, HONEST, ALONE).await;
    let memory = Memory::watch(args.pid)?;
    let lasting = Duration::from_secs_f64(args.seconds);
    let beside = tokio::spawn(async move { Arrivals::run(&honest, HONEST, lasting).await });
    let address = args.target.address()?;
    let done = match args.what {
        What::Resets => resets::run(address, &page(key, true), args.hostile, args.rate, lasting).await?,
        What::Idle => idle::run(address, args.hostile, lasting).await?,
    };
    let beside = beside.await?;
    tokio::time::sleep(ALONE).await;
    let (before_mib, most_mib, after_mib) = memory.told()?;
    Ok(Harm {
        resets: done.resets,
        resets_per_second: done.resets as f64 / args.seconds,
        opened: done.opened,
        ended: done.ended,
        before_mib,
        most_mib,
        after_mib,
        alone_p99_ms: percentile(&alone.answered_ms(), 99.0),
        honest_p99_ms: percentile(&beside.answered_ms(), 99.0),
        honest_calls: beside.calls.len(),
        honest_lost: beside.calls.len() - beside.count(Fate::Good),
    })
}
