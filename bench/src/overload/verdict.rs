//! What the phases say together.

use super::arrivals::{Arrivals, Fate, percentile};
use super::knee::{Knee, NEARLY};
use serde::Serialize;
use std::time::Duration;

/// How finely the time after the load is looked at.
const SLICE: Duration = Duration::from_millis(250);

/// Printed as one line.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict {
    /// Callers, calls per second, and latency at the knee.
    knee_callers: usize,
    knee_rate: f64,
    knee_p99_ms: f64,
    /// Calls per second that came, and that were answered within their deadlines; the second against the knee.
    offered_rate: f64,
    good_rate: f64,
    goodput: f64,
    /// Of those that were answered.
    admitted_p99_ms: f64,
    /// Calls that were refused, and those that were neither answered in time nor refused.
    refused: usize,
    lost: usize,
    /// Until all was well again at 0.7 of the knee.
    back_ms: u64,
    /// The first second after the load, counted from 1, in which calls are answered as at the knee; `None` if there was none.
    as_knee_s: Option<u64>,
    /// Kept pages beside it: how many were asked for, how many were not answered, and latency.
    hot_calls: usize,
    hot_lost: usize,
    hot_p99_ms: f64,
}

/// The load in its order.
#[derive(Debug)]
pub(crate) struct Phases {
    /// Below the knee.
    pub(crate) before: Arrivals,
    /// Far beyond it.
    pub(crate) over: Arrivals,
    /// As before.
    pub(crate) after: Arrivals,
}

impl Verdict {
    pub(crate) fn of(knee: &Knee, phases: &Phases, kept: &Arrivals) -> Self {
        let Phases { before, over, after } = phases;
        let seconds = over.lasted.as_secs_f64();
        let good_rate = over.count(Fate::Good) as f64 / seconds;
        Self {
            knee_callers: knee.callers,
            knee_rate: knee.rate,
            knee_p99_ms: knee.p99_ms,
            offered_rate: over.calls.len() as f64 / seconds,
            good_rate,
            goodput: good_rate / knee.rate,
            admitted_p99_ms: percentile(&over.answered_ms(), 99.0),
            refused: over.count(Fate::Refused),
            lost: over.count(Fate::Lost),
            back_ms: back(before, after),
            as_knee_s: as_knee(knee, after),
            hot_calls: kept.calls.len(),
            hot_lost: kept.calls.len() - kept.count(Fate::Good),
            hot_p99_ms: percentile(&kept.answered_ms(), 99.0),
        }
    }
}

/// The end of the last slice that was worse than each one before the load was: fewer of its calls were answered, or half of
/// them took longer than half of the slowest did.
fn back(before: &Arrivals, after: &Arrivals) -> u64 {
    let usual = slices(before);
    let fewest = usual.iter().map(|slice| slice.good).fold(1.0, f64::min);
    let slowest = usual.iter().map(|slice| slice.half_ms).fold(0.0, f64::max);
    let worse = |slice: &&Slice| slice.good < fewest || slice.half_ms > slowest;
    slices(after).iter().rfind(worse).map_or(0, |slice| slice.until.as_millis() as u64)
}

/// The first second in which as large a share of what came was answered as tells the knee, and 99 % of it no later than there.
fn as_knee(knee: &Knee, after: &Arrivals) -> Option<u64> {
    let as_there = |second: &u64| {
        let calls = after.calls.iter().filter(|call| call.due.as_secs() + 1 == *second).copied().collect();
        let slice = Arrivals { calls, lasted: Duration::from_secs(1) };
        let (came, took) = (slice.calls.len(), slice.answered_ms());
        came > 0 && took.len() as f64 >= came as f64 * NEARLY && percentile(&took, 99.0) <= knee.p99_ms
    };
    (1..=after.lasted.as_secs()).find(as_there)
}

/// A moment of a phase.
struct Slice {
    /// When it ended.
    until: Duration,
    /// The share of the calls that were answered in time.
    good: f64,
    /// How long half of them took, at most.
    half_ms: f64,
}

fn slices(phase: &Arrivals) -> Vec<Slice> {
    let count = (phase.lasted.as_millis() / SLICE.as_millis()) as u32;
    let slice = |number: u32| {
        let within = |due: Duration| due >= SLICE * number && due < SLICE * (number + 1);
        let calls: Vec<_> = phase.calls.iter().filter(|call| within(call.due)).collect();
        let good = calls.iter().filter(|call| call.fate == Fate::Good).count();
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

    fn arrivals(calls: &[(u64, u64, Fate)]) -> Arrivals {
        let ms = Duration::from_millis;
        let call = |(due, took, fate): &(u64, u64, Fate)| Call { due: ms(*due), took: ms(*took), fate: *fate };
        Arrivals { calls: calls.iter().map(call).collect(), lasted: ms(1_000) }
    }

    #[test]
    fn all_is_well_behind_the_last_slice_that_was_worse_than_any_before() {
        let before =
            arrivals(&[(10, 5, Fate::Good), (260, 5, Fate::Good), (270, 5, Fate::Refused), (520, 20, Fate::Good)]);
        let well = |calls: &[(u64, u64, Fate)]| back(&before, &arrivals(calls));
        assert_eq!(well(&[(10, 5, Fate::Good), (950, 20, Fate::Good)]), 0);
        assert_eq!(well(&[(10, 5, Fate::Good), (20, 5, Fate::Refused), (950, 5, Fate::Good)]), 0, "as before");
        assert_eq!(well(&[(10, 5, Fate::Good), (260, 5, Fate::Refused), (950, 5, Fate::Good)]), 500);
        assert_eq!(well(&[(10, 50, Fate::Good), (510, 50, Fate::Good), (760, 5, Fate::Good)]), 750);
    }

    #[test]
    fn the_first_second_that_is_as_at_the_knee_is_told() {
        let knee = Knee { callers: 4, rate: 2.0, p99_ms: 9.0 };
        let told = |calls: &[(u64, u64, Fate)]| {
            as_knee(&knee, &Arrivals { lasted: Duration::from_secs(3), ..arrivals(calls) })
        };
        assert_eq!(told(&[(0, 9, Fate::Good), (1_000, 10, Fate::Good)]), Some(1));
        assert_eq!(told(&[(0, 10, Fate::Good), (1_000, 1, Fate::Refused), (2_999, 5, Fate::Good)]), Some(3));
        assert_eq!(told(&[(0, 10, Fate::Good), (1_000, 9, Fate::Lost)]), None, "nothing is no proof either");
    }

    #[test]
    fn goodput_is_what_was_answered_against_the_knee() {
        let knee = Knee { callers: 4, rate: 2.0, p99_ms: 9.0 };
        let over = arrivals(&[(0, 5, Fate::Good), (1, 7, Fate::Refused), (2, 9, Fate::Lost), (3, 8, Fate::Good)]);
        let phases = Phases { before: arrivals(&[]), over, after: arrivals(&[]) };
        let verdict = Verdict::of(&knee, &phases, &arrivals(&[(0, 1, Fate::Lost)]));
        assert_eq!((verdict.goodput, verdict.offered_rate, verdict.admitted_p99_ms), (1.0, 4.0, 8.0));
        assert_eq!((verdict.refused, verdict.lost, verdict.hot_lost, verdict.back_ms), (1, 1, 1, 0));
    }
}
