//! The comparison of open reviews with the states of their comments, in both directions: the text
//! of a comment is open exactly if the comment waits, or if it is visible and has a cause for which
//! a visible comment is judged.

use riposte_core::page::CountDrift;
use riposte_core::review::ReviewCauses;
use riposte_core::{CommentId, CommentState};
use sea_orm::ConnectionTrait;

use super::{Rows, compare, states};
use crate::error::StoreError;

/// The name of the open question about a text in reports.
pub(in crate::sql) const REVIEW_OPEN: &str = "review_open";

/// The condition for a review whose text is open.
const IS_OPEN: &str = "r.open_bits % 2 = 1";

impl<C: ConnectionTrait> Rows<'_, C> {
    /// Checks the reviews of a subject that is not deleted.
    pub(super) async fn check_reviews(&self, drifts: &mut Vec<CountDrift>) -> Result<(), StoreError> {
        if self.subject.delete_time.is_some() {
            return Ok(());
        }
        let waiting = states(&[CommentState::Pending]);
        let active = states(&[CommentState::Active]);
        let unopened = format!(
            "SELECT i.id AS id, 0 AS given, 1 AS counted, 0 AS also_given, 0 AS also_counted \
             FROM (SELECT id, part FROM comment_index_@ WHERE {{rows}} AND {waiting}) i \
             LEFT JOIN comment_review r ON r.comment_id = i.id AND r.part = i.part \
             WHERE r.comment_id IS NULL OR NOT {IS_OPEN}"
        );
        let in_sight = ReviewCauses::IN_SIGHT.bits();
        let expected = format!("i.{waiting} OR (i.{active} AND r.causes & {in_sight} <> 0)");
        let reviewed = format!(
            "SELECT i.id AS id, CASE WHEN {IS_OPEN} THEN 1 ELSE 0 END AS given, \
             CASE WHEN {expected} THEN 1 ELSE 0 END AS counted, 0 AS also_given, 0 AS also_counted \
             FROM (SELECT comment_id, part, open_bits, causes FROM comment_review WHERE {{rows}} AND causes <> 0) r \
             JOIN comment_index_@ i ON i.id = r.comment_id AND i.part = r.part \
             WHERE NOT i.{waiting} AND \
             CASE WHEN {IS_OPEN} THEN 1 ELSE 0 END <> CASE WHEN {expected} THEN 1 ELSE 0 END"
        );
        for sql in [unopened, reviewed] {
            for row in self.differing_rows(&sql).await? {
                compare(drifts, CommentId::new(row.id), REVIEW_OPEN, row.given, row.counted);
            }
        }
        Ok(())
    }
}
