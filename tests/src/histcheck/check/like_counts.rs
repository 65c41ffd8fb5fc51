//! Counts of likes and dislikes equal the members that like and dislike.
//!
//! Likes do not change the subject's revision, but every change of a comment changes its own
//! revision: all responses that show a comment at the same own revision show the same counts. The
//! counts of a response lie between the number of members that certainly had the value and the
//! number that may have had it, at some time during the call. For a response that need not come
//! from the primary, that time may be earlier by the maximum age of a response.

use super::fixture::Fixture;
use super::likes::{Write, of_one_client, writes};
use super::quick::QuickMap;
use super::{Found, STALE};
use crate::histcheck::history::{Call, Nanos, Op, Outcome, Value};

/// Likes, dislikes, and the operation that returned them, at a revision of the comment.
type Told = (i64, i32, i32, u32);

/// Finds counts that differ from the values of the members.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    let mut told: QuickMap<i64, Vec<Told>> = QuickMap::default();
    let mut counted: QuickMap<i64, Vec<Told>> = QuickMap::default();
    for number in fixture.mine {
        let op = fixture.op(*number);
        if let (Outcome::Liked(liked), Call::Like { comment, .. }) = (&op.outcome, &op.call) {
            let at = (liked.revision, liked.likes, liked.dislikes, *number);
            told.entry(*comment).or_default().push(at);
            counted.entry(*comment).or_default().push(at);
        }
        for item in op.items() {
            let at = (item.revision, item.likes, item.dislikes, *number);
            if item.revision != 0 {
                told.entry(item.id).or_default().push(at);
            }
            counted.entry(item.id).or_default().push(at);
        }
    }
    for (comment, told) in &mut told {
        told.sort_unstable();
        for pair in told.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let ((revision, likes, dislikes, one), (_, other_likes, other_dislikes, two)) = (pair[0], pair[1]);
            if (likes, dislikes) != (other_likes, other_dislikes) {
                let what = || {
                    format!(
                        "comment {comment} of revision {revision} has +{likes} −{dislikes} and +{other_likes} −{other_dislikes}"
                    )
                };
                found.add(what, &[one, two]);
            }
        }
    }
    stale(fixture, found, &told);
    let sums = Sums::of(fixture);
    for (comment, told) in counted {
        for (_, up, down, number) in told {
            let op = fixture.op(number);
            let (likes, dislikes) = sums.within(comment, since(op), op.ended);
            for (count, (least, most), name) in [(up, likes, "likes"), (down, dislikes, "dislikes")] {
                if !(least..=most).contains(&count) {
                    found.add(|| format!("comment {comment} has {count} {name}, not {least} to {most}"), &[number]);
                }
            }
        }
    }
}

/// The number of likes and dislikes of each comment, from each time on.
#[derive(Debug)]
pub(super) struct Sums(QuickMap<i64, (Steps, Steps)>);

impl Sums {
    /// Returns the sums of the values that members have set.
    pub(super) fn of(fixture: &Fixture<'_>) -> Self {
        let mut writes_of: QuickMap<i64, Vec<Vec<Write>>> = QuickMap::default();
        for ((comment, _), of) in writes(fixture) {
            writes_of.entry(comment).or_default().push(of);
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
    if op.call.view().is_none_or(|view| view.fresh) { op.begun } else { op.begun.saturating_sub(STALE) }
}

/// Finds comments shown at an own revision that is too low. For a fresh read that is a revision
/// below one that was returned before the read began; for other reads the maximum age of a response
/// is added.
fn stale(fixture: &Fixture<'_>, found: &mut Found, told: &QuickMap<i64, Vec<Told>>) {
    for (comment, told) in told {
        let mut ends: Vec<(Nanos, i64, u32)> =
            told.iter().map(|(revision, .., number)| (fixture.op(*number).ended, *revision, *number)).collect();
        ends.sort_unstable();
        let mut highest = (0, 0);
        for (_, revision, number) in &mut ends {
            highest = highest.max((*revision, *number));
            (*revision, *number) = highest;
        }
        for (revision, .., number) in told {
            let op = fixture.op(*number);
            let since = since(op);
            let before = ends.partition_point(|(ended, ..)| *ended < since);
            let reached = before.checked_sub(1).map_or((0, 0), |last| (ends[last].1, ends[last].2));
            if reached.0 > *revision {
                let words = if since == op.begun { "fresh" } else { "long after" };
                let what =
                    || format!("comment {comment} of revision {revision}, {words}, though {} had been told", reached.0);
                found.add(what, &[reached.1, *number]);
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
            if of_one_client(writes) {
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
    let mut since = false;
    for write in writes {
        if since && write.value != value {
            steps.push((write.begun, -1, 0));
            since = false;
        }
        if let (false, true, Some(done)) = (since, write.value == value, write.done) {
            steps.push((done, 1, 0));
            since = true;
        }
    }
}

/// Adds the periods in which a value is possible: from the sending of a write until the response to
/// a later write of another value.
fn possible(writes: &[Write], value: Value, steps: &mut Vec<(Nanos, i32, i32)>) {
    let mut since = false;
    for write in writes {
        if !since && write.value == value {
            steps.push((write.begun, 0, 1));
            since = true;
        }
        if let (true, false, Some(done)) = (since, write.value == value, write.done) {
            steps.push((done, 0, -1));
            since = false;
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
    fn counts_of_their_time_are_fine() {
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
        history.has_none();
    }

    #[test]
    fn a_count_too_low_or_too_high_is_found() {
        for (likes, words) in [(1, "has 1 likes, not 2 to 2"), (3, "has 3 likes, not 2 to 2")] {
            let mut history = liked();
            history.get(4, Item { likes, revision: 9, ..item(11, 1) }, true);
            history.has("like counts", words);
        }
        let mut history = liked();
        history.like(4, 5, Nothing, Some((2, 0, 4)));
        // A read during the call that removes the like may show either state; a later read may not.
        history.get(5, Item { likes: 2, revision: 4, ..item(11, 1) }, true);
        history.has("like counts", "has 2 likes, not 1 to 1");
    }

    #[test]
    fn likes_that_stay_old_are_found() {
        let old = |at, fresh| {
            let mut history = liked();
            history.get(at, Item { likes: 1, revision: 2, ..item(11, 1) }, fresh);
            history
        };
        old(5, false).has_none();
        old(5, true).has("like counts", "of revision 2, fresh, though 3 had been told");
        old(60, false).has("like counts", "of revision 2, long after, though 3 had been told");
    }

    #[test]
    fn a_count_that_nobody_may_have_seen_for_long_is_found_at_any_revision() {
        let at = |at, likes| {
            let mut history = liked();
            history.get(at, Item { likes, revision: 9, ..item(11, 1) }, false);
            history
        };
        at(5, 1).has_none();
        at(5, 3).has("like counts", "has 3 likes, not 0 to 2");
        at(60, 1).has("like counts", "has 1 likes, not 2 to 2");
    }

    #[test]
    fn a_member_of_all_clients_may_count_or_not_and_counts_once() {
        for (likes, words) in [(2, None), (3, None), (4, Some("has 4 likes, not 2 to 3"))] {
            let mut history = liked();
            history.like(4, 9, Like, Some((3, 0, 4))).like(5, 9, Nothing, Some((2, 0, 5))).last(|op| op.client = 7);
            history.get(6, Item { likes, revision: 9, ..item(11, 1) }, true);
            match words {
                None => history.has_none(),
                Some(words) => history.has("like counts", words),
            }
        }
    }

    #[test]
    fn two_counts_of_one_revision_are_found() {
        let mut history = liked();
        history.get(5, Item { likes: 2, revision: 2, ..item(11, 1) }, false);
        history.has("like counts", "of revision 2 has +1 −0 and +2 −0");
    }
}
