//! Calls of every kind have results in at least half of the seconds of a run: faults affect one
//! component at a time, and the service continues with the others.
//!
//! The rule counts seconds because a client sends its next call when it has the response to the
//! last one. A refusal takes a fraction of the time of a result, so that a short fault fails more
//! calls than succeed in the rest of the run.

use std::collections::BTreeMap;

use super::{Findings, refused_calls};
use crate::histcheck::history::{Nanos, Op};

/// Number of calls of a kind below which the kind is not checked.
const MIN_CALLS: usize = 200;
const SECOND: Nanos = 1_000_000_000;

/// The calls of a kind that began in a second.
#[derive(Debug, Default)]
struct Second {
    calls: usize,
    results: usize,
}

/// Finds kinds of calls that have results in less than half of the seconds in which they are made.
/// A second has results if at least half of its calls have one. A call that is refused for a reason
/// other than overload or faults counts as one with a result.
pub(super) fn check(ops: &[Op], findings: &mut Findings) {
    let mut kinds: BTreeMap<&str, BTreeMap<Nanos, Second>> = BTreeMap::new();
    for op in ops {
        let has_result = match op.outcome.refused() {
            Some(reason) => !refused_calls::is_transient(reason),
            None => op.outcome.has_result(),
        };
        let second = kinds.entry(op.call.kind()).or_default().entry(op.begun / SECOND).or_default();
        second.calls += 1;
        second.results += usize::from(has_result);
    }
    for (kind, seconds) in kinds {
        let calls: usize = seconds.values().map(|second| second.calls).sum();
        let served = seconds.values().filter(|second| 2 * second.results >= second.calls).count();
        if calls >= MIN_CALLS && 2 * served < seconds.len() {
            let results: usize = seconds.values().map(|second| second.results).sum();
            let all = seconds.len();
            findings.add(
                || format!("{kind} has results in {served} of {all} seconds; {results} of {calls} calls have one"),
                &[],
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::SampleHistory;
    use crate::histcheck::history::{Call, Counts, Outcome, View};

    #[test]
    fn a_kind_with_results_in_less_than_half_of_the_seconds_is_found() {
        let with_calls = |results: u64, otherwise: &Outcome| {
            let mut sample_history = SampleHistory::default();
            for at in 0..300 {
                let counts = Outcome::Counts(Counts { revision: 0, roots: 0, comments: 0 });
                let outcome = if at < results { counts } else { otherwise.clone() };
                sample_history.op(at, Call::Counts { subject: 0, view: View::default() }, outcome);
            }
            sample_history
        };
        with_calls(150, &Outcome::Unknown("Unavailable".into())).finds_nothing();
        with_calls(149, &Outcome::Unknown("Unavailable".into()))
            .finds("availability", "read counts has results in 149 of 300 seconds");
        with_calls(149, &Outcome::Refused("OVERLOADED".into())).finds("availability", "149 of 300");
    }
    #[test]
    fn many_refusals_in_one_second_are_one_second_without_results() {
        let mut sample_history = SampleHistory::default();
        for at in 0..3 {
            for _ in 0..if at == 1 { 300 } else { 20 } {
                let outcome = match at {
                    1 => Outcome::Refused("SHARD_UNAVAILABLE".into()),
                    _ => Outcome::Counts(Counts { revision: 0, roots: 0, comments: 0 }),
                };
                sample_history.op(at, Call::Counts { subject: 0, view: View::default() }, outcome);
            }
        }
        sample_history.finds_nothing();
    }
}
