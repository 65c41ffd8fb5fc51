//! Likes are states: a value remains set, and a late or repeated operation changes nothing.

use super::fixture::{Fixture, member};
use super::verbs::update_subject;
use crate::domain::error::Error;
use crate::domain::ids::CommentId;
use crate::domain::like::LikeOutput;
use crate::domain::like::LikeValue::{self, Dislike, Like, None};
use crate::domain::request::RequestId;
use crate::domain::subject::SubjectState;
use crate::domain::time::Millis;
use crate::write::verbs::{LikeCommandKind, SetLike, UpdateSubject};
use crate::{CommandOutput, Effect};

fn like(output: &CommandOutput) -> LikeOutput {
    match &output.effect {
        Effect::Like(like) => *like,
        Effect::Subject(_) | Effect::Comment(_) | Effect::Edit(_) | Effect::Decision(_) => {
            panic!("no output of a like: {output:?}")
        }
    }
}

/// Returns an operation of a client whose operations have an order.
fn operation(number: u8) -> RequestId {
    let mut id = [0; 16];
    (id[5], id[6], id[8], id[15]) = (number, 0x70, 0x80, 7);
    RequestId::from_bytes(id)
}

fn set(fixture: &mut Fixture, id: CommentId, value: LikeValue, number: u8) -> CommandOutput {
    fixture.run(SetLike { operation: operation(number), ..by_x(id, value) })
}

fn by_x(comment_id: CommentId, value: LikeValue) -> SetLike {
    SetLike { comment_id, member: member("x"), value, operation: operation(0) }
}

#[test]
fn a_value_is_counted_once_and_moves_in_one_step() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    fixture.run(by_member(id, "y", Like));
    fixture.run(by_member(id, "z", Dislike));
    let cases: [(LikeValue, (i32, i32), bool); 7] = [
        (None, (1, 1), false),
        (Like, (2, 1), true),
        (Like, (2, 1), false),
        (Dislike, (1, 2), true),
        (None, (1, 1), true),
        (Dislike, (1, 2), true),
        (Like, (2, 1), true),
    ];
    let mut since = Option::None;
    for (n, (value, counts, changed)) in cases.into_iter().enumerate() {
        let revision = fixture.row(id).lifecycle.revision;
        let verb = SetLike { operation: operation(n as u8 + 1), ..by_x(id, value) };
        let command = fixture.command(verb.clone());
        let output = fixture.run_command(&command).expect("set");
        let comment_revision = revision + i64::from(changed);
        let expected = LikeOutput { value, like_count: counts.0, dislike_count: counts.1, changed, comment_revision };
        assert_eq!((like(&output), output.replayed), (expected, false), "step {n}");
        // The time is that of the value; the operation is the last one, whether or not it changed
        // the value.
        if changed || since.is_none() {
            since = Some(command.now);
        }
        let row = &fixture.likes[&(id, member("x"))];
        assert_eq!((row.value, Some(row.time), row.operation, row.changed), (value, since, verb.operation, changed));
    }
}

fn by_member(id: CommentId, by: &str, value: LikeValue) -> SetLike {
    SetLike { member: member(by), ..by_x(id, value) }
}

#[test]
fn a_repeated_or_late_operation_gets_a_response_and_changes_nothing() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    set(&mut fixture, id, Dislike, 1);
    let first = set(&mut fixture, id, Like, 2);
    assert!(like(&first).changed && !first.replayed);
    let before = fixture.likes.clone();
    for (number, value, changed) in [(2, Like, true), (1, Dislike, false), (0, None, false)] {
        let output = set(&mut fixture, id, value, number);
        let expected = LikeOutput { changed, ..like(&first) };
        assert_eq!((like(&output), output.replayed), (expected, true), "operation {number}");
        assert_eq!(fixture.likes, before);
    }
    let output = set(&mut fixture, id, Like, 3);
    assert_eq!((like(&output).changed, output.replayed), (false, false), "a new operation with the present value");
    assert!(!like(&set(&mut fixture, id, Like, 3)).changed);
    let other = fixture.command(SetLike { operation: operation(3), ..by_x(id, None) });
    assert_eq!(fixture.run_command(&other), Err(Error::RequestIdReused), "the same operation with another value");
    fixture.run(UpdateSubject { state: Some(SubjectState::Hidden), ..update_subject() });
    assert!(set(&mut fixture, id, Like, 3).replayed, "also under a subject without new likes");
}

#[test]
fn a_repeat_within_one_batch_changes_nothing() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let command = fixture.command(by_x(id, Like));
    let (results, unit) = fixture.commit(&[command.clone(), command]);
    let import = fixture.import_like(id, "x", Like, 1);
    assert_eq!([LikeCommandKind::from(by_x(id, Like)), import.into()].map(|verb| verb.code()), [14, 16]);
    let found: Vec<_> = results.iter().map(|a| a.as_ref().map(|r| (like(r).changed, r.replayed))).collect();
    assert_eq!(found, [Ok((true, false)), Ok((true, true))]);
    assert_eq!((fixture.row(id).counts.like_count, unit.write_set().requests.len()), (1, 0));
}

#[test]
fn an_imported_like_replaces_an_earlier_value_only() {
    // A value is set at 10 000 ms. Each case has the time of a later import, and whether it is
    // accepted.
    for (time, accepted) in [(9_999, false), (10_000, false), (10_001, true)] {
        let mut fixture = Fixture::open();
        let id = fixture.root();
        let first = fixture.import_like(id, "x", Like, 10_000);
        let output = fixture.run(first);
        assert_eq!(fixture.likes[&(id, member("x"))].time, Millis(10_000));
        assert!(like(&output).changed && !output.replayed);
        let second = fixture.import_like(id, "x", Dislike, time);
        let output = fixture.run(second);
        let row = &fixture.likes[&(id, member("x"))];
        let expected = if accepted { (Dislike, Millis(time)) } else { (Like, Millis(10_000)) };
        assert_eq!((row.value, row.time), expected, "at {time}");
        assert_eq!((like(&output).changed, output.replayed), (accepted, !accepted), "at {time}");
    }
}
