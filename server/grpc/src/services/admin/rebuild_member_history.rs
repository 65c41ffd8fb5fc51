//! RebuildMemberHistory: rebuilds the member histories from the comments.

use riposte_core::Error;
use riposte_core::ports::RebuildProgress;
use riposte_sdk::v1;
use tonic::Status;

use crate::Services;
use crate::call::{Call, ResponseStream};
use crate::subject_sweep::{self, CHUNK, SubjectTask, SweepItem, SweepScope, in_chunks};

pub(crate) async fn handle(
    services: Services,
    call: Call,
    request: v1::RebuildMemberHistoryRequest,
) -> Result<ResponseStream<v1::RebuildMemberHistoryResponse>, Status> {
    let v1::RebuildMemberHistoryRequest { scope, resume_token, request_id } = request;
    subject_sweep::run(
        services,
        call,
        SweepScope { method: "RebuildMemberHistory", scope, resume_token, request_id },
        RebuildHistory::default(),
    )
    .await
}

/// Rebuilds member histories and counts the results.
#[derive(Debug, Default)]
struct RebuildHistory {
    progress: v1::RebuildMemberHistoryResponse,
}

#[tonic::async_trait]
impl SubjectTask for RebuildHistory {
    type Response = v1::RebuildMemberHistoryResponse;

    async fn run(&mut self, item: &SweepItem<'_, Self::Response>) -> Result<(), Error> {
        let maintenance = &item.services.maintenance;
        let rebuild = |after| maintenance.rebuild_history(item.caller, item.key, after, CHUNK);
        let add = |progress: &mut Self::Response, part: &RebuildProgress| {
            progress.comments_checked += part.comments as i64;
            progress.rows_changed += part.changed as i64;
        };
        let end = |progress: &mut Self::Response| {
            progress.subjects_done += 1;
            item.resume_token.clone_into(&mut progress.resume_token);
        };
        in_chunks(item, &mut self.progress, rebuild, add, end).await
    }

    fn end(self, _: &Services) {}
}
