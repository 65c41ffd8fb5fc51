//! The lookup of comment locations. Every write that names a comment reads its location, so results
//! are cached, and lookups that arrive while others are in progress are combined in the next one.

use std::sync::{Arc, Mutex, PoisonError};

use riposte_core::location::CommentLocation;
use riposte_core::{CommentId, Error, ObjectTypeScope, Result};
use tokio::sync::oneshot;

use super::locate::Locate;
use super::location_cache::CommentLocationCache;
use super::scatter;
use crate::sql::pool::DataSources;

/// The number of lookups that one data source may have in progress.
const AT_ONCE: usize = 2;

/// Finds comments of all data sources.
#[derive(Debug)]
pub(super) struct CommentLocator {
    sources: Arc<DataSources>,
    memory: CommentLocationCache,
    /// One queue for each data source.
    queues: Vec<Mutex<Queue>>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Waiter>,
    under_way: usize,
}

#[derive(Debug)]
struct Waiter {
    ids: Vec<CommentId>,
    answer: oneshot::Sender<Result<Vec<CommentLocation>>>,
}

impl CommentLocator {
    pub(super) fn new(sources: Arc<DataSources>) -> Arc<Self> {
        let queues = sources.all().iter().map(|_| Mutex::default()).collect();
        Arc::new(Self { sources, memory: CommentLocationCache::new(), queues })
    }

    /// Returns the locations of those of `ids` that exist, in no order.
    pub(super) async fn locate(self: &Arc<Self>, ids: &[CommentId]) -> Result<Vec<CommentLocation>> {
        self.locate_among(ids, &ObjectTypeScope::All).await
    }

    /// Returns the locations of those of `ids` that exist and have one of these types, in no order.
    pub(super) async fn locate_among(
        self: &Arc<Self>,
        ids: &[CommentId],
        types: &ObjectTypeScope,
    ) -> Result<Vec<CommentLocation>> {
        let (mut found, unknown) = self.memory.recall(ids, types);
        let mut by_source: Vec<Vec<CommentId>> = vec![Vec::new(); self.queues.len()];
        for id in unknown {
            by_source[self.sources.map().source(id.partition())].push(id);
        }
        let asked: Vec<_> = by_source.into_iter().enumerate().filter(|(_, ids)| !ids.is_empty()).collect();
        let answers: Vec<_> = asked.into_iter().map(|(source, ids)| self.ask(source, ids)).collect();
        for answer in answers {
            found.extend(answer.await.map_err(|_| Error::internal("a look-up died"))??);
        }
        found.retain(|at| types.hold(at.subject.object_type()));
        Ok(found)
    }

    /// Adds a waiter to the queue of a source, and starts a lookup unless enough are in progress.
    fn ask(self: &Arc<Self>, source: usize, ids: Vec<CommentId>) -> oneshot::Receiver<Result<Vec<CommentLocation>>> {
        let (answer, answered) = oneshot::channel();
        let mut queue = self.queue(source);
        queue.waiting.push(Waiter { ids, answer });
        if queue.under_way < AT_ONCE {
            queue.under_way += 1;
            let this = Arc::clone(self);
            self.sources.desk().spawn(async move { this.work(source).await });
        }
        answered
    }

    /// Locates the ids of all waiters together, and repeats this until the queue is empty.
    async fn work(&self, source: usize) {
        while let Some(waiting) = self.next(source) {
            let mut ids: Vec<CommentId> = waiting.iter().flat_map(|waiter| waiter.ids.iter().copied()).collect();
            ids.sort_unstable();
            ids.dedup();
            let mut read = scatter::gather::<Locate>(&self.sources, ids).await;
            if let Ok(found) = &mut read {
                found.sort_unstable_by_key(|location| location.id);
                found.iter().for_each(|location| self.memory.remember(location));
            }
            for Waiter { ids, answer } in waiting {
                let own = |found: &Vec<CommentLocation>| {
                    let place = |id: &CommentId| found.binary_search_by_key(id, |location| location.id).ok();
                    ids.iter().filter_map(place).map(|n| found[n].clone()).collect()
                };
                // A waiter that was dropped needs no result.
                let _ = answer.send(read.as_ref().map(own).map_err(Clone::clone));
            }
        }
    }

    /// Returns the waiters of a queue. If there are none, returns `None` and counts one lookup less
    /// in progress.
    fn next(&self, source: usize) -> Option<Vec<Waiter>> {
        let mut queue = self.queue(source);
        if queue.waiting.is_empty() {
            queue.under_way -= 1;
            return None;
        }
        Some(std::mem::take(&mut queue.waiting))
    }

    fn queue(&self, source: usize) -> std::sync::MutexGuard<'_, Queue> {
        self.queues[source].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
