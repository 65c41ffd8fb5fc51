//! The service's export of a subject equals its rows.

use std::collections::BTreeMap;

use super::super::Findings;
use super::super::int_map::IntMap;
use super::StoredRows;
use crate::histcheck::history::{Call, CommentRow, ContentRow, Counts, History, Item, Outcome, SubjectRow, Value};
use crate::histcheck::names::is_moderated;

/// Finds exported data that differs from the rows, and rows that are not exported.
pub(super) fn check(stored: &StoredRows<'_>, history: &History, findings: &mut Findings) {
    let mut rows_of: IntMap<i64, Vec<&CommentRow>> = IntMap::default();
    for row in stored.comments.values() {
        rows_of.entry(row.subject_id).or_default().push(row);
    }
    let mut likes_of: IntMap<i64, Vec<(i64, u32, Value)>> = IntMap::default();
    for row in &stored.likes {
        let value = if row.value > 0 { Value::Like } else { Value::Dislike };
        if row.value != 0 {
            likes_of.entry(row.subject_id).or_default().push((row.comment, row.member, value));
        }
    }
    let subjects: BTreeMap<u32, &SubjectRow> = stored.subjects.values().map(|row| (row.subject, *row)).collect();
    for (number, op) in (0..).zip(&history.ops) {
        let (Call::Export { subject }, Outcome::Export { counts, rows, likes, .. }) = (&op.call, &op.outcome) else {
            continue;
        };
        let row = subjects.get(subject);
        let expected = row.map(|row| Counts { revision: row.revision, roots: row.roots, comments: row.comments });
        if expected != *counts {
            let description = || format!("subject {subject} is exported as {counts:?}, and its row is {expected:?}");
            findings.add(description, &[number]);
        }
        let id = row.map_or(0, |row| row.id);
        let mut remaining: IntMap<i64, &CommentRow> =
            rows_of.get(&id).into_iter().flatten().map(|row| (row.id, *row)).collect();
        for item in rows {
            let Some(row) = remaining.remove(&item.id) else {
                findings.add(|| format!("exported with subject {subject}, which has no such row: {item}"), &[number]);
                continue;
            };
            if let Some(difference) = difference(row, stored.contents.get(&row.id).copied(), item) {
                findings.add(|| format!("{difference}: exported as {item}, and the row is {row:?}"), &[number]);
            }
        }
        for row in remaining.values() {
            findings.add(|| format!("not exported with subject {subject}: {row:?}"), &[number]);
        }
        let mut exported: Vec<_> = likes.iter().copied().filter(|(.., value)| *value != Value::None).collect();
        let mut expected = likes_of.remove(&id).unwrap_or_default();
        exported.sort_unstable();
        expected.sort_unstable();
        if exported != expected {
            let unexpected = exported.iter().find(|like| expected.binary_search(like).is_err());
            let missing = || expected.iter().find(|like| exported.binary_search(like).is_err());
            let like = unexpected.or_else(missing);
            let description = || format!("exported likes of subject {subject} differ from their rows: {like:?}");
            findings.add(description, &[number]);
        }
    }
}

/// Returns the difference between a row and its exported comment, if any.
fn difference(row: &CommentRow, content: Option<&ContentRow>, item: &Item) -> Option<&'static str> {
    let visible = row.state == CommentRow::VISIBLE;
    let invisible = if is_moderated(row.id) { CommentRow::HIDDEN } else { CommentRow::DELETED };
    if !visible && row.state != invisible {
        return Some("a state that no request sets");
    }
    if (row.root, row.parent, row.floor) != (item.root, item.parent, item.floor) {
        return Some("another position");
    }
    if visible != (item.text != 0) {
        return Some("another state");
    }
    if row.revision != item.revision {
        return Some("another revision");
    }
    // A deleted comment is exported without its content, and the reads at the end remove that of a
    // hidden one.
    if (row.likes, row.dislikes, row.replies) != (item.likes, item.dislikes, item.replies) {
        return Some("other counts");
    }
    if row.member != item.member {
        return Some("another author");
    }
    let differs = content.is_some_and(|content| (content.text_subject, content.text) != (item.text_subject, item.text));
    (visible && differs).then_some("another text")
}

#[cfg(test)]
mod tests {
    use super::super::super::sample_data::SampleData;
    use crate::histcheck::history::{CommentRow, Outcome, Value};

    #[test]
    fn exported_data_that_differs_from_its_row_is_found() {
        SampleData::default().subject(0, |row| row.revision += 1).finds("subject 0 is exported as Some");
        SampleData::default().comment(12, |row| row.member = 9).finds("another author: exported");
        SampleData::default().comment(13, |row| row.member = 9).finds("another author: exported");
        SampleData::default().comment(12, |row| row.revision = 9).finds("another revision: exported");
        SampleData::default().comment(12, |row| row.state = CommentRow::DELETED).finds("another state: exported");
        SampleData::default().comment(12, |row| row.state = 3).finds("a state that no request sets: exported");
        SampleData::default().comment(11, |row| row.likes = 5).finds("other counts: exported");
        SampleData::default().content(12, |row| row.text = 99).finds("another text: exported");
        SampleData::default().like(|row| row.member = 9).finds("likes of subject 0 differ");
        let without_likes = |export: &mut Outcome| {
            if let Outcome::Export { likes, .. } = export {
                *likes = Box::new([]);
            }
        };
        SampleData::default().export(without_likes).finds("differ from their rows: Some((");
    }

    #[test]
    fn a_row_that_is_not_exported_and_an_exported_comment_without_a_row_are_found() {
        let without_first = |export: &mut Outcome| {
            if let Outcome::Export { rows, .. } = export {
                *rows = rows[1..].into();
            }
        };
        SampleData::default().export(without_first).finds("not exported with subject 0");
        SampleData::default().comment(12, |row| row.id = 14).finds("exported with subject 0, which has no such row");
        let without_subject = |export: &mut Outcome| {
            if let Outcome::Export { counts, .. } = export {
                *counts = None;
            }
        };
        SampleData::default().export(without_subject).finds("subject 0 is exported as None");
    }

    #[test]
    fn the_text_of_a_deleted_comment_and_a_like_that_was_removed_are_not_exported() {
        SampleData::default().content(13, |row| row.text = 99).finds_nothing();
        let without_likes = |export: &mut Outcome| {
            if let Outcome::Export { rows, likes, .. } = export {
                rows[0].likes = 0;
                likes[0].2 = Value::None;
            }
        };
        let mut data =
            SampleData::default().export(without_likes).like(|row| row.value = 0).comment(11, |row| row.likes = 0);
        data.history.cache.clear();
        data.finds_nothing();
    }
}
