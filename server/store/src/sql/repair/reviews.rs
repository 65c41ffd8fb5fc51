//! Corrects reviews whose open questions contradict the state of their comment and its proposals.

use std::collections::BTreeSet;

use riposte_core::decision::Decision;
use riposte_core::page::CountDrift;
use riposte_core::proposal::ProposalState;
use riposte_core::review::{Review, ReviewCause};
use riposte_core::{Comment, CommentId, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::StoreError;
use crate::shard::part;
use crate::sql::database_time;
use crate::sql::entity::comment_review::{Column, Entity};
use crate::sql::entity::{comment_decision, comment_report, comment_withheld};
use crate::sql::pool::SourceTx;
use crate::sql::read::verify::{APPEAL, PROPOSAL, REPORT_WEIGHT, REPORTS, REVIEW_OPEN};
use crate::sql::row;

/// The names of the drifts that belong to a review.
const OF_REVIEWS: [&str; 5] = [REVIEW_OPEN, PROPOSAL, APPEAL, REPORTS, REPORT_WEIGHT];

/// Corrects the reviews of these drifts. Their comments are locked.
pub(super) async fn correct(
    tx: &SourceTx,
    key: &SubjectKey,
    drifts: &[CountDrift],
    comments: &[Comment],
) -> Result<(), StoreError> {
    let of_reviews = drifts.iter().filter(|drift| OF_REVIEWS.contains(&drift.count));
    let differing = of_reviews.filter_map(|drift| drift.comment);
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
        let found = found.one(&tx.unrouted()).await?;
        let (proposal, decisions) = (waiting_proposal(tx, id).await?, decisions_on(tx, id).await?);
        let appeal = Decision::undecided_appeal(&decisions);
        match found {
            Some(found) => {
                let mut review = row::review(found)?;
                review.correct(comment.lifecycle.state, proposal, appeal, now);
                (review.reports, review.report_weight) = counted_reports(tx, &review).await?;
                let update = Entity::update_many().set(row::review_changes(&review)).filter(Column::Part.eq(at));
                update.filter(Column::CommentId.eq(id.get())).exec(&tx.unrouted()).await?;
            }
            None => {
                // Nothing says that a comment out of sight was ever visible, so it is treated as if
                // it never was.
                let (reference, state) = (&comment.reference, comment.lifecycle.state);
                let (ids, never_public) = ((id, reference.subject_id), !state.is_visible());
                let mut review = Review::new(ids, key.object_type().clone(), reference.member.clone(), never_public);
                Decision::recover(&mut review, &decisions);
                review.proposal = review.proposal.max(last_proposal(tx, id).await?);
                (review.reports, review.report_weight) = counted_reports(tx, &review).await?;
                if review.reports > 0 {
                    // The threshold is not known here, so a moderator judges the comment.
                    review.add_cause(ReviewCause::Report, now);
                }
                review.correct(state, proposal, appeal, now);
                Entity::insert(row::review_model(&review)).exec_without_returning(&tx.unrouted()).await?;
            }
        }
    }
    Ok(())
}

/// Returns the number of the proposed edit of a comment that waits.
async fn waiting_proposal(tx: &SourceTx, id: CommentId) -> Result<Option<i32>, StoreError> {
    use comment_withheld::{Column, Entity};
    let waiting = Entity::find()
        .filter(Column::Part.eq(part(id.partition())))
        .filter(Column::CommentId.eq(id.get()))
        .filter(Column::Kind.eq(row::PROPOSAL))
        .filter(Column::State.eq(ProposalState::Waiting.code()))
        .order_by_desc(Column::Number);
    let found = waiting.one(&tx.unrouted()).await?.map(row::proposal).transpose()?;
    Ok(found.map(|proposal| proposal.number))
}

/// Returns the number of the last proposed edit of a comment; 0 if none was proposed.
async fn last_proposal(tx: &SourceTx, id: CommentId) -> Result<i32, StoreError> {
    use comment_withheld::{Column, Entity};
    let last = Entity::find()
        .filter(Column::Part.eq(part(id.partition())))
        .filter(Column::CommentId.eq(id.get()))
        .filter(Column::Kind.eq(row::PROPOSAL))
        .order_by_desc(Column::Number);
    let found = last.one(&tx.unrouted()).await?.map(row::proposal).transpose()?;
    Ok(found.map_or(0, |proposal| proposal.number))
}

/// Returns the decisions on a comment in their order.
async fn decisions_on(tx: &SourceTx, id: CommentId) -> Result<Vec<Decision>, StoreError> {
    use comment_decision::{Column, Entity};
    let decisions = Entity::find()
        .filter(Column::Part.eq(part(id.partition())))
        .filter(Column::CommentId.eq(id.get()))
        .order_by_asc(Column::Number);
    let decisions = decisions.all(&tx.unrouted()).await?;
    Ok(decisions.into_iter().map(row::decision).collect::<riposte_core::Result<Vec<_>>>()?)
}

/// Returns the number of the reports of a comment that count, and the sum of their weights.
async fn counted_reports(tx: &SourceTx, review: &Review) -> Result<(i32, i32), StoreError> {
    use comment_report::{Column, Entity};
    let reports = Entity::find()
        .filter(Column::Part.eq(part(review.comment_id.partition())))
        .filter(Column::CommentId.eq(review.comment_id.get()))
        .filter(Column::Counted.eq(1_i8))
        .filter(Column::Version.gt(review.settled_version));
    let reports = reports.all(&tx.unrouted()).await?;
    let weight = reports.iter().fold(0_i32, |sum, report| sum.saturating_add(report.weight));
    Ok((i32::try_from(reports.len()).unwrap_or(i32::MAX), weight))
}
