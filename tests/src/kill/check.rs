//! The verdict: what was asked and answered, held against what stands in the end.
//!
//! Nothing here asks a server or a clock, so that each rule is proven on a planted fault.

mod creates;
mod floors;
mod refusals;
mod registers;

use super::history::Op;
use super::seen::Seen;

/// One promise that was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// What is wrong.
    pub(super) what: String,
    /// The operations it shows in, by their places in the history.
    pub(super) ops: Vec<usize>,
}

/// Everything that is wrong.
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
