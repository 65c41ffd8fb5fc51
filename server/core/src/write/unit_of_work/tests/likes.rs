//! Likes are states: a value remains set, and a late or repeated operation changes nothing.

use super::fixture::{Fixture, member};
use super::verbs::update_subject;
use crate::domain::error::Error;
use crate::domain::ids::CommentId;
use crate::domain::like::LikeAnswer;
use crate::domain::like::LikeValue::{self, Dislike, Like, None};
use crate::domain::request::RequestId;
use crate::domain::subject::SubjectState;
use crate::domain::time::Millis;
use crate::write::verbs::{LikeCommandKind, SetLike, UpdateSubject};
use crate::{CommandOutput, Effect};

fn answer(output: &CommandOutput) -> LikeAnswer {
    match &output.effect {
        Effect::Like(answer) => *answer,
        Effect::Subject(_) | Effect::Comment(_) => panic!("not about a like: {output:?}"),
    }
}

/// Returns an operation of a client whose operations have an order.
fn operation(number: u8) -> RequestId {
    let mut id = [0; 16];
    (id[5], id[6], id[8], id[15]) = (number, 0x70, 0x80, 7);
    RequestId::from_bytes(id)
}

fn set(fixture: &mut Fixture, id: CommentId, value: LikeValue, number: u8) -> CommandOutput {
    fixture.run(SetLike { operation: operation(number), ..x_says(id, value) })
}

fn x_says(comment_id: CommentId, value: LikeValue) -> SetLike {
    SetLike { comment_id, member: member("x"), value, operation: operation(0) }
}

#[test]
fn a_value_is_counted_once_and_moves_in_one_step() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    fixture.run(says(id, "y", Like));
    fixture.run(says(id, "z", Dislike));
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
        let like = SetLike { operation: operation(n as u8 + 1), ..x_says(id, value) };
        let command = fixture.command(like.clone());
        let output = fixture.send(&command).expect("set");
        let comment_revision = revision + i64::from(changed);
        let told = LikeAnswer { value, like_count: counts.0, dislike_count: counts.1, changed, comment_revision };
        assert_eq!((answer(&output), output.replayed), (told, false), "step {n}");
        // The time is that of the value; the operation is the last one, whether or not it changed
        // the value.
        if changed || since.is_none() {
            since = Some(command.now);
        }
        let row = &fixture.likes[&(id, member("x"))];
        assert_eq!((row.value, Some(row.time), row.operation, row.changed), (value, since, like.operation, changed));
    }
}

fn says(id: CommentId, by: &str, value: LikeValue) -> SetLike {
    SetLike { member: member(by), ..x_says(id, value) }
}

#[test]
fn an_operation_that_comes_again_or_late_is_answered_and_not_done() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    set(&mut fixture, id, Dislike, 1);
    let first = set(&mut fixture, id, Like, 2);
    assert!(answer(&first).changed && !first.replayed);
    let before = fixture.likes.clone();
    for (number, value, changed) in [(2, Like, true), (1, Dislike, false), (0, None, false)] {
        let output = set(&mut fixture, id, value, number);
        let told = LikeAnswer { changed, ..answer(&first) };
        assert_eq!((answer(&output), output.replayed), (told, true), "operation {number}");
        assert_eq!(fixture.likes, before);
    }
    let output = set(&mut fixture, id, Like, 3);
    assert_eq!((answer(&output).changed, output.replayed), (false, false), "a new one that finds it set");
    assert!(!answer(&set(&mut fixture, id, Like, 3)).changed);
    let other = fixture.command(SetLike { operation: operation(3), ..x_says(id, None) });
    assert_eq!(fixture.send(&other), Err(Error::RequestIdReused), "with another value it is another request");
    fixture.run(UpdateSubject { state: Some(SubjectState::Hidden), ..update_subject() });
    assert!(set(&mut fixture, id, Like, 3).replayed, "also where nothing may be set any more");
}

#[test]
fn a_repeat_within_one_batch_changes_nothing() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let like = fixture.command(x_says(id, Like));
    let (answers, unit) = fixture.commit(&[like.clone(), like]);
    let import = fixture.import_like(id, "x", Like, 1);
    assert_eq!([LikeCommandKind::from(x_says(id, Like)), import.into()].map(|verb| verb.code()), [14, 16]);
    let told: Vec<_> = answers.iter().map(|a| a.as_ref().map(|r| (answer(r).changed, r.replayed))).collect();
    assert_eq!(told, [Ok((true, false)), Ok((true, true))]);
    assert_eq!((fixture.row(id).counts.like_count, unit.write_set().requests.len()), (1, 0));
}

#[test]
fn an_imported_like_stands_unless_a_later_one_does() {
    // A value is set at 10 000 ms. Each case has the time of a later import, and whether it is
    // accepted.
    for (time, taken) in [(9_999, false), (10_000, false), (10_001, true)] {
        let mut fixture = Fixture::open();
        let id = fixture.root();
        let first = fixture.import_like(id, "x", Like, 10_000);
        let told = fixture.run(first);
        assert_eq!(fixture.likes[&(id, member("x"))].time, Millis(10_000));
        assert!(answer(&told).changed && !told.replayed);
        let second = fixture.import_like(id, "x", Dislike, time);
        let told = fixture.run(second);
        let row = &fixture.likes[&(id, member("x"))];
        let expected = if taken { (Dislike, Millis(time)) } else { (Like, Millis(10_000)) };
        assert_eq!((row.value, row.time), expected, "at {time}");
        assert_eq!((answer(&told).changed, told.replayed), (taken, !taken), "at {time}");
    }
}
