//! Events: by their numbers, and of one subject by its revisions.

use riposte_core::event::{Event, Numbered};
use riposte_core::{Partition, SubjectId};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::key;
use crate::error::Fault;
use crate::shard::part;
use crate::sql::entity::comment_outbox::{Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::read::along;
use crate::sql::row;
use crate::sql::transact::Unit;

/// Events behind a number.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) after: i64,
    pub(super) limit: usize,
}

impl Unit for Tail {
    type Answer = Vec<Numbered>;
    const NAME: &'static str = "tail outbox";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Answer, Fault> {
        let rows = Entity::find().filter(Column::PubSeq.gt(self.after)).order_by_asc(Column::PubSeq);
        let rows = along(rows, key::PUBLISHED).limit(self.limit as u64).all(&tx.whole()).await?;
        let numbered = rows.iter().filter_map(|row| {
            let number = row.pub_seq?;
            Some(row::event(row).map(|event| Numbered { number, event }))
        });
        Ok(numbered.collect::<riposte_core::Result<_>>()?)
    }
}

/// Events of one subject behind a revision.
#[derive(Debug)]
pub(super) struct OfSubject {
    pub(super) at: Partition,
    pub(super) id: SubjectId,
    pub(super) after: i64,
    pub(super) limit: usize,
}

impl Unit for OfSubject {
    type Answer = Vec<Event>;
    const NAME: &'static str = "read events of subject";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Answer, Fault> {
        // Likes have the revision 0.
        let rows = Entity::find()
            .filter(Column::Part.eq(part(self.at)))
            .filter(Column::SubjectId.eq(self.id.get()))
            .filter(Column::Revision.gt(self.after.max(0)))
            .order_by_asc(Column::Revision)
            .limit(self.limit as u64);
        let rows = along(rows, key::SUBJECT).all(&tx.whole()).await?;
        Ok(rows.iter().map(row::event).collect::<riposte_core::Result<_>>()?)
    }
}
