//! Updates of rows of which only counts changed. They are written as differences, so that all rows
//! with the same difference are one statement. The rows are locked, so a sum is as exact as a
//! value.

use riposte_core::{Comment, Subject};
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};

use crate::sql::entity::{comment_index, comment_subject};

/// Returns the differences of a subject's counts, or `None` if other fields changed as well.
pub(super) fn subject(before: &Subject, after: &Subject) -> Option<[i64; 4]> {
    let counted = Subject {
        next_floor: after.next_floor,
        root_count: after.root_count,
        comment_count: after.comment_count,
        revision: after.revision,
        ..before.clone()
    };
    (counted == *after).then(|| {
        [
            i64::from(after.next_floor - before.next_floor),
            i64::from(after.root_count - before.root_count),
            i64::from(after.comment_count - before.comment_count),
            after.revision - before.revision,
        ]
    })
}

/// The columns of [`subject`], in its order.
pub(super) const SUBJECT: [comment_subject::Column; 4] = {
    use comment_subject::Column;
    [Column::NextFloor, Column::RootCount, Column::CommentCount, Column::Revision]
};

/// Returns the differences of a comment's counts, or `None` if other fields changed as well.
pub(super) fn comment(before: &Comment, after: &Comment) -> Option<[i64; 6]> {
    let counted = Comment {
        next_floor: after.next_floor,
        like_count: after.like_count,
        dislike_count: after.dislike_count,
        reply_count: after.reply_count,
        live_below: after.live_below,
        revision: after.revision,
        ..before.clone()
    };
    (counted == *after).then(|| {
        [
            i64::from(after.next_floor - before.next_floor),
            i64::from(after.like_count - before.like_count),
            i64::from(after.dislike_count - before.dislike_count),
            i64::from(after.reply_count - before.reply_count),
            i64::from(after.live_below - before.live_below),
            after.revision - before.revision,
        ]
    })
}

/// The columns of [`comment`], in its order.
pub(super) const COMMENT: [comment_index::Column; 6] = {
    use comment_index::Column;
    [
        Column::NextFloor,
        Column::LikeCount,
        Column::DislikeCount,
        Column::ReplyCount,
        Column::LiveBelow,
        Column::Revision,
    ]
};

/// Returns the new value of each column whose count changed.
pub(super) fn sums<C: sea_orm::ColumnTrait, const N: usize>(
    columns: [C; N],
    by: [i64; N],
) -> impl Iterator<Item = (C, SimpleExpr)> {
    columns.into_iter().zip(by).filter(|(_, by)| *by != 0).map(|(column, by)| (column, Expr::col(column).add(by)))
}
