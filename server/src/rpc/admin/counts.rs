//! VerifyCounts and RepairCounts: every stored count against the rows it counts, one answer per subject.

use riposte_core::page::{Drift, Verified};
use riposte_core::ports::Repaired;
use riposte_core::{CommentId, Error};
use riposte_sdk::v1;

use super::rounds::{Visit, Work};
use crate::rpc::Services;
use crate::rpc::answer;

/// Compares.
#[derive(Debug, Default)]
pub(super) struct Verify {
    drifts: u64,
}

/// Sets right.
#[derive(Debug, Default)]
pub(super) struct Repair {
    drifts: u64,
}

#[tonic::async_trait]
impl Work for Verify {
    type Answer = v1::VerifyCountsResponse;

    async fn visit(&mut self, at: &Visit<'_, Self::Answer>) -> Result<(), Error> {
        let Verified { comments, drifts } = at.services.comments.verify(at.caller, at.key).await?;
        self.drifts += drifts.len() as u64;
        at.tell(v1::VerifyCountsResponse {
            subject: Some(answer::subject_key(at.key)),
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
impl Work for Repair {
    type Answer = v1::RepairCountsResponse;

    async fn visit(&mut self, at: &Visit<'_, Self::Answer>) -> Result<(), Error> {
        let Repaired { drifts, revision } = at.services.comments.repair(at.caller, at.key).await?;
        self.drifts += drifts.len() as u64;
        at.tell(v1::RepairCountsResponse {
            subject: Some(answer::subject_key(at.key)),
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

/// The drifts on the wire; each is counted as one that was found.
fn told(services: &Services, drifts: Vec<Drift>) -> Vec<v1::CountDrift> {
    let drift = |Drift { comment, count, stored, actual }: Drift| {
        services.metrics.drifted(count);
        v1::CountDrift { comment_id: comment.map_or(0, CommentId::get), name: count.to_owned(), stored, actual }
    };
    drifts.into_iter().map(drift).collect()
}
