//! The queue is in the order in which its items are due, then of the comments, in each list and in
//! each claim. While a question stays open, its comment is never due later than before.

use std::collections::BTreeMap;

use super::super::Findings;
use super::lives::Lives;
use crate::histcheck::history::{ModeratedItem, Nanos, ReviewCall, ReviewResponse, ReviewRow};
use crate::histcheck::names;

/// When a comment was read in the queue, and when it was due: the begin and the end of the call,
/// the time, and the operation.
type Read = (Nanos, Nanos, i64, u32);

/// Finds lists that are out of order, and items that are due later than before.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    let mut open: Vec<&ReviewRow> = lives.reviews.values().filter(|row| row.is_open != 0).collect();
    open.sort_unstable_by_key(|row| (row.due, row.comment));
    let mut reads: BTreeMap<i64, Vec<Read>> = BTreeMap::new();
    for (number, call, response) in lives.responses() {
        let items: Vec<&ModeratedItem> = match (call, response) {
            (ReviewCall::Queue { .. }, ReviewResponse::Moderated(items)) => items.iter().collect(),
            (ReviewCall::Claim { .. }, ReviewResponse::Claimed { items, .. }) => {
                items.iter().map(|(item, _)| item).collect()
            }
            _other => continue,
        };
        findings.cases(items.len());
        let op = lives.op(number);
        for pair in items.windows(2) {
            let [one, next] = [pair[0], pair[1]].map(|item| (item.due, item.id));
            if one >= next {
                findings.add(|| format!("{one:?} is in the queue before {next:?} (due, comment)"), &[number]);
            }
        }
        for item in &items {
            reads.entry(item.id).or_default().push((op.begun, op.ended, item.due, number));
        }
        if names::is_last_read(op.client) {
            let wrong = items.iter().zip(&open).find(|(item, row)| (item.due, item.id) != (row.due, row.comment));
            if let Some((item, row)) = wrong {
                findings.add(|| format!("{} is due at {}, in place of {row:?}", item.id, item.due), &[number]);
            }
        }
    }
    for (id, reads) in reads {
        check_times(lives, id, &reads, findings);
    }
}

/// Checks that no read shows a comment as due later than one that ended before it, unless a
/// decision about it may lie between them.
fn check_times(lives: &Lives<'_>, id: i64, reads: &[Read], findings: &mut Findings) {
    let decided = || lives.decided.range((id, i32::MIN)..=(id, i32::MAX)).map(|(_, times)| times);
    for pair in reads.windows(2) {
        let [(begun, ended, due, first), (next_begun, next_ended, next_due, second)] = [pair[0], pair[1]];
        let is_open = ended < next_begun && !decided().any(|(sent, known)| *sent < next_ended && *known > begun);
        if is_open && next_due > due {
            findings.add(|| format!("{id} was due at {due} and is due at {next_due}"), &[first, second]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ReviewSample, sample_decision};
    use crate::histcheck::history::{ModeratorAct, Outcome, ReviewResponse, state};

    /// Adds a read of the queue with these comments and times, which is not the last one.
    fn read(sample: &mut ReviewSample, at: u64, items: &[(i64, i64)]) {
        let ids: Vec<i64> = items.iter().map(|(id, _)| *id).collect();
        sample.queue(at, &ids).change_last(|op| {
            op.client = 1;
            let Outcome::Reviewed(ReviewResponse::Moderated(found)) = &mut op.outcome else { panic!("{op:?}") };
            found.iter_mut().zip(items).for_each(|(item, (_, due))| item.due = *due);
        });
    }

    /// Returns a history in which root 12, which is due at time 12, and root 13 wait.
    fn two_wait(items: &[(i64, i64)]) -> ReviewSample {
        let mut sample = ReviewSample::default();
        sample.root(4, 13, 5);
        read(&mut sample, 6, items);
        sample
    }

    #[test]
    fn a_list_is_in_the_order_in_which_its_items_are_due() {
        two_wait(&[(12, 12), (13, 13)]).finds_nothing();
        two_wait(&[(13, 12), (12, 13)]).finds_nothing();
        two_wait(&[(12, 12), (13, 12)]).finds_nothing();
        two_wait(&[(13, 13), (12, 12)]).finds("queue order", "(13, 13) is in the queue before (12, 12)");
        two_wait(&[(13, 12), (12, 12)]).finds("queue order", "(12, 13) is in the queue before (12, 12)");
    }

    #[test]
    fn an_item_is_never_due_later_while_its_question_is_open() {
        let read_again = |due| {
            let mut sample = two_wait(&[(12, 12)]);
            read(&mut sample, 8, &[(12, due)]);
            sample
        };
        read_again(12).finds_nothing();
        read_again(11).finds_nothing();
        read_again(13).finds("queue order", "12 was due at 12 and is due at 13");
        let mut judged = two_wait(&[(12, 12)]);
        judged.read(7, 12, "12.1", state::PENDING, 0);
        let approved = sample_decision(12, 1, ModeratorAct::Approve, state::PENDING, state::ACTIVE);
        judged.judge(8, 1, (12, "12.1"), approved, 6);
        read(&mut judged, 9, &[(12, 13)]);
        judged.finds_nothing();
    }

    #[test]
    fn the_last_list_has_the_times_of_the_rows() {
        let mut sample = ReviewSample::default();
        sample.queue(9, &[12]).finds_nothing();
        sample.review(12, |row| row.due = 13).finds("queue order", "12 is due at 12, in place of");
    }
}
