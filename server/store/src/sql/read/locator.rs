//! Finds the locations of comments. Every write that names a comment needs its location. Therefore
//! locations are cached, and requests that arrive during a lookup are combined in the next lookup.

use std::collections::BTreeMap;
use std::sync::Arc;

use riposte_core::location::CommentLocation;
use riposte_core::{CommentId, Error, ObjectTypeScope, Result};
use riposte_sync::{BatchWorker, Batcher};
use tokio::sync::oneshot;

use super::locate::locate;
use super::location_cache::CommentLocationCache;
use crate::sql::pool::DataSources;

/// The number of lookups that one data source may have in progress.
const CONCURRENT_LOOKUPS: usize = 2;

/// Finds the locations of comments on all data sources.
#[derive(Debug)]
pub(super) struct CommentLocator {
    sources: Arc<DataSources>,
    cache: CommentLocationCache,
    /// The lookups of each data source.
    lookups: Vec<Arc<Batcher<Vec<CommentId>, LookupResult>>>,
}

/// The locations of the ids of one call.
type LookupResult = Result<Vec<CommentLocation>>;

/// The result of a lookup on all data sources.
#[derive(Debug)]
struct FoundLocations {
    /// The locations, in any order.
    found: Vec<CommentLocation>,
    /// The errors of data sources.
    failed: BTreeMap<usize, Error>,
}

impl CommentLocator {
    pub(super) fn new(sources: Arc<DataSources>) -> Arc<Self> {
        let lookups = sources.all().iter().map(|_| Batcher::new(CONCURRENT_LOOKUPS)).collect();
        Arc::new(Self { sources, cache: CommentLocationCache::new(), lookups })
    }

    /// Returns the locations of those of `ids` that exist, in any order.
    pub(super) async fn locate(self: &Arc<Self>, ids: &[CommentId]) -> Result<Vec<CommentLocation>> {
        self.locate_among(ids, &ObjectTypeScope::All).await
    }

    /// Returns the locations of those of `ids` that exist and have one of these object types, in
    /// any order.
    pub(super) async fn locate_among(
        self: &Arc<Self>,
        ids: &[CommentId],
        types: &ObjectTypeScope,
    ) -> Result<Vec<CommentLocation>> {
        let FoundLocations { found, failed } = self.search(ids, types).await;
        failed.into_iter().next().map_or(Ok(found), |(_, error)| Err(error))
    }

    /// Returns the location of each id that exists and has one of these object types, or the error
    /// of its data source.
    pub(super) async fn locate_each(
        self: &Arc<Self>,
        ids: &[CommentId],
        types: &ObjectTypeScope,
    ) -> Vec<Result<Option<CommentLocation>>> {
        let FoundLocations { mut found, failed } = self.search(ids, types).await;
        found.sort_unstable_by_key(|location| location.id);
        let location = |id: &CommentId| found.binary_search_by_key(id, |location| location.id).ok();
        let each = ids.iter().map(|id| match (location(id), failed.get(&self.source(*id))) {
            (Some(position), _) => Ok(Some(found[position].clone())),
            (None, Some(error)) => Err(error.clone()),
            (None, None) => Ok(None),
        });
        each.collect()
    }

    /// The data source of a comment.
    fn source(&self, id: CommentId) -> usize {
        self.sources.map().source(id.partition())
    }

    /// Searches the cache for ids, and asks each data source once for those that it lacks.
    async fn search(self: &Arc<Self>, ids: &[CommentId], types: &ObjectTypeScope) -> FoundLocations {
        let (mut found, unknown) = self.cache.get(ids, types);
        let mut by_source: Vec<Vec<CommentId>> = vec![Vec::new(); self.lookups.len()];
        for id in unknown {
            by_source[self.source(id)].push(id);
        }
        let requests: Vec<_> = by_source.into_iter().enumerate().filter(|(_, ids)| !ids.is_empty()).collect();
        let responses: Vec<_> = requests.into_iter().map(|(source, ids)| (source, self.request(source, ids))).collect();
        let mut failed = BTreeMap::new();
        for (source, response) in responses {
            let lost = |_| Err(Error::internal("a lookup of comments ended without a result"));
            match response.await.unwrap_or_else(lost) {
                Ok(located) => found.extend(located),
                Err(error) => drop(failed.insert(source, error)),
            }
        }
        found.retain(|location| types.contains(location.subject.object_type()));
        FoundLocations { found, failed }
    }

    /// Adds ids to the next lookup of a source. Starts that lookup at once if fewer than
    /// [`CONCURRENT_LOOKUPS`] are in progress.
    fn request(self: &Arc<Self>, source: usize, ids: Vec<CommentId>) -> oneshot::Receiver<LookupResult> {
        let (response, worker) = self.lookups[source].add(ids);
        if let Some(worker) = worker {
            let this = Arc::clone(self);
            self.sources.runner().spawn(async move { this.run_lookups(worker).await });
        }
        response
    }

    /// Locates the ids of all waiting calls with one lookup, and repeats this until no call waits.
    async fn run_lookups(&self, mut worker: BatchWorker<Vec<CommentId>, LookupResult>) {
        while let Some(waiting) = worker.next_batch() {
            let mut ids: Vec<CommentId> = waiting.iter().flat_map(|call| call.request.iter().copied()).collect();
            ids.sort_unstable();
            ids.dedup();
            let mut read = locate(&self.sources, ids).await;
            if let Ok(found) = &mut read {
                found.sort_unstable_by_key(|location| location.id);
                found.iter().for_each(|location| self.cache.insert(location));
            }
            for call in waiting {
                let own_locations = |found: &Vec<CommentLocation>| {
                    let position = |id: &CommentId| found.binary_search_by_key(id, |location| location.id).ok();
                    call.request.iter().filter_map(position).map(|n| found[n].clone()).collect()
                };
                let result = read.as_ref().map(own_locations).map_err(Clone::clone);
                call.respond(result);
            }
        }
    }
}
