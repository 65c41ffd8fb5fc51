//! Updates of rows of which only counts changed. They are written as differences, so that all rows
//! with the same difference are one statement. The rows are locked, so a sum is as exact as a
//! value.

use riposte_core::counts::CountColumn;
use riposte_core::{Comment, CommentCounts, Lifecycle, Subject, SubjectCounts};
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};

/// The columns that are written as sums in addition to the counts.
const OTHERS: usize = 2;
/// The number of columns of a subject that are written as sums.
pub(super) const SUBJECT: usize = SubjectCounts::COLUMNS.len() + OTHERS;
/// The number of columns of a comment that are written as sums.
pub(super) const COMMENT: usize = CommentCounts::COLUMNS.len() + OTHERS;

/// The differences of a row: of `next_floor`, of each count in the order of its columns, and of
/// `revision`.
pub(super) type Sums<const N: usize> = [i64; N];

/// The part of a row that is written as sums.
struct SummedColumns<C> {
    next_floor: i32,
    counts: C,
    revision: i64,
}

/// Returns the differences of a subject's counts, or `None` if other fields changed as well.
pub(super) fn subject(before: &Subject, after: &Subject) -> Option<Sums<SUBJECT>> {
    let part = |row: &Subject| SummedColumns { next_floor: row.next_floor, counts: row.counts, revision: row.revision };
    let SummedColumns { next_floor, counts, revision } = part(after);
    let counted = Subject { next_floor, counts, revision, ..before.clone() };
    (counted == *after).then(|| differences(&SubjectCounts::COLUMNS, &part(before), &part(after)))
}

/// Returns the differences of a comment's counts, or `None` if other fields changed as well.
pub(super) fn comment(before: &Comment, after: &Comment) -> Option<Sums<COMMENT>> {
    let part = |row: &Comment| SummedColumns {
        next_floor: row.next_floor,
        counts: row.counts,
        revision: row.lifecycle.revision,
    };
    let lifecycle = Lifecycle { revision: after.lifecycle.revision, ..before.lifecycle };
    (before.reference == after.reference && lifecycle == after.lifecycle)
        .then(|| differences(&CommentCounts::COLUMNS, &part(before), &part(after)))
}

fn differences<C, const N: usize>(
    columns: &[CountColumn<C>],
    before: &SummedColumns<C>,
    after: &SummedColumns<C>,
) -> Sums<N> {
    let mut sums = [0; N];
    let count = |column: &CountColumn<C>| i64::from((column.get)(&after.counts) - (column.get)(&before.counts));
    let next_floor = i64::from(after.next_floor - before.next_floor);
    let all = [next_floor].into_iter().chain(columns.iter().map(count)).chain([after.revision - before.revision]);
    sums.iter_mut().zip(all).for_each(|(sum, by)| *sum = by);
    sums
}

/// Returns the new value of each column whose count changed; `columns` are those of the counts.
pub(super) fn sums<C, const N: usize>(
    columns: &'static [CountColumn<C>],
    by: Sums<N>,
) -> impl Iterator<Item = (&'static str, SimpleExpr)> {
    let names = ["next_floor"].into_iter().chain(columns.iter().map(|column| column.name)).chain(["revision"]);
    names.zip(by).filter(|(_, by)| *by != 0).map(|(name, by)| (name, Expr::col(name).add(by)))
}
