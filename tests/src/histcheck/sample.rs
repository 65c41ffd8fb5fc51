//! Generated histories of a service that keeps every promise. The check must find nothing in them;
//! they also measure its speed.
//!
//! The clients are those of the load. The model executes one call after the other, as if under one
//! lock. The recorded times of the calls overlap nevertheless, so that the check faces the same
//! uncertainty as with a real service.

mod model;

use std::time::Instant;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::check;
use super::history::{History, Op};
use super::load::{CLIENTS, KnownComments, Planner, SUBJECTS};
use model::Model;

/// Nanoseconds from one operation to the next.
const STEP: u64 = 1_000;

/// Makes a history of `count` operations.
pub(super) fn history(seed: u64, count: u64) -> History {
    let mut random = StdRng::seed_from_u64(seed);
    let (roots, replies) = (KnownComments::new(SUBJECTS), KnownComments::new(SUBJECTS));
    let mut planners: Vec<Planner> = (0..CLIENTS).map(|client| Planner::new(client, seed)).collect();
    let (mut model, mut ops) = (Model::new(SUBJECTS), Vec::new());
    for number in 1..=count {
        let client = (number % u64::from(CLIENTS)) as u32;
        let planner = &mut planners[client as usize];
        let time = number * STEP + STEP * u64::from(CLIENTS);
        let planned = planner.next(&roots, &replies, time);
        let new = if planned.call.view().is_some() { (0, 0) } else { (1, number) };
        let request = planned.repeated.unwrap_or(new);
        let (outcome, token) = model.execute(&planned.call, request, &planned.token);
        // A client sends its next call after `CLIENTS` steps. Each call begins and ends less than
        // half of that time before and after its execution, so calls of a client do not overlap.
        let mut offset = || random.random_range(0..STEP * u64::from(CLIENTS) / 2 - STEP);
        let (begun, ended) = (time - offset(), time + offset());
        let op = Op { client, server: 0, begun, ended, request, call: planned.call.clone(), outcome };
        Planner::publish(&op, &roots, &replies);
        planner.record(planned, &op, token);
        ops.push(op);
    }
    History { seed, ops, ..History::default() }
}

/// Checks a history of `count` operations and shows the duration. Returns true if the check found
/// nothing.
pub(super) fn measure(seed: u64, count: u64) -> bool {
    let history = history(seed, count);
    let items: usize = history.ops.iter().map(|op| op.items().len()).sum();
    let (begun, cpu_before) = (Instant::now(), cpu_seconds());
    let anomalies = check::check(&history).anomalies;
    let (took, seconds) = (begun.elapsed().as_secs_f64(), cpu_seconds() - cpu_before);
    let rate = count as f64 / seconds;
    println!(
        "{count} operations with {items} comments shown: {seconds:.1} s of one core, {took:.1} s by the clock, {rate:.0} \
         operations for each second of it"
    );
    anomalies.iter().for_each(|anomaly| println!("{anomaly:?}"));
    anomalies.is_empty()
}

/// Returns the CPU time of this thread in seconds, which excludes the time of other programs.
fn cpu_seconds() -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = statistics.split_whitespace().next().and_then(|nanos| nanos.parse::<u64>().ok());
    nanos.unwrap_or_default() as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histcheck::history::{ItemKind, Outcome, Value};

    #[test]
    fn nothing_is_found_in_a_history_that_keeps_every_promise() {
        assert!(measure(1, 200_000));
    }

    #[test]
    fn a_seed_makes_one_history() {
        assert_eq!(history(3, 5_000).ops, history(3, 5_000).ops);
        assert_ne!(history(3, 5_000).ops, history(4, 5_000).ops);
    }

    /// Changes one response after the other with `change`, which returns true if it applies.
    /// Returns the number of changes that the check found, and the number of changes.
    fn found(change: fn(&mut Outcome) -> bool) -> (usize, usize) {
        let mut history = history(5, 12_000);
        let (mut changed, mut caught) = (0, 0);
        for number in (4_000..history.ops.len()).step_by(5) {
            let before = history.ops[number].outcome.clone();
            if change(&mut history.ops[number].outcome) {
                changed += 1;
                caught += usize::from(!check::check(&history).anomalies.is_empty());
            }
            history.ops[number].outcome = before;
            if changed == 25 {
                break;
            }
        }
        (caught, changed)
    }

    #[test]
    fn one_changed_response_is_found() {
        let all = (25, 25);
        let counts = |outcome: &mut Outcome| {
            let Outcome::Counts(counts) = outcome else { return false };
            counts.roots += 1;
            true
        };
        assert_eq!(found(counts), all);
        let text = |outcome: &mut Outcome| {
            let Outcome::Page(page) = outcome else { return false };
            let Some(item) = page.items.iter_mut().find(|item| item.text != 0) else { return false };
            item.text += 1;
            true
        };
        assert_eq!(found(text), all);
        let missing_item = |outcome: &mut Outcome| {
            let Outcome::Page(page) = outcome else { return false };
            let fits = page.counts.is_some() && page.items.len() > 2 && page.items[1].text != 0;
            if fits {
                page.items = page.items.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, item)| *item).collect();
            }
            fits
        };
        let (caught, changed) = found(missing_item);
        // A ranked walk that is not completed promises nothing.
        assert!(changed == 25 && caught * 4 >= changed, "{caught} of {changed}");
        let other_comment = |outcome: &mut Outcome| {
            let Outcome::Comment(item) = outcome else { return false };
            item.id += 1;
            true
        };
        assert_eq!(found(other_comment), all);
        let replies = |outcome: &mut Outcome| {
            let Outcome::Comments(items) = outcome else { return false };
            let Some(item) = items.first_mut() else { return false };
            item.replies = -1;
            true
        };
        assert_eq!(found(replies), all);
        let other_root = |outcome: &mut Outcome| {
            let Outcome::Page(page) = outcome else { return false };
            let preview = page.items.iter_mut().find(|item| item.kind == ItemKind::Preview);
            preview.is_some_and(|item| {
                item.root += 1;
                true
            })
        };
        assert_eq!(found(other_root), all);
        let like = |outcome: &mut Outcome| {
            let Outcome::Liked(liked) = outcome else { return false };
            liked.value = if liked.value == Value::Like { Value::None } else { Value::Like };
            true
        };
        assert_eq!(found(like), all);
        let floor = |outcome: &mut Outcome| {
            let Outcome::Written(written) = outcome else { return false };
            let fits = written.floor > 1;
            written.floor -= 1;
            fits
        };
        let (caught, changed) = found(floor);
        // The floor in the response to an edit or a delete is not checked.
        assert!(changed == 25 && caught * 3 >= changed, "{caught} of {changed}");
    }
}
