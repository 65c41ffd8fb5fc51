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
//! * no write that was acknowledged before the read began has a higher number;
//! * no read that ended before this one began was assigned a higher number.
//!
//! Any linearization gives such numbers. Conversely, put each write between the reads with lower
//! numbers and those with its own or higher ones; by the three conditions no operation is moved
//! before one that it follows in time. The lowest number that a read can be assigned leaves later
//! reads the most freedom, since numbers restrict only from below. So assigning it, in the order in
//! which reads begin, fails only if no assignment exists. That is one search per read, where a
//! general checker has to try orders.
//!
//! The response to a like is a read too, after its own write. Reads that are not fresh may be
//! stale, and do not restrict other reads.

mod contested;
pub(super) mod likers;

use std::fmt;

use super::int_map::IntMap;
use super::subject_history::{RequestOutcome, SubjectHistory};
use super::{Findings, MAX_AGE};
use crate::histcheck::history::{Call, Nanos, Outcome, Value};

/// A write of a register.
#[derive(Debug, Clone, Copy)]
pub(super) struct Write {
    pub(super) begun: Nanos,
    /// The time of its response; `None` if it has none.
    pub(super) acknowledged: Option<Nanos>,
    /// The time after which it can no longer take effect; `None` if that is unknown, because it has
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
    value: SeenValue,
    /// True if the value must be current at its beginning; otherwise it may be stale.
    fresh: bool,
    /// The index of the request whose response this read is.
    own_request: Option<u32>,
    op: u32,
}

/// The value of a register in a read.
#[derive(Debug, Clone, Copy)]
enum SeenValue {
    Is(Value),
    /// A list of likers lacks the member.
    NotLiked,
}

impl SeenValue {
    /// Returns true if a register with this value explains it.
    fn fits(self, value: Value) -> bool {
        match self {
            Self::Is(shown) => shown == value,
            Self::NotLiked => value != Value::Like,
        }
    }
}

impl fmt::Display for SeenValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(value) => write!(f, "{value:?}"),
            Self::NotLiked => f.write_str("no like"),
        }
    }
}

/// The key of a register: a comment and a member.
pub(super) type Key = (i64, u32);

/// Returns the writes of all registers, each in its order.
pub(super) fn writes(history: &SubjectHistory<'_>) -> IntMap<Key, Vec<Write>> {
    let mut all: IntMap<Key, Vec<Write>> = IntMap::default();
    for (index, request) in (0..).zip(&history.requests) {
        let Call::Like { comment, member, value, .. } = history.call(request) else { continue };
        if request.outcome != RequestOutcome::Refused {
            let (begun, acknowledged) = (request.begun, request.outcome.acknowledged_at());
            let (client, op) = (history.op(request.first).client, request.first);
            let settled = acknowledged.filter(|_| request.more.is_empty());
            let write = Write { begun, acknowledged, settled, value: *value, client, op, request: index };
            all.entry((*comment, *member)).or_default().push(write);
        }
    }
    all
}

/// Finds reads that no order of the writes explains.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    for number in history.op_numbers {
        if let (Call::States { comments, .. }, Outcome::States(states)) =
            (&history.op(*number).call, &history.op(*number).outcome)
            && states.len() != comments.len()
        {
            findings.add(|| format!("{} states of {} comments", states.len(), comments.len()), &[*number]);
        }
    }
    let writes = writes(history);
    let mut reads = reads(history);
    if let Some((number, Outcome::Export { likes, .. })) = history.export() {
        final_reads(history, &writes, &mut reads, number, likes);
    }
    check_registers(&writes, &mut reads, findings);
}

/// Finds reads of registers that no order of the writes explains.
fn check_registers(writes: &IntMap<Key, Vec<Write>>, reads: &mut IntMap<Key, Vec<Read>>, findings: &mut Findings) {
    for (key, reads) in reads {
        let writes = writes.get(key).map_or(&[][..], Vec::as_slice);
        if has_one_client(writes) {
            check_register(*key, writes, reads, findings);
        } else {
            contested::check(*key, writes, reads, findings);
        }
    }
}

/// Returns true if one client sent all writes of a register, so that their order is known.
pub(super) fn has_one_client(writes: &[Write]) -> bool {
    writes.windows(2).all(|pair| pair[0].client == pair[1].client)
}

fn reads(history: &SubjectHistory<'_>) -> IntMap<Key, Vec<Read>> {
    let mut all: IntMap<Key, Vec<Read>> = IntMap::default();
    for number in history.op_numbers {
        let op = history.op(*number);
        let read = |value, fresh| {
            let begun = if fresh { op.begun } else { op.begun.saturating_sub(MAX_AGE) };
            Read { begun, ended: op.ended, value: SeenValue::Is(value), fresh, own_request: None, op: *number }
        };
        match (&op.call, &op.outcome) {
            (Call::States { member, comments, fresh, .. }, Outcome::States(states)) => {
                for (comment, value) in comments.iter().zip(states) {
                    all.entry((*comment, *member)).or_default().push(read(*value, *fresh));
                }
            }
            (Call::Like { comment, member, .. }, Outcome::Liked(liked)) => {
                let own_request = history.request_index(op.request);
                all.entry((*comment, *member)).or_default().push(Read { own_request, ..read(liked.value, true) });
            }
            _other => {}
        }
    }
    all
}

/// Returns the values at the end of the run as a read of every register.
fn final_reads(
    history: &SubjectHistory<'_>,
    writes: &IntMap<Key, Vec<Write>>,
    reads: &mut IntMap<Key, Vec<Read>>,
    number: u32,
    likes: &[(i64, u32, Value)],
) {
    let final_values: IntMap<Key, Value> =
        likes.iter().map(|(comment, member, value)| ((*comment, *member), *value)).collect();
    let op = history.op(number);
    for key in writes.keys().chain(final_values.keys().filter(|key| !writes.contains_key(*key))) {
        let value = SeenValue::Is(final_values.get(key).copied().unwrap_or(Value::None));
        let read = Read { begun: op.begun, ended: op.ended, value, fresh: true, own_request: None, op: number };
        reads.entry(*key).or_default().push(read);
    }
}

/// Assigns every read the lowest possible number of a write.
fn check_register(key: Key, writes: &[Write], reads: &mut [Read], findings: &mut Findings) {
    reads.sort_by_key(|read| read.begun);
    // Reads by their ends; the highest number assigned to an earlier read is a lower bound.
    let mut ends: Vec<usize> = (0..reads.len()).filter(|at| reads[*at].fresh).collect();
    ends.sort_by_key(|at| reads[*at].ended);
    let mut ends = ends.into_iter().peekable();
    let mut assigned = vec![0; reads.len()];
    // `sent` is the number of writes that were sent before the read began.
    let (mut sent, mut bound) = (0, 0);
    for (at, read) in reads.iter().enumerate() {
        while let Some(earlier) = ends.next_if(|earlier| reads[*earlier].ended < read.begun) {
            bound = bound.max(assigned[earlier]);
        }
        while writes.get(sent).is_some_and(|write| write.begun < read.begun) {
            sent += 1;
        }
        // Acknowledged writes are sorted, so the last one acknowledged before the read began has
        // the highest number.
        let is_acknowledged =
            |index: &usize| writes[*index].acknowledged.is_some_and(|acknowledged| acknowledged < read.begun);
        let acknowledged = (0..sent).rev().find(is_acknowledged);
        let own = read.own_request.and_then(|request| writes.iter().rposition(|write| write.request == request));
        let lowest = [acknowledged, own].into_iter().flatten().map(|index| index + 1).max().unwrap_or(0);
        let lowest = if read.fresh { lowest.max(bound) } else { lowest };
        let explains = |number: &usize| match number.checked_sub(1) {
            None => read.value.fits(Value::None),
            Some(index) => read.value.fits(writes[index].value) && writes[index].begun < read.ended,
        };
        match (lowest..=writes.len()).find(explains) {
            Some(number) => assigned[at] = number,
            None => {
                let candidates = writes[lowest.saturating_sub(1)..].iter().take_while(|write| write.begun < read.ended);
                let ops: Vec<u32> = candidates.map(|write| write.op).chain([read.op]).collect();
                let (comment, member) = key;
                let description = || format!("member {member} has {} on comment {comment} in a read", read.value);
                findings.add(description, &ops);
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
    fn reads_after_and_during_writes_are_valid() {
        let mut sample_history = liked();
        sample_history.state(4, 5, Dislike).state(4, 6, Nothing);
        // During the second write both values are possible.
        sample_history.state(3, 5, Like).state(3, 5, Dislike);
        sample_history.export(9, &[Item { dislikes: 1, ..item(11, 1) }], &[(11, 5, Dislike)]);
        sample_history.finds_nothing();
    }

    #[test]
    fn a_missing_state_is_found() {
        let mut sample_history = SampleHistory::default();
        let call = Call::States { subject: 0, member: 9, comments: [11, 12].into(), fresh: false };
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).op(3, call, Outcome::States([Value::None].into()));
        sample_history.finds("likes", "1 states of 2 comments");
    }

    #[test]
    fn a_value_that_was_replaced_before_the_read_is_found() {
        let mut sample_history = liked();
        sample_history.state(4, 5, Like);
        sample_history.finds("likes", "member 5 has Like on comment 11");
        let mut sample_history = liked();
        sample_history.state(4, 5, Nothing);
        sample_history.finds("likes", "has None");
        let mut sample_history = liked();
        sample_history.export(9, &[item(11, 1)], &[]);
        sample_history.finds("likes", "has None");
    }

    #[test]
    fn a_value_that_no_member_set_is_found() {
        let mut sample_history = liked();
        sample_history.state(4, 6, Like);
        sample_history.finds("likes", "member 6");
        let mut sample_history = liked();
        sample_history.export(9, &[item(11, 1)], &[(11, 5, Dislike), (11, 7, Like)]);
        sample_history.finds("likes", "member 7");
    }

    #[test]
    fn a_write_without_a_response_may_take_effect_late_and_then_stays() {
        let after_unknown_write = |values: &[Value]| {
            let mut sample_history = liked();
            sample_history.like(4, 5, Nothing, None);
            for (at, value) in (5..).zip(values) {
                sample_history.state(at, 5, *value);
            }
            sample_history
        };
        after_unknown_write(&[Dislike, Dislike, Nothing, Nothing]).finds_nothing();
        after_unknown_write(&[Dislike, Nothing, Dislike]).finds("likes", "has Dislike");
        // After a later write of the same client an older one has no effect.
        let mut sample_history = liked();
        sample_history.like(4, 5, Nothing, None).like(5, 5, Like, Some((1, 0, 4))).state(6, 5, Nothing);
        sample_history.finds("likes", "has None");
    }

    #[test]
    fn a_response_that_does_not_show_its_own_write_is_found_and_a_late_repeat_may_show_a_later_write() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).like(2, 5, Like, Some((0, 0, 2))).change_last(|op| {
            let Outcome::Liked(liked) = &mut op.outcome else { return };
            liked.value = Nothing;
        });
        sample_history.finds("likes", "has None");
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).like(2, 5, Like, Some((1, 0, 2)));
        let first = sample_history.request();
        sample_history.like(3, 5, Dislike, Some((0, 1, 3))).like(4, 5, Like, Some((0, 1, 3))).change_last(|op| {
            op.request = first;
            let Outcome::Liked(liked) = &mut op.outcome else { return };
            liked.value = Dislike;
        });
        sample_history.state(5, 5, Dislike);
        sample_history.finds_nothing();
    }

    #[test]
    fn a_read_that_is_not_fresh_may_be_stale_up_to_the_maximum_age() {
        let stale_read = |at| {
            let mut sample_history = liked();
            sample_history.state(at, 5, Like).change_last(|op| {
                let Call::States { fresh, .. } = &mut op.call else { return };
                *fresh = false;
            });
            sample_history
        };
        stale_read(5).finds_nothing();
        stale_read(60).finds("likes", "has Like");
    }
}
