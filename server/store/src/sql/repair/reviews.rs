//! Corrects reviews whose open question about the text contradicts the state of their comment.

use std::collections::BTreeSet;

use riposte_core::page::CountDrift;
use riposte_core::review::Review;
use riposte_core::{Comment, CommentId, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::StoreError;
use crate::shard::part;
use crate::sql::database_time;
use crate::sql::entity::comment_review::{Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::read::verify::REVIEW_OPEN;
use crate::sql::row;

/// Corrects the reviews of these drifts. Their comments are locked.
pub(super) async fn correct(
    tx: &SourceTx,
    key: &SubjectKey,
    drifts: &[CountDrift],
    comments: &[Comment],
) -> Result<(), StoreError> {
    let differing = drifts.iter().filter(|drift| drift.count == REVIEW_OPEN).filter_map(|drift| drift.comment);
    let differing: BTreeSet<CommentId> = differing.collect();
    if differing.is_empty() {
        return Ok(());
    }
    let now = database_time::read(&tx.unrouted(), key.partition()).await?;
    for comment in comments.iter().filter(|comment| differing.contains(&comment.reference.id)) {
        let (id, at) = (comment.reference.id, part(key.partition()));
        let found = Entity::find()
            .filter(Column::Part.eq(at))
            .filter(Column::CommentId.eq(id.get()))
            .order_by_asc(Column::CommentId)
            .lock_exclusive();
        match found.one(&tx.unrouted()).await? {
            Some(found) => {
                let mut review = row::review(found)?;
                review.correct(comment.lifecycle.state, now);
                let update = Entity::update_many().set(row::review_changes(&review)).filter(Column::Part.eq(at));
                update.filter(Column::CommentId.eq(id.get())).exec(&tx.unrouted()).await?;
            }
            None => {
                // Nothing says that the comment was ever visible, so it is treated as if it never
                // was.
                let reference = &comment.reference;
                let ids = (id, reference.subject_id);
                let mut review = Review::new(ids, key.object_type().clone(), reference.member.clone(), true);
                review.correct(comment.lifecycle.state, now);
                Entity::insert(row::review_model(&review)).exec_without_returning(&tx.unrouted()).await?;
            }
        }
    }
    Ok(())
}
