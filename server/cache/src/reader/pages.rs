//! Pages of roots and replies.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::page::{DEFAULT_PAGE, DEFAULT_PREVIEW, ListOrder, PageQuery, PageSelector, PageStart};
use riposte_core::{Error, Result, SubjectKey};

use super::loaded_page::{self, LoadedPage};
use super::{AuditSample, CachedReader, LoadKey, ReaderState};
use crate::port::{CachedPage, EntryLookup, FillLease, LeaseOutcome, Unavailable};

/// The number of times a reader waits for another process to fill the page, before it reads the
/// rows itself.
const MAX_WAITS: usize = 5;
/// The minimum and maximum of one wait in milliseconds.
const WAIT_MS: std::ops::RangeInclusive<u64> = 10..=50;

impl CachedReader {
    /// Returns a page, from the cache or from the rows.
    pub(super) async fn page(&self, load_key: LoadKey) -> Result<Option<CachedPage>> {
        if let Some(found) = self.0.counted(self.0.lookup_page(&load_key).await) {
            self.0.samples.record(AuditSample::PAGE, || AuditSample::Page(load_key));
            return Ok(found);
        }
        let this = Arc::clone(&self.0);
        let key = load_key.clone();
        let load = move || async move { this.load(&load_key).await };
        let loaded = self.0.pages.join(key, load).await.map_err(Error::internal)??;
        // Cloned only if several callers waited for this load.
        Ok(loaded.map(Arc::unwrap_or_clone))
    }
}

impl ReaderState {
    /// Loads the first page of the newest roots, to fill the cache again.
    pub(super) async fn first_page(&self, key: &SubjectKey) -> Result<Option<Arc<CachedPage>>> {
        let window = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: DEFAULT_PAGE };
        let selector = PageSelector::Window(window);
        self.load(&LoadKey { key: key.clone(), root: None, selector, previews: DEFAULT_PREVIEW }).await
    }

    /// Returns the page from the cache, unless the partition is invalid.
    pub(super) async fn lookup_page(
        &self,
        load_key: &LoadKey,
    ) -> std::result::Result<EntryLookup<Option<CachedPage>>, Unavailable> {
        self.invalid.check(load_key.key.partition())?;
        let Some(query) = load_key.query(&self.floors) else { return Ok(EntryLookup::Miss) };
        Ok(match self.cache.page(&query).await? {
            EntryLookup::Hit(Some(page)) => {
                load_key.verified(page).map_or(EntryLookup::Miss, |page| EntryLookup::Hit(Some(page)))
            }
            // A caller that requests replies has received the root, so the subject exists. A cache
            // that reports it as absent has not received it yet.
            EntryLookup::Hit(None) if load_key.root.is_some() => EntryLookup::Miss,
            lookup @ (EntryLookup::Hit(None) | EntryLookup::Miss) => lookup,
        })
    }

    /// Loads a page that was not cached, and fills the cache with it.
    async fn load(&self, load_key: &LoadKey) -> Result<Option<Arc<CachedPage>>> {
        if self.bypasses_cache(load_key.key.partition()) {
            return Ok(self.read(load_key, &load_key.selector).await?.map(|read| Arc::new(read.requested(load_key))));
        }
        let fill_lease = match self.fill_lease(load_key).await? {
            FetchPlan::Found(found) => return Ok(found.map(Arc::new)),
            FetchPlan::Read(fill_lease) => fill_lease,
        };
        let Some(fill_lease) = fill_lease else {
            return Ok(self.read(load_key, &load_key.selector).await?.map(|read| Arc::new(read.requested(load_key))));
        };
        match self.read(load_key, &loaded_page::with_read_ahead(&load_key.selector)).await {
            Ok(Some(read)) => {
                self.fill_cache(&fill_lease, read.fill(load_key, fill_lease.granted_at)).await;
                let page = read.requested(load_key);
                load_key.record_floors(&self.floors, &page);
                Ok(Some(Arc::new(page)))
            }
            absent_or_failed => {
                let _ = self.cache.close(&fill_lease).await;
                absent_or_failed.map(|_| None)
            }
        }
    }

    /// Acquires a fill lease, or returns the page that another process has filled meanwhile.
    async fn fill_lease(&self, load_key: &LoadKey) -> Result<FetchPlan> {
        for waits in 0..=MAX_WAITS {
            if let Ok(EntryLookup::Hit(found)) = self.lookup_page(load_key).await {
                return Ok(FetchPlan::Found(found));
            }
            match self.cache.open(&load_key.key, load_key.scope(), rand::random()).await {
                Ok(LeaseOutcome::Granted(fill_lease)) => {
                    // Since the lookup another process may have filled the page and released its
                    // lease.
                    let Ok(EntryLookup::Hit(found)) = self.lookup_page(load_key).await else {
                        return Ok(FetchPlan::Read(Some(fill_lease)));
                    };
                    let _ = self.cache.close(&fill_lease).await;
                    return Ok(FetchPlan::Found(found));
                }
                Ok(LeaseOutcome::Busy) if waits < MAX_WAITS => {
                    tokio::time::sleep(Duration::from_millis(rand::random_range(WAIT_MS))).await;
                }
                Ok(LeaseOutcome::Unknown { token }) => {
                    if self.identify(&load_key.key, token).await?.is_none() {
                        return Ok(FetchPlan::Found(None));
                    }
                }
                Ok(LeaseOutcome::Busy | LeaseOutcome::Cold) | Err(_) => break,
            }
        }
        Ok(FetchPlan::Read(None))
    }

    /// Reads the comments of `selector` from the rows; it may select more comments than the page.
    async fn read(&self, load_key: &LoadKey, selector: &PageSelector) -> Result<Option<LoadedPage>> {
        let LoadKey { key, root, previews, .. } = load_key;
        let read = async {
            match (root, selector) {
                (None, selector) => {
                    Ok(self.inner.root_page_with_candidates(key, selector, *previews).await?.map(LoadedPage::roots))
                }
                (Some(root), PageSelector::Window(window)) => {
                    Ok(self.inner.replies(key, *root, *window).await?.map(LoadedPage::replies))
                }
                (Some(root), PageSelector::Floors(floors)) => {
                    Ok(self.inner.replies_at(key, *root, floors).await?.map(LoadedPage::replies))
                }
            }
        };
        self.read_rows(key.partition(), read).await
    }
}

/// The plan for obtaining a page.
enum FetchPlan {
    /// The page is in the cache now.
    Found(Option<CachedPage>),
    /// The page is read from the rows, and may be cached if a lease was granted.
    Read(Option<FillLease>),
}
