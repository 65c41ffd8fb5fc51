//! A watcher: one reader of the changes of one subject.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::ports::{SubjectWatch, WatchItem};
use riposte_core::{Error, Result};
use tokio::sync::watch;

use super::WatchHub;
use super::stream::SubjectStream;
use super::subscriptions::SubscriptionGuard;

/// The number of entries that a watcher takes from the ring at a time.
const READ_LIMIT: usize = 32;

/// Receives the changes of a subject in order. It stores only its position in the ring, so a slow
/// reader costs no memory. When the ring no longer has the next revision, the watcher ends with an
/// error.
#[derive(Debug)]
pub(super) struct Watcher {
    hub: WatchHub,
    _guard: SubscriptionGuard,
    stream: Arc<SubjectStream>,
    progress: watch::Receiver<i64>,
    closing: watch::Receiver<bool>,
    seen: i64,
    /// The number of times that the subject had lost revisions when this watcher read it last.
    resets: u64,
    ready: VecDeque<Arc<WatchItem>>,
    ended: bool,
}

impl Watcher {
    /// Creates a watcher. With `after` 0 the watcher begins with the next change. Otherwise it has
    /// seen every revision up to `after`.
    pub(super) fn new(hub: WatchHub, guard: SubscriptionGuard, stream: Arc<SubjectStream>, after: i64) -> Self {
        let (resets, _) = stream.resets();
        let (seen, gap) = stream.start(after);
        hub.metrics.watch_opened();
        let (progress, closing) = (stream.subscribe(), hub.closing.subscribe());
        let ready = gap.into_iter().map(Arc::new).collect();
        Self { hub, _guard: guard, stream, progress, closing, seen, resets, ready, ended: false }
    }

    /// Returns the gap back to the revisions that are left if the subject lost some that this
    /// watcher has seen.
    fn reset(&mut self) -> Option<WatchItem> {
        let (resets, left) = self.stream.resets();
        if std::mem::replace(&mut self.resets, resets) == resets || self.seen <= left {
            return None;
        }
        let seen = std::mem::replace(&mut self.seen, left);
        Some(WatchItem::Gap { first: seen + 1, last: left })
    }

    /// Returns the item without the part of a gap that this watcher has seen.
    fn unseen(&mut self, item: &WatchItem) -> WatchItem {
        let seen = self.seen;
        self.seen = seen.max(item.last());
        match item {
            WatchItem::Change { .. } => item.clone(),
            WatchItem::Gap { first, last } => WatchItem::Gap { first: (*first).max(seen + 1), last: *last },
        }
    }
}

#[async_trait]
impl SubjectWatch for Watcher {
    fn seen(&self) -> i64 {
        self.seen
    }

    async fn next(&mut self) -> Option<Result<WatchItem>> {
        loop {
            if self.ended {
                return None;
            }
            if *self.closing.borrow_and_update() {
                return self.end(Error::ServerStopping);
            }
            if let Some(item) = self.ready.pop_front() {
                return Some(Ok(self.unseen(&item)));
            }
            self.progress.mark_unchanged();
            if let Some(gap) = self.reset() {
                return Some(Ok(gap));
            }
            match self.stream.after(self.seen, READ_LIMIT) {
                None => {
                    self.hub.metrics.watch_dropped();
                    return self.end(Error::WatchTooSlow);
                }
                Some(entries) if !entries.is_empty() => self.ready.extend(entries),
                Some(_) => {
                    // This watcher owns the hub and the stream, so neither sender is dropped.
                    tokio::select! {
                        _ = self.progress.changed() => {}
                        _ = self.closing.changed() => {}
                    }
                }
            }
        }
    }

    fn end(&mut self, error: Error) -> Option<Result<WatchItem>> {
        self.ended = true;
        Some(Err(error))
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.hub.metrics.watch_ended();
    }
}
