//! Rendered first pages.

use riposte_core::SubjectKey;
use riposte_core::page::{ListOrder, PageQuery, PageSelector, PageStart};

use super::{AuditSample, CachedReader, LoadKey, Parts};
use crate::port::{EntryLookup, RenderedPage};
use crate::stats::CacheEvent;

impl CachedReader {
    /// Returns the rendered first page of roots, if it is cached. Otherwise the caller reads the
    /// page in another way, which may cause it to be cached.
    pub async fn rendered_page(
        &self,
        key: &SubjectKey,
        order: ListOrder,
        limit: usize,
        previews: u8,
    ) -> Option<RenderedPage> {
        let window = PageQuery { order, start: PageStart::Beginning, limit };
        let wanted = LoadKey { key: key.clone(), root: None, which: PageSelector::Window(window), previews };
        let rendered_page = self.0.rendered_page(&wanted).await?;
        self.0.tally.one(CacheEvent::Hit);
        self.0.seen.note(AuditSample::PAGE, || AuditSample::Page(wanted));
        Some(rendered_page)
    }
}

impl Parts {
    async fn rendered_page(&self, wanted: &LoadKey) -> Option<RenderedPage> {
        let rendered_pages = self.cache.rendered_pages()?;
        self.owed.clear(wanted.key.partition()).ok()?;
        match rendered_pages.rendered_page(&wanted.ask(&self.places)?).await {
            Ok(EntryLookup::Hit(rendered_page)) => rendered_page,
            Ok(EntryLookup::Miss) | Err(_) => None,
        }
    }

    /// Returns whether the cached rendered page equals the page that would be rendered now; `true`
    /// if that cannot be determined.
    pub(super) async fn is_rendered_right(&self, wanted: &LoadKey) -> bool {
        let (Some(rendered_pages), Some(ask)) = (self.cache.rendered_pages(), wanted.ask(&self.places)) else {
            return true;
        };
        rendered_pages.is_right(&ask).await.unwrap_or(true)
    }
}
