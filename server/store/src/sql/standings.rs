//! Standings over SQL: rows of the first data source, in partition 0. A standing is a transaction
//! of its own, which locks its row.

mod read;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::ports::{MemberStandings, StandingCursor, StandingQuery, StandingSelection};
use riposte_core::request::RequestIdentity;
use riposte_core::standing::{MemberStanding, StandingChange, StandingOrder};
use riposte_core::{Millis, Partition, Result};

use super::bulkhead::Bulkhead;
use super::pool::DataSources;
use super::{task, transact};
use crate::shard::part;

/// The data source of all standings, counted from 0.
const SOURCE: usize = 0;

/// The partition of their rows, and of the idempotency records of their requests.
fn partition() -> Partition {
    Partition::number(0)
}

/// The number of that partition, as rows have it.
fn row_part() -> i16 {
    part(partition())
}

/// The [`MemberStandings`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlStandings {
    sources: Arc<DataSources>,
    bulkhead: Bulkhead,
}

impl SqlStandings {
    pub(crate) fn new(sources: Arc<DataSources>) -> Self {
        let bulkhead = Bulkhead::new(&sources);
        Self { sources, bulkhead }
    }
}

#[async_trait]
impl MemberStandings for SqlStandings {
    async fn set(&self, order: &StandingOrder, request: RequestIdentity) -> Result<MemberStanding> {
        let body = write::SetStanding { order: order.clone(), request };
        transact::write_within(&self.bulkhead, &self.sources, SOURCE, body).await
    }

    async fn list(&self, query: &StandingQuery) -> Result<Vec<MemberStanding>> {
        transact::read(&self.sources, SOURCE, read::ListStandings { query: query.clone() }).await
    }

    async fn changes(
        &self,
        selection: StandingSelection,
        after: &StandingCursor,
        limit: usize,
    ) -> Result<Vec<StandingChange>> {
        // One read of a process runs at a time.
        let read = read::changed_standings(Arc::clone(&self.sources), selection, after.clone(), limit);
        task::run(self.sources.runner(), (SOURCE, "read changed standings"), read).await
    }

    async fn changed_between(&self, after: Millis, until: Millis) -> Result<u64> {
        let count = read::count_changed(Arc::clone(&self.sources), after, until);
        task::run(self.sources.runner(), (SOURCE, "count changed standings"), count).await
    }
}
