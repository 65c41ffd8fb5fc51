//! VerifyCounts and RepairCounts: compare every stored count with the rows that it counts, with one
//! response per subject.

use riposte_core::page::{CountDrift, CountReport};
use riposte_core::ports::RepairReport;
use riposte_core::{CommentId, Error};
use riposte_sdk::v1;

use super::subject_sweep::{SubjectTask, SweepItem};
use crate::rpc::Services;
use crate::rpc::convert;

/// Compares counts.
#[derive(Debug, Default)]
pub(super) struct VerifyCounts {
    drifts: u64,
}

/// Repairs counts.
#[derive(Debug, Default)]
pub(super) struct RepairCounts {
    drifts: u64,
}

#[tonic::async_trait]
impl SubjectTask for VerifyCounts {
    type Answer = v1::VerifyCountsResponse;

    async fn visit(&mut self, at: &SweepItem<'_, Self::Answer>) -> Result<(), Error> {
        let CountReport { comments, drifts } = at.services.comments.verify(at.caller, at.key).await?;
        self.drifts += drifts.len() as u64;
        at.tell(v1::VerifyCountsResponse {
            subject: Some(convert::subject_key(at.key)),
            comments_checked: comments,
            drifts: told(at.services, drifts),
            resume_token: at.resume_token.to_owned(),
        })
        .await
    }

    fn end(self, services: &Services) {
        services.metrics.verified(self.drifts);
    }
}

#[tonic::async_trait]
impl SubjectTask for RepairCounts {
    type Answer = v1::RepairCountsResponse;

    async fn visit(&mut self, at: &SweepItem<'_, Self::Answer>) -> Result<(), Error> {
        let RepairReport { drifts, revision } = at.services.comments.repair(at.caller, at.key).await?;
        self.drifts += drifts.len() as u64;
        at.tell(v1::RepairCountsResponse {
            subject: Some(convert::subject_key(at.key)),
            repaired: told(at.services, drifts),
            subject_revision: revision,
            resume_token: at.resume_token.to_owned(),
        })
        .await
    }

    fn end(self, services: &Services) {
        services.metrics.verified(self.drifts);
    }
}

/// Converts drifts to messages, and records each in the metrics.
fn told(services: &Services, drifts: Vec<CountDrift>) -> Vec<v1::CountDrift> {
    let drift = |CountDrift { comment, count, stored, actual }: CountDrift| {
        services.metrics.drifted(count);
        v1::CountDrift { comment_id: comment.map_or(0, CommentId::get), name: count.to_owned(), stored, actual }
    };
    drifts.into_iter().map(drift).collect()
}
