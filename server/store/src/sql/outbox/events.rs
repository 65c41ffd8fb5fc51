//! Reads events: by the sequence numbers of their commits, and of one subject by its revisions.

use std::collections::HashMap;
use std::sync::Arc;

use riposte_core::SubjectId;
use riposte_core::event::{Event, SequencedEvent};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select};

use super::{index, pick, progress};
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::{outbox_commit, outbox_revision};
use crate::sql::pool::{DataSources, SourceTx};
use crate::sql::read::force_index;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

/// Reads the events of the commits after a sequence number in one statement. Returns `None` if a
/// row has unreadable events, which [`EventsAfter`] replaces.
pub(super) async fn read_after(
    sources: &Arc<DataSources>,
    source: usize,
    after: i64,
    limit: usize,
) -> Result<Option<Vec<SequencedEvent>>, StoreError> {
    let to = progress::read_bound(sources, source).await?;
    let rows = sources.select_unrouted(source, &commits_after(after, to, limit).into_query()).await?;
    let mut sequenced = Vec::with_capacity(rows.len());
    for row in &rows {
        let row = outbox_commit::Model::from_query_result(row, "")?;
        let Some((events, number)) = row::events(&row).zip(row.pub_seq) else { return Ok(None) };
        sequenced.extend(events.into_iter().map(|event| SequencedEvent { number, event }));
    }
    let is_unreadable = sequenced.is_empty() && !rows.is_empty();
    Ok((!is_unreadable).then_some(sequenced))
}

/// Selects the first `limit` commits after a sequence number, up to another one if it is given.
fn commits_after(after: i64, to: Option<i64>, limit: usize) -> Select<outbox_commit::Entity> {
    use outbox_commit::{Column, Entity};
    let mut rows = Entity::find().filter(Column::PubSeq.gt(after)).order_by_asc(Column::PubSeq);
    if let Some(to) = to {
        rows = rows.filter(Column::PubSeq.lte(to));
    }
    force_index(rows, index::PUBLISHED).limit(limit as u64)
}

/// The events of the commits after a sequence number, also of rows whose events cannot be read.
#[derive(Debug)]
pub(super) struct EventsAfter {
    pub(super) after: i64,
    /// The last number that is final, if not all are.
    pub(super) to: Option<i64>,
    /// The highest number of commits.
    pub(super) limit: usize,
}

impl TransactionBody for EventsAfter {
    type Output = Vec<SequencedEvent>;
    const NAME: &'static str = "tail outbox";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let mut after = self.after;
        loop {
            let rows = commits_after(after, self.to, self.limit).all(&tx.unrouted()).await?;
            let Some(last) = rows.last().and_then(|row| row.pub_seq) else { return Ok(Vec::new()) };
            let mut sequenced = Vec::new();
            for row in &rows {
                let number = row.pub_seq.unwrap_or(last);
                sequenced.extend(events_of(tx, row).await?.into_iter().map(|event| SequencedEvent { number, event }));
            }
            if !sequenced.is_empty() {
                return Ok(sequenced);
            }
            // None of these commits could be read; that must not block the events after them.
            after = last;
        }
    }
}

/// Returns the events of a commit. If its row cannot be read, events are made from its revisions.
async fn events_of(tx: &SourceTx, row: &outbox_commit::Model) -> Result<Vec<Event>, StoreError> {
    if let Some(events) = row::events(row) {
        return Ok(events);
    }
    tracing::error!(row = row.id, "an outbox row has unreadable events");
    use outbox_revision::{Column, Entity};
    let revision_rows =
        pick::of_commits(tx, Entity::find(), Column::Part, &[row.id]).filter(Column::CommitId.eq(row.id));
    let revision_rows = revision_rows.all(&tx.unrouted()).await?;
    Ok(revision_rows.iter().filter_map(|revision_row| row::unknown_event(row, revision_row)).collect())
}

/// The events of one subject after a revision.
#[derive(Debug)]
pub(super) struct SubjectEvents {
    pub(super) id: SubjectId,
    pub(super) after: i64,
    pub(super) limit: usize,
}

/// The number of commits that are read at a time: each may have events of hundreds of other
/// subjects.
const COMMITS_PER_READ: usize = 64;

impl TransactionBody for SubjectEvents {
    type Output = Vec<Event>;
    const NAME: &'static str = "read events of subject";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        use outbox_revision::{Column, Entity};
        let revision_rows = pick::of_commits(tx, Entity::find(), Column::Part, &[self.id.get()])
            .filter(Column::SubjectId.eq(self.id.get()))
            .filter(Column::Revision.gt(self.after))
            .order_by_asc(Column::Revision)
            .limit(self.limit as u64);
        let revision_rows = force_index(revision_rows, index::SUBJECT).all(&tx.unrouted()).await?;
        let mut events = Vec::with_capacity(revision_rows.len());
        for chunk in revision_rows.chunks(COMMITS_PER_READ) {
            let rows = commits(tx, chunk).await?;
            for revision_row in chunk {
                let Some(row) = rows.get(&revision_row.commit_id) else { continue };
                events.extend(events_of(tx, row).await?.into_iter().find(|event| event.subject == self.id));
            }
        }
        Ok(events)
    }
}

/// Loads the commits that made these revisions.
async fn commits(
    tx: &SourceTx,
    revision_rows: &[outbox_revision::Model],
) -> Result<HashMap<i64, outbox_commit::Model>, StoreError> {
    use outbox_commit::{Column, Entity};
    let ids: Vec<i64> = revision_rows.iter().map(|revision_row| revision_row.commit_id).collect();
    let mut rows = HashMap::with_capacity(ids.len());
    for list in padded_chunks(&ids) {
        let found = pick::of_commits(tx, Entity::find(), Column::Part, &list).filter(Column::Id.is_in(list));
        let found = found.all(&tx.unrouted()).await?;
        rows.extend(found.into_iter().map(|row| (row.id, row)));
    }
    Ok(rows)
}
