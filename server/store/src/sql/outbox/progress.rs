//! The reads that every process repeats, whether something happens or not: the state of an outbox,
//! and the sequence numbers assigned. Each is one statement without a transaction.

use std::sync::Arc;

use riposte_core::Millis;
use riposte_core::ports::OutboxState;
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select};

use super::state::RELAY;
use super::{index, positions, state};
use crate::error::StoreError;
use crate::sql::entity::{outbox_commit, relay_state};
use crate::sql::pool::DataSources;
use crate::sql::read::force_index;
use crate::sql::row;

/// The column with the time of the oldest commit without a number.
const OLDEST: &str = "oldest_waiting";

/// Reads the state of a source's outbox.
pub(super) async fn read_state(sources: &Arc<DataSources>, source: usize) -> Result<OutboxState, StoreError> {
    if sources.is_confined() {
        return read_confined_state(sources, source).await;
    }
    let select = relay_state::Entity::find()
        .expr_as(first_unsequenced().into_query(), OLDEST)
        .order_by_asc(relay_state::Column::Name)
        .into_query();
    let rows = sources.select_unrouted(source, &select).await?;
    let mut outbox = OutboxState::default();
    for row in &rows {
        outbox.oldest_waiting = row.try_get::<Option<i64>>("", OLDEST)?.map(Millis);
        add(&mut outbox, &relay_state::Model::from_query_result(row, "")?);
    }
    if rows.is_empty() {
        // No relay has ever run here.
        let first = sources.select_unrouted(source, &first_unsequenced().into_query()).await?;
        outbox.oldest_waiting = first.first().map(|row| row.try_get_by_index(0)).transpose()?.map(Millis);
    }
    Ok(outbox)
}

/// As [`read_state`], for a confined store: the rows of the relay and the commits may be on
/// different shards, and commits above the position wait too.
async fn read_confined_state(sources: &Arc<DataSources>, source: usize) -> Result<OutboxState, StoreError> {
    use outbox_commit::Column;
    let select = relay_state::Entity::find().order_by_asc(relay_state::Column::Name).into_query();
    let mut outbox = OutboxState::default();
    for row in &sources.select_unrouted(source, &select).await? {
        add(&mut outbox, &relay_state::Model::from_query_result(row, "")?);
    }
    let waiting = first_unsequenced().order_by_asc(Column::Id);
    let above = outbox_commit::Entity::find().select_only().column(Column::CreateTime);
    let above = above.filter(Column::PubSeq.gt(outbox.head)).order_by_asc(Column::PubSeq).limit(1);
    for select in [waiting, force_index(above, index::PUBLISHED)] {
        let first = sources.select_unrouted(source, &select.into_query()).await?;
        let first: Option<i64> = first.first().map(|row| row.try_get_by_index(0)).transpose()?;
        outbox.oldest_waiting = outbox.oldest_waiting.or(first.map(Millis));
    }
    Ok(outbox)
}

/// Adds the state that a row of the relay holds.
fn add(outbox: &mut OutboxState, row_state: &relay_state::Model) {
    if row_state.name == row::bytes(RELAY) {
        outbox.head = row_state.position;
        outbox.lease = Some(state::lease(row_state));
    } else {
        outbox.positions.push(positions::stored_position(row_state));
    }
}

/// Reads the last sequence number that is final; `None` if all are. On a confined store a number
/// above the position of the relay may still change.
pub(super) async fn read_bound(sources: &Arc<DataSources>, source: usize) -> Result<Option<i64>, StoreError> {
    Ok(if sources.is_confined() { Some(read_head(sources, source).await?) } else { None })
}

/// Selects the time of the first row without a sequence number along the key, which ends with the
/// id: the minimum of the times or ids would read all pending rows.
fn first_unsequenced() -> Select<outbox_commit::Entity> {
    use outbox_commit::{Column, Entity};
    let first = Entity::find().select_only().column(Column::CreateTime).filter(Column::PubSeq.is_null());
    force_index(first.limit(1), index::PUBLISHED)
}

/// Reads the greatest sequence number assigned; 0 before the first.
pub(super) async fn read_head(sources: &Arc<DataSources>, source: usize) -> Result<i64, StoreError> {
    use relay_state::{Column, Entity};
    let select = Entity::find_by_id(row::bytes(RELAY)).select_only().column(Column::Position).into_query();
    let rows = sources.select_unrouted(source, &select).await?;
    Ok(rows.first().map(|row| row.try_get_by_index(0)).transpose()?.unwrap_or(0))
}
