//! The comparison of open reviews with the states of their comments, in both directions: the text
//! of a comment is open exactly if the comment waits, or if it is visible and has a cause for which
//! a visible comment is judged. A proposed edit is open exactly if one waits, and an appeal exactly
//! if its decision is not followed by one that decides it. The numbers of reports are compared with
//! the reports that count.

use riposte_core::act::CommentAct;
use riposte_core::page::CountDrift;
use riposte_core::proposal::ProposalState;
use riposte_core::review::{OpenQuestions, ReviewCauses};
use riposte_core::{CommentId, CommentState};
use sea_orm::ConnectionTrait;

use super::{Rows, compare, states};
use crate::error::StoreError;
use crate::sql::row;

/// The name of the open question about a text in reports.
pub(in crate::sql) const REVIEW_OPEN: &str = "review_open";

/// The name of the open question about a proposed edit in reports.
pub(in crate::sql) const PROPOSAL: &str = "proposal";

/// The name of the open question about an appeal in reports.
pub(in crate::sql) const APPEAL: &str = "appeal";

/// The name of the number of reports that count, and that of the sum of their weights.
pub(in crate::sql) const REPORTS: &str = "reports";
pub(in crate::sql) const REPORT_WEIGHT: &str = "report_weight";

/// The query for the reviews whose numbers differ from the reports that count. Vitess does not know
/// the columns of a derived table in HAVING, so the groups are compared outside of their query.
const REPORTED: &str = "SELECT a.id AS id, a.given AS given, a.counted AS counted, \
     a.also_given AS also_given, a.also_counted AS also_counted FROM \
     (SELECT r.comment_id AS id, r.reports AS given, COUNT(p.comment_id) AS counted, \
     r.report_weight AS also_given, CAST(COALESCE(SUM(p.weight), 0) AS SIGNED) AS also_counted \
     FROM (SELECT comment_id, part, reports, report_weight, settled_version FROM comment_review WHERE {rows}) r \
     LEFT JOIN comment_report p ON p.comment_id = r.comment_id AND p.part = r.part \
     AND p.counted = 1 AND p.version > r.settled_version \
     GROUP BY r.comment_id, r.reports, r.report_weight) a \
     WHERE a.given <> a.counted OR a.also_given <> a.also_counted";

/// The query for comments with reports that count and without a review.
const UNREVIEWED: &str = "SELECT i.id AS id, 0 AS given, COUNT(p.comment_id) AS counted, 0 AS also_given, \
     CAST(COALESCE(SUM(p.weight), 0) AS SIGNED) AS also_counted \
     FROM (SELECT id, part FROM comment_index_@ WHERE {rows}) i \
     JOIN comment_report p ON p.comment_id = i.id AND p.part = i.part AND p.counted = 1 \
     LEFT JOIN comment_review r ON r.comment_id = i.id AND r.part = i.part \
     WHERE r.comment_id IS NULL GROUP BY i.id";

/// The query for the reviews that are in the queue without an open question, or the other way
/// round.
const IN_QUEUE: &str = "SELECT r.comment_id AS id, r.is_open AS given, \
     CASE WHEN r.open_bits <> 0 THEN 1 ELSE 0 END AS counted, 0 AS also_given, 0 AS also_counted \
     FROM (SELECT comment_id, is_open, open_bits FROM comment_review WHERE {rows}) r \
     WHERE r.is_open <> CASE WHEN r.open_bits <> 0 THEN 1 ELSE 0 END";

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
        let of_text = [(REVIEW_OPEN, unopened), (REVIEW_OPEN, reviewed), (REVIEW_OPEN, IN_QUEUE.to_owned())];
        let others = [(PROPOSAL, self.proposals()), (APPEAL, self.appeals())];
        for (count, sql) in of_text.into_iter().chain(others) {
            for row in self.differing_rows(&sql).await? {
                compare(drifts, CommentId::new(row.id), count, row.given, row.counted);
            }
        }
        for sql in [REPORTED, UNREVIEWED] {
            for row in self.differing_rows(sql).await? {
                compare(drifts, CommentId::new(row.id), REPORTS, row.given, row.counted);
                compare(drifts, CommentId::new(row.id), REPORT_WEIGHT, row.also_given, row.also_counted);
            }
        }
        Ok(())
    }

    /// Returns the query for the comments of which a proposed edit waits without an open question,
    /// or that have such a question without a proposal.
    fn proposals(&self) -> String {
        let deleted = states(&[CommentState::Deleted]);
        let edit = OpenQuestions::EDIT.bits();
        let given = format!("CASE WHEN r.open_bits & {edit} <> 0 THEN 1 ELSE 0 END");
        let counted = "CASE WHEN w.comment_id IS NULL THEN 0 ELSE 1 END";
        let (kind, waiting) = (row::PROPOSAL, ProposalState::Waiting.code());
        format!(
            "SELECT i.id AS id, {given} AS given, {counted} AS counted, 0 AS also_given, 0 AS also_counted \
             FROM (SELECT id, part, state FROM comment_index_@ WHERE {{rows}}) i \
             LEFT JOIN comment_review r ON r.comment_id = i.id AND r.part = i.part \
             LEFT JOIN comment_withheld w ON w.comment_id = i.id AND w.part = i.part \
             AND w.kind = {kind} AND w.state = {waiting} \
             WHERE NOT i.{deleted} AND {given} <> {counted}"
        )
    }

    /// Returns the query for the comments whose appeal is undecided without an open question, or
    /// that have such a question without an undecided appeal.
    fn appeals(&self) -> String {
        let deleted = states(&[CommentState::Deleted]);
        let open = OpenQuestions::APPEAL.bits();
        let given = format!("CASE WHEN r.open_bits & {open} <> 0 THEN 1 ELSE 0 END");
        let numbers = |acts: &mut dyn Iterator<Item = CommentAct>| {
            acts.filter_map(CommentAct::number).map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
        };
        let appeal = numbers(&mut [CommentAct::Appeal].into_iter());
        let decides = numbers(&mut CommentAct::ALL.into_iter().filter(|act| act.decides_appeal()));
        let counted = format!(
            "CASE WHEN EXISTS (SELECT 1 FROM comment_decision d \
             WHERE d.comment_id = i.id AND d.part = i.part AND d.act = {appeal} \
             AND NOT EXISTS (SELECT 1 FROM comment_decision s \
             WHERE s.comment_id = d.comment_id AND s.part = d.part AND s.number > d.number \
             AND s.proposal = 0 AND s.act IN ({decides}))) THEN 1 ELSE 0 END"
        );
        format!(
            "SELECT a.id AS id, a.given AS given, a.counted AS counted, 0 AS also_given, 0 AS also_counted FROM \
             (SELECT i.id AS id, {given} AS given, {counted} AS counted \
             FROM (SELECT id, part, state FROM comment_index_@ WHERE {{rows}}) i \
             LEFT JOIN comment_review r ON r.comment_id = i.id AND r.part = i.part \
             WHERE NOT i.{deleted}) a WHERE a.given <> a.counted"
        )
    }
}
