//! The repair of counts. A snapshot shows whether any count differs, so that a correct subject
//! costs no lock; counts that differ are counted again under lock before they are set.

mod recount;
mod reviews;

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::page::CountDrift;
use riposte_core::ports::{CountRepair, RepairReport, SubjectRows};
use riposte_core::{Millis, Result, SubjectKey};

use super::ids::SqlIds;
use super::pool::DataSources;
use super::read::SqlReader;
use super::read::verify::NEXT_FLOOR;
use super::transact;

/// The [`CountRepair`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlCountRepair {
    sources: Arc<DataSources>,
    reader: Arc<SqlReader>,
    ids: Arc<SqlIds>,
}

impl SqlCountRepair {
    /// Creates a repairer of the subjects in `sources`.
    pub(crate) fn new(sources: Arc<DataSources>, reader: Arc<SqlReader>, ids: Arc<SqlIds>) -> Self {
        Self { sources, reader, ids }
    }
}

#[async_trait]
impl CountRepair for SqlCountRepair {
    async fn repair(&self, key: &SubjectKey, now: Millis) -> Result<Option<RepairReport>> {
        let found = self.reader.subjects(std::slice::from_ref(key)).await?.pop().flatten();
        let Some(subject) = found else { return Ok(None) };
        let mut drifts = self.reader.verify(key).await?.drifts;
        drifts.retain(can_be_set);
        if drifts.is_empty() {
            return Ok(Some(RepairReport { drifts, revision: subject.revision }));
        }
        // The id is generated before a connection is taken, because the generator may need one
        // itself.
        let event = self.ids.commit(key.partition()).await?;
        let differing = drifts.iter().filter_map(|drift| drift.comment).collect();
        let recount = recount::Recount { key: key.clone(), differing, event, now };
        transact::write(&self.sources, self.sources.map().source(key.partition()), recount).await
    }
}

/// Returns whether the actual value may be stored. A next floor that is too high stays,
/// because comments that were removed since may have had the missing floors.
fn can_be_set(drift: &CountDrift) -> bool {
    drift.count != NEXT_FLOOR || drift.actual > drift.stored
}
