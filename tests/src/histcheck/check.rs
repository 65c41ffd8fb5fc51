//! The check of a history: finds the promises that it breaks.
//!
//! Nothing here calls a server or reads a clock. Each subject is checked separately. The only
//! promise about two subjects is that no data crosses from one to the other, and each response
//! shows that by itself. Alarms, the rows of the databases and the keys of Redis are checked as a
//! whole. Each rule has a file with tests on deliberate violations. The running time is O(n log n)
//! in the number of operations of a subject and in the number of comments that its responses could
//! have shown.

mod alarms;
mod asked;
mod copies;
mod counts;
mod feed;
mod fixture;
mod floors;
mod isolation;
mod like_counts;
mod likes;
mod once;
#[cfg(test)]
mod plant;
mod quick;
mod ranks;
mod refusals;
mod revisions;
mod rows;
#[cfg(test)]
mod sample_history;
mod served;
mod several;
mod tables;
mod walks;

use std::collections::BTreeMap;

use super::history::{History, Nanos};
use fixture::Fixture;

/// Maximum age of a response to a read that is not fresh. The service promises 2 s, and 5 s after a
/// fault has healed. Here faults follow each other and share the processors with the service, so
/// the bound is larger: no delay explains a response beyond it, and data that stays stale exceeds
/// it.
pub(crate) const STALE: Nanos = 15_000_000_000;
/// Number of anomalies kept of one rule and one subject: the first ones suffice.
const KEPT: usize = 20;

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anomaly {
    /// The rule, by the name of its file.
    pub(crate) rule: &'static str,
    /// Description of the violation.
    pub(crate) what: String,
    /// The operations that show it, by their indexes in the history; as few as possible.
    pub(crate) ops: Vec<u32>,
}

/// The anomalies found so far.
#[derive(Debug, Default)]
pub(super) struct Found {
    rule: &'static str,
    anomalies: Vec<Anomaly>,
    kept: usize,
}

impl Found {
    /// Records an anomaly.
    fn add(&mut self, what: impl FnOnce() -> String, ops: &[u32]) {
        self.kept += 1;
        if self.kept <= KEPT {
            self.anomalies.push(Anomaly { rule: self.rule, what: what(), ops: ops.to_vec() });
        }
    }

    /// Records an anomaly of one operation, if there is one.
    fn extend(&mut self, wrong: Option<String>, op: u32) {
        if let Some(what) = wrong {
            self.add(|| what, &[op]);
        }
    }
}

type Rule = fn(&Fixture<'_>, &mut Found);

const RULES: [(&str, Rule); 14] = [
    ("asked", asked::check),
    ("once", once::check),
    ("rows", rows::check),
    ("floors", floors::check),
    ("counts", counts::check),
    ("likes", likes::check),
    ("like counts", like_counts::check),
    ("walks", walks::check),
    ("ranks", ranks::check),
    ("several", several::check),
    ("revisions", revisions::check),
    ("isolation", isolation::check),
    ("feed", feed::check),
    ("refusals", refusals::check),
];

/// Returns all anomalies of a history, in the order of subjects and rules.
pub(crate) fn check(history: &History) -> Vec<Anomaly> {
    let mut found = Found::default();
    for mine in by_subject(history) {
        let fixture = Fixture::of(&history.ops, &mine);
        for (name, rule) in RULES {
            (found.rule, found.kept) = (name, 0);
            rule(&fixture, &mut found);
        }
    }
    (found.rule, found.kept) = ("served", 0);
    served::check(&history.ops, &mut found);
    (found.rule, found.kept) = ("alarms", 0);
    alarms::check(&history.alarms, &mut found);
    // A run that did not complete has no tables.
    if !history.tables.is_empty() {
        (found.rule, found.kept) = ("tables", 0);
        let stand = tables::check(history, &mut found);
        (found.rule, found.kept) = ("copies", 0);
        copies::check(&stand, &history.copies, &mut found);
    }
    found.anomalies
}

/// Returns the operations of each subject, in the order they began.
fn by_subject(history: &History) -> Vec<Vec<u32>> {
    let mut all: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, op) in (0..).zip(&history.ops) {
        all.entry(op.call.subject()).or_default().push(number);
    }
    for mine in all.values_mut() {
        mine.sort_by_key(|number| history.ops[*number as usize].begun);
    }
    all.into_values().collect()
}
