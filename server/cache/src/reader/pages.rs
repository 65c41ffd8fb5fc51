//! Pages of roots and replies.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::page::{DEFAULT_PAGE, DEFAULT_PREVIEW, ListOrder, PageQuery, PageSelector, PageStart};
use riposte_core::{Error, Result, SubjectKey};

use super::parts::{self, LoadedPage};
use super::{AuditSample, CachedReader, LoadKey, Parts};
use crate::port::{CachedPage, EntryLookup, FillLease, LeaseOutcome, Unavailable};

/// The number of times a reader checks whether another process has filled the page, before it reads
/// the rows regardless.
const LOOKS: usize = 5;
/// The minimum and maximum pause between the checks, in milliseconds.
const REST: std::ops::RangeInclusive<u64> = 10..=50;

impl CachedReader {
    /// Returns a page, from the cache or from the rows.
    pub(super) async fn page(&self, wanted: LoadKey) -> Result<Option<CachedPage>> {
        if let Some(found) = self.0.looked(self.0.look(&wanted).await) {
            self.0.seen.note(AuditSample::PAGE, || AuditSample::Page(wanted));
            return Ok(found);
        }
        let this = Arc::clone(&self.0);
        let key = wanted.clone();
        let load = move || async move { this.fetch(&wanted).await };
        let loaded = self.0.pages.join(key, load).await.map_err(Error::internal)??;
        // The page has a single owner, unless several callers waited for one load.
        Ok(loaded.map(Arc::unwrap_or_clone))
    }
}

impl Parts {
    /// Loads the first page of the newest roots, to fill the cache again.
    pub(super) async fn first_page(&self, key: &SubjectKey) -> Result<Option<Arc<CachedPage>>> {
        let window = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: DEFAULT_PAGE };
        let which = PageSelector::Window(window);
        self.fetch(&LoadKey { key: key.clone(), root: None, which, previews: DEFAULT_PREVIEW }).await
    }

    /// Returns the page from the cache, unless the partition is invalid.
    pub(super) async fn look(
        &self,
        wanted: &LoadKey,
    ) -> std::result::Result<EntryLookup<Option<CachedPage>>, Unavailable> {
        self.invalid.clear(wanted.key.partition())?;
        let Some(ask) = wanted.ask(&self.places) else { return Ok(EntryLookup::Miss) };
        Ok(match self.cache.page(&ask).await? {
            EntryLookup::Hit(Some(hit)) => wanted.of(hit).map_or(EntryLookup::Miss, |hit| EntryLookup::Hit(Some(hit))),
            // A caller that requests replies was given the root earlier, so a cache that knows no
            // such subject has not received it yet.
            EntryLookup::Hit(None) if wanted.root.is_some() => EntryLookup::Miss,
            nothing @ (EntryLookup::Hit(None) | EntryLookup::Miss) => nothing,
        })
    }

    /// Loads a page that was not in the cache a moment ago.
    async fn fetch(&self, wanted: &LoadKey) -> Result<Option<Arc<CachedPage>>> {
        if self.leaves(wanted.key.partition()) {
            return Ok(self.read(wanted, &wanted.which).await?.map(|read| Arc::new(read.cut(wanted))));
        }
        let fill_lease = match self.fill_lease(wanted).await? {
            FetchPlan::Found(found) => return Ok(found.map(Arc::new)),
            FetchPlan::Read(fill_lease) => fill_lease,
        };
        let Some(fill_lease) = fill_lease else {
            return Ok(self.read(wanted, &wanted.which).await?.map(|read| Arc::new(read.cut(wanted))));
        };
        match self.read(wanted, &parts::ahead(&wanted.which)).await {
            Ok(Some(read)) => {
                self.keep(&fill_lease, read.fill(wanted, fill_lease.given)).await;
                let page = read.cut(wanted);
                wanted.note(&self.places, &page);
                Ok(Some(Arc::new(page)))
            }
            nothing => {
                let _ = self.cache.close(&fill_lease).await;
                nothing.map(|_| None)
            }
        }
    }

    /// Acquires a fill lease, or returns the page that another process has filled meanwhile.
    async fn fill_lease(&self, wanted: &LoadKey) -> Result<FetchPlan> {
        for look in 0..=LOOKS {
            if let Ok(EntryLookup::Hit(found)) = self.look(wanted).await {
                return Ok(FetchPlan::Found(found));
            }
            match self.cache.open(&wanted.key, wanted.kind(), rand::random()).await {
                Ok(LeaseOutcome::Ticket(fill_lease)) => {
                    // Another process may have filled, and released its lease, since the check.
                    let Ok(EntryLookup::Hit(found)) = self.look(wanted).await else {
                        return Ok(FetchPlan::Read(Some(fill_lease)));
                    };
                    let _ = self.cache.close(&fill_lease).await;
                    return Ok(FetchPlan::Found(found));
                }
                Ok(LeaseOutcome::Busy) if look < LOOKS => {
                    tokio::time::sleep(Duration::from_millis(rand::random_range(REST))).await;
                }
                Ok(LeaseOutcome::Unknown { token }) => {
                    if self.identify(&wanted.key, token).await?.is_none() {
                        return Ok(FetchPlan::Found(None));
                    }
                }
                Ok(LeaseOutcome::Busy | LeaseOutcome::Cold) | Err(_) => break,
            }
        }
        Ok(FetchPlan::Read(None))
    }

    /// Reads the page from the rows; a wider window returns more than was requested.
    async fn read(&self, wanted: &LoadKey, which: &PageSelector) -> Result<Option<LoadedPage>> {
        let LoadKey { key, root, previews, .. } = wanted;
        let read = async {
            match (root, which) {
                (None, which) => {
                    Ok(self.inner.root_page_with_candidates(key, which, *previews).await?.map(LoadedPage::roots))
                }
                (Some(root), PageSelector::Window(window)) => {
                    Ok(self.inner.replies(key, *root, *window).await?.map(LoadedPage::replies))
                }
                (Some(root), PageSelector::Floors(floors)) => {
                    Ok(self.inner.replies_at(key, *root, floors).await?.map(LoadedPage::replies))
                }
            }
        };
        self.rows(key.partition(), read).await
    }
}

/// The plan for obtaining a page.
enum FetchPlan {
    /// The page is in the cache now.
    Found(Option<CachedPage>),
    /// The page is read from the rows, and may be cached if a lease was granted.
    Read(Option<FillLease>),
}
