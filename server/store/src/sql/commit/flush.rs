//! Adds the rows of a write set to the last phase of a transaction: each row once, with as few
//! statements as there are tables, in lock order.

mod inserts;
mod reviews;
mod updates;

use riposte_core::{Comment, CommentId, Error, Subject, SubjectKey, UnitOfWork};
use sea_orm::sea_query::OnConflict;

use crate::error::{StoreError, StoreResult};
use crate::shard::{TableCounts, part};
use crate::sql::entity::{comment_like, comment_request};
use crate::sql::grouping::by_table;
use crate::sql::phase::Phase;
use crate::sql::row;

/// Adds the writes of one batch to a phase.
struct Flush<'f> {
    phase: &'f mut Phase,
    tables: TableCounts,
    unit: &'f UnitOfWork,
}

/// Adds the writes of all changed rows.
pub(super) fn write_set(phase: &mut Phase, tables: TableCounts, unit: &UnitOfWork) -> StoreResult<()> {
    let mut flush = Flush { phase, tables, unit };
    flush.new_subjects()?;
    flush.changed_subjects()?;
    flush.new_comments()?;
    flush.changed_comments()?;
    flush.contents()?;
    flush.reviews()?;
    flush.likes()?;
    flush.requests();
    Ok(())
}

impl Flush<'_> {
    fn likes(&mut self) -> StoreResult<()> {
        use comment_like::{ActiveModel, Column};
        let write_set = &self.unit.write_set().likes;
        for (partition, names) in by_table(write_set, self.tables.index, |(id, _)| id.partition()) {
            let model = |(id, member): &(CommentId, riposte_core::MemberId)| {
                let like = self.unit.like(*id, member).ok_or_else(|| not_loaded("like"))?;
                Ok(row::like_model(like, self.comment(*id)?.reference.subject_id, part(id.partition())))
            };
            let rows: Vec<ActiveModel> = names.into_iter().map(model).collect::<StoreResult<_>>()?;
            let update_existing = OnConflict::columns([Column::SubjectId, Column::MemberId, Column::CommentId])
                .update_columns([Column::Value, Column::Operation, Column::Changed, Column::Time])
                .to_owned();
            self.phase.upsert(partition, rows, update_existing);
        }
        Ok(())
    }

    fn requests(&mut self) {
        let write_set = &self.unit.write_set().requests;
        let partition_of = |subject: riposte_core::SubjectId| CommentId::from(subject).partition();
        for (partition, requests) in by_table(write_set, self.tables.index, |(subject, ..)| partition_of(*subject)) {
            let rows = requests.into_iter().map(|(subject, key, record)| comment_request::ActiveModel {
                subject_id: sea_orm::Set(subject.get()),
                request_key: sea_orm::Set(key.0.to_vec()),
                part: sea_orm::Set(part(partition_of(*subject))),
                verb: sea_orm::Set(record.verb),
                print: sea_orm::Set(record.fingerprint.0),
                comment_id: sea_orm::Set(record.comment.map_or(0, CommentId::get)),
                revision: sea_orm::Set(record.revision),
            });
            self.phase.insert(partition, rows.collect());
        }
    }

    fn subject(&self, key: &SubjectKey) -> StoreResult<&Subject> {
        self.unit.subject(key).ok_or_else(|| not_loaded("subject"))
    }

    fn comment(&self, id: CommentId) -> StoreResult<&Comment> {
        self.unit.comment(id).ok_or_else(|| not_loaded("comment"))
    }
}

fn not_loaded(what: &str) -> StoreError {
    Error::internal(format!("a {what} of the write set is not in the unit of work")).into()
}
