//! The knee: the smallest number of callers in a closed loop with nearly the best rate of all
//! numbers.

use super::Load;
use super::arrivals::percentile;
use anyhow::{Context, Result};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The numbers of callers that are tried.
const CALLERS: [usize; 10] = [1, 2, 4, 6, 8, 16, 24, 32, 48, 64];
/// The time for each number, after a warm-up of a quarter of it.
const STEP: Duration = Duration::from_secs(3);
/// The ratio to the best rate that is nearly the best.
pub(crate) const NEARLY: f64 = 0.95;

/// The largest load that the service can serve.
#[derive(Debug, Clone)]
pub(crate) struct Knee {
    pub(crate) callers: usize,
    /// Calls per second.
    pub(crate) rate: f64,
    pub(crate) p99_ms: f64,
}

impl Knee {
    /// Tries one number of callers after the other, until more of them bring no higher rate.
    pub(crate) async fn of(load: &Load) -> Result<Self> {
        let mut steps: Vec<Self> = Vec::new();
        for callers in CALLERS {
            steps.push(step(load, callers).await?);
            let best = steps.iter().map(|step| step.rate).fold(0.0, f64::max);
            // Two steps without a gain end the search, because a single one may be accidental.
            if steps.len() > 2 && steps.iter().rev().take(2).all(|step| step.rate < best * NEARLY) {
                break;
            }
        }
        let best = steps.iter().map(|step| step.rate).fold(0.0, f64::max);
        steps.into_iter().find(|step| step.rate >= best * NEARLY).context("no call succeeded")
    }
}

async fn step(load: &Load, callers: usize) -> Result<Knee> {
    let from = Instant::now() + STEP / 4;
    let until = from + STEP;
    let mut loops = JoinSet::new();
    for caller in 0..callers {
        let load = load.clone();
        loops.spawn(async move {
            let mut took = Vec::new();
            while Instant::now() < until {
                let begin = Instant::now();
                let outcome = load.call(caller).await;
                if outcome.is_ok() && begin >= from {
                    took.push(begin.elapsed().as_secs_f64() * 1e3);
                }
            }
            took
        });
    }
    let mut took = loops.join_all().await.concat();
    took.sort_by(f64::total_cmp);
    Ok(Knee { callers, rate: took.len() as f64 / STEP.as_secs_f64(), p99_ms: percentile(&took, 99.0) })
}
