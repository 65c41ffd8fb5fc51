//! The transaction that sets a standing.

use riposte_core::Millis;
use riposte_core::request::{Fingerprint, RequestIdentity};
use riposte_core::standing::{MemberStanding, SET_MEMBER_STANDING, StandingOrder, StandingRecord};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{partition, row_part};
use crate::error::{StoreError, StoreResult};
use crate::sql::database_time;
use crate::sql::entity::{comment_request, member_standing};
use crate::sql::pool::SourceTx;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

/// The subject of the idempotency records. No subject has this id.
const NO_SUBJECT: i64 = 0;

/// Stores a standing in place of an earlier one.
#[derive(Debug)]
pub(super) struct SetStanding {
    pub(super) order: StandingOrder,
    pub(super) request: RequestIdentity,
}

impl TransactionBody for SetStanding {
    type Output = MemberStanding;
    const NAME: &'static str = "set a standing";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let earlier = self.locked(tx).await?;
        if let Some(record) = self.record(tx).await? {
            return Ok(self.order.replayed(self.request, record)?);
        }
        let now = database_time::read(&tx.unrouted(), partition()).await?;
        let standing = self.order.after(earlier.as_ref(), now)?;
        self.store(tx, &standing, earlier.is_none()).await?;
        self.store_record(tx, &standing).await?;
        Ok(standing)
    }
}

impl SetStanding {
    /// Locks the row of the member and returns its standing.
    async fn locked(&self, tx: &SourceTx) -> StoreResult<Option<MemberStanding>> {
        use member_standing::{Column, Entity};
        let found = Entity::find()
            .filter(Column::Part.eq(row_part()))
            .filter(Column::ObjectType.eq(row::bytes(self.order.of.object_type.as_str())))
            .filter(Column::MemberId.eq(row::bytes(self.order.of.member.as_str())))
            .order_by_asc(Column::MemberId)
            .lock_exclusive();
        Ok(found.one(&tx.unrouted()).await?.map(row::standing).transpose()?)
    }

    /// Returns the record of an earlier request with the same key. The number of its standing is in
    /// the place of a revision, and its time in that of a comment.
    async fn record(&self, tx: &SourceTx) -> StoreResult<Option<StandingRecord>> {
        use comment_request::{Column, Entity};
        let found = Entity::find()
            .filter(Column::Part.eq(row_part()))
            .filter(Column::SubjectId.eq(NO_SUBJECT))
            .filter(Column::RequestKey.eq(self.request.key.0.to_vec()));
        let found = found.one(&tx.on(partition())).await?;
        Ok(found.map(|found| StandingRecord {
            fingerprint: Fingerprint(found.print),
            number: found.revision,
            changed: Millis(found.comment_id),
        }))
    }

    async fn store(&self, tx: &SourceTx, standing: &MemberStanding, is_first: bool) -> StoreResult<()> {
        use member_standing::{Column, Entity};
        let model = row::standing_model(standing, row_part());
        if is_first {
            Entity::insert(model).exec_without_returning(&tx.unrouted()).await?;
            return Ok(());
        }
        let update = Entity::update_many()
            .set(member_standing::ActiveModel {
                object_type: sea_orm::ActiveValue::NotSet,
                member_id: sea_orm::ActiveValue::NotSet,
                part: sea_orm::ActiveValue::NotSet,
                ..model
            })
            .filter(Column::Part.eq(row_part()))
            .filter(Column::ObjectType.eq(row::bytes(standing.of.object_type.as_str())))
            .filter(Column::MemberId.eq(row::bytes(standing.of.member.as_str())));
        update.exec(&tx.unrouted()).await?;
        Ok(())
    }

    async fn store_record(&self, tx: &SourceTx, standing: &MemberStanding) -> StoreResult<()> {
        let record = comment_request::ActiveModel {
            subject_id: Set(NO_SUBJECT),
            request_key: Set(self.request.key.0.to_vec()),
            part: Set(row_part()),
            verb: Set(SET_MEMBER_STANDING),
            print: Set(self.request.fingerprint.0),
            comment_id: Set(standing.changed.0),
            revision: Set(standing.number),
        };
        comment_request::Entity::insert(record).exec_without_returning(&tx.on(partition())).await?;
        Ok(())
    }
}
