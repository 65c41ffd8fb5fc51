//! Sets counts right. A snapshot tells whether anything differs, so that a sound subject costs no lock; what differs is
//! counted again under lock before it is set.

mod recount;

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::page::CountDrift;
use riposte_core::ports::{CountRepair, IdSource, Reader, RepairReport};
use riposte_core::{Millis, Result, SubjectKey};

use super::ids::SqlIds;
use super::pool::DataSources;
use super::read::SqlReader;
use super::transact;

/// The [`CountRepair`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlCountRepair {
    sources: Arc<DataSources>,
    reader: Arc<SqlReader>,
    ids: Arc<SqlIds>,
}

impl SqlCountRepair {
    /// A repairer of what lies in `sources`.
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
        // Minted before a connection is taken, since minting may need one.
        let event = self.ids.comment(key.partition()).await?;
        let suspects = drifts.iter().filter_map(|drift| drift.comment).collect();
        let recount = recount::Recount { key: key.clone(), suspects, event, now };
        transact::write(&self.sources, self.sources.map().source(key.partition()), recount).await
    }
}

/// An allocator of floors that is too high stays: it may have given what is gone.
fn can_be_set(drift: &CountDrift) -> bool {
    drift.count != "next_floor" || drift.actual > drift.stored
}
