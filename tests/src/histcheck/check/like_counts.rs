//! Counts of likes and dislikes equal the members that like and dislike.
//!
//! Likes do not change the subject's revision, but every change of a comment changes its own
//! revision: all responses that show a comment at the same own revision show the same counts. The
//! counts of a response lie between the number of members that certainly had the value and the
//! number that may have had it, at some time during the call. For a response that need not come
//! from the primary, that time may be earlier by the maximum age of a response.

use super::int_map::IntMap;
use super::likes::{Write, has_one_client, writes};
use super::subject_history::SubjectHistory;
use super::{Findings, MAX_AGE};
use crate::histcheck::history::{Call, Nanos, Op, Outcome, Value};

/// A revision of a comment, its likes and dislikes, and the operation that returned them.
type ReturnedCounts = (i64, i32, i32, u32);

/// Finds counts that differ from the values of the members.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    // All counts by comment, and those that have a revision.
    let mut all: IntMap<i64, Vec<ReturnedCounts>> = IntMap::default();
    let mut versioned: IntMap<i64, Vec<ReturnedCounts>> = IntMap::default();
    for number in history.op_numbers {
        let op = history.op(*number);
        if let (Outcome::Liked(liked), Call::Like { comment, .. }) = (&op.outcome, &op.call) {
            let counts = (liked.revision, liked.likes, liked.dislikes, *number);
            versioned.entry(*comment).or_default().push(counts);
            all.entry(*comment).or_default().push(counts);
        }
        for item in op.items() {
            let counts = (item.revision, item.likes, item.dislikes, *number);
            if item.revision != 0 {
                versioned.entry(item.id).or_default().push(counts);
            }
            all.entry(item.id).or_default().push(counts);
        }
    }
    for (comment, counts) in &mut versioned {
        counts.sort_unstable();
        for pair in counts.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let ((revision, likes, dislikes, one), (_, other_likes, other_dislikes, two)) = (pair[0], pair[1]);
            if (likes, dislikes) != (other_likes, other_dislikes) {
                let description = || {
                    format!(
                        "comment {comment} of revision {revision} has +{likes} −{dislikes} and +{other_likes} −{other_dislikes}"
                    )
                };
                findings.add(description, &[one, two]);
            }
        }
    }
    check_age(history, findings, &versioned);
    let sums = Sums::of(history);
    for (comment, counts) in all {
        for (_, likes, dislikes, number) in counts {
            let op = history.op(number);
            let (expected_likes, expected_dislikes) = sums.within(comment, since(op), op.ended);
            for (count, (least, most), name) in
                [(likes, expected_likes, "likes"), (dislikes, expected_dislikes, "dislikes")]
            {
                if !(least..=most).contains(&count) {
                    let description = || format!("comment {comment} has {count} {name}, not {least} to {most}");
                    findings.add(description, &[number]);
                }
            }
        }
    }
}

/// The number of likes and dislikes of each comment, from each time on.
#[derive(Debug)]
pub(super) struct Sums(IntMap<i64, (Steps, Steps)>);

impl Sums {
    /// Returns the sums of the values that members have set.
    pub(super) fn of(history: &SubjectHistory<'_>) -> Self {
        let mut writes_of: IntMap<i64, Vec<Vec<Write>>> = IntMap::default();
        for ((comment, _), writes) in writes(history) {
            writes_of.entry(comment).or_default().push(writes);
        }
        let steps = |members: &[Vec<Write>]| (Steps::of(members, Value::Like), Steps::of(members, Value::Dislike));
        Self(writes_of.into_iter().map(|(comment, members)| (comment, steps(&members))).collect())
    }

    /// Returns the smallest and the largest possible number of likes of a comment at any time in
    /// the interval, and the same for dislikes.
    pub(super) fn within(&self, comment: i64, begun: Nanos, ended: Nanos) -> ((i32, i32), (i32, i32)) {
        let both = self.0.get(&comment).map(|(up, down)| (up.within(begun, ended), down.within(begun, ended)));
        both.unwrap_or_default()
    }
}

/// Returns the earliest time whose state a response may show.
fn since(op: &Op) -> Nanos {
    if op.call.view().is_none_or(|view| view.fresh) { op.begun } else { op.begun.saturating_sub(MAX_AGE) }
}

/// Finds comments shown at an own revision that is too low. For a fresh read that is a revision
/// below one that was returned before the read began; for other reads the maximum age of a response
/// is added.
fn check_age(history: &SubjectHistory<'_>, findings: &mut Findings, versioned: &IntMap<i64, Vec<ReturnedCounts>>) {
    for (comment, counts) in versioned {
        let mut ends: Vec<(Nanos, i64, u32)> =
            counts.iter().map(|(revision, .., number)| (history.op(*number).ended, *revision, *number)).collect();
        ends.sort_unstable();
        let mut highest = (0, 0);
        for (_, revision, number) in &mut ends {
            highest = highest.max((*revision, *number));
            (*revision, *number) = highest;
        }
        for (revision, .., number) in counts {
            let op = history.op(*number);
            let since = since(op);
            let before = ends.partition_point(|(ended, ..)| *ended < since);
            let returned = before.checked_sub(1).map_or((0, 0), |last| (ends[last].1, ends[last].2));
            if returned.0 > *revision {
                let read = if since == op.begun { "a fresh read" } else { "a late read" };
                let description = || {
                    format!("comment {comment} of revision {revision} in {read}, though {} was returned", returned.0)
                };
                findings.add(description, &[returned.1, *number]);
            }
        }
    }
}

/// The number of members with a value, the certain and the possible one, from each time on.
#[derive(Debug)]
struct Steps(Vec<(Nanos, i32, i32)>);

impl Steps {
    fn of(members: &[Vec<Write>], value: Value) -> Self {
        let mut steps = Vec::new();
        for writes in members {
            if has_one_client(writes) {
                certain(writes, value, &mut steps);
                possible(writes, value, &mut steps);
            } else {
                // Writes of several clients have no order: each may be the last one.
                let first = writes.iter().filter(|write| write.value == value).map(|write| write.begun).min();
                steps.extend(first.map(|at| (at, 0, 1)));
            }
        }
        // At equal times, the steps that widen the range come first.
        steps.sort_unstable_by_key(|(at, certain, possible)| (*at, *certain - *possible));
        let mut now = (0, 0);
        for (_, certain, possible) in &mut steps {
            now = (now.0 + *certain, now.1 + *possible);
            (*certain, *possible) = now;
        }
        Self(steps)
    }

    /// Returns the smallest certain and the largest possible number at any time of a call.
    fn within(&self, begun: Nanos, ended: Nanos) -> (i32, i32) {
        let from = self.0.partition_point(|(at, ..)| *at < begun).saturating_sub(1);
        let first = self.0.first().filter(|(at, ..)| *at < begun).map_or((0, 0), |_| (self.0[from].1, self.0[from].2));
        let later = self.0[from..].iter().skip_while(|(at, ..)| *at < begun).take_while(|(at, ..)| *at <= ended);
        later.fold(first, |(least, most), (_, certain, possible)| (least.min(*certain), most.max(*possible)))
    }
}

/// Adds the periods in which a value is certain: from the response to a write until the next write
/// of another value is sent.
fn certain(writes: &[Write], value: Value, steps: &mut Vec<(Nanos, i32, i32)>) {
    let mut is_certain = false;
    for write in writes {
        if is_certain && write.value != value {
            steps.push((write.begun, -1, 0));
            is_certain = false;
        }
        if let (false, true, Some(acknowledged)) = (is_certain, write.value == value, write.acknowledged) {
            steps.push((acknowledged, 1, 0));
            is_certain = true;
        }
    }
}

/// Adds the periods in which a value is possible: from the sending of a write until the response to
/// a later write of another value.
fn possible(writes: &[Write], value: Value, steps: &mut Vec<(Nanos, i32, i32)>) {
    let mut is_possible = false;
    for write in writes {
        if !is_possible && write.value == value {
            steps.push((write.begun, 0, 1));
            is_possible = true;
        }
        if let (true, false, Some(acknowledged)) = (is_possible, write.value == value, write.acknowledged) {
            steps.push((acknowledged, 0, -1));
            is_possible = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, item};
    use crate::histcheck::history::Item;
    use crate::histcheck::history::Value::{Like, None as Nothing};

    fn liked() -> SampleHistory {
        let mut history = SampleHistory::default();
        history.root(1, 11, 1, 1).like(2, 5, Like, Some((1, 0, 2))).like(3, 6, Like, Some((2, 0, 3)));
        history
    }

    #[test]
    fn counts_of_the_time_of_the_read_are_valid() {
        let mut history = liked();
        history.get(4, Item { likes: 2, revision: 3, ..item(11, 1) }, true);
        // During the second like both counts are possible; a read that is not fresh may return the
        // old one.
        history.get(3, Item { likes: 1, revision: 2, ..item(11, 1) }, true);
        history.get(5, Item { likes: 1, revision: 2, ..item(11, 1) }, false);
        history.like(6, 5, Nothing, None);
        for (at, likes) in [(7, 2), (8, 1)] {
            history.get(at, Item { likes, ..item(11, 1) }, true);
        }
        history.finds_nothing();
    }

    #[test]
    fn a_count_too_low_or_too_high_is_found() {
        for (likes, words) in [(1, "has 1 likes, not 2 to 2"), (3, "has 3 likes, not 2 to 2")] {
            let mut history = liked();
            history.get(4, Item { likes, revision: 9, ..item(11, 1) }, true);
            history.finds("like counts", words);
        }
        let mut history = liked();
        history.like(4, 5, Nothing, Some((2, 0, 4)));
        // A read during the call that removes the like may show either state; a later read may not.
        history.get(5, Item { likes: 2, revision: 4, ..item(11, 1) }, true);
        history.finds("like counts", "has 2 likes, not 1 to 1");
    }

    #[test]
    fn likes_that_stay_stale_are_found() {
        let stale_read = |at, fresh| {
            let mut history = liked();
            history.get(at, Item { likes: 1, revision: 2, ..item(11, 1) }, fresh);
            history
        };
        stale_read(5, false).finds_nothing();
        stale_read(5, true).finds("like counts", "of revision 2 in a fresh read, though 3 was returned");
        stale_read(60, false).finds("like counts", "of revision 2 in a late read, though 3 was returned");
    }

    #[test]
    fn a_count_outside_the_maximum_age_is_found_at_any_revision() {
        let read = |at, likes| {
            let mut history = liked();
            history.get(at, Item { likes, revision: 9, ..item(11, 1) }, false);
            history
        };
        read(5, 1).finds_nothing();
        read(5, 3).finds("like counts", "has 3 likes, not 0 to 2");
        read(60, 1).finds("like counts", "has 1 likes, not 2 to 2");
    }

    #[test]
    fn a_member_of_all_clients_may_count_or_not_and_counts_once() {
        for (likes, words) in [(2, None), (3, None), (4, Some("has 4 likes, not 2 to 3"))] {
            let mut history = liked();
            history
                .like(4, 9, Like, Some((3, 0, 4)))
                .like(5, 9, Nothing, Some((2, 0, 5)))
                .change_last(|op| op.client = 7);
            history.get(6, Item { likes, revision: 9, ..item(11, 1) }, true);
            match words {
                None => history.finds_nothing(),
                Some(words) => history.finds("like counts", words),
            }
        }
    }

    #[test]
    fn two_counts_of_one_revision_are_found() {
        let mut history = liked();
        history.get(5, Item { likes: 2, revision: 2, ..item(11, 1) }, false);
        history.finds("like counts", "of revision 2 has +1 −0 and +2 −0");
    }
}
