//! At least half of the calls of every kind have a result: faults affect one component at a time,
//! and the service continues with the others.

use std::collections::BTreeMap;

use super::{Findings, refused_calls};
use crate::histcheck::history::Op;

/// Number of calls of a kind below which the kind is not checked.
const MIN_CALLS: usize = 200;

/// Finds kinds of calls of which less than half have a result. A call that is refused for a reason
/// other than overload or faults counts as one with a result.
pub(super) fn check(ops: &[Op], findings: &mut Findings) {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for op in ops {
        let has_result = match op.outcome.refused() {
            Some(reason) => !refused_calls::is_transient(reason),
            None => op.outcome.has_result(),
        };
        let (all, results) = kinds.entry(op.call.kind()).or_default();
        *all += 1;
        *results += usize::from(has_result);
    }
    for (kind, (all, results)) in kinds.into_iter().filter(|(_, (all, _))| *all >= MIN_CALLS) {
        if 2 * results < all {
            findings.add(|| format!("{results} of {all} calls to {kind} have a result"), &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::SampleHistory;
    use crate::histcheck::history::{Call, Counts, Outcome, View};

    #[test]
    fn a_kind_of_which_less_than_half_have_a_result_is_found() {
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
            .finds("availability", "149 of 300 calls to read counts");
        with_calls(149, &Outcome::Refused("OVERLOADED".into())).finds("availability", "149 of 300");
    }
}
