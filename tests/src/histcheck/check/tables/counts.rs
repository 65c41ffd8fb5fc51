//! Stored counts and floors equal those of the existing rows.

use std::collections::BTreeMap;

use super::super::Findings;
use super::super::int_map::IntMap;
use super::StoredRows;
use crate::histcheck::history::CommentRow;

/// Counts of a row, and their column names.
type Counts<const N: usize> = [i32; N];
const SUBJECT_COUNTS: [&str; 2] = ["root_count", "comment_count"];
const COMMENT_COUNTS: [&str; 3] = ["reply_count", "like_count", "dislike_count"];

/// Counts the rows again, and compares the result with the stored counts.
pub(super) fn check(stored: &StoredRows<'_>, findings: &mut Findings) {
    // A subject may have the same id as a comment: the ids are generated separately.
    let mut subjects: IntMap<i64, Counts<2>> = IntMap::default();
    let mut comments: IntMap<i64, Counts<3>> = IntMap::default();
    for row in stored.comments.values().filter(|row| row.state == CommentRow::VISIBLE) {
        let subject_counts = subjects.entry(row.subject_id).or_default();
        subject_counts[0] += i32::from(row.root == 0);
        subject_counts[1] += 1;
        // A reply to a reply counts for its parent and for the root above both.
        let counted_for = [row.root, if row.parent == row.root { 0 } else { row.parent }];
        for id in counted_for.into_iter().filter(|id| *id != 0) {
            comments.entry(id).or_default()[0] += 1;
        }
    }
    for row in &stored.likes {
        let comment_counts = comments.entry(row.comment).or_default();
        match row.value {
            1 => comment_counts[1] += 1,
            -1 => comment_counts[2] += 1,
            0 => {}
            _ => findings.add(|| format!("a like of an unknown value: {row:?}"), &[]),
        }
    }
    for row in stored.subjects.values() {
        compare(findings, row.id, SUBJECT_COUNTS, [row.roots, row.comments], &subjects);
    }
    for row in stored.comments.values() {
        compare(findings, row.id, COMMENT_COUNTS, [row.replies, row.likes, row.dislikes], &comments);
    }
    check_floors(stored, findings);
}

fn compare<const N: usize>(
    findings: &mut Findings,
    id: i64,
    names: [&str; N],
    stored: Counts<N>,
    counted: &IntMap<i64, Counts<N>>,
) {
    let counted = counted.get(&id).copied().unwrap_or([0; N]);
    for (name, (stored, counted)) in names.into_iter().zip(stored.into_iter().zip(counted)) {
        if stored != counted {
            findings.add(|| format!("{name} of {id} is stored as {stored}, and its rows are {counted}"), &[]);
        }
    }
}

/// Checks that the floors of each subject's roots, and of each root's replies, run from 1 up to the
/// next floor, each once.
fn check_floors(stored: &StoredRows<'_>, findings: &mut Findings) {
    let mut floors: BTreeMap<(i64, i64), Vec<i32>> = BTreeMap::new();
    for row in stored.comments.values() {
        floors.entry((row.subject_id, row.root)).or_default().push(row.floor);
    }
    let subjects = stored.subjects.values().map(|row| ((row.id, 0), row.next_floor));
    let roots =
        stored.comments.values().filter(|row| row.root == 0).map(|row| ((row.subject_id, row.id), row.next_floor));
    for ((subject, root), next) in subjects.chain(roots) {
        let mut floors = floors.remove(&(subject, root)).unwrap_or_default();
        floors.sort_unstable();
        if !floors.iter().copied().eq(1..next) {
            findings.add(|| format!("floors below {subject}, {root} are {floors:?}, and {next} is the next"), &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample_data::SampleData;

    #[test]
    fn stored_counts_that_differ_from_the_rows_are_found() {
        SampleData::default()
            .subject(0, |row| row.roots += 1)
            .finds("root_count of")
            .finds("stored as 2, and its rows are 1");
        SampleData::default().subject(0, |row| row.comments -= 1).finds("comment_count of");
        SampleData::default().comment(11, |row| row.replies = 0).finds("reply_count of");
        SampleData::default().comment(11, |row| row.dislikes = 1).finds("dislike_count of");
        SampleData::default().like(|row| row.value = -1).finds("like_count of").finds("dislike_count of");
        SampleData::default().like(|row| row.value = 2).finds("a like of an unknown value");
    }

    #[test]
    fn a_duplicate_or_missing_floor_is_found() {
        SampleData::default().comment(13, |row| row.floor = 1).finds("are [1, 1], and 3 is the next");
        SampleData::default().comment(13, |row| row.floor = 3).finds("are [1, 3], and 3 is the next");
        SampleData::default().subject(0, |row| row.next_floor = 2).finds("are [1, 2], and 2 is the next");
    }
}
