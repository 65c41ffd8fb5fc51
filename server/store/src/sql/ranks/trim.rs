//! The deletion of rankings that no walk uses any more: a bounded delete in each table of a data
//! source.

use std::sync::Arc;

use riposte_core::{Millis, Partition};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, TryGetableMany,
};

use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::comment_epoch::{Column, Entity};
use crate::sql::pool::{DataSources, SourceTx};
use crate::sql::read::force_index;
use crate::sql::task;
use crate::sql::transact::{self, TransactionBody};

/// The index on (create_time).
const AGE_INDEX: &str = "comment_epoch_@_age";

/// Deletes at most `limit` old rankings of a source.
pub(super) async fn trim(
    sources: &Arc<DataSources>,
    source: usize,
    before: Millis,
    limit: usize,
) -> riposte_core::Result<usize> {
    let mut trimmed = 0;
    let tables: Vec<Partition> = sources.map().index_slots(source).map(|slot| slot.partition()).collect();
    for table in tables {
        if trimmed >= limit {
            break;
        }
        let (old_sources, limit_left) = (Arc::clone(sources), limit - trimmed);
        let find = async move { find_old(&old_sources, table, before, limit_left).await };
        let old = task::run(sources.runner(), (source, "find old ranking snapshots"), find).await?;
        let is_confined = sources.is_confined();
        for old in groups(old, is_confined) {
            trimmed += transact::write(sources, source, DeleteSnapshots { table, old }).await?;
        }
    }
    Ok(trimmed)
}

/// The key of a ranking, with its partition.
type SnapshotKey = (i16, i64, i8, i64);

/// Divides rankings into those that one transaction may delete.
fn groups(mut old: Vec<SnapshotKey>, is_confined: bool) -> Vec<Vec<SnapshotKey>> {
    if is_confined {
        old.sort_unstable();
    }
    old.chunk_by(|(a, ..), (b, ..)| !is_confined || a == b).map(<[SnapshotKey]>::to_vec).collect()
}

/// Returns old rankings of a table.
async fn find_old(
    sources: &DataSources,
    table: Partition,
    before: Millis,
    limit: usize,
) -> Result<Vec<SnapshotKey>, StoreError> {
    let old = Entity::find()
        .select_only()
        .columns([Column::Part, Column::SubjectId, Column::Sort, Column::Epoch])
        .filter(Column::Part.gte(part(Partition::number(0))))
        .filter(Column::CreateTime.lt(before.0))
        .order_by_asc(Column::CreateTime)
        .limit(limit as u64);
    let rows = sources.select(table, &force_index(old, AGE_INDEX).into_query()).await?;
    rows.iter().map(|row| Ok(SnapshotKey::try_get_many_by_index(row).map_err(DbErr::from)?)).collect()
}

/// Deletes rankings by their keys.
#[derive(Debug)]
struct DeleteSnapshots {
    table: Partition,
    old: Vec<SnapshotKey>,
}

impl TransactionBody for DeleteSnapshots {
    type Output = usize;
    const NAME: &'static str = "trim ranking snapshots";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        for (part, list, sort, epoch) in &self.old {
            let row = Condition::all().add(Column::Part.eq(*part)).add(Column::SubjectId.eq(*list));
            let row = row.add(Column::Sort.eq(*sort)).add(Column::Epoch.eq(*epoch));
            Entity::delete_many().filter(row).exec(&tx.on(self.table)).await?;
        }
        Ok(self.old.len())
    }
}
