//! The auditor: takes pages that copies have just answered with, whatever their list, order and place in it, and compares
//! what is kept with the rows, a second later and five seconds later.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use riposte_core::Result;
use riposte_core::comment::CommentView;
use riposte_core::page::{ReplyPage, RootPage, Which};

use crate::reader::{CachedReader, Wanted};
use crate::tally::Told;

/// Pages that wait to be looked at.
const WAITING: usize = 64;
/// How long a copy may differ from the rows: the relay takes less.
const SPANS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// The last pages that copies answered with.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<VecDeque<Wanted>>);

impl Seen {
    /// Notes one, if there is room and nobody is in the way: this is on every reader's road.
    pub(crate) fn note(&self, page: &Wanted) {
        if let Ok(mut seen) = self.0.try_lock()
            && seen.len() < WAITING
        {
            seen.push_back(page.clone());
        }
    }

    fn take(&self) -> Option<Wanted> {
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

    /// Looks at pages for ever, one at a time. `troubled` hears why one could not be looked at.
    pub async fn run(self, troubled: impl Fn(riposte_core::Error)) {
        loop {
            tokio::time::sleep(SPANS[0]).await;
            let Some(page) = self.reader.seen().take() else { continue };
            for span in SPANS {
                if let Err(error) = self.compare(&page, span).await {
                    troubled(error);
                }
            }
        }
    }

    /// Compares the page that copies have answered with longest ago, and not before the last audit, with its rows: whether
    /// it was behind them for longer than `span`. Such copies are forgotten. `None` where nothing was answered.
    ///
    /// # Errors
    /// Those of the rows.
    pub async fn audit(&self, span: Duration) -> Result<Option<bool>> {
        match self.reader.seen().take() {
            Some(page) => self.compare(&page, span).await.map(Some),
            None => Ok(None),
        }
    }

    async fn compare(&self, page: &Wanted, span: Duration) -> Result<bool> {
        let Some(kept) = self.reader.kept(page).await else { return Ok(false) };
        self.reader.tally().one(Told::Audited);
        let differ = |rows: &Option<Shown>| {
            rows.as_ref() != Some(&kept) && !rows.as_ref().is_some_and(|rows| kept.is_newer(rows))
        };
        if !differ(&self.rows(page).await?) {
            return Ok(false);
        }
        tokio::time::sleep(span).await;
        // Copies of previews may be ahead of the boards that the rows' are chosen from.
        if self.reader.kept(page).await.as_ref() != Some(&kept) || !differ(&self.rows(page).await?) {
            return Ok(false);
        }
        self.reader.tally().one(Told::Drift);
        let (key, revision) = (&page.key, kept.revision());
        tracing::error!(?key, revision, "copies differ from their rows; they are forgotten");
        let _ = self.reader.cache().forget(key).await;
        Ok(true)
    }

    async fn rows(&self, Wanted { key, root, which, previews }: &Wanted) -> Result<Option<Shown>> {
        let rows = self.reader.inner();
        Ok(match (root, which) {
            (None, Which::Window(window)) => rows.roots(key, *window, *previews).await?.map(Shown::roots),
            (None, Which::Floors(floors)) => rows.roots_at(key, floors, *previews).await?.map(Shown::roots),
            (Some(root), Which::Window(window)) => rows.replies(key, *root, *window).await?.map(Shown::replies),
            (Some(root), Which::Floors(floors)) => rows.replies_at(key, *root, floors).await?.map(Shown::replies),
        })
    }
}

/// A page as readers see it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Of roots.
    Roots(Box<RootPage>),
    /// Of the replies of one.
    Replies(Box<ReplyPage>),
}

impl Shown {
    pub(crate) fn roots(page: RootPage) -> Self {
        Self::Roots(Box::new(page))
    }

    pub(crate) fn replies(page: ReplyPage) -> Self {
        Self::Replies(Box::new(page))
    }

    fn revision(&self) -> i64 {
        match self {
            Self::Roots(page) => page.subject.revision,
            Self::Replies(page) => page.subject.revision,
        }
    }

    /// Whether this shows anything that `other`, of the rows, did not show when they were read.
    fn is_newer(&self, other: &Self) -> bool {
        if self.revision() != other.revision() {
            return self.revision() > other.revision();
        }
        let earlier = other.views();
        let newer = |view: &&CommentView| {
            let same = earlier.iter().find(|other| other.comment.id == view.comment.id);
            same.is_some_and(|other| view.comment.revision > other.comment.revision)
        };
        self.views().iter().any(newer)
    }

    fn views(&self) -> Vec<&CommentView> {
        match self {
            Self::Roots(page) => {
                let threads = page.threads.items.iter().chain(&page.pinned);
                threads.flat_map(|thread| std::iter::once(&thread.root).chain(&thread.replies)).collect()
            }
            Self::Replies(page) => std::iter::once(&page.root).chain(&page.replies.items).collect(),
        }
    }
}
