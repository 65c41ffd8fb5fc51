//! The idempotency records of earlier requests with the keys of a batch.

use std::collections::{BTreeMap, BTreeSet};

use riposte_core::request::{Fingerprint, IdempotencyKey, IdempotencyRecord};
use riposte_core::verbs::CommandKind;
use riposte_core::{Command, CommentId, Partition, SubjectId, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, Select};

use super::Loader;
use crate::error::StoreResult;
use crate::sql::entity::{comment_index, comment_request};
use crate::sql::grouping::{by_table, parts};
use crate::sql::keys_join::{KEYS_MAX, KeyForm, PRIMARY, join_keys};
use crate::sql::phase::{Phase, PhaseResults, RowsSlot};
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

/// The places of the idempotency records in the results of a phase.
pub(super) struct RecordSlots {
    /// Those that the rows of comments contain.
    comments: Vec<RowsSlot>,
    /// Those with a row of their own.
    stored: Vec<RowsSlot>,
}

impl Loader<'_> {
    /// Adds the reads of the idempotency records for the keys of this batch. A subject that does
    /// not exist yet has no records.
    pub(super) fn read_records(
        &self,
        phase: &mut Phase,
        commands: &[Command],
        ids: &BTreeMap<SubjectKey, SubjectId>,
        duplicate_check: DuplicateCheck,
    ) -> RecordSlots {
        let (form, tables) = (phase.key_form(), self.tx.tables().index);
        let requires_lookup =
            |verb: &CommandKind| duplicate_check == DuplicateCheck::Possible || !detects_duplicates(verb);
        let of_comments = move |list: Vec<SubjectRequest>| records_of_comments(form, &list);
        let comments = requests(commands, ids, tables, requires_lookup)
            .map(|(partition, requests)| phase.select_lists(partition, KEYS_MAX, requests, of_comments))
            .collect();
        // A key that another verb used may not create a comment, so creates read these records too.
        let stored = move |list: Vec<SubjectRequest>| stored_records(form, &list);
        let stored = requests(commands, ids, tables, |_| true)
            .map(|(partition, requests)| phase.select_lists(partition, KEYS_MAX, requests, stored))
            .collect();
        RecordSlots { comments, stored }
    }

    /// Loads the idempotency records and returns the comments that they name.
    pub(super) fn load_records(
        &mut self,
        results: &mut PhaseResults,
        slots: RecordSlots,
    ) -> StoreResult<BTreeSet<CommentId>> {
        let mut found = Vec::new();
        for slot in slots.comments {
            for row in results.tuples(slot)? {
                found.push(record_of_comment(row)?);
            }
        }
        for slot in slots.stored {
            for row in results.models(slot)? {
                found.push(stored_record(row)?);
            }
        }
        let comments = found.iter().filter_map(|(_, record)| record.comment).collect();
        for ((subject, key), record) in found {
            self.unit.load_record(subject, key, record);
        }
        Ok(comments)
    }
}

/// Returns the keys of those commands that `selects` accepts, by table.
fn requests(
    commands: &[Command],
    ids: &BTreeMap<SubjectKey, SubjectId>,
    tables: u16,
    selects: impl Fn(&CommandKind) -> bool,
) -> impl Iterator<Item = (Partition, Vec<SubjectRequest>)> {
    let requests = commands
        .iter()
        .filter(|command| selects(&command.verb))
        .filter_map(|command| Some((*ids.get(&command.subject)?, command.request.key)));
    let requests: BTreeSet<SubjectRequest> = requests.collect();
    by_table(requests, tables, |(subject, _)| partition_of(*subject))
}

/// Returns whether the unique request key on the row of a new comment rejects a repeat. An import
/// is mostly run again because it was interrupted, so its duplicates are read at once.
pub(in crate::sql::commit) fn detects_duplicates(verb: &CommandKind) -> bool {
    matches!(verb, CommandKind::Create(_) | CommandKind::Reply(_))
}

/// Selects the records that the rows of comments contain: those of the requests that created them.
fn records_of_comments(form: KeyForm, list: &[SubjectRequest]) -> Select<comment_index::Entity> {
    use comment_index::{Column, Entity};
    let columns = [Column::SubjectId, Column::Id, Column::RequestKey, Column::RequestPrint, Column::BornRevision];
    let select = Entity::find().select_only().columns(columns);
    select_requests(select, form, list, REQUEST_INDEX, [Column::Part, Column::SubjectId, Column::RequestKey])
}

fn record_of_comment(
    (subject, id, key, fingerprint, revision): (i64, i64, Vec<u8>, i64, i64),
) -> StoreResult<(SubjectRequest, IdempotencyRecord)> {
    let record = IdempotencyRecord {
        verb: CREATE_CODE,
        fingerprint: Fingerprint(fingerprint),
        comment: CommentId::new(id),
        revision,
    };
    Ok(((row::id(subject)?.into(), row::request_key(&key)?), record))
}

/// Selects the records of the requests that have a row of their own.
fn stored_records(form: KeyForm, list: &[SubjectRequest]) -> Select<comment_request::Entity> {
    use comment_request::{Column, Entity};
    let columns = [Column::Part, Column::SubjectId, Column::RequestKey];
    select_requests(Entity::find(), form, list, PRIMARY, columns)
}

fn stored_record(found: comment_request::Model) -> StoreResult<(SubjectRequest, IdempotencyRecord)> {
    let record = IdempotencyRecord {
        verb: found.verb,
        fingerprint: Fingerprint(found.print),
        comment: CommentId::new(found.comment_id),
        revision: found.revision,
    };
    Ok(((row::id(found.subject_id)?.into(), row::request_key(&found.request_key)?), record))
}

/// Selects the rows of these requests: with an IN list of keys if all are of one subject, else with
/// a join.
fn select_requests<E: EntityTrait>(
    select: Select<E>,
    form: KeyForm,
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
    join_keys(select, form, index, [subject, key], list.iter().map(key_columns).collect())
}

/// Returns the partition of a subject's rows.
fn partition_of(subject: SubjectId) -> Partition {
    CommentId::from(subject).partition()
}
