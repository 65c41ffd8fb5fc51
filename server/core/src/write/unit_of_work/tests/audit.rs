//! A recount, from the rows alone, of all counts that commands maintain step by step.

use std::collections::BTreeSet;

use super::fixture::Fixture;
use crate::domain::comment::Comment;
use crate::domain::counts::{CommentCounts, SubjectCounts};
use crate::domain::lifecycle::Lifecycle;
use crate::domain::like::LikeValue;
use crate::domain::state::CommentState;
use crate::domain::subject::{MAX_PINS, Subject};

/// Checks the counts, floors, paths, pins and states after a batch.
pub(super) fn audit(fixture: &Fixture) {
    for subject in fixture.subjects.values() {
        let comments: Vec<_> = fixture.comments.values().filter(|c| c.reference.subject_id == subject.id).collect();
        audit_subject(subject, &comments);
        for comment in &comments {
            audit_comment(fixture, comment, &comments);
        }
    }
}

fn active(comment: &&&Comment) -> bool {
    comment.lifecycle.state == CommentState::Active
}

fn audit_subject(subject: &Subject, comments: &[&Comment]) {
    let expected = Subject {
        counts: SubjectCounts {
            root_count: count(comments.iter().filter(active).filter(|c| c.reference.root_id.is_none())),
            comment_count: count(comments.iter().filter(active)),
        },
        ..subject.clone()
    };
    assert_eq!(*subject, expected);
    check_floors(comments.iter().filter(|c| c.reference.root_id.is_none()), subject.next_floor);
    let paths: BTreeSet<_> = comments.iter().map(|comment| &comment.reference.path).collect();
    assert_eq!(paths.len(), comments.len(), "no path occurs twice");
    assert!(subject.pins.len() <= MAX_PINS && subject.revision > 0, "{subject:?}");
    for pin in &subject.pins {
        let is_visible = comments.iter().any(|c| {
            c.reference.id == *pin && c.reference.root_id.is_none() && c.lifecycle.state == CommentState::Active
        });
        assert!(is_visible, "{pin:?} is pinned, but not a visible root");
    }
}

fn audit_comment(fixture: &Fixture, comment: &Comment, comments: &[&Comment]) {
    let below = count(comments.iter().filter(active).filter(|c| comment.reference.path.is_above(&c.reference.path)));
    let is_reply = |c: &&&Comment| {
        c.reference.root_id == Some(comment.reference.id) || c.reference.parent_id == Some(comment.reference.id)
    };
    let like_count =
        |value| count(fixture.likes.values().filter(|l| l.comment_id == comment.reference.id && l.value == value));
    let expected = Comment {
        counts: CommentCounts {
            like_count: like_count(LikeValue::Like),
            dislike_count: like_count(LikeValue::Dislike),
            reply_count: count(comments.iter().filter(active).filter(is_reply)),
            live_below: below,
        },
        lifecycle: Lifecycle {
            listed: comment.lifecycle.state == CommentState::Active || below > 0,
            ..comment.clone().lifecycle
        },
        ..comment.clone()
    };
    assert_eq!(*comment, expected);
    check_floors(comments.iter().filter(|c| c.reference.root_id == Some(comment.reference.id)), comment.next_floor);
    let deleted = comment.lifecycle.state == CommentState::Deleted;
    assert_eq!(
        (comment.lifecycle.delete_time.is_some(), comment.lifecycle.deleted_by.is_some()),
        (deleted, deleted),
        "{comment:?}"
    );
    assert!(deleted || comment.lifecycle.prior_state == comment.lifecycle.state, "{comment:?}");
    assert!(comment.lifecycle.prior_state != CommentState::Deleted, "no comment is restored to deleted: {comment:?}");
    if let Some(root) = comment.reference.root_id {
        let above = comment.reference.path.ancestors().last().expect("a reply is below another comment");
        assert!(comments.iter().any(|c| c.reference.path == above), "no comment is above {comment:?}");
        assert_eq!(comment.reference.path, above.child(comment.reference.floor));
        assert_eq!(Some(&fixture.row(root).reference.path), comment.reference.path.ancestors().next().as_ref());
    }
}

fn count<T>(rows: impl Iterator<Item = T>) -> i32 {
    i32::try_from(rows.count()).expect("a small count")
}

/// Checks that the floors of one thread, or of all roots, are 1 to `next` - 1.
fn check_floors<'c>(comments: impl Iterator<Item = &'c &'c Comment>, next: i32) {
    let floors: BTreeSet<_> = comments.map(|comment| comment.reference.floor).collect();
    assert_eq!(floors, (1..next).collect());
}
