//! The effects of earlier requests, by their idempotency keys: the comments that they created, and
//! the records of all others.

use std::collections::HashMap;

use riposte_core::request::IdempotencyKey;
use riposte_core::{CommentId, Partition, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::ReadQuery;
use super::rows::subject;
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::comment_index::{Column, Entity};
use crate::sql::entity::comment_request;
use crate::sql::pool::Tx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct CreatedBy {
    pub(super) key: SubjectKey,
    pub(super) requests: Vec<IdempotencyKey>,
}

impl ReadQuery for CreatedBy {
    type Output = Vec<Option<CommentId>>;
    const NAME: &'static str = "read comments of requests";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        // The result of an executed request stays valid, even if its subject was deleted since.
        let Some(subject) = subject(tx, &self.key).await? else { return Ok(vec![None; self.requests.len()]) };
        let mut created = HashMap::with_capacity(self.requests.len());
        for list in padded_chunks(&self.requests) {
            let query = Entity::find()
                .filter(Column::Part.eq(tx.part()))
                .filter(Column::SubjectId.eq(subject.id.get()))
                .filter(Column::RequestKey.is_in(list.iter().map(|key| key.0.to_vec())))
                .select_only()
                .columns([Column::RequestKey, Column::Id]);
            for (key, id) in query.into_tuple::<(Vec<u8>, i64)>().all(tx).await? {
                created.insert(key, row::id(id)?);
            }
        }
        Ok(self.requests.iter().map(|key| created.get(&key.0[..]).copied()).collect())
    }
}

/// Reads whether there is a record of an earlier request that created no comment.
#[derive(Debug)]
pub(super) struct HasRequest {
    pub(super) key: SubjectKey,
    pub(super) request: IdempotencyKey,
}

impl ReadQuery for HasRequest {
    type Output = bool;
    const NAME: &'static str = "read a request";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<bool, StoreError> {
        let Some(subject) = subject(tx, &self.key).await? else { return Ok(false) };
        let query = comment_request::Entity::find()
            .filter(comment_request::Column::Part.eq(tx.part()))
            .filter(comment_request::Column::SubjectId.eq(subject.id.get()))
            .filter(comment_request::Column::RequestKey.eq(self.request.0.to_vec()))
            .select_only()
            .column(comment_request::Column::Verb);
        Ok(query.into_tuple::<i8>().one(tx).await?.is_some())
    }
}
