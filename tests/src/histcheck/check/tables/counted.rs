//! Stored counts and floors equal those of the existing rows.

use std::collections::BTreeMap;

use super::super::Found;
use super::super::quick::QuickMap;
use super::Stand;
use crate::histcheck::history::CommentRow;

/// Counts of a row, and their column names.
type Counts<const N: usize> = [i32; N];
const OF_SUBJECTS: [&str; 2] = ["root_count", "comment_count"];
const OF_COMMENTS: [&str; 3] = ["reply_count", "like_count", "dislike_count"];

/// Counts the rows again, and compares the result with the stored counts.
pub(super) fn check(stand: &Stand<'_>, found: &mut Found) {
    // A subject may have the same id as a comment: the ids are generated separately.
    let mut subjects: QuickMap<i64, Counts<2>> = QuickMap::default();
    let mut comments: QuickMap<i64, Counts<3>> = QuickMap::default();
    for row in stand.comments.values().filter(|row| row.state == CommentRow::VISIBLE) {
        let of_subject = subjects.entry(row.subject_id).or_default();
        of_subject[0] += i32::from(row.root == 0);
        of_subject[1] += 1;
        // A reply to a reply counts for its parent and for the root above both.
        let above = [row.root, if row.parent == row.root { 0 } else { row.parent }];
        for id in above.into_iter().filter(|id| *id != 0) {
            comments.entry(id).or_default()[0] += 1;
        }
    }
    for row in &stand.likes {
        let of_comment = comments.entry(row.comment).or_default();
        match row.value {
            1 => of_comment[1] += 1,
            -1 => of_comment[2] += 1,
            0 => {}
            _ => found.add(|| format!("a like of no known value: {row:?}"), &[]),
        }
    }
    for row in stand.subjects.values() {
        compare(found, row.id, OF_SUBJECTS, [row.roots, row.comments], &subjects);
    }
    for row in stand.comments.values() {
        compare(found, row.id, OF_COMMENTS, [row.replies, row.likes, row.dislikes], &comments);
    }
    floors(stand, found);
}

fn compare<const N: usize>(
    found: &mut Found,
    id: i64,
    names: [&str; N],
    stored: Counts<N>,
    counted: &QuickMap<i64, Counts<N>>,
) {
    let counted = counted.get(&id).copied().unwrap_or([0; N]);
    for (name, (stored, counted)) in names.into_iter().zip(stored.into_iter().zip(counted)) {
        if stored != counted {
            found.add(|| format!("{name} of {id} is stored as {stored}, and its rows are {counted}"), &[]);
        }
    }
}

/// Checks that the floors of each subject's roots, and of each root's replies, run from 1 up to the
/// next floor, each once.
fn floors(stand: &Stand<'_>, found: &mut Found) {
    let mut floors: BTreeMap<(i64, i64), Vec<i32>> = BTreeMap::new();
    for row in stand.comments.values() {
        floors.entry((row.subject_id, row.root)).or_default().push(row.floor);
    }
    let subjects = stand.subjects.values().map(|row| ((row.id, 0), row.next_floor));
    let roots =
        stand.comments.values().filter(|row| row.root == 0).map(|row| ((row.subject_id, row.id), row.next_floor));
    for ((subject, root), next) in subjects.chain(roots) {
        let mut floors = floors.remove(&(subject, root)).unwrap_or_default();
        floors.sort_unstable();
        if !floors.iter().copied().eq(1..next) {
            found.add(|| format!("floors below {subject}, {root} are {floors:?}, and {next} is the next"), &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::plant::Plant;

    #[test]
    fn stored_counts_that_are_not_those_of_the_rows_are_found() {
        Plant::default().subject(0, |row| row.roots += 1).has("root_count of").has("stored as 2, and its rows are 1");
        Plant::default().subject(0, |row| row.comments -= 1).has("comment_count of");
        Plant::default().comment(11, |row| row.replies = 0).has("reply_count of");
        Plant::default().comment(11, |row| row.dislikes = 1).has("dislike_count of");
        Plant::default().like(|row| row.value = -1).has("like_count of").has("dislike_count of");
        Plant::default().like(|row| row.value = 2).has("a like of no known value");
    }

    #[test]
    fn a_floor_that_is_doubled_or_left_out_is_found() {
        Plant::default().comment(13, |row| row.floor = 1).has("are [1, 1], and 3 is the next");
        Plant::default().comment(13, |row| row.floor = 3).has("are [1, 3], and 3 is the next");
        Plant::default().subject(0, |row| row.next_floor = 2).has("are [1, 2], and 2 is the next");
    }
}
