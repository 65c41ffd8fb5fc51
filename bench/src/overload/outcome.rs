//! The combined result of the phases.

use super::arrivals::{Arrivals, CallOutcome, percentile};
use super::knee::{Knee, NEARLY};
use serde::Serialize;
use std::time::Duration;

/// The resolution of the time after the load.
const SLICE: Duration = Duration::from_millis(250);

/// The result, printed as one line.
#[derive(Debug, Serialize)]
pub(crate) struct OverloadReport {
    /// Callers, calls per second, and latency at the knee.
    knee_callers: usize,
    knee_rate: f64,
    knee_p99_ms: f64,
    /// Calls per second that were made; calls per second that were successful within their
    /// deadlines; and the ratio of the latter rate to the rate of the knee.
    offered_rate: f64,
    good_rate: f64,
    goodput: f64,
    /// The latency of the successful calls.
    admitted_p99_ms: f64,
    /// The number of rejected calls, and of those that were neither successful in time nor
    /// rejected.
    refused: usize,
    lost: usize,
    /// The time after the load until the calls at 0.7 of the knee had their usual success rate and
    /// latency again.
    back_ms: u64,
    /// The first second after the load, counted from 1, in which calls are served as at the knee;
    /// `None` if there was none.
    as_knee_s: Option<u64>,
    /// The cached pages during the load: the number of requests, the number of failed ones, and the
    /// latency.
    hot_calls: usize,
    hot_lost: usize,
    hot_p99_ms: f64,
}

/// The phases of the load, in order.
#[derive(Debug)]
pub(crate) struct Phases {
    /// The calls below the knee.
    pub(crate) before: Arrivals,
    /// The calls far beyond the knee.
    pub(crate) over: Arrivals,
    /// The calls below the knee after the load.
    pub(crate) after: Arrivals,
}

impl OverloadReport {
    pub(crate) fn of(knee: &Knee, phases: &Phases, cached: &Arrivals) -> Self {
        let Phases { before, over, after } = phases;
        let seconds = over.lasted.as_secs_f64();
        let good_rate = over.count(CallOutcome::Good) as f64 / seconds;
        Self {
            knee_callers: knee.callers,
            knee_rate: knee.rate,
            knee_p99_ms: knee.p99_ms,
            offered_rate: over.calls.len() as f64 / seconds,
            good_rate,
            goodput: good_rate / knee.rate,
            admitted_p99_ms: percentile(&over.latencies_ms(), 99.0),
            refused: over.count(CallOutcome::Refused),
            lost: over.count(CallOutcome::Lost),
            back_ms: back(before, after),
            as_knee_s: as_knee(knee, after),
            hot_calls: cached.calls.len(),
            hot_lost: cached.calls.len() - cached.count(CallOutcome::Good),
            hot_p99_ms: percentile(&cached.latencies_ms(), 99.0),
        }
    }
}

/// Returns the end of the last slice that was worse than every slice before the load: a smaller
/// share of its calls succeeded, or its median latency was above the highest earlier median.
fn back(before: &Arrivals, after: &Arrivals) -> u64 {
    let usual = slices(before);
    let fewest = usual.iter().map(|slice| slice.good).fold(1.0, f64::min);
    let slowest = usual.iter().map(|slice| slice.half_ms).fold(0.0, f64::max);
    let worse = |slice: &&Slice| slice.good < fewest || slice.half_ms > slowest;
    slices(after).iter().rfind(worse).map_or(0, |slice| slice.until.as_millis() as u64)
}

/// Returns the first second in which the share of successful calls is the one that defines the
/// knee, and 99 % of them are no slower than at the knee.
fn as_knee(knee: &Knee, after: &Arrivals) -> Option<u64> {
    let as_there = |second: &u64| {
        let calls = after.calls.iter().filter(|call| call.due.as_secs() + 1 == *second).copied().collect();
        let slice = Arrivals { calls, lasted: Duration::from_secs(1) };
        let (came, took) = (slice.calls.len(), slice.latencies_ms());
        came > 0 && took.len() as f64 >= came as f64 * NEARLY && percentile(&took, 99.0) <= knee.p99_ms
    };
    (1..=after.lasted.as_secs()).find(as_there)
}

/// A short part of a phase.
struct Slice {
    /// The end of the slice.
    until: Duration,
    /// The share of the calls that were successful in time.
    good: f64,
    /// The median latency.
    half_ms: f64,
}

fn slices(phase: &Arrivals) -> Vec<Slice> {
    let count = (phase.lasted.as_millis() / SLICE.as_millis()) as u32;
    let slice = |number: u32| {
        let within = |due: Duration| due >= SLICE * number && due < SLICE * (number + 1);
        let calls: Vec<_> = phase.calls.iter().filter(|call| within(call.due)).collect();
        let good = calls.iter().filter(|call| call.outcome == CallOutcome::Good).count();
        let mut took: Vec<f64> = calls.iter().map(|call| call.took.as_secs_f64() * 1e3).collect();
        took.sort_by(f64::total_cmp);
        let until = SLICE * (number + 1);
        Slice { until, good: good as f64 / calls.len().max(1) as f64, half_ms: percentile(&took, 50.0) }
    };
    (0..count).map(slice).filter(|slice| slice.half_ms > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::arrivals::Call;
    use super::*;

    fn arrivals(calls: &[(u64, u64, CallOutcome)]) -> Arrivals {
        let ms = Duration::from_millis;
        let call =
            |(due, took, outcome): &(u64, u64, CallOutcome)| Call { due: ms(*due), took: ms(*took), outcome: *outcome };
        Arrivals { calls: calls.iter().map(call).collect(), lasted: ms(1_000) }
    }

    #[test]
    fn all_is_well_behind_the_last_slice_that_was_worse_than_any_before() {
        let before = arrivals(&[
            (10, 5, CallOutcome::Good),
            (260, 5, CallOutcome::Good),
            (270, 5, CallOutcome::Refused),
            (520, 20, CallOutcome::Good),
        ]);
        let well = |calls: &[(u64, u64, CallOutcome)]| back(&before, &arrivals(calls));
        assert_eq!(well(&[(10, 5, CallOutcome::Good), (950, 20, CallOutcome::Good)]), 0);
        assert_eq!(
            well(&[(10, 5, CallOutcome::Good), (20, 5, CallOutcome::Refused), (950, 5, CallOutcome::Good)]),
            0,
            "as before"
        );
        assert_eq!(
            well(&[(10, 5, CallOutcome::Good), (260, 5, CallOutcome::Refused), (950, 5, CallOutcome::Good)]),
            500
        );
        assert_eq!(
            well(&[(10, 50, CallOutcome::Good), (510, 50, CallOutcome::Good), (760, 5, CallOutcome::Good)]),
            750
        );
    }

    #[test]
    fn the_first_second_that_is_as_at_the_knee_is_found() {
        let knee = Knee { callers: 4, rate: 2.0, p99_ms: 9.0 };
        let found = |calls: &[(u64, u64, CallOutcome)]| {
            as_knee(&knee, &Arrivals { lasted: Duration::from_secs(3), ..arrivals(calls) })
        };
        assert_eq!(found(&[(0, 9, CallOutcome::Good), (1_000, 10, CallOutcome::Good)]), Some(1));
        assert_eq!(
            found(&[(0, 10, CallOutcome::Good), (1_000, 1, CallOutcome::Refused), (2_999, 5, CallOutcome::Good)]),
            Some(3)
        );
        assert_eq!(
            found(&[(0, 10, CallOutcome::Good), (1_000, 9, CallOutcome::Lost)]),
            None,
            "no call is no success either"
        );
    }

    #[test]
    fn goodput_is_the_ratio_of_successful_calls_to_the_knee() {
        let knee = Knee { callers: 4, rate: 2.0, p99_ms: 9.0 };
        let over = arrivals(&[
            (0, 5, CallOutcome::Good),
            (1, 7, CallOutcome::Refused),
            (2, 9, CallOutcome::Lost),
            (3, 8, CallOutcome::Good),
        ]);
        let phases = Phases { before: arrivals(&[]), over, after: arrivals(&[]) };
        let report = OverloadReport::of(&knee, &phases, &arrivals(&[(0, 1, CallOutcome::Lost)]));
        assert_eq!((report.goodput, report.offered_rate, report.admitted_p99_ms), (1.0, 4.0, 8.0));
        assert_eq!((report.refused, report.lost, report.hot_lost, report.back_ms), (1, 1, 1, 0));
    }
}
