//! Corrects reviews whose open question about the text contradicts the state of their comment.

use std::collections::BTreeSet;

use riposte_core::page::CountDrift;
use riposte_core::review::{Review, ReviewCause, ReviewCauses};
use riposte_core::{Comment, CommentId, CommentState, Millis, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::comment_review::{Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::read::verify::REVIEW_OPEN;
use crate::sql::row;

/// Corrects the reviews of these drifts. Their comments are locked.
pub(super) async fn correct(
    tx: &SourceTx,
    key: &SubjectKey,
    drifts: &[CountDrift],
    (comments, now): (&[Comment], Millis),
) -> Result<(), StoreError> {
    let differing = drifts.iter().filter(|drift| drift.count == REVIEW_OPEN).filter_map(|drift| drift.comment);
    let differing: BTreeSet<CommentId> = differing.collect();
    for comment in comments.iter().filter(|comment| differing.contains(&comment.reference.id)) {
        let (id, at) = (comment.reference.id, part(key.partition()));
        let found = Entity::find()
            .filter(Column::Part.eq(at))
            .filter(Column::CommentId.eq(id.get()))
            .order_by_asc(Column::CommentId)
            .lock_exclusive();
        match found.one(&tx.unrouted()).await? {
            Some(found) => {
                let review = corrected(row::review(found)?, comment.lifecycle.state, now);
                let update = Entity::update_many().set(row::review_changes(&review)).filter(Column::Part.eq(at));
                update.filter(Column::CommentId.eq(id.get())).exec(&tx.unrouted()).await?;
            }
            None => {
                // Nothing says that the comment was ever visible, so it is treated as if it never
                // was.
                let reference = &comment.reference;
                let ids = (id, reference.subject_id);
                let review = Review::new(ids, key.object_type().clone(), reference.member.clone(), true);
                let review = row::review_model(&corrected(review, comment.lifecycle.state, now));
                Entity::insert(review).exec_without_returning(&tx.unrouted()).await?;
            }
        }
    }
    Ok(())
}

/// Returns the review as the state of its comment requires it.
fn corrected(mut review: Review, state: CommentState, now: Millis) -> Review {
    review.close(state == CommentState::Deleted);
    if state == CommentState::Pending {
        if review.causes.intersection(ReviewCauses::TEXT).is_empty() {
            review.add_cause(ReviewCause::New, now);
        }
    } else if state == CommentState::Active {
        review.remove_causes(ReviewCauses::TEXT.without(ReviewCauses::IN_SIGHT));
    } else if state != CommentState::Deleted {
        review.remove_causes(ReviewCauses::TEXT);
    }
    review
}

#[cfg(test)]
mod tests {
    use riposte_core::object_type::ObjectType;
    use riposte_core::review::{Review, ReviewCause, ReviewCauses};
    use riposte_core::{CommentId, CommentState, MemberId, Millis};

    use super::corrected;

    #[test]
    fn a_review_is_open_afterwards_exactly_where_the_state_requires_it() {
        let id = CommentId::new(7).expect("positive");
        let review = |cause: Option<ReviewCause>, is_closed: bool| {
            let (object_type, member) = (ObjectType::stored("video".to_owned()), MemberId::stored("ann".to_owned()));
            let mut review = Review::new((id, id.into()), object_type, member, true);
            cause.into_iter().for_each(|cause| review.add_cause(cause, Millis(1)));
            review.close(is_closed);
            review
        };
        let causes = ReviewCause::ALL.into_iter().map(Some).chain([None]);
        for (cause, is_closed) in causes.flat_map(|cause| [(cause, false), (cause, true)]) {
            for state in CommentState::ALL {
                let corrected = corrected(review(cause, is_closed), state, Millis(2));
                let in_sight = !corrected.causes.intersection(ReviewCauses::IN_SIGHT).is_empty();
                let expected = match state {
                    CommentState::Pending => true,
                    CommentState::Active => in_sight,
                    CommentState::Rejected | CommentState::Hidden | CommentState::Shadowed | CommentState::Deleted => {
                        false
                    }
                };
                assert_eq!(corrected.open().bits() & 1 == 1, expected, "{cause:?}, closed: {is_closed}, {state}");
            }
        }
    }
}
