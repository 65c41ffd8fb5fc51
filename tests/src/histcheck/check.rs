//! The check of a history: finds the promises that it breaks.
//!
//! Nothing here calls a server or reads a clock. Each subject is checked separately. The only
//! promise about two subjects is that no data crosses from one to the other, and each response
//! shows that by itself. Alarms, the rows of the databases and the keys of Redis are checked as a
//! whole. Each rule has a file with tests on deliberate violations. The running time is O(n log n)
//! in the number of operations of a subject and in the number of comments that its responses could
//! have shown.

mod alarms;
mod availability;
mod cache;
mod counts;
mod events;
mod floors;
mod hidden_texts;
mod histories;
mod int_map;
mod isolation;
mod like_counts;
mod likes;
mod listings;
mod matching;
mod member_lists;
mod multi_reads;
mod notices;
mod once;
mod owned;
mod policy;
mod rankings;
mod refused_calls;
mod review;
mod revisions;
mod rows;
#[cfg(test)]
mod sample_data;
#[cfg(test)]
mod sample_history;
mod subject_history;
mod tables;
mod walks;
mod watches;

use std::collections::BTreeMap;

use super::history::{History, Nanos, Op};
use super::names;
use member_lists::MemberLists;
use subject_history::SubjectHistory;

/// Maximum age of a response to a read that is not fresh. The service promises 2 s, and 5 s after a
/// fault has healed. Here faults follow each other and share the processors with the service, so
/// the bound is larger: no delay explains a response beyond it, and data that stays stale exceeds
/// it.
pub(crate) const MAX_AGE: Nanos = 15_000_000_000;
/// Maximum number of anomalies that are recorded for one rule and one subject.
const MAX_PER_RULE: usize = 20;

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anomaly {
    /// The rule, by the name of its file.
    pub(crate) rule: &'static str,
    /// Description of the violation.
    pub(crate) description: String,
    /// The operations that show it, by their indexes in the history; as few as possible.
    pub(crate) ops: Vec<u32>,
}

/// The anomalies found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    rule: &'static str,
    anomalies: Vec<Anomaly>,
    /// Number of anomalies that the current rule found in the current subject.
    count: usize,
    /// Numbers of cases that rules have checked, by rule.
    cases: BTreeMap<&'static str, usize>,
}

impl Findings {
    /// Begins the check of a rule on a subject, or on the whole history.
    fn begin(&mut self, rule: &'static str) {
        (self.rule, self.count) = (rule, 0);
    }

    /// Counts cases that the current rule checks.
    fn cases(&mut self, count: usize) {
        *self.cases.entry(self.rule).or_default() += count;
    }

    /// Records an anomaly.
    fn add(&mut self, description: impl FnOnce() -> String, ops: &[u32]) {
        self.count += 1;
        if self.count <= MAX_PER_RULE {
            self.anomalies.push(Anomaly { rule: self.rule, description: description(), ops: ops.to_vec() });
        }
    }

    /// Records an anomaly of one operation, if there is one.
    fn add_if_any(&mut self, violation: Option<String>, op: u32) {
        if let Some(description) = violation {
            self.add(|| description, &[op]);
        }
    }
}

type Rule = fn(&SubjectHistory<'_>, &mut Findings);

const RULES: [(&str, Rule); 16] = [
    ("matching", matching::check),
    ("once", once::check),
    ("rows", rows::check),
    ("floors", floors::check),
    ("counts", counts::check),
    ("likes", likes::check),
    ("likers", likes::likers::check),
    ("like counts", like_counts::check),
    ("walks", walks::check),
    ("rankings", rankings::check),
    ("multi reads", multi_reads::check),
    ("revisions", revisions::check),
    ("isolation", isolation::check),
    ("histories", histories::check),
    ("watches", watches::check),
    ("refused calls", refused_calls::check),
];

/// The result of the check of a history.
#[derive(Debug)]
pub(crate) struct Checked {
    /// All anomalies, in the order of subjects and rules.
    pub(crate) anomalies: Vec<Anomaly>,
    /// Numbers of cases by rule, of the rules that count them.
    pub(crate) cases: BTreeMap<&'static str, usize>,
}

/// Checks a history.
pub(crate) fn check(history: &History) -> Checked {
    let mut findings = Findings::default();
    findings.begin("member lists");
    let member_lists = MemberLists::of(history, &mut findings);
    for op_numbers in by_subject(history) {
        let subject = SubjectHistory::of(&history.ops, &op_numbers);
        for (name, rule) in RULES {
            findings.begin(name);
            rule(&subject, &mut findings);
        }
        findings.begin("member lists");
        member_lists::check(&subject, &member_lists, &mut findings);
    }
    owned::check(history, &mut findings);
    findings.begin("availability");
    availability::check(&history.ops, &mut findings);
    findings.begin("alarms");
    alarms::check(&history.alarms, &mut findings);
    // A run that did not complete has no tables.
    if !history.tables.is_empty() {
        findings.begin("tables");
        let stored = tables::check(history, &mut findings);
        findings.begin("cache");
        cache::check(&stored, &history.cache, &mut findings);
        findings.begin("listings");
        listings::check(&history.listings, &stored, &mut findings);
        findings.begin("hidden texts");
        hidden_texts::check(history, &stored, &mut findings);
        review::check(history, &stored, &mut findings);
        events::check(history, &stored, &mut findings);
        notices::check(history, &stored, &mut findings);
        policy::check(history, Some(&stored), &mut findings);
        policy::filtered::check(history, Some(&stored), &mut findings);
    } else {
        policy::check(history, None, &mut findings);
        policy::filtered::check(history, None, &mut findings);
    }
    Checked { anomalies: findings.anomalies, cases: findings.cases }
}

/// Returns the operations of each subject, in the order they began, without the subjects that have
/// rules of their own: those whose comments wait for review, those with an owner, and those whose
/// comments the policy judges.
fn by_subject(history: &History) -> Vec<Vec<u32>> {
    let mut all: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let is_plain = |(_, op): &(u32, &Op)| {
        let subject = op.call.subject();
        !names::is_reviewed(subject) && !names::is_owned(subject) && !names::is_judged(subject)
    };
    for (number, op) in (0..).zip(&history.ops).filter(is_plain) {
        all.entry(op.call.subject()).or_default().push(number);
    }
    for op_numbers in all.values_mut() {
        op_numbers.sort_by_key(|number| history.ops[*number as usize].begun);
    }
    all.into_values().collect()
}
