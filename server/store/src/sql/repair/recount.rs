//! The transaction that sets counts: the subject is locked first, then its differing comments by
//! id, as commits do. Like counts change under the lock of their comment alone, so a count is set
//! only if it was counted under lock.

use std::collections::{BTreeMap, BTreeSet};

use riposte_core::event::{ChangeKind, Changes, CommentChange, Event};
use riposte_core::page::CountDrift;
use riposte_core::ports::RepairReport;
use riposte_core::{Comment, CommentId, Error, Millis, Subject, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{can_be_set, reviews};
use crate::error::StoreError;
use crate::shard::part;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::{comment_index, comment_subject};
use crate::sql::outbox::record;
use crate::sql::pool::SourceTx;
use crate::sql::read::verify::{self, APPEAL, LISTED, NEXT_FLOOR, PROPOSAL, REPORT_WEIGHT, REPORTS, REVIEW_OPEN};
use crate::sql::row;
use crate::sql::transact::TransactionBody;

/// Sets the counts of a subject.
#[derive(Debug)]
pub(super) struct Recount {
    pub(super) key: SubjectKey,
    /// Comments whose counts differed without a lock.
    pub(super) differing: BTreeSet<CommentId>,
    /// The id reserved for the event.
    pub(super) event: CommentId,
    pub(super) now: Millis,
}

impl TransactionBody for Recount {
    type Output = Option<RepairReport>;
    const NAME: &'static str = "repair counts";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let Some(mut subject) = self.subject(tx).await? else { return Ok(None) };
        let mut comments = self.comments(tx, &self.differing).await?;
        let drifts = loop {
            let mut drifts = verify::compare_counts(&tx.on(self.key.partition()), &subject).await?.drifts;
            drifts.retain(can_be_set);
            let drifted = drifts.iter().filter_map(|drift| drift.comment);
            let unlocked: BTreeSet<CommentId> = drifted.filter(|id| !comments.contains_key(id)).collect();
            if unlocked.is_empty() {
                break drifts;
            }
            comments.append(&mut self.comments(tx, &unlocked).await?);
        };
        if !drifts.is_empty() {
            subject.revision += 1;
            let repaired = repair(&mut subject, comments, &drifts)?;
            reviews::correct(tx, &self.key, &drifts, &repaired).await?;
            self.write(tx, &subject, &repaired).await?;
        }
        Ok(Some(RepairReport { drifts, revision: subject.revision }))
    }
}

impl Recount {
    async fn subject(&self, tx: &SourceTx) -> Result<Option<Subject>, StoreError> {
        use comment_subject::{Column, Entity};
        let found = Entity::find()
            .filter(Column::Part.eq(part(self.key.partition())))
            .filter(Column::ObjectType.eq(row::bytes(self.key.object_type().as_str())))
            .filter(Column::ObjectId.eq(row::bytes(self.key.object_id())))
            .lock_exclusive();
        Ok(found.one(&tx.on(self.key.partition())).await?.map(row::subject).transpose()?)
    }

    async fn comments(
        &self,
        tx: &SourceTx,
        ids: &BTreeSet<CommentId>,
    ) -> Result<BTreeMap<CommentId, Comment>, StoreError> {
        use comment_index::{Column, Entity};
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        let mut comments = BTreeMap::new();
        for list in padded_chunks(&ids) {
            let found = Entity::find()
                .filter(Column::Part.eq(part(self.key.partition())))
                .filter(Column::Id.is_in(list))
                .order_by_asc(Column::Id)
                .lock_exclusive();
            for found in found.all(&tx.on(self.key.partition())).await? {
                let comment = row::comment(found)?;
                comments.insert(comment.reference.id, comment);
            }
        }
        if comments.len() < ids.len() {
            return Err(Error::internal("a comment that was counted does not exist").into());
        }
        Ok(comments)
    }

    async fn write(&self, tx: &SourceTx, subject: &Subject, repaired: &[Comment]) -> Result<(), StoreError> {
        let (at, db) = (part(self.key.partition()), tx.on(self.key.partition()));
        let update = comment_subject::Entity::update_many().set(row::subject_changes(subject)?);
        let update = update.filter(comment_subject::Column::Part.eq(at));
        update.filter(comment_subject::Column::Id.eq(subject.id.get())).exec(&db).await?;
        for comment in repaired {
            let update = comment_index::Entity::update_many().set(row::comment_changes(comment));
            let update = update.filter(comment_index::Column::Part.eq(at));
            update.filter(comment_index::Column::Id.eq(comment.reference.id.get())).exec(&db).await?;
        }
        let change = |comment: &Comment| CommentChange {
            id: comment.reference.id,
            root: comment.reference.root_id,
            kind: ChangeKind::Recounted,
        };
        let changes = Changes { comments: repaired.iter().map(change).collect(), ..Changes::default() };
        let event = Event {
            partition: self.key.partition(),
            subject: subject.id,
            revision: Some(subject.revision),
            changes,
            time: self.now,
        };
        let mut phase = tx.phase();
        record(&mut phase, self.event, &[event]);
        tx.run(phase).await.map(drop)
    }
}

/// Sets the counts that differ and returns the changed comments, each with its next revision.
fn repair(
    subject: &mut Subject,
    mut comments: BTreeMap<CommentId, Comment>,
    drifts: &[CountDrift],
) -> Result<Vec<Comment>, StoreError> {
    let mut repaired = BTreeSet::new();
    for drift in drifts {
        let actual = i32::try_from(drift.actual).map_err(Error::internal)?;
        let comment = drift.comment.and_then(|id| comments.get_mut(&id));
        let count = match (comment, drift.count) {
            (None, NEXT_FLOOR) => Some(&mut subject.next_floor),
            (None, count) => subject.counts.named(count),
            (Some(comment), NEXT_FLOOR) => Some(&mut comment.next_floor),
            (Some(comment), LISTED) => {
                comment.lifecycle.listed = actual != 0;
                repaired.extend(drift.comment);
                continue;
            }
            (Some(_), REVIEW_OPEN | PROPOSAL | APPEAL | REPORTS | REPORT_WEIGHT) => {
                repaired.extend(drift.comment);
                continue;
            }
            (Some(comment), count) => comment.counts.named(count),
        };
        *count.ok_or_else(|| Error::internal(format!("{} cannot be set", drift.count)))? = actual;
        repaired.extend(drift.comment);
    }
    comments.retain(|id, _| repaired.contains(id));
    comments.values_mut().for_each(|comment| comment.lifecycle.revision += 1);
    Ok(comments.into_values().collect())
}
