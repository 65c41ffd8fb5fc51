//! The report of a check on standard output: each broken promise with the operations that show it,
//! the faults around them, and the commands that check the history again or repeat the run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::check::Anomaly;
use super::history::{History, InjectedFault, Nanos, Outcome};

/// Number of anomalies shown in full; of the others only the number is shown.
const SHOWN_ANOMALIES: usize = 20;
/// Number of operations shown of one anomaly: the first ones, which are its cause, and the last
/// ones, which show it.
const SHOWN_OPS: [usize; 2] = [6, 6];
/// Number of bytes shown of an operation.
const LONGEST_LINE: usize = 1_000;
/// Faults are shown if they were active at most this time before or after one of the operations.
const NEARBY: Nanos = 5_000_000_000;

/// Shows the result of the check of the history at `path`.
pub(super) fn show(history: &History, anomalies: &[Anomaly], path: &Path) {
    for anomaly in first_of_each(anomalies).into_iter().take(SHOWN_ANOMALIES) {
        println!("\nANOMALY, {}: {}", anomaly.rule, anomaly.description);
        timeline(history, anomaly).iter().for_each(|line| println!("  {line}"));
    }
    if !anomalies.is_empty() {
        let rules = rules(anomalies);
        println!(
            "\n{} anomalies, by rule {rules:?}; {} are shown",
            anomalies.len(),
            SHOWN_ANOMALIES.min(anomalies.len())
        );
        println!("to check this history again: cargo xtask prove --check {}", path.display());
        println!("to repeat the run: {}", history.repeat_command);
    }
}

/// Returns the anomalies with the first of each rule in front of the others.
fn first_of_each(anomalies: &[Anomaly]) -> Vec<&Anomaly> {
    let mut rules = BTreeSet::new();
    let (first, others): (Vec<&Anomaly>, Vec<_>) = anomalies.iter().partition(|anomaly| rules.insert(anomaly.rule));
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
    let mut results = 0;
    let mut failures: BTreeMap<String, usize> = BTreeMap::new();
    for op in &history.ops {
        match (&op.outcome, op.outcome.refused()) {
            (_, Some(reason)) => *failures.entry(format!("not executed, {reason}")).or_default() += 1,
            (Outcome::Unknown(reason), None) => *failures.entry(format!("unknown, {reason}")).or_default() += 1,
            _result => results += 1,
        }
    }
    let failures: Vec<_> = failures.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
    format!("{results} results; {}", failures.join("; "))
}

/// Cuts a line to a readable length; pages have many comments.
fn cut(mut line: String) -> String {
    if line.len() > LONGEST_LINE {
        let end = (0..=LONGEST_LINE).rev().find(|end| line.is_char_boundary(*end)).unwrap_or_default();
        line.truncate(end);
        line.push_str(" …");
    }
    line
}

/// Returns the operations that show an anomaly and the faults near it, in the order of time.
fn timeline(history: &History, anomaly: &Anomaly) -> Vec<String> {
    let [first, last] = SHOWN_OPS;
    let second_part = anomaly.ops.len().saturating_sub(last).max(first);
    let selected = anomaly.ops.iter().take(first).chain(anomaly.ops.iter().skip(second_part));
    let numbers: BTreeSet<u32> = selected.copied().collect();
    let ops = || numbers.iter().map(|number| (number, &history.ops[*number as usize]));
    let near = |fault: &&InjectedFault| {
        ops().any(|(_, op)| {
            fault.ended.saturating_add(NEARBY) >= op.begun && fault.begun <= op.ended.saturating_add(NEARBY)
        })
    };
    let mut lines: Vec<_> = ops().map(|(number, op)| (op.begun, cut(format!("#{number} {op}")))).collect();
    lines.extend(history.faults.iter().filter(near).map(|fault| (fault.begun, format!("fault {fault}"))));
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}
