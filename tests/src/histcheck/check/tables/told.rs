//! The service's export of a subject equals its rows.

use std::collections::BTreeMap;

use super::super::Found;
use super::super::quick::QuickMap;
use super::Stand;
use crate::histcheck::history::{Call, CommentRow, ContentRow, Counts, History, Item, Outcome, SubjectRow, Value};

/// Finds exported data that differs from the rows, and rows that are not exported.
pub(super) fn check(stand: &Stand<'_>, history: &History, found: &mut Found) {
    let mut below: QuickMap<i64, Vec<&CommentRow>> = QuickMap::default();
    for row in stand.comments.values() {
        below.entry(row.subject_id).or_default().push(row);
    }
    let mut liked: QuickMap<i64, Vec<(i64, u32, Value)>> = QuickMap::default();
    for row in &stand.likes {
        let value = if row.value > 0 { Value::Like } else { Value::Dislike };
        if row.value != 0 {
            liked.entry(row.subject_id).or_default().push((row.comment, row.member, value));
        }
    }
    let subjects: BTreeMap<u32, &SubjectRow> = stand.subjects.values().map(|row| (row.subject, *row)).collect();
    for (number, op) in (0..).zip(&history.ops) {
        let (Call::Export { subject }, Outcome::Export { counts, rows, likes, .. }) = (&op.call, &op.outcome) else {
            continue;
        };
        let row = subjects.get(subject);
        let kept = row.map(|row| Counts { revision: row.revision, roots: row.roots, comments: row.comments });
        if kept != *counts {
            found.add(|| format!("subject {subject} is told as {counts:?}, and its row is {kept:?}"), &[number]);
        }
        let id = row.map_or(0, |row| row.id);
        let mut kept: QuickMap<i64, &CommentRow> =
            below.get(&id).into_iter().flatten().map(|row| (row.id, *row)).collect();
        for item in rows {
            let Some(row) = kept.remove(&item.id) else {
                found.add(|| format!("told of subject {subject}, and no row of it: {item}"), &[number]);
                continue;
            };
            if let Some(what) = differs(row, stand.contents.get(&row.id).copied(), item) {
                found.add(|| format!("{what}: told {item}, and the row is {row:?}"), &[number]);
            }
        }
        for row in kept.values() {
            found.add(|| format!("it is not told of subject {subject}: {row:?}"), &[number]);
        }
        let mut told: Vec<_> = likes.iter().copied().filter(|(.., value)| *value != Value::None).collect();
        let mut kept = liked.remove(&id).unwrap_or_default();
        told.sort_unstable();
        kept.sort_unstable();
        if told != kept {
            let odd = told.iter().find(|like| kept.binary_search(like).is_err());
            let odd = odd.or_else(|| kept.iter().find(|like| told.binary_search(like).is_err()));
            found.add(|| format!("likes of subject {subject} are told otherwise than they stand: {odd:?}"), &[number]);
        }
    }
}

/// Returns the difference between a row and its exported comment, if any.
fn differs(row: &CommentRow, content: Option<&ContentRow>, item: &Item) -> Option<&'static str> {
    let visible = row.state == CommentRow::VISIBLE;
    if !visible && row.state != CommentRow::DELETED {
        return Some("a state that nobody gave it");
    }
    if (row.root, row.parent, row.floor) != (item.root, item.parent, item.floor) {
        return Some("another place");
    }
    if visible != (item.text != 0) {
        return Some("another state");
    }
    if row.revision != item.revision {
        return Some("another revision");
    }
    // A deleted comment is exported without its content.
    if (row.likes, row.dislikes, row.replies) != (item.likes, item.dislikes, item.replies) {
        return Some("other counts");
    }
    if row.member != item.member {
        return Some("another author");
    }
    let says = content.map(|content| (content.marked, content.text));
    (visible && says.is_some_and(|says| says != (item.marked, item.text))).then_some("another text")
}

#[cfg(test)]
mod tests {
    use super::super::super::plant::Plant;
    use crate::histcheck::history::{CommentRow, Outcome, Value};

    #[test]
    fn what_is_told_otherwise_than_it_stands_is_found() {
        Plant::default().subject(0, |row| row.revision += 1).has("subject 0 is told as Some");
        Plant::default().comment(12, |row| row.member = 9).has("another author: told");
        Plant::default().comment(13, |row| row.member = 9).has("another author: told");
        Plant::default().comment(12, |row| row.revision = 9).has("another revision: told");
        Plant::default().comment(12, |row| row.state = CommentRow::DELETED).has("another state: told");
        Plant::default().comment(12, |row| row.state = 3).has("a state that nobody gave it: told");
        Plant::default().comment(11, |row| row.likes = 5).has("other counts: told");
        Plant::default().content(12, |row| row.text = 99).has("another text: told");
        Plant::default().like(|row| row.member = 9).has("likes of subject 0 are told otherwise");
        let none = |export: &mut Outcome| {
            if let Outcome::Export { likes, .. } = export {
                *likes = Box::new([]);
            }
        };
        Plant::default().export(none).has("told otherwise than they stand: Some((");
    }

    #[test]
    fn what_is_not_told_and_what_has_no_row_are_found() {
        let but_one = |export: &mut Outcome| {
            if let Outcome::Export { rows, .. } = export {
                *rows = rows[1..].into();
            }
        };
        Plant::default().export(but_one).has("it is not told of subject 0");
        Plant::default().comment(12, |row| row.id = 14).has("told of subject 0, and no row of it");
        let nobody = |export: &mut Outcome| {
            if let Outcome::Export { counts, .. } = export {
                *counts = None;
            }
        };
        Plant::default().export(nobody).has("subject 0 is told as None");
    }

    #[test]
    fn the_words_of_what_was_deleted_and_a_like_that_was_taken_back_are_told_by_nobody() {
        Plant::default().content(13, |row| row.text = 99).has_none();
        let none = |export: &mut Outcome| {
            if let Outcome::Export { rows, likes, .. } = export {
                rows[0].likes = 0;
                likes[0].2 = Value::None;
            }
        };
        let mut plant = Plant::default().export(none).like(|row| row.value = 0).comment(11, |row| row.likes = 0);
        plant.history.copies.clear();
        plant.has_none();
    }
}
