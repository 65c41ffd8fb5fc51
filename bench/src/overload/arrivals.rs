//! Calls that begin when they are due, independently of the outcomes of earlier ones. The latency
//! of a call counts from the time at which the call is due.

use super::Load;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tonic::Code;

/// The outcome of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    /// Successful within its deadline, by the client's clock.
    Good,
    /// Rejected with a time after which to retry.
    Refused,
    /// Every other outcome: late or failed.
    Lost,
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    /// The time at which the call was due, counted from the first call.
    pub(crate) due: Duration,
    /// The time from then until the end of the call.
    pub(crate) took: Duration,
    pub(crate) outcome: CallOutcome,
}

/// All calls of a phase.
#[derive(Debug)]
pub(crate) struct Arrivals {
    pub(crate) calls: Vec<Call>,
    pub(crate) lasted: Duration,
}

impl Arrivals {
    /// Makes calls at a rate for a period, and waits for the last.
    pub(crate) async fn run(load: &Load, rate: f64, lasting: Duration) -> Self {
        let begin = Instant::now();
        let due = |number: usize| begin + Duration::from_secs_f64(number as f64 / rate);
        let (mut running, mut calls, mut number) = (JoinSet::new(), Vec::new(), 0);
        while due(number) < begin + lasting {
            // The clock of the runtime ticks in milliseconds: all calls that are due by now begin
            // at once.
            sleep_until(due(number)).await;
            while due(number) <= Instant::now() && due(number) < begin + lasting {
                running.spawn(call(load.clone(), number, begin, due(number)));
                number += 1;
            }
            while let Some(one) = running.try_join_next() {
                calls.extend(one);
            }
        }
        while let Some(one) = running.join_next().await {
            calls.extend(one);
        }
        Self { calls, lasted: lasting }
    }

    /// Returns the number of calls with this outcome.
    pub(crate) fn count(&self, outcome: CallOutcome) -> usize {
        self.calls.iter().filter(|call| call.outcome == outcome).count()
    }

    /// Returns the latencies of the successful calls in milliseconds, the shortest first.
    pub(crate) fn latencies_ms(&self) -> Vec<f64> {
        let good = self.calls.iter().filter(|call| call.outcome == CallOutcome::Good);
        let mut took: Vec<f64> = good.map(|call| call.took.as_secs_f64() * 1e3).collect();
        took.sort_by(f64::total_cmp);
        took
    }
}

async fn call(load: Load, number: usize, begin: Instant, due: Instant) -> Call {
    let result = load.call(number).await;
    let took = due.elapsed();
    let outcome = match result.map_err(|status| status.code()) {
        Ok(()) if took <= load.deadline => CallOutcome::Good,
        Err(Code::ResourceExhausted) => CallOutcome::Refused,
        Ok(()) | Err(_) => CallOutcome::Lost,
    };
    Call { due: due - begin, took, outcome }
}

/// Returns the value that `percent` of the values do not exceed. The values must be sorted.
pub(crate) fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let rank = (sorted.len() as f64 * percent / 100.0).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or(0.0)
}
