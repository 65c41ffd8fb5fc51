//! The printed report: a line per round, the sums, and the history behind every violation.

use std::collections::BTreeMap;
use std::time::Duration;

use super::check::Fault;
use super::history::{Op, Outcome};

/// Number of violations shown in full; of the others only the number is shown.
const SHOWN: usize = 20;

/// The result of one round.
#[derive(Debug)]
pub(super) struct Round<'h> {
    pub(super) number: u32,
    /// The killed processes.
    pub(super) killed: String,
    /// The operations of the round.
    pub(super) history: &'h [Op],
    /// Number of requests sent again after the round.
    pub(super) replayed: usize,
    /// Time from the kill until every server wrote on every hot subject again.
    pub(super) serving: Duration,
}

/// Prints the header of the table.
pub(super) fn head() {
    println!(
        "{:>5}  {:<42} {:>8} {:>8} {:>8} {:>8} {:>8}  serving again",
        "round", "killed", "acked", "unknown", "refused", "retried", "replayed"
    );
}

impl Round<'_> {
    /// Prints the line of the round.
    pub(super) fn print(&self) {
        let Self { number, killed, history, replayed, serving } = self;
        let sums = sums(history);
        println!(
            "{number:>5}  {killed:<42} {:>8} {:>8} {:>8} {:>8} {replayed:>8}  {:.2} s",
            sums.acknowledged,
            sums.unknown,
            sums.refused,
            sums.retried,
            serving.as_secs_f64()
        );
    }
}

#[derive(Debug, Default)]
struct Sums {
    acknowledged: usize,
    unknown: usize,
    refused: usize,
    /// Acknowledged after more than one attempt.
    retried: usize,
}

fn sums(history: &[Op]) -> Sums {
    let mut sums = Sums::default();
    for op in history {
        match &op.outcome {
            Outcome::Acknowledged(_) => sums.acknowledged += 1,
            Outcome::Unknown(_) => sums.unknown += 1,
            Outcome::Refused(_) => sums.refused += 1,
        }
        sums.retried += usize::from(op.attempts > 1 && op.answer().is_some());
    }
    sums
}

/// Prints the sums of a run, and every violation with its lines of the history.
pub(super) fn conclusion(history: &[Op], replayed: usize, comments: usize, likes: usize, faults: &[Fault]) {
    let sums = sums(history);
    println!(
        "{} operations: {} acknowledged ({} after a retry), {} unknown, {} refused; {replayed} repeats; {comments} \
         comments and {likes} likes stand",
        history.len(),
        sums.acknowledged,
        sums.retried,
        sums.unknown,
        sums.refused
    );
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for op in history {
        if let Outcome::Refused(word) | Outcome::Unknown(word) = &op.outcome {
            *words.entry(word).or_default() += 1;
        }
    }
    let words: Vec<_> = words.iter().map(|(word, count)| format!("{word} {count}")).collect();
    println!("not acknowledged, by the last word: {}", words.join(", "));
    for Fault { what, ops } in faults.iter().take(SHOWN) {
        println!("\nFAULT: {what}");
        ops.iter().for_each(|op| println!("  #{op} {}", history[*op]));
    }
    match faults.len() {
        0 => println!("nothing acknowledged was lost, nothing was doubled, every count agrees with its rows"),
        count => println!("\n{count} FAULTS; the first {} are shown", count.min(SHOWN)),
    }
}
