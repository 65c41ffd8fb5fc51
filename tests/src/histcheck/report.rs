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
/// Faults are shown that struck so long before or behind one of its operations at most.
const NEAR: Nanos = 5_000_000_000;

/// Prints the verdict on the history at `path`.
pub(super) fn print(history: &History, anomalies: &[Anomaly], path: &Path) {
    for anomaly in anomalies.iter().take(SHOWN) {
        println!("\nANOMALY, {}: {}", anomaly.rule, anomaly.what);
        timeline(history, anomaly).iter().for_each(|line| println!("  {line}"));
    }
    if !anomalies.is_empty() {
        let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
        anomalies.iter().for_each(|anomaly| *rules.entry(anomaly.rule).or_default() += 1);
        println!(
            "\n{} anomalies, by rule {rules:?}; the first {} are shown",
            anomalies.len(),
            SHOWN.min(anomalies.len())
        );
        println!("the same answers judged again: cargo xtask prove --check {}", path.display());
        println!("the same faults and clients again: {}", history.again);
    }
}

/// How the operations ended, in words.
pub(super) fn outcomes(history: &History) -> String {
    let mut answered = 0;
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for op in &history.ops {
        match &op.outcome {
            Outcome::Refused(word) => *words.entry(format!("not executed, {word}")).or_default() += 1,
            Outcome::Unknown(word) => *words.entry(format!("unknown, {word}")).or_default() += 1,
            Outcome::Written(_)
            | Outcome::Liked(_)
            | Outcome::Page(_)
            | Outcome::Comment(_)
            | Outcome::Comments(_)
            | Outcome::Counts(_)
            | Outcome::States(_)
            | Outcome::Export { .. }
            | Outcome::Changes { .. }
            | Outcome::Gap { .. } => answered += 1,
        }
    }
    let words: Vec<_> = words.iter().map(|(word, count)| format!("{word}: {count}")).collect();
    format!("{answered} answered; {}", words.join("; "))
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
    let mut lines: Vec<_> = ops().map(|(number, op)| (op.begun, format!("#{number} {op}"))).collect();
    lines.extend(history.faults.iter().filter(near).map(|fault| (fault.begun, format!("fault {fault}"))));
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}
