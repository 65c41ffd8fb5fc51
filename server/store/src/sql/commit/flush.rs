//! Writes the rows of a write set: each row once, with as few statements as there are tables, in
//! lock order.

mod counts;
mod new;

use riposte_core::{Comment, CommentId, Error, Subject, SubjectKey, UnitOfWork};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait};

use crate::error::StoreError;
use crate::on_shard::OnShard;
use crate::shard::part;
use crate::sql::chunks::cut;
use crate::sql::entity::{comment_like, comment_request};
use crate::sql::grouping::by_table;
use crate::sql::pool::SourceTx;
use crate::sql::row;

type Flushed<T> = Result<T, StoreError>;

/// The rows of a batch that are left to write.
struct Flush<'f> {
    tx: &'f SourceTx,
    unit: &'f UnitOfWork,
}

/// Writes all changed rows.
pub(super) async fn write_set(tx: &SourceTx, unit: &UnitOfWork) -> Flushed<()> {
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
    async fn likes(&self) -> Flushed<()> {
        use comment_like::{ActiveModel, Column, Entity};
        let write_set = &self.unit.write_set().likes;
        for (partition, names) in by_table(write_set, self.tx.tables().index, |(id, _)| id.partition()) {
            let model = |(id, member): &(CommentId, riposte_core::MemberId)| {
                let like = self.unit.like(*id, member).ok_or_else(|| unloaded("like"))?;
                Ok(row::like_model(like, self.comment(*id)?.reference.subject_id, part(id.partition())))
            };
            let rows: Vec<ActiveModel> = names.into_iter().map(model).collect::<Flushed<_>>()?;
            for piece in cut(rows) {
                let keep = OnConflict::columns([Column::SubjectId, Column::MemberId, Column::CommentId])
                    .update_columns([Column::Value, Column::Operation, Column::Changed, Column::Time])
                    .to_owned();
                let upsert = Entity::insert_many(piece).on_conflict(keep);
                upsert.exec_without_returning(&self.tx.on(partition)).await?;
            }
        }
        Ok(())
    }

    async fn requests(&self) -> Flushed<()> {
        let write_set = &self.unit.write_set().requests;
        let at = |subject: riposte_core::SubjectId| CommentId::from(subject).partition();
        for (partition, requests) in by_table(write_set, self.tx.tables().index, |(subject, ..)| at(*subject)) {
            let rows = requests.into_iter().map(|(subject, key, record)| comment_request::ActiveModel {
                subject_id: sea_orm::Set(subject.get()),
                request_key: sea_orm::Set(key.0.to_vec()),
                part: sea_orm::Set(part(at(*subject))),
                verb: sea_orm::Set(record.verb),
                print: sea_orm::Set(record.fingerprint.0),
                comment_id: sea_orm::Set(record.comment.map_or(0, CommentId::get)),
                revision: sea_orm::Set(record.revision),
            });
            insert(&self.tx.on(partition), rows.collect()).await?;
        }
        Ok(())
    }

    fn subject(&self, key: &SubjectKey) -> Flushed<&Subject> {
        self.unit.subject(key).ok_or_else(|| unloaded("subject"))
    }

    fn comment(&self, id: CommentId) -> Flushed<&Comment> {
        self.unit.comment(id).ok_or_else(|| unloaded("comment"))
    }
}

async fn insert<A, C>(db: &OnShard<C>, rows: Vec<A>) -> Flushed<()>
where
    A: ActiveModelTrait + Send,
    C: ConnectionTrait,
{
    for piece in cut(rows) {
        A::Entity::insert_many(piece).exec_without_returning(db).await?;
    }
    Ok(())
}

/// Returns an error if an update matched fewer rows than were locked: locked rows cannot disappear.
fn all(matched: u64, wanted: usize) -> Flushed<()> {
    if matched == wanted as u64 {
        return Ok(());
    }
    Err(Error::internal(format!("an update of {wanted} rows matched {matched}")).into())
}

fn unloaded(what: &str) -> StoreError {
    Error::internal(format!("a {what} of the write set is not in the unit of work")).into()
}
