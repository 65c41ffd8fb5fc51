//! The differences of counts between two states of a row. A row of which only counts changed is
//! updated by adding them, so that one statement updates all rows with the same differences. The
//! rows are locked, so the sum is as exact as a value.

use riposte_core::counts::CountColumn;
use riposte_core::{Comment, CommentCounts, Lifecycle, Subject, SubjectCounts};
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};

/// The number of columns that are written as sums in addition to the counts.
const OTHER_COLUMNS: usize = 2;
/// The number of columns of a subject that are written as sums.
pub(super) const SUBJECT_COLUMNS: usize = SubjectCounts::COLUMNS.len() + OTHER_COLUMNS;
/// The number of columns of a comment that are written as sums.
pub(super) const COMMENT_COLUMNS: usize = CommentCounts::COLUMNS.len() + OTHER_COLUMNS;

/// The differences of a row: of `next_floor`, of each count in the order of its columns, and of
/// `revision`.
pub(super) type Differences<const N: usize> = [i64; N];

/// The part of a row that is written as sums.
struct SummedColumns<C> {
    next_floor: i32,
    counts: C,
    revision: i64,
}

/// Returns the differences of a subject's counts, or `None` if other fields changed as well.
pub(super) fn subject_differences(before: &Subject, after: &Subject) -> Option<Differences<SUBJECT_COLUMNS>> {
    let summed =
        |row: &Subject| SummedColumns { next_floor: row.next_floor, counts: row.counts, revision: row.revision };
    let SummedColumns { next_floor, counts, revision } = summed(after);
    let with_new_counts = Subject { next_floor, counts, revision, ..before.clone() };
    (with_new_counts == *after).then(|| differences(&SubjectCounts::COLUMNS, &summed(before), &summed(after)))
}

/// Returns the differences of a comment's counts, or `None` if other fields changed as well.
pub(super) fn comment_differences(before: &Comment, after: &Comment) -> Option<Differences<COMMENT_COLUMNS>> {
    let summed = |row: &Comment| SummedColumns {
        next_floor: row.next_floor,
        counts: row.counts,
        revision: row.lifecycle.revision,
    };
    let lifecycle = Lifecycle { revision: after.lifecycle.revision, ..before.lifecycle };
    (before.reference == after.reference && lifecycle == after.lifecycle)
        .then(|| differences(&CommentCounts::COLUMNS, &summed(before), &summed(after)))
}

fn differences<C, const N: usize>(
    columns: &[CountColumn<C>],
    before: &SummedColumns<C>,
    after: &SummedColumns<C>,
) -> Differences<N> {
    let mut differences = [0; N];
    let count = |column: &CountColumn<C>| i64::from((column.get)(&after.counts) - (column.get)(&before.counts));
    let next_floor = i64::from(after.next_floor - before.next_floor);
    let values = [next_floor].into_iter().chain(columns.iter().map(count)).chain([after.revision - before.revision]);
    differences.iter_mut().zip(values).for_each(|(difference, value)| *difference = value);
    differences
}

/// Returns the new value of each column that changed; `columns` are those of the counts.
pub(super) fn updated_columns<C, const N: usize>(
    columns: &'static [CountColumn<C>],
    differences: Differences<N>,
) -> impl Iterator<Item = (&'static str, SimpleExpr)> {
    let names = ["next_floor"].into_iter().chain(columns.iter().map(|column| column.name)).chain(["revision"]);
    let changed = names.zip(differences).filter(|(_, difference)| *difference != 0);
    changed.map(|(name, difference)| (name, Expr::col(name).add(difference)))
}
