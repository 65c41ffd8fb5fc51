//! VerifyCounts: compares every stored count with the rows that it counts, with one response per
//! subject.

use riposte_core::page::{CountDrift, CountReport};
use riposte_core::{CommentId, Error};
use riposte_sdk::v1;
use tonic::Status;

use crate::call::{Call, ResponseStream};
use crate::subject_sweep::{self, SubjectTask, SweepItem, SweepScope};
use crate::{Services, convert};

pub(crate) async fn handle(
    services: Services,
    call: Call,
    request: v1::VerifyCountsRequest,
) -> Result<ResponseStream<v1::VerifyCountsResponse>, Status> {
    let v1::VerifyCountsRequest { scope, resume_token } = request;
    subject_sweep::run(
        services,
        call,
        SweepScope { method: "VerifyCounts", scope, resume_token, request_id: String::new() },
        VerifyCounts::default(),
    )
    .await
}

/// Compares counts.
#[derive(Debug, Default)]
struct VerifyCounts {
    drifts: u64,
}

#[tonic::async_trait]
impl SubjectTask for VerifyCounts {
    type Response = v1::VerifyCountsResponse;

    async fn run(&mut self, item: &SweepItem<'_, Self::Response>) -> Result<(), Error> {
        let CountReport { comments, drifts } = item.services.comments.verify(item.caller, item.key).await?;
        self.drifts += drifts.len() as u64;
        item.send(v1::VerifyCountsResponse {
            subject: Some(convert::subject_key(item.key)),
            comments_checked: comments,
            drifts: drift_messages(item.services, drifts),
            resume_token: item.resume_token.to_owned(),
        })
        .await
    }

    fn end(self, services: &Services) {
        services.metrics.verified(self.drifts);
    }
}

/// Converts drifts to messages, and records each in the metrics.
pub(super) fn drift_messages(services: &Services, drifts: Vec<CountDrift>) -> Vec<v1::CountDrift> {
    let drift = |CountDrift { comment, count, stored, actual }: CountDrift| {
        services.metrics.drifted(count);
        v1::CountDrift { comment_id: comment.map_or(0, CommentId::get), name: count.to_owned(), stored, actual }
    };
    drifts.into_iter().map(drift).collect()
}
