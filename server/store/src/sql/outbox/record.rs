//! The outbox rows that a commit writes in its own transaction: one with its events, in any number
//! of subjects, and one for each revision it made.

use riposte_core::CommentId;
use riposte_core::event::Event;
use sea_orm::EntityTrait;

use crate::error::StoreError;
use crate::sql::chunks::cut;
use crate::sql::entity::{outbox_commit, outbox_revision};
use crate::sql::pool::SourceTx;
use crate::sql::row;

/// Writes the events of a commit under the id reserved for it; writes nothing if there are none.
pub(in crate::sql) async fn record(tx: &SourceTx, commit: CommentId, events: &[Event]) -> Result<(), StoreError> {
    if events.is_empty() {
        return Ok(());
    }
    outbox_commit::Entity::insert(row::commit_model(commit, events)).exec_without_returning(&tx.unrouted()).await?;
    let made = events.iter().filter_map(|event| row::revision_model(commit, event));
    for piece in cut(made.collect()) {
        outbox_revision::Entity::insert_many(piece).exec_without_returning(&tx.unrouted()).await?;
    }
    Ok(())
}
