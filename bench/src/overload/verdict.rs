//! What the phases say together.

use super::arrivals::{Arrivals, Fate, percentile};
use super::knee::Knee;
use serde::Serialize;
use std::time::Duration;

/// How finely the time after the load is looked at.
const SLICE: Duration = Duration::from_millis(100);

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
    /// Kept pages beside it: how many were asked for, how many were not answered, and latency.
    hot_calls: usize,
    hot_lost: usize,
    hot_p99_ms: f64,
}

impl Verdict {
    pub(crate) fn of(knee: &Knee, over: &Arrivals, kept: &Arrivals, after: &Arrivals) -> Self {
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
            back_ms: back(after, knee.p99_ms),
            hot_calls: kept.calls.len(),
            hot_lost: kept.calls.len() - kept.count(Fate::Good),
            hot_p99_ms: percentile(&kept.answered_ms(), 99.0),
        }
    }
}

/// The end of the last slice in which a call was not answered, or half of them took longer than nearly all did at the knee.
fn back(after: &Arrivals, knee_p99_ms: f64) -> u64 {
    let slices = (after.lasted.as_millis() / SLICE.as_millis()) as u32;
    let bad = |slice: &u32| {
        let within = |due: Duration| due >= SLICE * *slice && due < SLICE * (*slice + 1);
        let calls: Vec<_> = after.calls.iter().filter(|call| within(call.due)).collect();
        let slow = calls.iter().filter(|call| call.took.as_secs_f64() * 1e3 > knee_p99_ms).count();
        calls.iter().any(|call| call.fate != Fate::Good) || slow * 2 > calls.len()
    };
    let last = (0..slices).rfind(bad);
    last.map_or(0, |slice| u64::from(slice + 1) * SLICE.as_millis() as u64)
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
    fn all_is_well_behind_the_last_slice_that_was_not() {
        assert_eq!(back(&arrivals(&[(10, 5, Fate::Good), (950, 5, Fate::Good)]), 9.0), 0);
        assert_eq!(back(&arrivals(&[(10, 5, Fate::Good), (250, 5, Fate::Refused), (950, 5, Fate::Good)]), 9.0), 300);
        let slow = [(10, 50, Fate::Good), (110, 50, Fate::Good), (120, 50, Fate::Good), (130, 5, Fate::Good)];
        assert_eq!(back(&arrivals(&slow), 9.0), 200);
    }

    #[test]
    fn goodput_is_what_was_answered_against_the_knee() {
        let knee = Knee { callers: 4, rate: 2.0, p99_ms: 9.0 };
        let over = arrivals(&[(0, 5, Fate::Good), (1, 7, Fate::Refused), (2, 9, Fate::Lost), (3, 8, Fate::Good)]);
        let verdict = Verdict::of(&knee, &over, &arrivals(&[(0, 1, Fate::Lost)]), &arrivals(&[]));
        assert_eq!((verdict.goodput, verdict.offered_rate, verdict.admitted_p99_ms), (1.0, 4.0, 8.0));
        assert_eq!((verdict.refused, verdict.lost, verdict.hot_lost, verdict.back_ms), (1, 1, 1, 0));
    }
}
