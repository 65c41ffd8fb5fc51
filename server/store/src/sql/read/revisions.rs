//! All contents that a visible comment has had, one for each revision.

use riposte_core::page::ContentRevision;
use riposte_core::{CommentId, Millis, Partition};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};

use super::ReadQuery;
use super::rows::{comments, contents};
use crate::error::StoreError;
use crate::sql::entity::comment_edit::{Column, Entity};
use crate::sql::pool::Tx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct Revisions {
    pub(super) id: CommentId,
}

impl ReadQuery for Revisions {
    type Output = Vec<ContentRevision>;
    const NAME: &'static str = "read revisions";

    fn partition(&self) -> Partition {
        self.id.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let row = comments(tx, &[self.id]).await?.pop();
        let Some(comment) = row.filter(|row| row.lifecycle.state.is_visible()) else { return Ok(Vec::new()) };
        let former = Entity::find()
            .filter(Column::Part.eq(tx.part()))
            .filter(Column::CommentId.eq(self.id.get()))
            .order_by_asc(Column::Version);
        let mut past = Vec::new();
        for edit in former.all(tx).await? {
            let (version, time) = (edit.version, Millis(edit.time));
            past.push(ContentRevision { version, content: row::former_content(edit)?, time });
        }
        let present = contents(tx, &[self.id]).await?.remove(&self.id);
        let time = comment.lifecycle.edit_time.unwrap_or(comment.reference.create_time);
        past.extend(present.map(|content| ContentRevision { version: comment.lifecycle.version, content, time }));
        Ok(past)
    }
}
