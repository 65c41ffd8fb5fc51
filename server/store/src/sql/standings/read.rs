//! The reads of standings: a list for moderators, and the changes that processes read into memory.

use std::sync::Arc;

use riposte_core::Millis;
use riposte_core::ports::{StandingCursor, StandingQuery, StandingSelection};
use riposte_core::standing::{MemberStanding, Standing, StandingChange};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QueryResult, QuerySelect, QueryTrait,
    TryGetableMany,
};

use super::{SOURCE, row_part};
use crate::error::StoreError;
use crate::sql::entity::member_standing::{Column, Entity};
use crate::sql::pool::{DataSources, SourceTx};
use crate::sql::read::force_index;
use crate::sql::row::{self, ChangeColumns};
use crate::sql::transact::TransactionBody;

/// The index on (changed, object_type, member_id).
const CHANGED_INDEX: &str = "member_standing_changed";
/// The index on (object_type, changed, member_id).
const TYPE_INDEX: &str = "member_standing_of_type";

/// Lists standings of an object type, newest first.
#[derive(Debug)]
pub(super) struct ListStandings {
    pub(super) query: StandingQuery,
}

impl TransactionBody for ListStandings {
    type Output = Vec<MemberStanding>;
    const NAME: &'static str = "list standings";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let StandingQuery { object_type, member, after, limit, now } = &self.query;
        let mut select = Entity::find()
            .filter(Column::Part.eq(row_part()))
            .filter(Column::ObjectType.eq(row::bytes(object_type.as_str())));
        select = match member {
            Some(member) => select.filter(Column::MemberId.eq(row::bytes(member.as_str()))),
            None => {
                let lasts = Condition::any().add(Column::Until.is_null()).add(Column::Until.gt(now.0));
                let in_force = Condition::all().add(Column::Standing.ne(Standing::Normal.code())).add(lasts);
                let is_notable = Condition::any().add(in_force).add(Column::ReportWeight.is_not_null());
                force_index(select, TYPE_INDEX).filter(is_notable)
            }
        };
        if let Some((time, member)) = after {
            let same =
                Condition::all().add(Column::Changed.eq(time.0)).add(Column::MemberId.lt(row::bytes(member.as_str())));
            select = select.filter(Condition::any().add(Column::Changed.lt(time.0)).add(same));
        }
        let select = select.order_by_desc(Column::Changed).order_by_desc(Column::MemberId).limit(*limit as u64);
        let found = select.all(&tx.unrouted()).await?;
        Ok(found.into_iter().map(row::standing).collect::<riposte_core::Result<_>>()?)
    }
}

/// Reads standings in the order of their times, by one statement without a transaction: every
/// process repeats it.
pub(super) async fn changed_standings(
    sources: Arc<DataSources>,
    selection: StandingSelection,
    after: StandingCursor,
    limit: usize,
) -> Result<Vec<StandingChange>, StoreError> {
    let StandingCursor { changed, object_type, member } = after;
    let (object_type, member) = (row::bytes(&object_type), row::bytes(&member));
    let same_type = Condition::all().add(Column::ObjectType.eq(object_type.clone())).add(Column::MemberId.gt(member));
    let behind =
        Condition::any().add(Column::Changed.gt(changed.0)).add(Column::ObjectType.gt(object_type)).add(same_type);
    let mut select = force_index(Entity::find(), CHANGED_INDEX)
        .select_only()
        .columns([Column::ObjectType, Column::MemberId, Column::Standing])
        .columns([Column::Until, Column::ReportWeight, Column::Changed])
        .filter(Column::Part.eq(row_part()))
        .filter(Column::Changed.gte(changed.0))
        .filter(behind);
    if selection == StandingSelection::Notable {
        let is_set = Column::Standing.ne(Standing::Normal.code());
        select = select.filter(Condition::any().add(is_set).add(Column::ReportWeight.is_not_null()));
    }
    let ordered = select.order_by_asc(Column::Changed).order_by_asc(Column::ObjectType);
    let select = ordered.order_by_asc(Column::MemberId).limit(limit as u64).into_query();
    let found = sources.select_unrouted(SOURCE, &select).await?;
    let change = |row: &QueryResult| {
        let columns = ChangeColumns::try_get_many_by_index(row).map_err(DbErr::from)?;
        Ok(row::standing_change(columns)?)
    };
    found.iter().map(change).collect()
}

/// Counts the standings that were set after the first time and not after the second one.
pub(super) async fn count_changed(sources: Arc<DataSources>, after: Millis, until: Millis) -> Result<u64, StoreError> {
    let select = force_index(Entity::find(), CHANGED_INDEX)
        .select_only()
        .column_as(Column::MemberId.count(), "number")
        .filter(Column::Part.eq(row_part()))
        .filter(Column::Changed.gt(after.0))
        .filter(Column::Changed.lte(until.0))
        .into_query();
    let found = sources.select_unrouted(SOURCE, &select).await?;
    let count: i64 = match found.first() {
        Some(row) => row.try_get_by_index(0)?,
        None => 0,
    };
    Ok(count.unsigned_abs())
}
