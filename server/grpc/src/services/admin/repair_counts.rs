//! RepairCounts: corrects every stored count from the rows that it counts, with one response per
//! subject.

use riposte_core::Error;
use riposte_core::ports::RepairReport;
use riposte_sdk::v1;
use tonic::Status;

use super::verify_counts::drift_messages;
use crate::call::{Call, ResponseStream};
use crate::subject_sweep::{self, SubjectTask, SweepItem, SweepScope};
use crate::{Services, convert};

pub(crate) async fn handle(
    services: Services,
    call: Call,
    request: v1::RepairCountsRequest,
) -> Result<ResponseStream<v1::RepairCountsResponse>, Status> {
    let v1::RepairCountsRequest { scope, resume_token, request_id } = request;
    subject_sweep::run(
        services,
        call,
        SweepScope { method: "RepairCounts", scope, resume_token, request_id },
        RepairCounts::default(),
    )
    .await
}

/// Repairs counts.
#[derive(Debug, Default)]
struct RepairCounts {
    drifts: u64,
}

#[tonic::async_trait]
impl SubjectTask for RepairCounts {
    type Response = v1::RepairCountsResponse;

    async fn run(&mut self, item: &SweepItem<'_, Self::Response>) -> Result<(), Error> {
        let RepairReport { drifts, revision } = item.services.maintenance.repair(item.caller, item.key).await?;
        self.drifts += drifts.len() as u64;
        item.send(v1::RepairCountsResponse {
            subject: Some(convert::subject_key(item.key)),
            repaired: drift_messages(item.services, drifts),
            subject_revision: revision,
            resume_token: item.resume_token.to_owned(),
        })
        .await
    }

    fn end(self, services: &Services) {
        services.metrics.verified(self.drifts);
    }
}
