//! RebuildCache: rebuilds the cached data of subjects from their rows.

use riposte_core::Error;
use riposte_sdk::v1;
use tonic::Status;

use crate::Services;
use crate::call::{Call, ResponseStream};
use crate::subject_sweep::{self, SubjectTask, SweepItem, SweepScope};

pub(crate) async fn handle(
    services: Services,
    call: Call,
    request: v1::RebuildCacheRequest,
) -> Result<ResponseStream<v1::RebuildCacheResponse>, Status> {
    let v1::RebuildCacheRequest { scope, request_id } = request;
    subject_sweep::run(
        services,
        call,
        SweepScope { method: "RebuildCache", scope, resume_token: String::new(), request_id },
        RebuildCache::default(),
    )
    .await
}

/// Rebuilds the cache and counts the results.
#[derive(Debug, Default)]
struct RebuildCache {
    progress: v1::RebuildCacheResponse,
}

#[tonic::async_trait]
impl SubjectTask for RebuildCache {
    type Response = v1::RebuildCacheResponse;

    async fn run(&mut self, item: &SweepItem<'_, Self::Response>) -> Result<(), Error> {
        if let Some(cache) = &item.services.cached_pages {
            cache.rebuild(item.key).await?;
        }
        self.progress.subjects_rebuilt += 1;
        item.send(self.progress).await
    }

    fn end(self, _: &Services) {}
}
