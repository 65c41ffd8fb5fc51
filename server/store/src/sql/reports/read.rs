//! The reads of reports, and of the decisions that concern a member.

use std::collections::HashMap;

use riposte_core::act::CommentAct;
use riposte_core::decision::Decision;
use riposte_core::page::{HistoryCursor, LikerCursor};
use riposte_core::report::{DecisionCursor, DecisionKind, OwnReport, Report};
use riposte_core::{CommentId, MemberId, MemberOfType, Millis};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::{StoreError, StoreResult};
use crate::shard::part;
use crate::sql::entity::{comment_decision, comment_report};
use crate::sql::grouping::parts;
use crate::sql::pool::SourceTx;
use crate::sql::read::force_index;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

/// The index on (comment_id, time, member_id).
const COMMENT_INDEX: &str = "comment_report_comment";
/// The index on (object_type, member_id, time, comment_id).
const MEMBER_INDEX: &str = "comment_report_member";
/// The same of decisions, by the author of the comment.
const AUTHOR_INDEX: &str = "comment_decision_author";

/// Returns the report of a member on a comment.
pub(super) async fn of_member(tx: &SourceTx, id: CommentId, member: &MemberId) -> StoreResult<Option<Report>> {
    use comment_report::{Column, Entity};
    let found = Entity::find()
        .filter(Column::Part.eq(part(id.partition())))
        .filter(Column::CommentId.eq(id.get()))
        .filter(Column::MemberId.eq(row::bytes(member.as_str())));
    Ok(found.one(&tx.unrouted()).await?.map(row::report).transpose()?)
}

/// Reads the report of a member on a comment.
#[derive(Debug)]
pub(super) struct ReportOfMember {
    pub(super) id: CommentId,
    pub(super) member: MemberId,
}

impl TransactionBody for ReportOfMember {
    type Output = Option<Report>;
    const NAME: &'static str = "read a report";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        of_member(tx, self.id, &self.member).await
    }
}

/// Reads the reports on a comment, newest first.
#[derive(Debug)]
pub(super) struct ReportsOnComment {
    pub(super) id: CommentId,
    pub(super) after: Option<LikerCursor>,
    pub(super) limit: usize,
}

impl TransactionBody for ReportsOnComment {
    type Output = Vec<Report>;
    const NAME: &'static str = "read the reports on a comment";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        use comment_report::{Column, Entity};
        let mut select = force_index(Entity::find(), COMMENT_INDEX)
            .filter(Column::Part.eq(part(self.id.partition())))
            .filter(Column::CommentId.eq(self.id.get()));
        if let Some(LikerCursor { time, member }) = &self.after {
            let member = Column::MemberId.lt(row::bytes(member.as_str()));
            let same_time = Condition::all().add(Column::Time.eq(time.0)).add(member);
            select = select.filter(Condition::any().add(Column::Time.lt(time.0)).add(same_time));
        }
        let select = select.order_by_desc(Column::Time).order_by_desc(Column::MemberId).limit(self.limit as u64);
        let rows = select.all(&tx.unrouted()).await?;
        Ok(rows.into_iter().map(row::report).collect::<riposte_core::Result<_>>()?)
    }
}

/// Reads the reports of a member at one data source, newest first, with their outcomes.
#[derive(Debug)]
pub(super) struct ReportsByMember {
    pub(super) of: MemberOfType,
    pub(super) after: Option<HistoryCursor>,
    pub(super) limit: usize,
}

impl TransactionBody for ReportsByMember {
    type Output = Vec<OwnReport>;
    const NAME: &'static str = "read the reports of a member";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        use comment_report::{Column, Entity};
        let MemberOfType { object_type, member } = &self.of;
        let mut select = force_index(Entity::find(), MEMBER_INDEX)
            .filter(Column::ObjectType.eq(row::bytes(object_type.as_str())))
            .filter(Column::MemberId.eq(row::bytes(member.as_str())));
        if let Some(HistoryCursor { time, comment }) = self.after {
            let same_time = Condition::all().add(Column::Time.eq(time.0)).add(Column::CommentId.lt(comment.get()));
            select = select.filter(Condition::any().add(Column::Time.lt(time.0)).add(same_time));
        }
        let select = select.order_by_desc(Column::Time).order_by_desc(Column::CommentId).limit(self.limit as u64);
        let rows = select.all(&tx.unrouted()).await?;
        let reports: Vec<Report> = rows.into_iter().map(row::report).collect::<riposte_core::Result<_>>()?;
        let settling = settling(tx, &reports).await?;
        let outcome = |report: Report| {
            let later = settling.get(&report.comment_id).into_iter().flatten();
            let first = later.copied().find(|(number, ..)| *number > report.decisions);
            let outcome = report.outcome(first.map(|(_, act, time)| (act, time)));
            OwnReport { report, outcome }
        };
        Ok(reports.into_iter().map(outcome).collect())
    }
}

/// A settling decision: its number, its act and its time.
type Settling = (i32, CommentAct, Millis);

/// Returns the settling decisions on the comments of these reports, the first ones first.
async fn settling(tx: &SourceTx, reports: &[Report]) -> StoreResult<HashMap<CommentId, Vec<Settling>>> {
    use comment_decision::{Column, Entity};
    if reports.is_empty() {
        return Ok(HashMap::new());
    }
    let acts = CommentAct::ALL.into_iter().filter(|act| act.is_settling()).filter_map(CommentAct::number);
    let select = Entity::find()
        .select_only()
        .columns([Column::CommentId, Column::Number, Column::Act, Column::Time])
        .filter(Column::Part.is_in(parts(reports.iter().map(|report| report.comment_id.partition()))))
        .filter(Column::CommentId.is_in(reports.iter().map(|report| report.comment_id.get())))
        .filter(Column::Act.is_in(acts))
        .filter(Column::Proposal.eq(0_i32))
        .filter(Column::Actor.ne(Vec::<u8>::new()))
        .order_by_asc(Column::CommentId)
        .order_by_asc(Column::Number);
    let mut found: HashMap<CommentId, Vec<Settling>> = HashMap::new();
    for (id, number, act, time) in select.into_tuple::<(i64, i32, i8, i64)>().all(&tx.unrouted()).await? {
        if let (Some(id), Some(act)) = (CommentId::new(id), CommentAct::from_number(act, false)) {
            found.entry(id).or_default().push((number, act, Millis(time)));
        }
    }
    Ok(found)
}

/// Reads the decisions on comments of a member at one data source, newest first.
#[derive(Debug)]
pub(super) struct DecisionsAbout {
    pub(super) of: MemberOfType,
    pub(super) kind: DecisionKind,
    pub(super) after: Option<DecisionCursor>,
    pub(super) limit: usize,
}

impl TransactionBody for DecisionsAbout {
    type Output = Vec<Decision>;
    const NAME: &'static str = "read the decisions about a member";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        use comment_decision::{Column, Entity};
        let MemberOfType { object_type, member } = &self.of;
        let mut select = force_index(Entity::find(), AUTHOR_INDEX)
            .filter(Column::ObjectType.eq(row::bytes(object_type.as_str())))
            .filter(Column::MemberId.eq(row::bytes(member.as_str())));
        if self.kind == DecisionKind::Restriction {
            let acts = CommentAct::ALL.into_iter().filter(|act| act.restricts()).filter_map(CommentAct::number);
            select = select.filter(Column::Act.is_in(acts));
        }
        if let Some(DecisionCursor { time, comment, number }) = self.after {
            let same_comment = Condition::all().add(Column::CommentId.eq(comment.get())).add(Column::Number.lt(number));
            let earlier = Condition::any().add(Column::CommentId.lt(comment.get())).add(same_comment);
            let same_time = Condition::all().add(Column::Time.eq(time.0)).add(earlier);
            select = select.filter(Condition::any().add(Column::Time.lt(time.0)).add(same_time));
        }
        let select = select
            .order_by_desc(Column::Time)
            .order_by_desc(Column::CommentId)
            .order_by_desc(Column::Number)
            .limit(self.limit as u64);
        let rows = select.all(&tx.unrouted()).await?;
        Ok(rows.into_iter().map(row::decision).collect::<riposte_core::Result<_>>()?)
    }
}
