//! The list of the likers of a comment during a run: each member that it has liked the comment at
//! some time of the call, and each other member did not. A list is read from the rows, so it is
//! never stale. Pages of one list are read at several times; a member whose value changes meanwhile
//! may be on two pages or on none.

use std::collections::BTreeSet;

use super::super::Findings;
use super::super::int_map::IntMap;
use super::super::subject_history::SubjectHistory;
use super::{Key, Read, SeenValue, check_registers, writes};
use crate::histcheck::history::{Call, Outcome, Value};

/// Finds members that are missing in a list, or that do not belong to it.
pub(in crate::histcheck::check) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    let is_list = |number: &&u32| matches!(history.op(**number).outcome, Outcome::Members(_));
    if !history.op_numbers.iter().any(|number| is_list(&number)) {
        return;
    }
    let writes = writes(history);
    let mut members: IntMap<i64, BTreeSet<u32>> = IntMap::default();
    for (comment, member) in writes.keys() {
        members.entry(*comment).or_default().insert(*member);
    }
    let mut reads: IntMap<Key, Vec<Read>> = IntMap::default();
    for number in history.op_numbers.iter().filter(is_list) {
        let op = history.op(*number);
        let (Call::Likers { comment, .. }, Outcome::Members(listed)) = (&op.call, &op.outcome) else { continue };
        let (mut shown, mut twice) = (BTreeSet::new(), BTreeSet::new());
        for member in listed {
            if !shown.insert(*member) {
                twice.insert(*member);
            }
        }
        let missing = members.get(comment).into_iter().flatten().filter(|member| !shown.contains(member));
        let liked = shown.iter().map(|member| (*member, SeenValue::Is(Value::Like)));
        // One that is on two pages was not a liker in between.
        let not_liked = missing.chain(&twice).map(|member| (*member, SeenValue::NotLiked));
        for (member, value) in liked.chain(not_liked) {
            let read = Read { begun: op.begun, ended: op.ended, value, fresh: true, own_request: None, op: *number };
            reads.entry((*comment, member)).or_default().push(read);
            findings.cases(1);
        }
    }
    check_registers(&writes, &mut reads, findings);
}

#[cfg(test)]
mod tests {
    use super::super::super::sample_history::SampleHistory;
    use crate::histcheck::history::Value::{Dislike, Like, None as Nothing};
    use crate::histcheck::history::{Call, Outcome};

    /// Returns comment 11, which members 5 and 6 like, and of which member 6 removes its like in
    /// second 8, with a list of its likers.
    fn listed(at: u64, members: &[u32]) -> SampleHistory {
        let mut history = SampleHistory::default();
        history.root(1, 11, 1, 1).like(2, 5, Like, Some((1, 0, 2))).like(3, 6, Like, Some((2, 0, 3)));
        history.like(4, 7, Dislike, Some((2, 1, 4))).like(8, 6, Nothing, Some((1, 1, 5)));
        let call = Call::Likers { subject: 0, comment: 11 };
        history.op(at, call, Outcome::Members(members.into()));
        history
    }

    #[test]
    fn a_list_has_the_members_that_like_the_comment_during_the_call() {
        for (at, members) in [(1, &[][..]), (5, &[6, 5]), (8, &[6, 5]), (8, &[5]), (9, &[5])] {
            listed(at, members).finds_nothing_of("likers");
        }
        listed(5, &[5]).finds("likers", "member 6 has no like on comment 11");
        listed(9, &[6, 5]).finds("likers", "member 6 has Like");
        listed(9, &[5, 7]).finds("likers", "member 7 has Like");
        listed(9, &[5, 9]).finds("likers", "member 9 has Like");
    }

    #[test]
    fn a_member_is_on_two_pages_only_if_its_value_changes_meanwhile() {
        listed(8, &[6, 5, 6]).finds_nothing_of("likers");
        listed(5, &[6, 5, 6]).finds("likers", "member 6 has no like");
    }

    #[test]
    fn a_like_without_a_response_may_be_listed() {
        let mut history = listed(9, &[5]);
        history.like(10, 8, Like, None);
        for (at, members) in [(12, &[8, 5][..]), (13, &[5])] {
            let call = Call::Likers { subject: 0, comment: 11 };
            history.op(at, call, Outcome::Members(members.into()));
        }
        // A like that was seen is not lost again.
        history.finds("likers", "member 8 has no like");
    }
}
