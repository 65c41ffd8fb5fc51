//! Inserts the new subjects and comments of a batch.

use riposte_core::CommentId;
use sea_orm::ActiveValue::Set;

use super::{Flush, insert, not_loaded};
use crate::error::StoreResult;
use crate::shard::part;
use crate::sql::entity::{comment_client, comment_content, comment_index, comment_origin};
use crate::sql::grouping::by_table;
use crate::sql::row;

impl Flush<'_> {
    pub(super) async fn new_subjects(&self) -> StoreResult<()> {
        let write_set = &self.unit.write_set().new_subjects;
        for (partition, keys) in by_table(write_set, self.tx.tables().subject, |key| key.partition()) {
            let rows = keys.into_iter().map(|key| Ok(row::subject_model(self.subject(key)?, part(key.partition()))?));
            insert(&self.tx.on(partition), rows.collect::<StoreResult<Vec<_>>>()?).await?;
        }
        Ok(())
    }

    pub(super) async fn new_comments(&self) -> StoreResult<()> {
        let write_set = self.unit.write_set();
        let ids = write_set.new_comments.keys().copied();
        for (partition, ids) in by_table(ids, self.tx.tables().index, |id| id.partition()) {
            let db = self.tx.on(partition);
            let (mut rows, mut contents, mut clients, mut origins) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for id in ids {
                let (comment, part) = (self.comment(id)?, part(id.partition()));
                let request = write_set.new_comments.get(&id).ok_or_else(|| not_loaded("request"))?;
                let content = self.unit.content(id).ok_or_else(|| not_loaded("content"))?;
                rows.push(row::comment_model(comment, request, part));
                contents.push(row::content_model(id, content, part)?);
                clients.extend(
                    write_set
                        .clients
                        .get(&id)
                        .map(|client| row::client_model(id, client, comment.reference.create_time, part)),
                );
                origins.extend(self.origin(id, part));
            }
            insert::<comment_index::ActiveModel, _>(&db, rows).await?;
            insert::<comment_content::ActiveModel, _>(&db, contents).await?;
            insert::<comment_client::ActiveModel, _>(&db, clients).await?;
            insert::<comment_origin::ActiveModel, _>(&db, origins).await?;
        }
        Ok(())
    }

    fn origin(&self, id: CommentId, part: i16) -> Option<comment_origin::ActiveModel> {
        let origin = self.unit.write_set().origins.get(&id)?;
        Some(comment_origin::ActiveModel {
            comment_id: Set(id.get()),
            part: Set(part),
            source: Set(row::bytes(&origin.source)),
            external_id: Set(row::bytes(&origin.external_id)),
        })
    }
}
