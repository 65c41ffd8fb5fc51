use super::{ACTS, CommentAct, NextState, ReviewEffect, markdown};
use crate::domain::review::{ReviewCause, ReviewCauses};
use crate::domain::state::CommentState::{self, Active, Deleted, Hidden, Pending, Rejected, Shadowed};

/// For each act, the states of [`CommentState::ALL`] after it; `None` where it conflicts. The prior
/// state is REJECTED.
const REACHED: [(CommentAct, [Option<CommentState>; 6]); 14] = [
    (CommentAct::Approve, [Some(Active), Some(Active), Some(Active), None, None, None]),
    (CommentAct::Reject, [Some(Rejected), Some(Rejected), None, None, None, None]),
    (CommentAct::Hide, [Some(Hidden), None, None, None, None, None]),
    (CommentAct::Unhide, [None, None, None, Some(Active), None, None]),
    (CommentAct::Withhold, [Some(Pending), None, None, None, None, None]),
    (CommentAct::Keep, [Some(Active), Some(Pending), Some(Rejected), Some(Hidden), None, None]),
    (CommentAct::Delete, [Some(Deleted), Some(Deleted), Some(Deleted), Some(Deleted), Some(Deleted), None]),
    (CommentAct::Undelete, [None, None, None, None, None, Some(Rejected)]),
    (CommentAct::ApproveEdit, [Some(Active), None, None, None, None, None]),
    (CommentAct::RejectEdit, [Some(Active), None, None, None, None, None]),
    (CommentAct::Resubmit, [None, None, Some(Pending), None, None, None]),
    (CommentAct::Appeal, [None, None, Some(Rejected), Some(Hidden), None, None]),
    (CommentAct::Flag, [Some(Active), Some(Pending), None, None, None, None]),
    (CommentAct::Mask, [Some(Active), Some(Pending), Some(Rejected), None, None, None]),
];

#[test]
fn every_act_reaches_its_state_from_every_state_or_conflicts() {
    for (act, reached) in REACHED {
        for (from, expected) in CommentState::ALL.into_iter().zip(reached) {
            let actual = act.rule(Some(from)).map(|rule| rule.next(from, Rejected));
            assert_eq!(actual, expected, "{act:?} from {from}");
        }
        assert_eq!(act.rule(None), None, "{act:?} creates no comment");
    }
    for (act, state) in [(CommentAct::Create, Active), (CommentAct::Hold, Pending)] {
        assert_eq!(act.rule(None).map(|rule| rule.to), Some(NextState::State(state)));
        assert!(CommentState::ALL.into_iter().all(|from| act.rule(Some(from)).is_none()), "{act:?}");
    }
}

#[test]
fn an_act_has_one_row_for_each_state() {
    for act in CommentAct::ALL {
        for state in CommentState::ALL {
            let rows = ACTS.iter().filter(|rule| rule.act == act && rule.from.contains(&state)).count();
            assert!(rows <= 1, "{act:?} has {rows} rows for {state}");
        }
        assert!(ACTS.iter().any(|rule| rule.act == act), "{act:?} has no row");
    }
    assert!(ACTS.iter().all(|rule| rule.from.iter().all(|state| *state != Shadowed || rule.act == CommentAct::Delete)));
}

#[test]
fn only_an_act_that_changes_no_state_moves_no_version() {
    for rule in &ACTS {
        for from in rule.from {
            let moved = rule.next(*from, Rejected) != *from;
            assert_eq!(rule.moves_version(), moved, "{rule:?} from {from}");
        }
    }
}

#[test]
fn a_pin_is_taken_off_exactly_where_a_comment_can_leave_sight() {
    let leaving: Vec<CommentAct> = ACTS.iter().filter(|rule| rule.leaves_sight()).map(|rule| rule.act).collect();
    assert_eq!(leaving, [CommentAct::Reject, CommentAct::Hide, CommentAct::Withhold, CommentAct::Delete]);
    let dropping: Vec<CommentAct> = ACTS.iter().filter(|rule| rule.drops_proposal()).map(|rule| rule.act).collect();
    assert_eq!(dropping, leaving[..3]);
}

/// A comment with the causes that the table leaves is open exactly where invariant R1 says so.
#[test]
fn a_pending_comment_is_open_after_every_act_that_reaches_it() {
    for rule in &ACTS {
        for from in rule.from.iter().copied().chain(rule.from.is_empty().then_some(Active)) {
            if rule.next(from, Pending) != Pending {
                continue;
            }
            let keeps_text = match rule.review {
                ReviewEffect::Opens(cause) => ReviewCauses::TEXT.contains(cause),
                ReviewEffect::Clears(causes) | ReviewEffect::MustClear(causes) => !causes.contains(ReviewCause::New),
                ReviewEffect::Reopens => true,
                ReviewEffect::None => rule.to == NextState::Unchanged,
                ReviewEffect::ClosesAll => false,
            };
            assert!(keeps_text, "{rule:?} from {from}");
        }
    }
    for act in [CommentAct::Approve, CommentAct::Reject, CommentAct::Hide, CommentAct::Unhide] {
        for rule in ACTS.iter().filter(|rule| rule.act == act) {
            let ReviewEffect::Clears(causes) = rule.review else { panic!("{rule:?}") };
            let text = [ReviewCause::New, ReviewCause::Report, ReviewCause::Flag, ReviewCause::Withheld];
            assert!(text.iter().all(|cause| causes.contains(*cause)), "{rule:?} leaves the text open");
        }
    }
}

#[test]
fn numbers_of_decisions_are_fixed_for_ever() {
    let numbers = CommentAct::ALL.map(|act| (act, act.number()));
    let expected = [
        (CommentAct::Create, None),
        (CommentAct::Hold, Some(10)),
        (CommentAct::Approve, Some(1)),
        (CommentAct::Reject, Some(2)),
        (CommentAct::Hide, Some(3)),
        (CommentAct::Unhide, Some(4)),
        (CommentAct::Withhold, Some(6)),
        (CommentAct::Keep, Some(7)),
        (CommentAct::Delete, Some(5)),
        (CommentAct::Undelete, None),
        (CommentAct::ApproveEdit, Some(1)),
        (CommentAct::RejectEdit, Some(2)),
        (CommentAct::Resubmit, None),
        (CommentAct::Appeal, Some(8)),
        (CommentAct::Flag, Some(11)),
        (CommentAct::Mask, Some(12)),
    ];
    assert_eq!(numbers, expected);
    for (act, number) in numbers {
        let read = number.and_then(|number| CommentAct::from_number(number, act.judges_proposal()));
        assert_eq!(read, number.map(|_| act));
        let of_proposal = number.and_then(|number| CommentAct::from_number(number, true));
        assert_eq!(of_proposal == Some(act), act.judges_proposal() || act.is_of_policy(), "{act:?}");
    }
    assert_eq!([-1, 0, 13].map(|number| CommentAct::from_number(number, false)), [None; 3]);
    assert_eq!([0, 3].map(|number| CommentAct::from_number(number, true)), [None; 2]);
}

#[test]
fn the_documentation_has_the_table() {
    let page = include_str!("../../../../../docs/design/moderation.md");
    assert!(page.contains(&markdown()), "docs/design/moderation.md lacks this table:\n{}", markdown());
}
