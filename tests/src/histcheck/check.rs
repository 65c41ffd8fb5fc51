//! The verdict: which promises a history breaks.
//!
//! Nothing here asks a server or a clock. A subject is judged by itself, since no promise spans two of them but that
//! nothing crosses from one to another, which each answer shows; alarms, the rows of the databases and the keys of Redis
//! are judged together. Each rule has a file with its own proof on planted faults. All of it is O(n log n) in the operations of a
//! subject, and in what its answers could have shown.

mod alarms;
mod asked;
mod copies;
mod counts;
mod feed;
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
mod scene;
mod served;
mod several;
#[cfg(test)]
mod sketch;
mod tables;
mod walks;

use std::collections::BTreeMap;

use super::history::{History, Nanos};
use scene::Scene;

/// How old an answer may be that did not ask to be fresh. The service promises 2 s, and 5 s after a fault has healed;
/// here faults follow each other and share the processors with the service, so the bound is one that no delay explains
/// and that nothing which stays old can pass.
pub(crate) const STALE: Nanos = 15_000_000_000;
/// Anomalies kept of one rule and one subject: the first ones tell enough.
const KEPT: usize = 20;

/// One promise that was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anomaly {
    /// The rule, by the name of its file.
    pub(crate) rule: &'static str,
    /// What is wrong.
    pub(crate) what: String,
    /// The operations it shows in, by their places in the history, as few as tell it.
    pub(crate) ops: Vec<u32>,
}

/// What a rule tells its anomalies to.
#[derive(Debug, Default)]
pub(super) struct Found {
    rule: &'static str,
    anomalies: Vec<Anomaly>,
    kept: usize,
}

impl Found {
    /// Tells one.
    fn add(&mut self, what: impl FnOnce() -> String, ops: &[u32]) {
        self.kept += 1;
        if self.kept <= KEPT {
            self.anomalies.push(Anomaly { rule: self.rule, what: what(), ops: ops.to_vec() });
        }
    }

    /// Tells what is wrong with one operation, if something is.
    fn extend(&mut self, wrong: Option<String>, op: u32) {
        if let Some(what) = wrong {
            self.add(|| what, &[op]);
        }
    }
}

type Rule = fn(&Scene<'_>, &mut Found);

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

/// Everything that is wrong with a history, in the order of subjects and rules.
pub(crate) fn check(history: &History) -> Vec<Anomaly> {
    let mut found = Found::default();
    for mine in by_subject(history) {
        let scene = Scene::of(&history.ops, &mine);
        for (name, rule) in RULES {
            (found.rule, found.kept) = (name, 0);
            rule(&scene, &mut found);
        }
    }
    (found.rule, found.kept) = ("served", 0);
    served::check(&history.ops, &mut found);
    (found.rule, found.kept) = ("alarms", 0);
    alarms::check(&history.alarms, &mut found);
    // A run that did not come to its end has no tables.
    if !history.tables.is_empty() {
        (found.rule, found.kept) = ("tables", 0);
        let stand = tables::check(history, &mut found);
        (found.rule, found.kept) = ("copies", 0);
        copies::check(&stand, &history.copies, &mut found);
    }
    found.anomalies
}

/// The operations of each subject, in the order they began.
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
