//! The cached pages as the gRPC layer uses them: rendered first pages, and the rebuilding of a
//! subject.

use async_trait::async_trait;
use riposte_core::page::{ListOrder, PageQuery, PageSelector, PageStart};
use riposte_core::ports::{CachedPages, RenderedPage};
use riposte_core::{Result, SubjectKey};
use riposte_sync::fell_back;

use super::{AuditSample, CachedReader, LoadKey, Parts};
use crate::port::EntryLookup;
use crate::stats::CacheEvent;

#[async_trait]
impl CachedPages for CachedReader {
    /// A read of this task that fell back to the database is one inside
    /// [`track_fallback`](riposte_sync::track_fallback).
    fn is_degraded(&self) -> bool {
        self.0.cache.is_away() || fell_back()
    }

    async fn rendered_page(
        &self,
        key: &SubjectKey,
        order: ListOrder,
        limit: usize,
        previews: u8,
    ) -> Option<RenderedPage> {
        let window = PageQuery { order, start: PageStart::Beginning, limit };
        let wanted = LoadKey { key: key.clone(), root: None, which: PageSelector::Window(window), previews };
        let rendered_page = self.0.rendered_page(&wanted).await?;
        self.0.stats.one(CacheEvent::Hit);
        self.0.seen.note(AuditSample::PAGE, || AuditSample::Page(wanted));
        Some(rendered_page)
    }

    async fn rebuild(&self, key: &SubjectKey) -> Result<()> {
        let _ = self.0.cache.forget(key).await;
        self.0.first_page(key).await.map(drop)
    }

    async fn invalidate(&self, key: &SubjectKey) {
        if self.0.cache.forget(key).await.is_err() {
            self.0.invalid.owe(std::iter::once(key.partition()));
        }
    }
}

impl Parts {
    async fn rendered_page(&self, wanted: &LoadKey) -> Option<RenderedPage> {
        let rendered_pages = self.cache.rendered_pages()?;
        self.invalid.clear(wanted.key.partition()).ok()?;
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
