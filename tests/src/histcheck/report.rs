//! What people read of a verdict: each broken promise with the operations that show it, the faults around them, and the
//! command that runs the same again.

use std::collections::BTreeMap;

use super::check::Anomaly;
use super::fault::Means;
use super::history::{Fault, History, Nanos, Outcome};
use super::options::Options;

/// Anomalies shown whole; of more there is only the number.
const SHOWN: usize = 20;
/// Operations shown of one anomaly.
const OPS: usize = 12;
/// Faults shown around an anomaly begin so long before it.
const BEFORE: Nanos = 5_000_000_000;

/// Prints the verdict.
pub(super) fn print(history: &History, anomalies: &[Anomaly], options: &Options) {
    for anomaly in anomalies.iter().take(SHOWN) {
        println!("\nANOMALY, {}: {}", anomaly.rule, anomaly.what);
        let mut ops: Vec<u32> = anomaly.ops.clone();
        ops.dedup();
        for number in ops.iter().take(OPS) {
            println!("  #{number} {}", history.ops[*number as usize]);
        }
        for fault in around(history, &ops) {
            println!("  fault {fault}");
        }
    }
    if !anomalies.is_empty() {
        let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
        anomalies.iter().for_each(|anomaly| *rules.entry(anomaly.rule).or_default() += 1);
        println!(
            "\n{} anomalies, by rule {rules:?}; the first {} are shown",
            anomalies.len(),
            SHOWN.min(anomalies.len())
        );
        let planted =
            if options.planted.is_empty() { String::new() } else { format!(" --planted {}", options.planted) };
        let (seconds, seed) = (options.length.as_secs(), history.seed);
        let cluster = if options.means.contains(&Means::Cluster) { " --cluster" } else { "" };
        println!(
            "the same faults and clients again: cargo xtask prove --seconds {seconds} --seed {seed}{cluster}{planted}"
        );
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
            | Outcome::Counts(_)
            | Outcome::States(_)
            | Outcome::Export { .. }
            | Outcome::Changes { .. } => answered += 1,
        }
    }
    let words: Vec<_> = words.iter().map(|(word, count)| format!("{word}: {count}")).collect();
    format!("{answered} answered; {}", words.join("; "))
}

fn around<'h>(history: &'h History, ops: &[u32]) -> impl Iterator<Item = &'h Fault> {
    let times = ops.iter().map(|number| &history.ops[*number as usize]);
    let (first, last) = times.fold((Nanos::MAX, 0), |(first, last), op| (first.min(op.begun), last.max(op.ended)));
    history.faults.iter().filter(move |fault| fault.ended.saturating_add(BEFORE) >= first && fault.begun <= last)
}
