//! The printed report of a check: each broken promise with the operations that show it, the faults
//! around them, and the commands that check the history again or repeat the run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::check::Anomaly;
use super::history::{Fault, History, Nanos, Outcome};

/// Number of anomalies shown in full; of the others only the number is shown.
const SHOWN: usize = 20;
/// Number of operations shown of one anomaly: the first ones of the list, which are its cause, and
/// the last ones, which show it.
const OPS: [usize; 2] = [6, 6];
/// Number of bytes shown of an operation.
const LINE: usize = 1_000;
/// Faults are shown if they were active at most this time before or after one of the operations.
const NEAR: Nanos = 5_000_000_000;

/// Prints the result of the check of the history at `path`.
pub(super) fn print(history: &History, anomalies: &[Anomaly], path: &Path) {
    for anomaly in first_of_each(anomalies).into_iter().take(SHOWN) {
        println!("\nANOMALY, {}: {}", anomaly.rule, anomaly.what);
        timeline(history, anomaly).iter().for_each(|line| println!("  {line}"));
    }
    if !anomalies.is_empty() {
        let rules = rules(anomalies);
        println!("\n{} anomalies, by rule {rules:?}; {} are shown", anomalies.len(), SHOWN.min(anomalies.len()));
        println!("the same answers judged again: cargo xtask prove --check {}", path.display());
        println!("the same faults and clients again: {}", history.again);
    }
}

/// Returns the anomalies with the first of each rule in front of the others.
fn first_of_each(anomalies: &[Anomaly]) -> Vec<&Anomaly> {
    let mut seen = BTreeSet::new();
    let (first, others): (Vec<&Anomaly>, Vec<_>) = anomalies.iter().partition(|anomaly| seen.insert(anomaly.rule));
    [first, others].concat()
}

/// Returns the number of anomalies of each rule.
pub(super) fn rules(anomalies: &[Anomaly]) -> BTreeMap<&'static str, usize> {
    let mut rules = BTreeMap::new();
    anomalies.iter().for_each(|anomaly| *rules.entry(anomaly.rule).or_default() += 1);
    rules
}

/// Returns a description of the outcomes of the operations.
pub(super) fn outcomes(history: &History) -> String {
    let mut answered = 0;
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for op in &history.ops {
        match (&op.outcome, op.outcome.refused()) {
            (_, Some(word)) => *words.entry(format!("not executed, {word}")).or_default() += 1,
            (Outcome::Unknown(word), None) => *words.entry(format!("unknown, {word}")).or_default() += 1,
            _answer => answered += 1,
        }
    }
    let words: Vec<_> = words.iter().map(|(word, count)| format!("{word}: {count}")).collect();
    format!("{answered} answered; {}", words.join("; "))
}

/// Cuts a line to a readable length; pages have many comments.
fn cut(mut line: String) -> String {
    if line.len() > LINE {
        let end = (0..=LINE).rev().find(|end| line.is_char_boundary(*end)).unwrap_or_default();
        line.truncate(end);
        line.push_str(" …");
    }
    line
}

/// Returns the operations that show an anomaly and the faults near it, in the order of time.
fn timeline(history: &History, anomaly: &Anomaly) -> Vec<String> {
    let [first, last] = OPS;
    let behind = anomaly.ops.len().saturating_sub(last).max(first);
    let named = anomaly.ops.iter().take(first).chain(anomaly.ops.iter().skip(behind));
    let numbers: BTreeSet<u32> = named.copied().collect();
    let ops = || numbers.iter().map(|number| (number, &history.ops[*number as usize]));
    let near = |fault: &&Fault| {
        ops()
            .any(|(_, op)| fault.ended.saturating_add(NEAR) >= op.begun && fault.begun <= op.ended.saturating_add(NEAR))
    };
    let mut lines: Vec<_> = ops().map(|(number, op)| (op.begun, cut(format!("#{number} {op}")))).collect();
    lines.extend(history.faults.iter().filter(near).map(|fault| (fault.begun, format!("fault {fault}"))));
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}
