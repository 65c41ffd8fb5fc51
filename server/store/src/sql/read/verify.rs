//! The comparison of every count of a subject with the rows it counts. The database counts, with
//! one statement for each kind of count, all in one snapshot. It returns only the differences, so a
//! subject of any size is checked in little memory.

mod reviews;

use riposte_core::counts::{CountColumn, counted_states};
use riposte_core::page::{CountDrift, CountReport};
use riposte_core::{CommentId, CommentState, LikeValue, Partition, Subject, SubjectCounts, SubjectKey};
use sea_orm::{ConnectionTrait, FromQueryResult, Statement, Value};

use super::ReadQuery;
use super::rows::subject;
use crate::error::StoreError;
use crate::on_shard::OnShard;
use crate::sql::pool::Tx;
pub(in crate::sql) use reviews::{APPEAL, PROPOSAL, REPORT_WEIGHT, REPORTS, REVIEW_OPEN};

/// The name of the floor allocators in reports.
pub(in crate::sql) const NEXT_FLOOR: &str = "next_floor";
/// The name of the flag that depends on the state and on the count of visible comments below.
pub(in crate::sql) const LISTED: &str = "listed";

#[derive(Debug)]
pub(super) struct CompareCounts {
    pub(super) key: SubjectKey,
}

impl ReadQuery for CompareCounts {
    type Output = CountReport;
    const NAME: &'static str = "verify counts";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(subject) = subject(tx, &self.key).await? else { return Ok(CountReport::default()) };
        compare_counts(tx, &subject).await
    }
}

/// Checks the counts of a subject and of all its comments; the subject's row was read by `tx`.
pub(crate) async fn compare_counts<C: ConnectionTrait>(
    tx: &OnShard<C>,
    subject: &Subject,
) -> Result<CountReport, StoreError> {
    let rows = Rows { tx, subject };
    let mut drifts = Vec::new();
    let (comments, deepest) = rows.check_totals(&mut drifts).await?;
    rows.check_likes(&mut drifts).await?;
    rows.check_replies(&mut drifts).await?;
    for depth in 0..=deepest {
        rows.check_live_below(depth, &mut drifts).await?;
    }
    rows.check_floors(&mut drifts).await?;
    rows.check_reviews(&mut drifts).await?;
    drifts.sort_by_key(|drift| drift.comment);
    Ok(CountReport { comments, drifts })
}

/// The rows of one subject.
struct Rows<'t, C> {
    tx: &'t OnShard<C>,
    subject: &'t Subject,
}

/// A comment whose stored counts differ from the rows it counts.
#[derive(FromQueryResult)]
struct DifferingRow {
    id: i64,
    given: i64,
    counted: i64,
    also_given: i64,
    also_counted: i64,
}

impl<C: ConnectionTrait> Rows<'_, C> {
    /// Returns `sql` with every `{rows}` bound to the rows of this subject.
    fn statement(&self, sql: &str) -> Statement {
        let mentions = sql.matches("{rows}").count();
        let sql = sql.replace("{rows}", "part = ? AND subject_id = ?");
        let pair: [Value; 2] = [self.tx.part().into(), self.subject.id.get().into()];
        let values: Vec<Value> = std::iter::repeat_n(pair, mentions).flatten().collect();
        Statement::from_sql_and_values(self.tx.get_database_backend(), sql, values)
    }

    async fn differing_rows(&self, sql: &str) -> Result<Vec<DifferingRow>, StoreError> {
        Ok(DifferingRow::find_by_statement(self.statement(sql)).all(self.tx).await?)
    }

    /// Checks the subject's own counts; returns the number of comments and their highest depth.
    async fn check_totals(&self, drifts: &mut Vec<CountDrift>) -> Result<(i64, i64), StoreError> {
        let counts = SubjectCounts::COLUMNS
            .map(|column| format!("COUNT(CASE WHEN {} THEN 1 END) AS {}", counted_in_subject(&column), column.name));
        let sql = format!(
            "SELECT COUNT(*) AS everything, {}, \
             COUNT(CASE WHEN root_id = 0 THEN 1 END) AS floors, \
             COALESCE(MAX(CASE WHEN root_id = 0 THEN floor END), 0) AS last_floor, \
             COALESCE(MAX(depth), 0) AS deepest \
             FROM comment_index_@ WHERE {{rows}}",
            counts.join(", ")
        );
        let Some(totals) = self.tx.query_one_raw(self.statement(&sql)).await? else { return Ok((0, 0)) };
        let total = |name: &str| totals.try_get::<i64>("", name);
        for column in SubjectCounts::COLUMNS {
            compare(drifts, None, column.name, (column.get)(&self.subject.counts).into(), total(column.name)?);
        }
        let floors = actual_next_floor(self.subject.next_floor.into(), total("floors")?, total("last_floor")?);
        compare(drifts, None, NEXT_FLOOR, self.subject.next_floor.into(), floors);
        Ok((total("everything")?, total("deepest")?))
    }

    async fn check_likes(&self, drifts: &mut Vec<CountDrift>) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT i.id AS id, i.like_count AS given, COALESCE(l.likes, 0) AS counted, \
             i.dislike_count AS also_given, COALESCE(l.dislikes, 0) AS also_counted \
             FROM (SELECT id, like_count, dislike_count FROM comment_index_@ WHERE {{rows}}) i \
             LEFT JOIN (SELECT comment_id, COUNT(CASE WHEN value = {} THEN 1 END) AS likes, \
             COUNT(CASE WHEN value = {} THEN 1 END) AS dislikes \
             FROM comment_like_@ WHERE {{rows}} GROUP BY comment_id) l ON l.comment_id = i.id \
             WHERE i.like_count <> COALESCE(l.likes, 0) OR i.dislike_count <> COALESCE(l.dislikes, 0)",
            LikeValue::Like.code(),
            LikeValue::Dislike.code(),
        );
        for row in self.differing_rows(&sql).await? {
            compare(drifts, CommentId::new(row.id), "like_count", row.given, row.counted);
            compare(drifts, CommentId::new(row.id), "dislike_count", row.also_given, row.also_counted);
        }
        Ok(())
    }

    /// Checks the reply counts: a comment counts once at its root, and once at its parent if that
    /// is another comment. Vitess refuses a join with a union.
    async fn check_replies(&self, drifts: &mut Vec<CountDrift>) -> Result<(), StoreError> {
        let at_root = states(&counted_states(|adds| adds.root.reply_count));
        let at_parent = states(&counted_states(|adds| adds.parent.reply_count));
        let sql = format!(
            "SELECT i.id AS id, i.reply_count AS given, COALESCE(r.replies, 0) + COALESCE(p.replies, 0) AS counted, \
             0 AS also_given, 0 AS also_counted \
             FROM (SELECT id, reply_count FROM comment_index_@ WHERE {{rows}}) i \
             LEFT JOIN (SELECT root_id, COUNT(*) AS replies FROM comment_index_@ \
             WHERE {{rows}} AND {at_root} AND root_id <> 0 GROUP BY root_id) r ON r.root_id = i.id \
             LEFT JOIN (SELECT parent_id, COUNT(*) AS replies FROM comment_index_@ \
             WHERE {{rows}} AND {at_parent} AND parent_id <> 0 AND parent_id <> root_id GROUP BY parent_id) p \
             ON p.parent_id = i.id \
             WHERE i.reply_count <> COALESCE(r.replies, 0) + COALESCE(p.replies, 0)"
        );
        for row in self.differing_rows(&sql).await? {
            compare(drifts, CommentId::new(row.id), "reply_count", row.given, row.counted);
        }
        Ok(())
    }

    /// Checks the numbers of counted comments below the comments of one depth. A path begins with
    /// the paths of all its ancestors.
    async fn check_live_below(&self, depth: i64, drifts: &mut Vec<CountDrift>) -> Result<(), StoreError> {
        let bytes = (depth + 1) * 8;
        let counted = states(&counted_states(|adds| adds.ancestors.live_below));
        let visible: Vec<_> = CommentState::ALL.into_iter().filter(|state| state.is_visible()).collect();
        let listed = format!("CASE WHEN i.{} OR COALESCE(b.below, 0) > 0 THEN 1 ELSE 0 END", states(&visible));
        let sql = format!(
            "SELECT i.id AS id, i.live_below AS given, COALESCE(b.below, 0) AS counted, \
             i.listed AS also_given, {listed} AS also_counted \
             FROM (SELECT id, path, state, live_below, listed FROM comment_index_@ WHERE {{rows}} AND depth = {depth}) i \
             LEFT JOIN (SELECT SUBSTR(path, 1, {bytes}) AS top, COUNT(*) AS below \
             FROM comment_index_@ WHERE {{rows}} AND {counted} AND depth > {depth} \
             GROUP BY SUBSTR(path, 1, {bytes})) b \
             ON b.top = i.path \
             WHERE i.live_below <> COALESCE(b.below, 0) OR i.listed <> {listed}"
        );
        for row in self.differing_rows(&sql).await? {
            compare(drifts, CommentId::new(row.id), "live_below", row.given, row.counted);
            compare(drifts, CommentId::new(row.id), LISTED, row.also_given, row.also_counted);
        }
        Ok(())
    }

    /// Compares the next floor of each root with the floors of its replies.
    async fn check_floors(&self, drifts: &mut Vec<CountDrift>) -> Result<(), StoreError> {
        let sql = "SELECT i.id AS id, i.next_floor AS given, COALESCE(f.floors, 0) AS counted, \
             0 AS also_given, COALESCE(f.last_floor, 0) AS also_counted \
             FROM (SELECT id, next_floor FROM comment_index_@ WHERE {rows} AND root_id = 0) i \
             LEFT JOIN (SELECT root_id, COUNT(*) AS floors, MAX(floor) AS last_floor \
             FROM comment_index_@ WHERE {rows} AND root_id <> 0 GROUP BY root_id) f ON f.root_id = i.id \
             WHERE i.next_floor <> COALESCE(f.floors, 0) + 1 OR i.next_floor <> COALESCE(f.last_floor, 0) + 1";
        for row in self.differing_rows(sql).await? {
            let floors = actual_next_floor(row.given, row.counted, row.also_counted);
            compare(drifts, CommentId::new(row.id), NEXT_FLOOR, row.given, floors);
        }
        Ok(())
    }
}

/// Returns the condition for a row that a count of the subject includes.
fn counted_in_subject(column: &CountColumn<SubjectCounts>) -> String {
    let [roots, replies] = [true, false].map(|is_root| counted_states(|adds| (column.get)(&adds.to_subject(is_root))));
    if roots == replies {
        return states(&roots);
    }
    let levels = [("root_id = 0", roots), ("root_id <> 0", replies)].into_iter();
    let levels = levels.filter(|(_, counted)| !counted.is_empty());
    levels.map(|(level, counted)| format!("({level} AND {})", states(&counted))).collect::<Vec<_>>().join(" OR ")
}

/// Returns the condition for a row in one of these states.
fn states(states: &[CommentState]) -> String {
    let codes: Vec<_> = states.iter().map(|state| state.code().to_string()).collect();
    format!("state IN ({})", codes.join(", "))
}

/// Returns the actual next floor after `count` rows of which the last has floor `last`. If floors
/// have gaps, `last + 1` and `count + 1` differ; the one that differs from the stored value is
/// returned, and `last + 1` if both do, since it can be assigned.
fn actual_next_floor(stored: i64, count: i64, last: i64) -> i64 {
    if last + 1 == stored { count + 1 } else { last + 1 }
}

fn compare(drifts: &mut Vec<CountDrift>, comment: Option<CommentId>, count: &'static str, stored: i64, actual: i64) {
    if stored != actual {
        drifts.push(CountDrift { comment, count, stored, actual });
    }
}
