//! Writes the rows of a write set: each row once, with as few statements as there are tables, in
//! lock order.

mod inserts;
mod updates;

use riposte_core::{Comment, CommentId, Error, Subject, SubjectKey, UnitOfWork};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait};

use crate::error::{StoreError, StoreResult};
use crate::on_shard::OnShard;
use crate::shard::part;
use crate::sql::chunks::sized_chunks;
use crate::sql::entity::{comment_like, comment_request};
use crate::sql::grouping::by_table;
use crate::sql::pool::SourceTx;
use crate::sql::row;

/// Writes the rows of one batch.
struct Flush<'f> {
    tx: &'f SourceTx,
    unit: &'f UnitOfWork,
}

/// Writes all changed rows.
pub(super) async fn write_set(tx: &SourceTx, unit: &UnitOfWork) -> StoreResult<()> {
    let flush = Flush { tx, unit };
    flush.new_subjects().await?;
    flush.changed_subjects().await?;
    flush.new_comments().await?;
    flush.changed_comments().await?;
    flush.contents().await?;
    flush.likes().await?;
    flush.requests().await
}

impl Flush<'_> {
    async fn likes(&self) -> StoreResult<()> {
        use comment_like::{ActiveModel, Column, Entity};
        let write_set = &self.unit.write_set().likes;
        for (partition, names) in by_table(write_set, self.tx.tables().index, |(id, _)| id.partition()) {
            let model = |(id, member): &(CommentId, riposte_core::MemberId)| {
                let like = self.unit.like(*id, member).ok_or_else(|| not_loaded("like"))?;
                Ok(row::like_model(like, self.comment(*id)?.reference.subject_id, part(id.partition())))
            };
            let rows: Vec<ActiveModel> = names.into_iter().map(model).collect::<StoreResult<_>>()?;
            for chunk in sized_chunks(rows) {
                let update_existing = OnConflict::columns([Column::SubjectId, Column::MemberId, Column::CommentId])
                    .update_columns([Column::Value, Column::Operation, Column::Changed, Column::Time])
                    .to_owned();
                let upsert = Entity::insert_many(chunk).on_conflict(update_existing);
                upsert.exec_without_returning(&self.tx.on(partition)).await?;
            }
        }
        Ok(())
    }

    async fn requests(&self) -> StoreResult<()> {
        let write_set = &self.unit.write_set().requests;
        let partition_of = |subject: riposte_core::SubjectId| CommentId::from(subject).partition();
        for (partition, requests) in by_table(write_set, self.tx.tables().index, |(subject, ..)| partition_of(*subject))
        {
            let rows = requests.into_iter().map(|(subject, key, record)| comment_request::ActiveModel {
                subject_id: sea_orm::Set(subject.get()),
                request_key: sea_orm::Set(key.0.to_vec()),
                part: sea_orm::Set(part(partition_of(*subject))),
                verb: sea_orm::Set(record.verb),
                print: sea_orm::Set(record.fingerprint.0),
                comment_id: sea_orm::Set(record.comment.map_or(0, CommentId::get)),
                revision: sea_orm::Set(record.revision),
            });
            insert(&self.tx.on(partition), rows.collect()).await?;
        }
        Ok(())
    }

    fn subject(&self, key: &SubjectKey) -> StoreResult<&Subject> {
        self.unit.subject(key).ok_or_else(|| not_loaded("subject"))
    }

    fn comment(&self, id: CommentId) -> StoreResult<&Comment> {
        self.unit.comment(id).ok_or_else(|| not_loaded("comment"))
    }
}

async fn insert<A, C>(db: &OnShard<C>, rows: Vec<A>) -> StoreResult<()>
where
    A: ActiveModelTrait + Send,
    C: ConnectionTrait,
{
    for chunk in sized_chunks(rows) {
        A::Entity::insert_many(chunk).exec_without_returning(db).await?;
    }
    Ok(())
}

/// Returns an error if an update matched fewer rows than were locked: locked rows cannot disappear.
fn check_matched(matched: u64, expected: usize) -> StoreResult<()> {
    if matched == expected as u64 {
        return Ok(());
    }
    Err(Error::internal(format!("an update of {expected} rows matched {matched}")).into())
}

fn not_loaded(what: &str) -> StoreError {
    Error::internal(format!("a {what} of the write set is not in the unit of work")).into()
}
