//! RebuildCache: rebuilds the cached data of subjects from their rows.

use riposte_core::Error;
use riposte_sdk::v1;

use super::subject_sweep::{SubjectTask, SweepItem};
use crate::rpc::Services;

/// Rebuilds the cache; holds the totals so far.
#[derive(Debug, Default)]
pub(super) struct RebuildCache {
    told: v1::RebuildCacheResponse,
}

#[tonic::async_trait]
impl SubjectTask for RebuildCache {
    type Answer = v1::RebuildCacheResponse;

    async fn visit(&mut self, at: &SweepItem<'_, Self::Answer>) -> Result<(), Error> {
        if let Some(copies) = &at.services.copies {
            copies.rebuild(at.key).await?;
        }
        self.told.subjects_rebuilt += 1;
        at.tell(self.told).await
    }

    fn end(self, _: &Services) {}
}
