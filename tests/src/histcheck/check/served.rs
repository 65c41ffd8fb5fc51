//! Most calls of every kind are answered: faults affect one component at a time, and the
//! service continues with the others.

use std::collections::BTreeMap;

use super::{Found, refusals};
use crate::histcheck::history::Op;

/// Number of calls of a kind below which the kind is not checked.
const ENOUGH: usize = 200;

/// Finds kinds of calls of which less than half were answered. A refusal for a reason of its own
/// counts as an answer.
pub(super) fn check(ops: &[Op], found: &mut Found) {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for op in ops {
        let answered = match op.outcome.refused() {
            Some(reason) => !refusals::passes(reason),
            None => op.outcome.is_answer(),
        };
        let (all, of_them) = kinds.entry(op.call.kind()).or_default();
        *all += 1;
        *of_them += usize::from(answered);
    }
    for (kind, (all, answered)) in kinds.into_iter().filter(|(_, (all, _))| *all >= ENOUGH) {
        if 2 * answered < all {
            found.add(|| format!("{answered} of {all} calls to {kind} were answered"), &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::SampleHistory;
    use crate::histcheck::history::{Call, Counts, Outcome, View};

    #[test]
    fn a_service_that_answers_less_than_half_of_a_kind_is_found() {
        let asked = |answered: u64, otherwise: &Outcome| {
            let mut sample_history = SampleHistory::default();
            for at in 0..300 {
                let counts = Outcome::Counts(Counts { revision: 0, roots: 0, comments: 0 });
                let outcome = if at < answered { counts } else { otherwise.clone() };
                sample_history.op(at, Call::Counts { subject: 0, view: View::default() }, outcome);
            }
            sample_history
        };
        asked(150, &Outcome::Unknown("Unavailable".into())).has_none();
        asked(149, &Outcome::Unknown("Unavailable".into())).has("served", "149 of 300 calls to read counts");
        asked(149, &Outcome::Refused("OVERLOADED".into())).has("served", "149 of 300");
    }
}
