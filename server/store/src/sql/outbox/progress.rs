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
    let select = relay_state::Entity::find()
        .expr_as(first_unsequenced().into_query(), OLDEST)
        .order_by_asc(relay_state::Column::Name)
        .into_query();
    let rows = sources.select_unrouted(source, &select).await?;
    let mut outbox = OutboxState::default();
    for row in &rows {
        let row_state = relay_state::Model::from_query_result(row, "")?;
        outbox.oldest_waiting = row.try_get::<Option<i64>>("", OLDEST)?.map(Millis);
        if row_state.name == row::bytes(RELAY) {
            outbox.head = row_state.position;
            outbox.lease = Some(state::lease(&row_state));
        } else {
            outbox.positions.push(positions::stored_position(&row_state));
        }
    }
    if rows.is_empty() {
        // No relay has ever run here.
        let first = sources.select_unrouted(source, &first_unsequenced().into_query()).await?;
        outbox.oldest_waiting = first.first().map(|row| row.try_get_by_index(0)).transpose()?.map(Millis);
    }
    Ok(outbox)
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
