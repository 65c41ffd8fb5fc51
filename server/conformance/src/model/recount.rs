//! Recounts everything from the rows and compares the result with the counts of the domain.

use std::collections::{BTreeMap, BTreeSet};

use riposte_core::comment::Comment;
use riposte_core::page::CountDrift;
use riposte_core::{CommentCounts, CommentId, CommentState, Lifecycle, LikeValue, Subject, SubjectCounts};

use super::tables::SubjectTable;

/// The number of bytes of one level of a path.
const LEVEL: usize = 8;

/// The counts of one comment.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    likes: i32,
    dislikes: i32,
    replies: i32,
    live_below: i32,
}

/// The rows of a subject with every count recomputed.
#[derive(Debug)]
pub(super) struct Recount<'s> {
    pub(super) subject_table: &'s SubjectTable,
    roots: i32,
    comments: i32,
    counts: BTreeMap<CommentId, Counts>,
}

impl<'s> Recount<'s> {
    pub(super) fn new(subject_table: &'s SubjectTable) -> Self {
        let mut recount = Self { subject_table, roots: 0, comments: 0, counts: BTreeMap::new() };
        let ids_by_path: BTreeMap<&[u8], CommentId> = subject_table
            .rows
            .values()
            .map(|row| (row.comment.reference.path.as_bytes(), row.comment.reference.id))
            .collect();
        for comment in
            subject_table.rows.values().map(|row| &row.comment).filter(|c| c.lifecycle.state == CommentState::Active)
        {
            recount.comments += 1;
            recount.roots += i32::from(comment.reference.root_id.is_none());
            // A root counts its whole thread, a reply its direct replies. A root that is both root
            // and parent counts the comment once.
            let counted_by: BTreeSet<CommentId> =
                comment.reference.root_id.into_iter().chain(comment.reference.parent_id).collect();
            for id in counted_by {
                recount.counts_of(id).replies += 1;
            }
            let path = comment.reference.path.as_bytes();
            for end in (LEVEL..path.len()).step_by(LEVEL) {
                if let Some(id) = ids_by_path.get(&path[..end]) {
                    recount.counts_of(*id).live_below += 1;
                }
            }
        }
        for like in subject_table.likes.values() {
            match like.value {
                LikeValue::Like => recount.counts_of(like.comment_id).likes += 1,
                LikeValue::Dislike => recount.counts_of(like.comment_id).dislikes += 1,
                LikeValue::None => {}
            }
        }
        recount
    }

    fn counts_of(&mut self, id: CommentId) -> &mut Counts {
        self.counts.entry(id).or_default()
    }

    /// Returns the row of the subject with recomputed counts.
    pub(super) fn subject(&self) -> Subject {
        Subject {
            counts: SubjectCounts { root_count: self.roots, comment_count: self.comments },
            ..self.subject_table.subject.clone()
        }
    }

    /// Returns the row of a comment with recomputed counts.
    pub(super) fn comment(&self, stored: &Comment) -> Comment {
        let counts = self.counts.get(&stored.reference.id).copied().unwrap_or_default();
        Comment {
            counts: CommentCounts {
                like_count: counts.likes,
                dislike_count: counts.dislikes,
                reply_count: counts.replies,
                live_below: counts.live_below,
            },
            lifecycle: Lifecycle {
                listed: stored.lifecycle.state == CommentState::Active || counts.live_below > 0,
                ..stored.clone().lifecycle
            },
            ..stored.clone()
        }
    }

    /// Returns the differences between stored and recomputed counts.
    pub(super) fn drifts(&self) -> Vec<CountDrift> {
        let mut drifts = Vec::new();
        let mut compare = |comment, count, stored: i64, actual: i64| {
            if stored != actual {
                drifts.push(CountDrift { comment, count, stored, actual });
            }
        };
        let (stored, actual) = (&self.subject_table.subject, self.subject());
        compare(None, "root_count", stored.counts.root_count.into(), actual.counts.root_count.into());
        compare(None, "comment_count", stored.counts.comment_count.into(), actual.counts.comment_count.into());
        for stored in self.subject_table.rows.values().map(|row| &row.comment) {
            let (id, actual) = (Some(stored.reference.id), self.comment(stored));
            compare(id, "like_count", stored.counts.like_count.into(), actual.counts.like_count.into());
            compare(id, "dislike_count", stored.counts.dislike_count.into(), actual.counts.dislike_count.into());
            compare(id, "reply_count", stored.counts.reply_count.into(), actual.counts.reply_count.into());
            compare(id, "live_below", stored.counts.live_below.into(), actual.counts.live_below.into());
            compare(id, "listed", stored.lifecycle.listed.into(), actual.lifecycle.listed.into());
        }
        drifts
    }
}

/// Checks every invariant that must hold of a subject after a commit.
///
/// # Panics
///
/// Panics when an invariant is violated: the domain has a bug.
pub(super) fn check_invariants(subject_table: &SubjectTable) {
    let drifts = Recount::new(subject_table).drifts();
    assert!(
        drifts.is_empty(),
        "the domain's deltas and the rows disagree under {:?}: {drifts:?}",
        subject_table.subject.key
    );
    let mut floors: BTreeMap<Option<CommentId>, Vec<i32>> = BTreeMap::new();
    let mut paths: BTreeSet<&[u8]> = BTreeSet::new();
    for comment in subject_table.rows.values().map(|row| &row.comment) {
        floors.entry(comment.reference.root_id).or_default().push(comment.reference.floor);
        assert!(paths.insert(comment.reference.path.as_bytes()), "a path occurs twice: {comment:?}");
    }
    check_dense(floors.remove(&None), subject_table.subject.next_floor);
    for comment in subject_table.rows.values().map(|row| &row.comment) {
        if comment.reference.root_id.is_none() {
            check_dense(floors.remove(&Some(comment.reference.id)), comment.next_floor);
        }
        check_path(subject_table, comment, &paths);
        let deleted = comment.lifecycle.state == CommentState::Deleted;
        assert_eq!(comment.lifecycle.delete_time.is_some(), deleted, "delete_time contradicts the state: {comment:?}");
        assert!(
            deleted || comment.lifecycle.deleted_by.is_none(),
            "a comment that is not deleted has a deleter: {comment:?}"
        );
    }
    assert!(floors.is_empty(), "replies without a root: {floors:?}");
    assert!(subject_table.subject.pins.len() <= 3, "too many pins: {:?}", subject_table.subject.pins);
    for pin in &subject_table.subject.pins {
        let root = subject_table.rows.get(pin).map(|row| &row.comment).filter(|c| c.reference.root_id.is_none());
        assert!(
            root.is_some_and(|c| c.lifecycle.state == CommentState::Active),
            "a pin is not a visible root: {pin:?}"
        );
    }
}

/// Checks that the floors of one floor space are 1 to `next` - 1.
fn check_dense(floors: Option<Vec<i32>>, next: i32) {
    let mut floors = floors.unwrap_or_default();
    floors.sort_unstable();
    let expected: Vec<i32> = (1..next).collect();
    assert_eq!(floors, expected, "floors are not dense");
}

/// Checks the subject, the path and the parent of a comment.
fn check_path(subject_table: &SubjectTable, comment: &Comment, paths: &BTreeSet<&[u8]>) {
    let path = comment.reference.path.as_bytes();
    assert_eq!(comment.reference.subject_id, subject_table.subject.id, "a comment of another subject: {comment:?}");
    let thread = comment.reference.root_id.unwrap_or(comment.reference.id);
    assert_eq!(path[..LEVEL], thread.get().to_be_bytes(), "the path does not start with the root: {comment:?}");
    if comment.reference.root_id.is_some() {
        let (above, last) = path.split_at(path.len() - LEVEL);
        assert_eq!(
            last,
            i64::from(comment.reference.floor).to_be_bytes(),
            "the path does not end with the floor: {comment:?}"
        );
        assert!(paths.contains(above), "no comment has the path above {comment:?}");
    }
    let has_parent = comment.reference.parent_id.is_none_or(|parent| subject_table.rows.contains_key(&parent));
    assert!(has_parent, "the parent does not exist: {comment:?}");
}
