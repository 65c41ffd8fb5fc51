//! Counts and floors that are stored are those of the rows that are there.

use std::collections::BTreeMap;

use super::super::Found;
use super::super::quick::QuickMap;
use super::Stand;
use crate::histcheck::history::CommentRow;

/// Counts of one subject or comment: roots, comments, replies, likes, dislikes.
type Counts = [i32; 5];
const NAMES: [&str; 5] = ["root_count", "comment_count", "reply_count", "like_count", "dislike_count"];

/// Counts the rows again, and holds against that what is stored.
pub(super) fn check(stand: &Stand<'_>, found: &mut Found) {
    let mut counted: QuickMap<i64, Counts> = QuickMap::default();
    for row in stand.comments.values().filter(|row| row.state == CommentRow::VISIBLE) {
        let of_subject = counted.entry(row.subject_id).or_default();
        of_subject[0] += i32::from(row.root == 0);
        of_subject[1] += 1;
        // A reply to a reply counts for that and for the root above both.
        let above = [row.root, if row.parent == row.root { 0 } else { row.parent }];
        for id in above.into_iter().filter(|id| *id != 0) {
            counted.entry(id).or_default()[2] += 1;
        }
    }
    for row in &stand.likes {
        let of_comment = counted.entry(row.comment).or_default();
        match row.value {
            1 => of_comment[3] += 1,
            -1 => of_comment[4] += 1,
            0 => {}
            _ => found.add(|| format!("a like of no known value: {row:?}"), &[]),
        }
    }
    let mut compare = |id: i64, stored: Counts| {
        let counted = counted.get(&id).copied().unwrap_or_default();
        for (name, (stored, counted)) in NAMES.into_iter().zip(stored.into_iter().zip(counted)) {
            if stored != counted {
                found.add(|| format!("{name} of {id} is stored as {stored}, and its rows are {counted}"), &[]);
            }
        }
    };
    for row in stand.subjects.values() {
        compare(row.id, [row.roots, row.comments, 0, 0, 0]);
    }
    for row in stand.comments.values() {
        compare(row.id, [0, 0, row.replies, row.likes, row.dislikes]);
    }
    floors(stand, found);
}

/// Floors of each subject's roots, and of each root's replies, are 1 to the next one, each once.
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
    use super::super::plant::Plant;

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
