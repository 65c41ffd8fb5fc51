//! The transaction that stores a report.

use riposte_core::report::{NewReport, ReportChanges, ReportResult};
use riposte_core::{Comment, CommentId, Error, ObjectType};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::read::of_member;
use crate::error::{StoreError, StoreResult};
use crate::shard::part;
use crate::sql::database_time;
use crate::sql::entity::{comment_index, comment_report, comment_review, comment_subject};
use crate::sql::outbox::record;
use crate::sql::pool::SourceTx;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

/// Stores a report in place of an earlier one of the member.
#[derive(Debug)]
pub(super) struct WriteReport {
    pub(super) report: NewReport,
    /// The id reserved for the event.
    pub(super) commit: CommentId,
}

impl TransactionBody for WriteReport {
    type Output = ReportResult;
    const NAME: &'static str = "report a comment";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let id = self.report.comment_id;
        let comment = self.comment(tx).await?.ok_or(Error::CommentNotFound)?;
        let earlier = of_member(tx, id, &self.report.member).await?;
        if let Some(earlier) = &earlier
            && let Some(result) = earlier.replayed(self.report.request)?
        {
            return Ok(result);
        }
        let object_type = self.object_type(tx, &comment).await?.ok_or(Error::CommentNotFound)?;
        let locked = comment_review::Entity::find()
            .filter(comment_review::Column::Part.eq(part(id.partition())))
            .filter(comment_review::Column::CommentId.eq(id.get()))
            .order_by_asc(comment_review::Column::CommentId)
            .lock_exclusive();
        let review = locked.one(&tx.unrouted()).await?.map(row::review).transpose()?;
        let now = database_time::read(&tx.unrouted(), id.partition()).await?;
        let changes = self.report.changes(&comment, &object_type, review.as_ref(), earlier.as_ref(), now)?;
        write(tx, &changes, earlier.is_none(), review.is_none()).await?;
        let mut phase = tx.phase();
        record(&mut phase, self.commit, &[self.report.event(&comment)]);
        tx.run(phase).await?;
        Ok(ReportResult { first: earlier.is_none(), replayed: false })
    }
}

impl WriteReport {
    /// Locks the comment.
    async fn comment(&self, tx: &SourceTx) -> StoreResult<Option<Comment>> {
        use comment_index::{Column, Entity};
        let (id, partition) = (self.report.comment_id, self.report.comment_id.partition());
        let found = Entity::find()
            .filter(Column::Part.eq(part(partition)))
            .filter(Column::Id.eq(id.get()))
            .order_by_asc(Column::Id)
            .lock_exclusive();
        Ok(found.one(&tx.on(partition)).await?.map(row::comment).transpose()?)
    }

    /// Returns the type of the comment's subject; `None` if the subject is deleted.
    async fn object_type(&self, tx: &SourceTx, comment: &Comment) -> StoreResult<Option<ObjectType>> {
        use comment_subject::{Column, Entity};
        let partition = self.report.comment_id.partition();
        let found = Entity::find()
            .filter(Column::Part.eq(part(partition)))
            .filter(Column::Id.eq(comment.reference.subject_id.get()));
        let subject = found.one(&tx.on(partition)).await?.map(row::subject).transpose()?;
        let subject = subject.filter(|subject| subject.delete_time.is_none());
        Ok(subject.map(|subject| subject.key.object_type().clone()))
    }
}

async fn write(tx: &SourceTx, changes: &ReportChanges, is_first: bool, is_first_review: bool) -> StoreResult<()> {
    let ReportChanges { report, review } = changes;
    let (id, at) = (report.comment_id, part(report.comment_id.partition()));
    if is_first {
        let insert = comment_report::Entity::insert(row::report_model(report));
        insert.exec_without_returning(&tx.unrouted()).await?;
    } else {
        use comment_report::{Column, Entity};
        let update = Entity::update_many()
            .set(row::report_changes(report))
            .filter(Column::Part.eq(at))
            .filter(Column::CommentId.eq(id.get()))
            .filter(Column::MemberId.eq(row::bytes(report.member.as_str())));
        update.exec(&tx.unrouted()).await?;
    }
    let Some(review) = review else { return Ok(()) };
    if is_first_review {
        let insert = comment_review::Entity::insert(row::review_model(review));
        insert.exec_without_returning(&tx.unrouted()).await?;
    } else {
        use comment_review::{Column, Entity};
        let update = Entity::update_many().set(row::review_changes(review)).filter(Column::Part.eq(at));
        update.filter(Column::CommentId.eq(id.get())).exec(&tx.unrouted()).await?;
    }
    Ok(())
}
