//! The reads of standings: a list for moderators, and the changes that processes read into memory.

use riposte_core::ports::{StandingCursor, StandingQuery, StandingSelection};
use riposte_core::standing::{MemberStanding, Standing, StandingChange};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::row_part;
use crate::error::StoreError;
use crate::sql::entity::member_standing::{Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::read::force_index;
use crate::sql::row::{self, ChangeColumns};
use crate::sql::transact::TransactionBody;

/// The index on (changed, object_type, member_id).
const CHANGED_INDEX: &str = "member_standing_changed";

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
        let lasts = Condition::any().add(Column::Until.is_null()).add(Column::Until.gt(now.0));
        let in_force = Condition::all().add(Column::Standing.ne(Standing::Normal.code())).add(lasts);
        let mut select = Entity::find()
            .filter(Column::Part.eq(row_part()))
            .filter(Column::ObjectType.eq(row::bytes(object_type.as_str())))
            .filter(Condition::any().add(in_force).add(Column::ReportWeight.is_not_null()));
        select = match member {
            Some(member) => select.filter(Column::MemberId.eq(row::bytes(member.as_str()))),
            None => force_index(select, CHANGED_INDEX),
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

/// Reads standings in the order of their times.
#[derive(Debug)]
pub(super) struct StandingChanges {
    pub(super) selection: StandingSelection,
    pub(super) after: StandingCursor,
    pub(super) limit: usize,
}

impl TransactionBody for StandingChanges {
    type Output = Vec<StandingChange>;
    const NAME: &'static str = "read changed standings";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let StandingCursor { changed, object_type, member } = &self.after;
        let (object_type, member) = (row::bytes(object_type), row::bytes(member));
        let same_type =
            Condition::all().add(Column::ObjectType.eq(object_type.clone())).add(Column::MemberId.gt(member));
        let behind =
            Condition::any().add(Column::Changed.gt(changed.0)).add(Column::ObjectType.gt(object_type)).add(same_type);
        let mut select = force_index(Entity::find(), CHANGED_INDEX)
            .select_only()
            .columns([Column::ObjectType, Column::MemberId, Column::Standing])
            .columns([Column::Until, Column::ReportWeight, Column::Changed])
            .filter(Column::Part.eq(row_part()))
            .filter(Column::Changed.gte(changed.0))
            .filter(behind);
        if self.selection == StandingSelection::Notable {
            let is_set = Column::Standing.ne(Standing::Normal.code());
            select = select.filter(Condition::any().add(is_set).add(Column::ReportWeight.is_not_null()));
        }
        let ordered = select.order_by_asc(Column::Changed).order_by_asc(Column::ObjectType);
        let found = ordered.order_by_asc(Column::MemberId).limit(self.limit as u64);
        let found: Vec<ChangeColumns> = found.into_tuple().all(&tx.unrouted()).await?;
        Ok(found.into_iter().map(row::standing_change).collect::<riposte_core::Result<_>>()?)
    }
}
