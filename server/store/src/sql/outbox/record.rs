//! The outbox rows that a commit writes in its own transaction: one with its events, in any number
//! of subjects, and one for each revision it made.

use riposte_core::CommentId;
use riposte_core::event::Event;
use sea_orm::EntityTrait;

use crate::error::StoreError;
use crate::sql::chunks::sized_chunks;
use crate::sql::entity::{outbox_commit, outbox_revision};
use crate::sql::pool::SourceTx;
use crate::sql::row;

/// Writes the events of a commit under the id reserved for it; writes nothing if there are none.
pub(in crate::sql) async fn record(tx: &SourceTx, commit: CommentId, events: &[Event]) -> Result<(), StoreError> {
    if events.is_empty() {
        return Ok(());
    }
    outbox_commit::Entity::insert(row::commit_model(commit, events)).exec_without_returning(&tx.unrouted()).await?;
    let revision_rows = events.iter().filter_map(|event| row::revision_model(commit, event));
    for chunk in sized_chunks(revision_rows.collect()) {
        outbox_revision::Entity::insert_many(chunk).exec_without_returning(&tx.unrouted()).await?;
    }
    Ok(())
}
