//! The auditor: takes subjects that copies have just answered for, and compares what is kept with the rows, a second
//! later and five seconds later.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use riposte_core::comment::CommentView;
use riposte_core::page::{DEFAULT_PREVIEW, Order, RootPage, Start, Window};
use riposte_core::{Result, SubjectKey};

use crate::port::{Lookup, PageAsk, Part};
use crate::reader::CachedReader;
use crate::tally::Told;

/// Subjects that wait to be looked at.
const WAITING: usize = 64;
/// How long a copy may differ from the rows: the relay takes less.
const SPANS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// The last subjects that copies answered for.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<VecDeque<SubjectKey>>);

impl Seen {
    /// Notes one, if there is room and nobody is in the way: this is on every reader's road.
    pub(crate) fn note(&self, key: &SubjectKey) {
        if let Ok(mut seen) = self.0.try_lock()
            && seen.len() < WAITING
        {
            seen.push_back(key.clone());
        }
    }

    fn take(&self) -> Option<SubjectKey> {
        let mut seen = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let taken = seen.pop_front();
        // What has waited meanwhile is of long ago.
        seen.clear();
        taken
    }
}

/// See the module.
#[derive(Debug, Clone)]
pub struct Auditor {
    reader: CachedReader,
}

impl Auditor {
    /// Audits the copies that `reader` answers from.
    #[must_use]
    pub fn new(reader: CachedReader) -> Self {
        Self { reader }
    }

    /// Looks at subjects for ever, one at a time. `troubled` hears why one could not be looked at.
    pub async fn run(self, troubled: impl Fn(riposte_core::Error)) {
        loop {
            tokio::time::sleep(SPANS[0]).await;
            let Some(key) = self.reader.seen().take() else { continue };
            for span in SPANS {
                if let Err(error) = self.audit(&key, span).await {
                    troubled(error);
                }
            }
        }
    }

    /// Compares the first page of a subject with its rows: whether it was behind them for longer than `span`. Such
    /// copies are forgotten.
    ///
    /// # Errors
    /// Those of the rows.
    pub async fn audit(&self, key: &SubjectKey, span: Duration) -> Result<bool> {
        for previews in [DEFAULT_PREVIEW, 0] {
            if let Some(kept) = self.kept(key, previews).await {
                return self.compare(key, span, previews, kept).await;
            }
        }
        Ok(false)
    }

    async fn compare(&self, key: &SubjectKey, span: Duration, previews: u8, kept: RootPage) -> Result<bool> {
        self.reader.tally().one(Told::Audited);
        let rows = async || self.reader.inner().roots(key, WINDOW, previews).await;
        let differ = |rows: &Option<RootPage>| {
            rows.as_ref() != Some(&kept) && !rows.as_ref().is_some_and(|rows| is_newer(&kept, rows))
        };
        if !differ(&rows().await?) {
            return Ok(false);
        }
        tokio::time::sleep(span).await;
        // Copies of previews may be ahead of the boards that the rows' are chosen from.
        if self.kept(key, previews).await.as_ref() != Some(&kept) || !differ(&rows().await?) {
            return Ok(false);
        }
        self.reader.tally().one(Told::Drift);
        tracing::error!(?key, revision = kept.subject.revision, "copies differ from their rows; they are forgotten");
        let _ = self.reader.cache().forget(key).await;
        Ok(true)
    }

    async fn kept(&self, key: &SubjectKey, previews: u8) -> Option<RootPage> {
        let ask = PageAsk { key: key.clone(), root: None, part: Part::Window(WINDOW), previews };
        match self.reader.cache().page(&ask).await {
            Ok(Lookup::Hit(Some(hit))) => Some(crate::reader::roots(&hit)),
            Ok(Lookup::Hit(None) | Lookup::Miss) | Err(_) => None,
        }
    }
}

const WINDOW: Window = Window { order: Order::Newest, start: Start::Beginning, limit: 20 };

/// Whether copies show anything that the rows did not show when they were read.
fn is_newer(kept: &RootPage, rows: &RootPage) -> bool {
    if kept.subject.revision != rows.subject.revision {
        return kept.subject.revision > rows.subject.revision;
    }
    let earlier = views(rows);
    let newer = |view: &&CommentView| {
        let same = earlier.iter().find(|other| other.comment.id == view.comment.id);
        same.is_some_and(|other| view.comment.revision > other.comment.revision)
    };
    views(kept).iter().any(newer)
}

fn views(page: &RootPage) -> Vec<&CommentView> {
    let threads = page.threads.items.iter().chain(&page.pinned);
    threads.flat_map(|thread| std::iter::once(&thread.root).chain(&thread.replies)).collect()
}
