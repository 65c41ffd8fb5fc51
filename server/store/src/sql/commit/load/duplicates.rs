//! The idempotency records of earlier requests with the keys of a batch.

use std::collections::BTreeSet;

use riposte_core::request::{Fingerprint, IdempotencyKey, IdempotencyRecord};
use riposte_core::verbs::CommandKind;
use riposte_core::{Command, CommentId, Partition, SubjectId};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Select};

use super::Loader;
use crate::error::StoreResult;
use crate::on_shard::OnShard;
use crate::sql::chunks::padded_chunks_of;
use crate::sql::entity::{comment_index, comment_request};
use crate::sql::grouping::{by_table, parts};
use crate::sql::keys_join::{KEYS_MAX, PRIMARY, join_keys};
use crate::sql::read::force_index;
use crate::sql::row;

/// The code of [`riposte_core::verbs::Create`]. An index row does not name the verb that created
/// it.
const CREATE_CODE: i8 = 5;

/// The index on (subject_id, request_key).
const REQUEST_INDEX: &str = "comment_index_@_request";

/// The expectation that a batch contains repeats of requests that already created comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sql::commit) enum DuplicateCheck {
    /// Duplicates are unlikely and are not read. The unique request key rejects a duplicate
    /// comment, and the batch is then retried.
    Unlikely,
    /// Duplicates are possible and are read.
    Possible,
}

/// The idempotency key of a request, with the subject it was made under.
type SubjectRequest = (SubjectId, IdempotencyKey);

impl Loader<'_> {
    /// Loads the idempotency records for the keys of this batch and returns the comments that they
    /// name. A subject that does not exist yet has no records.
    pub(super) async fn idempotency_records(
        &mut self,
        commands: &[Command],
        duplicate_check: DuplicateCheck,
    ) -> StoreResult<Vec<CommentId>> {
        let mut found = Vec::new();
        let requires_lookup =
            |verb: &CommandKind| duplicate_check == DuplicateCheck::Possible || !detects_duplicates(verb);
        for (partition, requests) in self.requests(commands, requires_lookup) {
            let db = self.tx.on(partition);
            for list in padded_chunks_of(KEYS_MAX, &requests) {
                found.extend(records_of_comments(&db, &list).await?);
            }
        }
        for (partition, requests) in self.requests(commands, |_| true) {
            let db = self.tx.on(partition);
            for list in padded_chunks_of(KEYS_MAX, &requests) {
                found.extend(stored_records(&db, &list).await?);
            }
        }
        let comment_ids = found.iter().filter_map(|(_, record)| record.comment).collect();
        for ((subject, key), record) in found {
            self.unit.load_record(subject, key, record);
        }
        Ok(comment_ids)
    }

    /// Returns the keys of those commands that `selects` accepts, by table.
    fn requests(
        &self,
        commands: &[Command],
        selects: impl Fn(&CommandKind) -> bool,
    ) -> Vec<(Partition, Vec<SubjectRequest>)> {
        let requests = commands
            .iter()
            .filter(|command| selects(&command.verb))
            .filter_map(|command| Some((self.unit.subject(&command.subject)?.id, command.request.key)));
        let requests: BTreeSet<SubjectRequest> = requests.collect();
        by_table(requests, self.tx.tables().index, |(subject, _)| partition_of(*subject)).collect()
    }
}

/// Returns whether the unique request key on the row of a new comment rejects a repeat. An import
/// is mostly run again because it was interrupted, so its duplicates are read at once.
pub(in crate::sql::commit) fn detects_duplicates(verb: &CommandKind) -> bool {
    matches!(verb, CommandKind::Create(_) | CommandKind::Reply(_))
}

/// Returns the records that the rows of comments contain: those of the requests that created them.
async fn records_of_comments<C: ConnectionTrait>(
    db: &OnShard<C>,
    list: &[SubjectRequest],
) -> StoreResult<Vec<(SubjectRequest, IdempotencyRecord)>> {
    use comment_index::{Column, Entity};
    let columns = [Column::SubjectId, Column::Id, Column::RequestKey, Column::RequestPrint, Column::BornRevision];
    let select = Entity::find().select_only().columns(columns);
    let select =
        select_requests(select, db, list, REQUEST_INDEX, [Column::Part, Column::SubjectId, Column::RequestKey]);
    let rows: Vec<(i64, i64, Vec<u8>, i64, i64)> = select.into_tuple().all(db).await?;
    let record = |(subject, id, key, fingerprint, revision): (i64, i64, Vec<u8>, i64, i64)| {
        let record = IdempotencyRecord {
            verb: CREATE_CODE,
            fingerprint: Fingerprint(fingerprint),
            comment: CommentId::new(id),
            revision,
        };
        Ok(((row::id(subject)?.into(), row::request_key(&key)?), record))
    };
    rows.into_iter().map(record).collect()
}

/// Returns the records of the requests that have a row of their own.
async fn stored_records<C: ConnectionTrait>(
    db: &OnShard<C>,
    list: &[SubjectRequest],
) -> StoreResult<Vec<(SubjectRequest, IdempotencyRecord)>> {
    use comment_request::{Column, Entity};
    let columns = [Column::Part, Column::SubjectId, Column::RequestKey];
    let select = select_requests(Entity::find(), db, list, PRIMARY, columns);
    let record = |found: comment_request::Model| {
        let record = IdempotencyRecord {
            verb: found.verb,
            fingerprint: Fingerprint(found.print),
            comment: CommentId::new(found.comment_id),
            revision: found.revision,
        };
        Ok(((row::id(found.subject_id)?.into(), row::request_key(&found.request_key)?), record))
    };
    select.all(db).await?.into_iter().map(record).collect()
}

/// Selects the rows of these requests: with an IN list of keys if all are of one subject, else with
/// a join.
fn select_requests<E: EntityTrait, C: ConnectionTrait>(
    select: Select<E>,
    db: &OnShard<C>,
    list: &[SubjectRequest],
    index: &'static str,
    [part, subject, key]: [E::Column; 3],
) -> Select<E> {
    let select = select.filter(part.is_in(parts(list.iter().map(|(subject, _)| partition_of(*subject)))));
    let bytes = |(_, key): &SubjectRequest| key.0.to_vec();
    if let Some((first, _)) = list.first()
        && list.iter().all(|(subject, _)| subject == first)
    {
        return force_index(select, index).filter(subject.eq(first.get())).filter(key.is_in(list.iter().map(bytes)));
    }
    let key_columns = |request: &SubjectRequest| [request.0.get().into(), bytes(request).into()];
    join_keys(select, db.get_database_backend(), index, [subject, key], list.iter().map(key_columns).collect())
}

/// Returns the partition of a subject's rows.
fn partition_of(subject: SubjectId) -> Partition {
    CommentId::from(subject).partition()
}
