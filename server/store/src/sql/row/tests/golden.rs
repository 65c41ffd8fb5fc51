//! Golden bytes of the outbox: a process of another version reads the rows that this version
//! writes.

use std::collections::BTreeSet;
use std::fmt::Write;

use riposte_core::event::{ChangeKind, Changes, CommentChange, Event};
use riposte_core::{MemberId, Millis, SubjectId};
use sea_orm::TryIntoModel;

use super::super::{commit_model, events};
use super::id;

const GOLDEN: &str = include_str!("../../../../golden/outbox.txt");

fn event(subject: i64, revision: Option<i64>, changes: Changes) -> Event {
    let subject = SubjectId::from(id(subject));
    Event { partition: riposte_core::CommentId::from(subject).partition(), subject, revision, changes, time: Millis(8) }
}

fn of_comments(changes: &[(i64, Option<i64>, ChangeKind)]) -> Changes {
    let change = |(comment, root, what): &(i64, Option<i64>, ChangeKind)| CommentChange {
        id: id(*comment),
        root: root.map(id),
        what: *what,
    };
    Changes { comments: changes.iter().map(change).collect(), ..Changes::default() }
}

/// Returns a commit for each kind of change, and one with everything that a commit can have.
fn commits() -> Vec<(&'static str, Vec<Event>)> {
    let one = |what| vec![event(5, Some(9), of_comments(&[(77, None, what)]))];
    let likers: BTreeSet<_> = ["楼主", "bob"].map(|name| MemberId::stored(name.to_owned())).into();
    let subject = Changes { subject: true, ..Changes::default() };
    let liked = Changes { likers: likers.clone(), ..of_comments(&[(77, Some(70), ChangeKind::Liked)]) };
    let all = Changes {
        likers,
        subject: true,
        ..of_comments(&[(77, Some(70), ChangeKind::Created), (i64::MAX, Some(1), ChangeKind::StateChanged)])
    };
    vec![
        ("nothing", Vec::new()),
        ("created", one(ChangeKind::Created)),
        ("edited", one(ChangeKind::Edited)),
        ("state_changed", one(ChangeKind::StateChanged)),
        ("pin_changed", one(ChangeKind::PinChanged)),
        ("liked", vec![event(5, None, liked)]),
        ("recounted", one(ChangeKind::Recounted)),
        ("subject", vec![event(5, Some(9), subject.clone())]),
        ("two_subjects", vec![event(i64::MAX, Some(i64::MAX), all), event(6, Some(1), subject)]),
    ]
}

#[test]
fn a_commit_keeps_its_golden_bytes_and_is_read_from_them() {
    let mut lines = String::new();
    for (case, told) in commits() {
        let row = commit_model(id(3), &told).try_into_model().expect("every column is set");
        lines.push_str(case);
        lines.push(' ');
        row.events.iter().for_each(|byte| write!(lines, "{byte:02x}").expect("a string takes it"));
        lines.push('\n');
        assert_eq!(events(&row), Some(told), "{case}");
    }
    assert!(GOLDEN == lines, "the stored format has changed; all lines as they are now:\n{lines}");
}
