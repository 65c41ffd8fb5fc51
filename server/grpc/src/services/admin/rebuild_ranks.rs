//! RebuildRanks: rebuilds the rank index from the comments.

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
    request: v1::RebuildRanksRequest,
) -> Result<ResponseStream<v1::RebuildRanksResponse>, Status> {
    let v1::RebuildRanksRequest { scope, resume_token, request_id } = request;
    subject_sweep::run(
        services,
        call,
        SweepScope { method: "RebuildRanks", scope, resume_token, request_id },
        RebuildRanks::default(),
    )
    .await
}

/// Rebuilds the rank index and counts the results.
#[derive(Debug, Default)]
struct RebuildRanks {
    progress: v1::RebuildRanksResponse,
}

#[tonic::async_trait]
impl SubjectTask for RebuildRanks {
    type Response = v1::RebuildRanksResponse;

    async fn run(&mut self, item: &SweepItem<'_, Self::Response>) -> Result<(), Error> {
        let maintenance = &item.services.maintenance;
        let rebuild = |after| maintenance.rebuild_ranks(item.caller, item.key, after, CHUNK);
        let add = |progress: &mut Self::Response, part: &RebuildProgress| {
            progress.comments_checked += part.comments as i64;
            progress.comments_changed += part.changed as i64;
        };
        let end = |progress: &mut Self::Response| {
            progress.subjects_done += 1;
            item.resume_token.clone_into(&mut progress.resume_token);
        };
        let changed = self.progress.comments_changed;
        in_chunks(item, &mut self.progress, rebuild, add, end).await?;
        if let Some(cache) = item.services.cached_pages.as_ref().filter(|_| self.progress.comments_changed > changed) {
            cache.invalidate(item.key).await;
        }
        Ok(())
    }

    fn end(self, _: &Services) {}
}
