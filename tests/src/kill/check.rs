//! The check: compares the recorded requests and responses with the data at the end of the run.
//!
//! Nothing here calls a server or reads a clock, so a test can check each rule with a deliberate
//! violation.

mod creates;
mod floors;
mod refusals;
mod registers;

use super::history::Op;
use super::seen::Seen;

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Description of the violation.
    pub(super) what: String,
    /// The operations that show it, by their indexes in the history.
    pub(super) ops: Vec<usize>,
}

/// Returns all violations.
pub(super) fn faults(history: &[Op], seen: &Seen) -> Vec<Fault> {
    let mut faults = Vec::new();
    creates::check(history, seen, &mut faults);
    floors::check(history, seen, &mut faults);
    registers::check(history, seen, &mut faults);
    refusals::check(history, &mut faults);
    let drifts = seen.drifts.iter().map(|drift| Fault { what: format!("counts drift: {drift}"), ops: Vec::new() });
    faults.extend(drifts);
    faults
}

#[cfg(test)]
mod tests;
