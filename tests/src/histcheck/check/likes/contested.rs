//! A register that several clients write: nothing orders their writes but time.
//!
//! A read shows a value that may have been set last before it. A write is not the last one if it
//! had settled before another write was sent that was answered before the read. A write settles
//! with the response to its only attempt: an earlier attempt of a repeated request may arrive after
//! the write of another client, and the service cannot distinguish it from a new write. So a write
//! that was repeated, or has no response, never settles.

use super::{Found, Key, Read, Value, Write};

/// Finds reads of a value that cannot be the last one.
pub(super) fn judge(key: Key, writes: &[Write], reads: &[Read], found: &mut Found) {
    for read in reads {
        let answered = writes.iter().filter(|write| write.done.is_some_and(|done| done < read.begun));
        let latest = answered.map(|write| write.begun).max();
        let replaced = |write: &Write| write.settled.zip(latest).is_some_and(|(settled, latest)| settled < latest);
        let last: Vec<&Write> = writes.iter().filter(|write| write.begun < read.ended && !replaced(write)).collect();
        let initial = read.value == Value::None && latest.is_none();
        if !initial && !last.iter().any(|write| write.value == read.value) {
            let (comment, member) = key;
            let ops: Vec<u32> = last.iter().map(|write| write.op).chain([read.op]).collect();
            let what =
                || format!("member {member} of all clients is said to have {:?} on comment {comment}", read.value);
            found.add(what, &ops);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample_history::{SampleHistory, item};
    use crate::histcheck::history::Value::{Dislike, Like, None as Nothing};
    use crate::histcheck::history::{Outcome, Value};

    /// Returns comment 11, liked by member 5 through one client; another client then takes the like
    /// back.
    fn undone() -> SampleHistory {
        let mut history = SampleHistory::default();
        history.root(1, 11, 1, 1).like(2, 5, Like, Some((1, 0, 2)));
        history.like(3, 5, Nothing, Some((0, 0, 3))).last(|op| op.client = 7);
        history
    }

    #[test]
    fn the_value_that_was_set_last_is_fine_and_one_that_was_replaced_is_found() {
        let stands = |likes: &[(i64, u32, Value)]| {
            let mut history = undone();
            history.export(9, &[item(11, 1)], likes);
            history
        };
        stands(&[]).has_none_of("likes");
        stands(&[(11, 5, Like)]).has("likes", "member 5 of all clients is said to have Like");
        stands(&[(11, 5, Dislike)]).has("likes", "member 5 of all clients is said to have Dislike");
        let mut history = undone();
        history.state(2, 5, Nothing).state(3, 5, Like).has_none_of("likes");
    }

    #[test]
    fn an_acknowledged_value_that_vanished_is_found() {
        let mut history = undone();
        history.like(4, 5, Like, Some((1, 0, 4))).state(5, 5, Like).has_none_of("likes");
        history.state(6, 5, Nothing).has("likes", "member 5 of all clients is said to have None");
    }

    #[test]
    fn a_write_that_is_unanswered_or_repeated_may_come_late() {
        let mut history = undone();
        history.like(4, 5, Dislike, None).last(|op| op.client = 8);
        history.like(5, 5, Like, Some((1, 0, 4))).state(6, 5, Dislike).has_none_of("likes");
        history.state(7, 5, Nothing).has("likes", "to have None");
        let mut history = SampleHistory::default();
        history.root(1, 11, 1, 1).like(2, 5, Like, None).again(3, Outcome::Unknown("UNAVAILABLE".into()));
        history.last(|op| op.client = 1_000).like(4, 5, Like, Some((1, 0, 2))).last(|op| op.client = 7);
        history.like(5, 5, Nothing, Some((0, 0, 3))).last(|op| op.client = 8);
        history.state(6, 5, Like).has_none_of("likes");
    }
}
