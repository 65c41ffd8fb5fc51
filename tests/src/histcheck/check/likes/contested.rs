//! A register that several clients write: only the times of their writes order them.
//!
//! A read shows a value that may have been set last before it. A write is not the last one if it
//! had settled before another write was sent, and that write was acknowledged before the read. A
//! write settles with the response to its only attempt: an earlier attempt of a repeated request
//! may arrive after the write of another client, and the service cannot distinguish it from a new
//! write. So a write that was repeated, or has no response, never settles.

use super::{Findings, Key, Read, Value, Write};

/// Finds reads of a value that cannot be the last one.
pub(super) fn check(key: Key, writes: &[Write], reads: &[Read], findings: &mut Findings) {
    for read in reads {
        let acknowledged =
            writes.iter().filter(|write| write.acknowledged.is_some_and(|acknowledged| acknowledged < read.begun));
        let latest = acknowledged.map(|write| write.begun).max();
        let is_replaced = |write: &Write| write.settled.zip(latest).is_some_and(|(settled, latest)| settled < latest);
        let last: Vec<&Write> = writes.iter().filter(|write| write.begun < read.ended && !is_replaced(write)).collect();
        let is_initial = read.value.fits(Value::None) && latest.is_none();
        if !is_initial && !last.iter().any(|write| read.value.fits(write.value)) {
            let (comment, member) = key;
            let ops: Vec<u32> = last.iter().map(|write| write.op).chain([read.op]).collect();
            let description = || format!("contested member {member} has {} on comment {comment} in a read", read.value);
            findings.add(description, &ops);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample_history::{SampleHistory, item};
    use crate::histcheck::history::Value::{Dislike, Like, None as Nothing};
    use crate::histcheck::history::{Outcome, Value};

    /// Returns comment 11, which member 5 likes through one client, and whose like another client
    /// removes.
    fn removed_like() -> SampleHistory {
        let mut history = SampleHistory::default();
        history.root(1, 11, 1, 1).like(2, 5, Like, Some((1, 0, 2)));
        history.like(3, 5, Nothing, Some((0, 0, 3))).change_last(|op| op.client = 7);
        history
    }

    #[test]
    fn the_value_that_was_set_last_is_valid_and_one_that_was_replaced_is_found() {
        let at_end = |likes: &[(i64, u32, Value)]| {
            let mut history = removed_like();
            history.export(9, &[item(11, 1)], likes);
            history
        };
        at_end(&[]).finds_nothing_of("likes");
        at_end(&[(11, 5, Like)]).finds("likes", "contested member 5 has Like");
        at_end(&[(11, 5, Dislike)]).finds("likes", "contested member 5 has Dislike");
        let mut history = removed_like();
        history.state(2, 5, Nothing).state(3, 5, Like).finds_nothing_of("likes");
    }

    #[test]
    fn an_acknowledged_value_that_vanished_is_found() {
        let mut history = removed_like();
        history.like(4, 5, Like, Some((1, 0, 4))).state(5, 5, Like).finds_nothing_of("likes");
        history.state(6, 5, Nothing).finds("likes", "contested member 5 has None");
    }

    #[test]
    fn a_write_without_a_response_or_with_a_repeat_may_take_effect_late() {
        let mut history = removed_like();
        history.like(4, 5, Dislike, None).change_last(|op| op.client = 8);
        history.like(5, 5, Like, Some((1, 0, 4))).state(6, 5, Dislike).finds_nothing_of("likes");
        history.state(7, 5, Nothing).finds("likes", "has None");
        let mut history = SampleHistory::default();
        history.root(1, 11, 1, 1).like(2, 5, Like, None).repeat(3, Outcome::Unknown("UNAVAILABLE".into()));
        history.change_last(|op| op.client = 1_000).like(4, 5, Like, Some((1, 0, 2))).change_last(|op| op.client = 7);
        history.like(5, 5, Nothing, Some((0, 0, 3))).change_last(|op| op.client = 8);
        history.state(6, 5, Like).finds_nothing_of("likes");
    }
}
