//! Every member's value of a comment is a linearizable register.
//!
//! A member belongs to one client, which sends a write of a member after the previous one has
//! ended. (Two concurrent writes of a client are of different members, and so of different
//! registers. The one member of all clients is checked by [`contested`].) The service orders the
//! likes of one client by their request ids: an older one that arrives late changes nothing. So the
//! writes of a register have one order w₁, w₂, …, in which a write may be left out only if it has
//! no response. A history is linearizable exactly if every read can be assigned the number of a
//! write, or 0 for the initial value, such that
//!
//! * the write set the value that was read, and was sent before the read ended;
//! * no write that was answered before the read began has a higher number;
//! * no read that ended before this one began was assigned a higher number.
//!
//! Any linearization gives such numbers. Conversely, place each write between the reads with lower
//! numbers and those with its own or higher ones; by the three conditions no operation is moved
//! before one that it follows in time. The lowest number that a read can be assigned leaves later
//! reads the most freedom, since numbers restrict only from below. So assigning it, in the order in
//! which reads begin, fails only if no assignment exists. That is one search per read, where a
//! general checker has to try orders.
//!
//! The response to a like is a read too, after its own write. Reads that are not fresh may be
//! stale, and do not restrict other reads.

mod contested;

use super::fixture::{Fate, Fixture};
use super::quick::QuickMap;
use super::{Found, STALE};
use crate::histcheck::history::{Call, Nanos, Outcome, Value};

/// A write of a register.
#[derive(Debug, Clone, Copy)]
pub(super) struct Write {
    pub(super) begun: Nanos,
    /// The time of its response; `None` if it has none.
    pub(super) done: Option<Nanos>,
    /// The time after which it takes no effect any more; `None` if that is unknown, because it has
    /// no response or several attempts.
    settled: Option<Nanos>,
    pub(super) value: Value,
    client: u32,
    op: u32,
    /// The index of its request.
    request: u32,
}

#[derive(Debug, Clone, Copy)]
struct Read {
    begun: Nanos,
    ended: Nanos,
    value: Value,
    /// True if the value must be current at its beginning; otherwise it may be stale.
    fresh: bool,
    /// The request that the read is the response to.
    of: Option<u32>,
    op: u32,
}

/// The key of a register: a comment and a member.
pub(super) type Key = (i64, u32);

/// Returns the writes of all registers, each in its order.
pub(super) fn writes(fixture: &Fixture<'_>) -> QuickMap<Key, Vec<Write>> {
    let mut all: QuickMap<Key, Vec<Write>> = QuickMap::default();
    for (place, request) in (0..).zip(&fixture.requests) {
        let Call::Like { comment, member, value, .. } = fixture.call(request) else { continue };
        if request.fate != Fate::Refused {
            let (begun, done) = (request.begun, request.fate.ended());
            let (client, op) = (fixture.op(request.first).client, request.first);
            let settled = done.filter(|_| request.more.is_empty());
            let write = Write { begun, done, settled, value: *value, client, op, request: place };
            all.entry((*comment, *member)).or_default().push(write);
        }
    }
    all
}

/// Finds reads that no order of the writes explains.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    for number in fixture.mine {
        if let (Call::States { comments, .. }, Outcome::States(states)) =
            (&fixture.op(*number).call, &fixture.op(*number).outcome)
            && states.len() != comments.len()
        {
            found.add(|| format!("{} states of {} comments", states.len(), comments.len()), &[*number]);
        }
    }
    let writes = writes(fixture);
    let mut reads = reads(fixture);
    if let Some((number, Outcome::Export { likes, .. })) = fixture.export() {
        final_reads(fixture, &writes, &mut reads, number, likes);
    }
    for (key, reads) in &mut reads {
        let writes = writes.get(key).map_or(&[][..], Vec::as_slice);
        if of_one_client(writes) {
            judge(*key, writes, reads, found);
        } else {
            contested::judge(*key, writes, reads, found);
        }
    }
}

/// Returns true if one client sent all writes of a register, so that their order is known.
pub(super) fn of_one_client(writes: &[Write]) -> bool {
    writes.windows(2).all(|pair| pair[0].client == pair[1].client)
}

fn reads(fixture: &Fixture<'_>) -> QuickMap<Key, Vec<Read>> {
    let mut all: QuickMap<Key, Vec<Read>> = QuickMap::default();
    for number in fixture.mine {
        let op = fixture.op(*number);
        let read = |value, fresh| {
            let begun = if fresh { op.begun } else { op.begun.saturating_sub(STALE) };
            Read { begun, ended: op.ended, value, fresh, of: None, op: *number }
        };
        match (&op.call, &op.outcome) {
            (Call::States { member, comments, fresh, .. }, Outcome::States(states)) => {
                for (comment, value) in comments.iter().zip(states) {
                    all.entry((*comment, *member)).or_default().push(read(*value, *fresh));
                }
            }
            (Call::Like { comment, member, .. }, Outcome::Liked(liked)) => {
                let of = fixture.place(op.request);
                all.entry((*comment, *member)).or_default().push(Read { of, ..read(liked.value, true) });
            }
            _other => {}
        }
    }
    all
}

/// Returns the values at the end of the run as a read of every register.
fn final_reads(
    fixture: &Fixture<'_>,
    writes: &QuickMap<Key, Vec<Write>>,
    reads: &mut QuickMap<Key, Vec<Read>>,
    number: u32,
    likes: &[(i64, u32, Value)],
) {
    let standing: QuickMap<Key, Value> =
        likes.iter().map(|(comment, member, value)| ((*comment, *member), *value)).collect();
    let op = fixture.op(number);
    for key in writes.keys().chain(standing.keys().filter(|key| !writes.contains_key(*key))) {
        let value = standing.get(key).copied().unwrap_or(Value::None);
        let read = Read { begun: op.begun, ended: op.ended, value, fresh: true, of: None, op: number };
        reads.entry(*key).or_default().push(read);
    }
}

/// Assigns every read the lowest possible number.
fn judge(key: Key, writes: &[Write], reads: &mut [Read], found: &mut Found) {
    reads.sort_by_key(|read| read.begun);
    // Reads by their ends; the highest number assigned to an earlier read is a lower bound.
    let mut ends: Vec<usize> = (0..reads.len()).filter(|at| reads[*at].fresh).collect();
    ends.sort_by_key(|at| reads[*at].ended);
    let mut ends = ends.into_iter().peekable();
    let mut given = vec![0; reads.len()];
    let (mut done, mut least) = (0, 0);
    for (at, read) in reads.iter().enumerate() {
        while let Some(before) = ends.next_if(|before| reads[*before].ended < read.begun) {
            least = least.max(given[before]);
        }
        while writes.get(done).is_some_and(|write| write.begun < read.begun) {
            done += 1;
        }
        // Answered writes are sorted, so the last one answered before the read began has the
        // highest number.
        let answered = (0..done).rev().find(|place| writes[*place].done.is_some_and(|done| done < read.begun));
        let own = read.of.and_then(|of| writes.iter().rposition(|write| write.request == of));
        let from = [answered, own].into_iter().flatten().map(|place| place + 1).max().unwrap_or(0);
        let from = if read.fresh { from.max(least) } else { from };
        let fits = |number: &usize| match number.checked_sub(1) {
            None => read.value == Value::None,
            Some(place) => writes[place].value == read.value && writes[place].begun < read.ended,
        };
        match (from..=writes.len()).find(fits) {
            Some(number) => given[at] = number,
            None => {
                let about = writes[from.saturating_sub(1)..].iter().take_while(|write| write.begun < read.ended);
                let ops: Vec<u32> = about.map(|write| write.op).chain([read.op]).collect();
                let (comment, member) = key;
                let what = || format!("member {member} is said to have {:?} on comment {comment}", read.value);
                found.add(what, &ops);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, item};
    use crate::histcheck::history::Value::{Dislike, Like, None as Nothing};
    use crate::histcheck::history::{Call, Item, Outcome, Value};

    fn liked() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).like(2, 5, Like, Some((1, 0, 2))).like(3, 5, Dislike, Some((0, 1, 3)));
        sample_history
    }

    #[test]
    fn reads_behind_and_beside_writes_are_fine() {
        let mut sample_history = liked();
        sample_history.state(4, 5, Dislike).state(4, 6, Nothing);
        // During the second write both values are possible.
        sample_history.state(3, 5, Like).state(3, 5, Dislike);
        sample_history.export(9, &[Item { dislikes: 1, ..item(11, 1) }], &[(11, 5, Dislike)]);
        sample_history.has_none();
    }

    #[test]
    fn a_state_too_few_is_found() {
        let mut sample_history = SampleHistory::default();
        let call = Call::States { subject: 0, member: 9, comments: [11, 12].into(), fresh: false };
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).op(3, call, Outcome::States([Value::None].into()));
        sample_history.has("likes", "1 states of 2 comments");
    }

    #[test]
    fn a_value_that_was_replaced_before_is_found() {
        let mut sample_history = liked();
        sample_history.state(4, 5, Like);
        sample_history.has("likes", "member 5 is said to have Like on comment 11");
        let mut sample_history = liked();
        sample_history.state(4, 5, Nothing);
        sample_history.has("likes", "to have None");
        let mut sample_history = liked();
        sample_history.export(9, &[item(11, 1)], &[]);
        sample_history.has("likes", "to have None");
    }

    #[test]
    fn a_value_that_nobody_set_is_found() {
        let mut sample_history = liked();
        sample_history.state(4, 6, Like);
        sample_history.has("likes", "member 6");
        let mut sample_history = liked();
        sample_history.export(9, &[item(11, 1)], &[(11, 5, Dislike), (11, 7, Like)]);
        sample_history.has("likes", "member 7");
    }

    #[test]
    fn an_unknown_write_may_show_late_but_not_go_away_again() {
        let open = |values: &[Value]| {
            let mut sample_history = liked();
            sample_history.like(4, 5, Nothing, None);
            for (at, value) in (5..).zip(values) {
                sample_history.state(at, 5, *value);
            }
            sample_history
        };
        open(&[Dislike, Dislike, Nothing, Nothing]).has_none();
        open(&[Dislike, Nothing, Dislike]).has("likes", "to have Dislike");
        // After a later write of the same client an older one has no effect.
        let mut sample_history = liked();
        sample_history.like(4, 5, Nothing, None).like(5, 5, Like, Some((1, 0, 4))).state(6, 5, Nothing);
        sample_history.has("likes", "to have None");
    }

    #[test]
    fn an_answer_that_does_not_show_its_own_write_is_found_and_a_late_repeat_that_shows_a_later_one_is_fine() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).like(2, 5, Like, Some((0, 0, 2))).last(|op| {
            let Outcome::Liked(liked) = &mut op.outcome else { return };
            liked.value = Nothing;
        });
        sample_history.has("likes", "to have None");
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).like(2, 5, Like, Some((1, 0, 2)));
        let first = sample_history.request();
        sample_history.like(3, 5, Dislike, Some((0, 1, 3))).like(4, 5, Like, Some((0, 1, 3))).last(|op| {
            op.request = first;
            let Outcome::Liked(liked) = &mut op.outcome else { return };
            liked.value = Dislike;
        });
        sample_history.state(5, 5, Dislike);
        sample_history.has_none();
    }

    #[test]
    fn a_read_that_may_be_old_may_be_of_a_while_before_and_not_of_long_before() {
        let old = |at| {
            let mut sample_history = liked();
            sample_history.state(at, 5, Like).last(|op| {
                let Call::States { fresh, .. } = &mut op.call else { return };
                *fresh = false;
            });
            sample_history
        };
        old(5).has_none();
        old(60).has("likes", "to have Like");
    }
}
