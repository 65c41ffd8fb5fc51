//! In-memory histories of a service that keeps every promise. The check must find nothing in them;
//! they also measure its speed.
//!
//! The clients are those of the load. The model executes one call after the other, as if under one
//! lock. The times of the calls overlap nevertheless, so that the check has to allow for as much as
//! with a real service.

mod model;

use std::time::Instant;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::check;
use super::history::{History, Op};
use super::load::{CLIENTS, Ground, Planner, SUBJECTS};
use model::Model;

/// Nanoseconds from one operation to the next.
const STEP: u64 = 1_000;

/// Makes a history of `count` operations.
pub(super) fn history(seed: u64, count: u64) -> History {
    let mut random = StdRng::seed_from_u64(seed);
    let (roots, replies) = (Ground::new(SUBJECTS), Ground::new(SUBJECTS));
    let mut planners: Vec<Planner> = (0..CLIENTS).map(|client| Planner::new(client, seed)).collect();
    let (mut model, mut ops) = (Model::new(SUBJECTS), Vec::new());
    for number in 1..=count {
        let client = (number % u64::from(CLIENTS)) as u32;
        let planner = &mut planners[client as usize];
        let timestamp = number * STEP + STEP * u64::from(CLIENTS);
        let ask = planner.next(&roots, &replies, timestamp);
        let new = if ask.call.view().is_some() { (0, 0) } else { (1, number) };
        let request = ask.again.unwrap_or(new);
        let (outcome, token) = model.answer(&ask.call, request, &ask.token);
        // A client sends its next call after `CLIENTS` steps, and each call is shorter than half of
        // that on both sides of its execution time.
        let mut aside = || random.random_range(0..STEP * u64::from(CLIENTS) / 2 - STEP);
        let (begun, ended) = (timestamp - aside(), timestamp + aside());
        let op = Op { client, server: 0, begun, ended, request, call: ask.call.clone(), outcome };
        Planner::teach(&op, &roots, &replies);
        planner.learn(ask, &op, token);
        ops.push(op);
    }
    History { seed, ops, ..History::default() }
}

/// Checks a history of `count` operations and prints the duration. Returns true if nothing was
/// found in it.
pub(super) fn measure(seed: u64, count: u64) -> bool {
    let history = history(seed, count);
    let items: usize = history.ops.iter().map(|op| op.items().len()).sum();
    let (begun, before) = (Instant::now(), on_core());
    let anomalies = check::check(&history);
    let (took, seconds) = (begun.elapsed().as_secs_f64(), on_core() - before);
    let rate = count as f64 / seconds;
    println!(
        "{count} operations with {items} comments shown: {seconds:.1} s of one core, {took:.1} s by the clock, {rate:.0} \
         operations for each second of it"
    );
    anomalies.iter().for_each(|anomaly| println!("{anomaly:?}"));
    anomalies.is_empty()
}

/// Returns the CPU time of this thread in seconds, which excludes the time of other programs.
fn on_core() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = told.split_whitespace().next().and_then(|nanos| nanos.parse::<u64>().ok());
    nanos.unwrap_or_default() as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histcheck::history::{Outcome, Place, Value};

    #[test]
    fn nothing_is_found_in_what_keeps_every_promise() {
        assert!(measure(1, 200_000));
    }

    #[test]
    fn a_seed_makes_one_history() {
        assert_eq!(history(3, 5_000).ops, history(3, 5_000).ops);
        assert_ne!(history(3, 5_000).ops, history(4, 5_000).ops);
    }

    /// Spoils one response after the other with `spoil`, which returns true if it could. Returns
    /// the number of spoiled responses and the number of those that were found.
    fn found(spoil: fn(&mut Outcome) -> bool) -> (usize, usize) {
        let mut history = history(5, 12_000);
        let (mut spoiled, mut caught) = (0, 0);
        for number in (4_000..history.ops.len()).step_by(5) {
            let before = history.ops[number].outcome.clone();
            if spoil(&mut history.ops[number].outcome) {
                spoiled += 1;
                caught += usize::from(!check::check(&history).is_empty());
            }
            history.ops[number].outcome = before;
            if spoiled == 25 {
                break;
            }
        }
        (caught, spoiled)
    }

    #[test]
    fn what_is_spoiled_in_one_answer_is_found() {
        let all = (25, 25);
        let counted = |outcome: &mut Outcome| {
            let Outcome::Counts(counts) = outcome else { return false };
            counts.roots += 1;
            true
        };
        assert_eq!(found(counted), all);
        let text = |outcome: &mut Outcome| {
            let Outcome::Page(shown) = outcome else { return false };
            let Some(item) = shown.items.iter_mut().find(|item| item.text != 0) else { return false };
            item.text += 1;
            true
        };
        assert_eq!(found(text), all);
        let left_out = |outcome: &mut Outcome| {
            let Outcome::Page(shown) = outcome else { return false };
            let fits = shown.counts.is_some() && shown.items.len() > 2 && shown.items[1].text != 0;
            if fits {
                shown.items =
                    shown.items.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, item)| *item).collect();
            }
            fits
        };
        let (caught, spoiled) = found(left_out);
        // Abandoned walks by rank promise nothing yet.
        assert!(spoiled == 25 && caught * 4 >= spoiled, "{caught} of {spoiled}");
        let another = |outcome: &mut Outcome| {
            let Outcome::Comment(item) = outcome else { return false };
            item.id += 1;
            true
        };
        assert_eq!(found(another), all);
        let replies = |outcome: &mut Outcome| {
            let Outcome::Comments(items) = outcome else { return false };
            let Some(item) = items.first_mut() else { return false };
            item.replies = -1;
            true
        };
        assert_eq!(found(replies), all);
        let foreign = |outcome: &mut Outcome| {
            let Outcome::Page(shown) = outcome else { return false };
            let preview = shown.items.iter_mut().find(|item| item.place == Place::Preview);
            preview.is_some_and(|item| {
                item.root += 1;
                true
            })
        };
        assert_eq!(found(foreign), all);
        let liked = |outcome: &mut Outcome| {
            let Outcome::Liked(liked) = outcome else { return false };
            liked.value = if liked.value == Value::Like { Value::None } else { Value::Like };
            true
        };
        assert_eq!(found(liked), all);
        let floor = |outcome: &mut Outcome| {
            let Outcome::Written(written) = outcome else { return false };
            let fits = written.floor > 1;
            written.floor -= 1;
            fits
        };
        let (caught, spoiled) = found(floor);
        // The floor in the response to an edit or a delete is not checked.
        assert!(spoiled == 25 && caught * 3 >= spoiled, "{caught} of {spoiled}");
    }
}
