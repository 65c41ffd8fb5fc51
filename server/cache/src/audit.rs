//! The auditor: takes pages that copies have just answered with, whatever their list, order and place in it, and compares
//! what is kept with the rows, a second later and five seconds later.

use std::time::Duration;

use riposte_core::Result;
use riposte_core::page::Which;

use crate::reader::{CachedReader, Shown, Wanted};
use crate::tally::Told;

/// How long a copy may differ from the rows: the relay takes less.
const SPANS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

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
