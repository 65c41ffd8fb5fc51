//! Each violation made once, next to a history without violations.

use std::collections::BTreeMap;
use std::time::Duration;

use riposte_sdk::v1::LikeValue;

use super::faults;
use crate::kill::history::{Act, Answer, EVERYBODY, Op, Outcome};
use crate::kill::seen::{Row, Seen};

/// Returns an operation of the member and client of that number, in second `at`.
fn op(at: u64, client: usize, act: Act, outcome: Outcome) -> Op {
    let (begun, ended) = (Duration::from_secs(at), Duration::from_millis(at * 1000 + 500));
    Op { client, act, request_id: format!("r{at}"), begun, ended, attempts: 1, outcome }
}

fn root(at: u64, id: i64, floor: i32) -> Op {
    let act = Act::Root { subject: 0, member: "m".into(), text: format!("t{id}") };
    op(at, 1, act, Outcome::Acknowledged(Answer { id, root: 0, floor, revision: 1 }))
}

fn reply(at: u64, id: i64, floor: i32) -> Op {
    let act = Act::Reply { parent: 1, member: "m".into(), text: format!("t{id}") };
    op(at, 1, act, Outcome::Acknowledged(Answer { id, root: 1, floor, revision: 1 }))
}

fn like(at: u64, client: usize, value: LikeValue) -> Op {
    op(at, client, Act::Like { comment: 1, member: EVERYBODY.into(), value }, done())
}

fn done() -> Outcome {
    Outcome::Acknowledged(Answer { id: 1, ..Answer::default() })
}

fn unknown(mut op: Op) -> Op {
    op.outcome = Outcome::Unknown("UNAVAILABLE".into());
    op
}

fn refused(mut op: Op, reason: &str) -> Op {
    op.outcome = Outcome::Refused(reason.into());
    op
}

fn row(id: i64, root: i64, floor: i32) -> Row {
    Row { id, subject: 0, root, parent: root, floor, member: "m".into(), text: Some(format!("t{id}")) }
}

fn seen(rows: &[Row]) -> Seen {
    Seen { rows: rows.to_vec(), likes: BTreeMap::new(), drifts: Vec::new() }
}

fn liked(value: LikeValue) -> Seen {
    Seen { likes: BTreeMap::from([((1, EVERYBODY.to_owned()), value)]), ..seen(&[row(1, 0, 1)]) }
}

/// Returns the description of the only violation, or an empty text.
fn fault(history: &[Op], seen: &Seen) -> String {
    let faults = faults(history, seen);
    assert!(faults.len() < 2, "{faults:?}");
    faults.into_iter().map(|fault| fault.what).collect()
}

fn says(history: &[Op], seen: &Seen, words: &str) {
    let found = fault(history, seen);
    assert!(found.contains(words), "{words:?} is not in {found:?}");
}

#[test]
fn a_history_that_was_kept_has_no_fault() {
    let history = [
        root(1, 1, 1),
        reply(2, 2, 1),
        root(3, 3, 2),
        unknown(root(4, 4, 0)),
        unknown(root(5, 5, 0)),
        refused(root(6, 6, 0), "OVERLOADED"),
    ];
    // Of two unknown operations the second took effect.
    let seen = seen(&[row(1, 0, 1), row(2, 1, 1), row(3, 0, 2), row(5, 0, 3)]);
    assert_eq!(fault(&history, &seen), "");
}

#[test]
fn a_planted_loss_is_found() {
    says(&[root(1, 1, 1), root(2, 2, 2)], &seen(&[row(1, 0, 1)]), "lost");
}

#[test]
fn a_planted_double_is_found_of_acknowledged_and_of_unknown_ones_and_behind_a_tombstone() {
    let twice = |first: Row| seen(&[first, Row { id: 9, floor: 2, ..row(1, 0, 1) }]);
    let tombstone = Row { text: None, ..row(1, 0, 1) };
    let delete = op(2, 1, Act::Delete { comment: 1, member: "m".into() }, done());
    says(&[root(1, 1, 1)], &twice(row(1, 0, 1)), "doubled");
    says(&[unknown(root(1, 1, 0))], &twice(row(1, 0, 1)), "doubled");
    says(&[root(1, 1, 1), delete], &twice(tombstone), "doubled");
}

#[test]
fn what_was_refused_must_not_stand_and_what_nobody_asked_for_neither() {
    says(&[refused(root(1, 1, 0), "OVERLOADED")], &seen(&[row(1, 0, 1)]), "refused as not executed");
    says(&[], &seen(&[row(1, 0, 1)]), "nobody asked");
}

#[test]
fn a_planted_wrong_floor_author_or_place_is_found() {
    let history = [root(1, 1, 1), root(2, 2, 2)];
    let gap = [root(1, 1, 1), unknown(root(2, 2, 0))];
    says(&gap, &seen(&[row(1, 0, 1), row(2, 0, 3)]), "floor 3 stands where 2 should");
    says(&gap, &seen(&[row(1, 0, 1), row(2, 0, 1)]), "floor 1 stands where 2 should");
    says(&[root(1, 1, 1), root(2, 2, 3)], &seen(&[row(1, 0, 1), row(2, 0, 2)]), "answered otherwise");
    let other = |second: Row| seen(&[row(1, 0, 1), second]);
    says(&history, &other(Row { member: "x".into(), ..row(2, 0, 2) }), "answered otherwise");
    says(&[root(1, 1, 1), reply(2, 2, 2)], &other(row(2, 1, 1)), "answered otherwise");
    let twice = faults(&[root(1, 1, 1), root(2, 1, 1)], &seen(&[row(1, 0, 1)]));
    assert!(twice.iter().any(|fault| fault.what.contains("answered to two requests")), "{twice:?}");
}

#[test]
fn dense_floors_in_the_wrong_order_are_found() {
    // The first was answered with floor 2 before the second, which got floor 1, was sent.
    says(&[root(1, 1, 2), root(2, 2, 1)], &seen(&[row(1, 0, 2), row(2, 0, 1)]), "floor 2 was answered before");
}

#[test]
fn an_acknowledged_like_that_vanished_is_found_and_one_that_was_taken_back_is_none() {
    let history = [root(1, 1, 1), like(2, 1, LikeValue::Like)];
    says(&history, &liked(LikeValue::None), "like is None");
    let undone = [root(1, 1, 1), like(2, 1, LikeValue::Like), like(3, 2, LikeValue::None)];
    assert_eq!(fault(&undone, &liked(LikeValue::None)), "");
    says(&undone, &liked(LikeValue::Like), "like is Like");
    says(&[root(1, 1, 1)], &liked(LikeValue::Like), "never touched");
}

#[test]
fn an_unknown_like_of_another_client_may_come_late_and_one_of_the_same_client_may_not() {
    let late = |client| [root(1, 1, 1), unknown(like(2, client, LikeValue::Dislike)), like(3, 1, LikeValue::Like)];
    assert_eq!(fault(&late(2), &liked(LikeValue::Dislike)), "");
    says(&late(1), &liked(LikeValue::Dislike), "like is Dislike");
}

#[test]
fn an_acknowledged_delete_holds_until_an_undelete_and_an_unknown_one_may_or_may_not() {
    let act = |at, back: bool| {
        let (comment, member) = (1, "m".to_owned());
        let act = if back { Act::Undelete { comment, member } } else { Act::Delete { comment, member } };
        op(at, 1, act, done())
    };
    let (active, gone) = (seen(&[row(1, 0, 1)]), seen(&[Row { text: None, ..row(1, 0, 1) }]));
    says(&[root(1, 1, 1), act(2, false)], &active, "active is true");
    assert_eq!(fault(&[root(1, 1, 1), act(2, false), act(3, true)], &active), "");
    says(&[root(1, 1, 1), act(2, false), act(3, true)], &gone, "active is false");
    says(&[root(1, 1, 1)], &gone, "active is false");
    for seen in [active, gone] {
        assert_eq!(fault(&[root(1, 1, 1), unknown(act(2, false))], &seen), "");
    }
}

#[test]
fn an_acknowledged_edit_that_vanished_is_found() {
    let edit = |at, text: &str| op(at, 1, Act::Edit { comment: 1, member: "m".into(), text: text.into() }, done());
    let history = [root(1, 1, 1), edit(2, "t1 edit 1"), edit(3, "t1 edit 2")];
    let text = |text: &str| seen(&[Row { text: Some(text.into()), ..row(1, 0, 1) }]);
    assert_eq!(fault(&history, &text("t1 edit 2")), "");
    says(&history, &text("t1 edit 1"), "text is \"t1 edit 1\"");
    says(&history, &text("t1"), "text is \"t1\"");
}

#[test]
fn a_refusal_that_nothing_explains_and_a_drift_are_faults() {
    let missing = refused(reply(2, 2, 0), "COMMENT_NOT_FOUND");
    says(&[root(1, 1, 1), missing], &seen(&[row(1, 0, 1)]), "nothing explains");
    let drift = Seen { drifts: vec!["root_count".into()], ..seen(&[row(1, 0, 1)]) };
    says(&[root(1, 1, 1)], &drift, "counts drift: root_count");
}
