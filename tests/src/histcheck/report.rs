//! What people read of a verdict: each broken promise with the operations that show it, the faults around them, and the
//! commands that judge it, and run the same, again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::check::Anomaly;
use super::history::{Fault, History, Nanos, Outcome};

/// Anomalies shown whole; of more there is only the number.
const SHOWN: usize = 20;
/// Operations shown of one anomaly: those that its rule names first, which are how it came about, and last, which show it.
const OPS: [usize; 2] = [6, 6];
/// The bytes of an operation that are shown.
const LINE: usize = 1_000;
/// Faults are shown that struck so long before or behind one of its operations at most.
const NEAR: Nanos = 5_000_000_000;

/// Prints the verdict on the history at `path`.
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

/// The first of each rule before the others.
fn first_of_each(anomalies: &[Anomaly]) -> Vec<&Anomaly> {
    let mut seen = BTreeSet::new();
    let (first, others): (Vec<&Anomaly>, Vec<_>) = anomalies.iter().partition(|anomaly| seen.insert(anomaly.rule));
    [first, others].concat()
}

/// Anomalies of each rule.
pub(super) fn rules(anomalies: &[Anomaly]) -> BTreeMap<&'static str, usize> {
    let mut rules = BTreeMap::new();
    anomalies.iter().for_each(|anomaly| *rules.entry(anomaly.rule).or_default() += 1);
    rules
}

/// How the operations ended, in words.
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

/// A line that people can read: pages have many comments.
fn cut(mut line: String) -> String {
    if line.len() > LINE {
        let end = (0..=LINE).rev().find(|end| line.is_char_boundary(*end)).unwrap_or_default();
        line.truncate(end);
        line.push_str(" …");
    }
    line
}

/// What shows an anomaly, and the faults near it, as they happened.
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
