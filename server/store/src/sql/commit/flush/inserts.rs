//! Inserts the new subjects and comments of a batch.

use riposte_core::CommentId;
use sea_orm::ActiveValue::Set;

use super::{Flush, not_loaded};
use crate::error::StoreResult;
use crate::shard::part;
use crate::sql::entity::{comment_client, comment_content, comment_index, comment_origin};
use crate::sql::grouping::by_table;
use crate::sql::row;

impl Flush<'_> {
    pub(super) fn new_subjects(&mut self) -> StoreResult<()> {
        let write_set = &self.unit.write_set().new_subjects;
        for (partition, keys) in by_table(write_set, self.tables.subject, |key| key.partition()) {
            let rows = keys.into_iter().map(|key| Ok(row::subject_model(self.subject(key)?, part(key.partition()))?));
            let rows = rows.collect::<StoreResult<Vec<_>>>()?;
            self.phase.insert(partition, rows);
        }
        Ok(())
    }

    pub(super) fn new_comments(&mut self) -> StoreResult<()> {
        let write_set = self.unit.write_set();
        let ids = write_set.new_comments.keys().copied();
        for (partition, ids) in by_table(ids, self.tables.index, |id| id.partition()) {
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
            self.phase.insert::<comment_index::ActiveModel>(partition, rows);
            self.phase.insert::<comment_content::ActiveModel>(partition, contents);
            self.phase.insert::<comment_client::ActiveModel>(partition, clients);
            self.phase.insert::<comment_origin::ActiveModel>(partition, origins);
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
