//! The cached pages as the gRPC layer uses them: rendered first pages, and the rebuilding of a
//! subject.

use async_trait::async_trait;
use riposte_core::page::{ListOrder, PageQuery, PageSelector, PageStart};
use riposte_core::ports::{CachedPages, RenderedPage};
use riposte_core::{Result, SubjectKey};
use riposte_sync::fell_back;

use super::{AuditSample, CachedReader, LoadKey, ReaderState};
use crate::port::EntryLookup;
use crate::stats::CacheEvent;

#[async_trait]
impl CachedPages for CachedReader {
    /// The reads of this task are those inside [`track_fallback`](riposte_sync::track_fallback).
    fn is_degraded(&self) -> bool {
        self.0.cache.is_unavailable() || fell_back()
    }

    async fn rendered_page(
        &self,
        key: &SubjectKey,
        order: ListOrder,
        limit: usize,
        previews: u8,
    ) -> Option<RenderedPage> {
        let window = PageQuery { order, start: PageStart::Beginning, limit };
        let load_key = LoadKey { key: key.clone(), root: None, selector: PageSelector::Window(window), previews };
        let rendered_page = self.0.rendered_page(&load_key).await?;
        self.0.stats.increment(CacheEvent::Hit);
        self.0.samples.record(AuditSample::PAGE, || AuditSample::Page(load_key));
        Some(rendered_page)
    }

    async fn rebuild(&self, key: &SubjectKey) -> Result<()> {
        let _ = self.0.cache.invalidate_subject(key).await;
        self.0.first_page(key).await.map(drop)
    }

    async fn invalidate(&self, key: &SubjectKey) {
        if self.0.cache.invalidate_subject(key).await.is_err() {
            self.0.invalid.renew(std::iter::once(key.partition()));
        }
    }
}

impl ReaderState {
    async fn rendered_page(&self, load_key: &LoadKey) -> Option<RenderedPage> {
        let rendered_pages = self.cache.rendered_pages()?;
        self.invalid.check(load_key.key.partition()).ok()?;
        match rendered_pages.rendered_page(&load_key.query(&self.floors)?).await {
            Ok(EntryLookup::Hit(rendered_page)) => rendered_page,
            Ok(EntryLookup::Miss) | Err(_) => None,
        }
    }

    /// Returns whether the cached rendered page equals the page that would be rendered now; `true`
    /// if that cannot be determined.
    pub(super) async fn is_rendered_correctly(&self, load_key: &LoadKey) -> bool {
        let (Some(rendered_pages), Some(query)) = (self.cache.rendered_pages(), load_key.query(&self.floors)) else {
            return true;
        };
        rendered_pages.is_correct(&query).await.unwrap_or(true)
    }
}
