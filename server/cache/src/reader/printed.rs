//! First pages in print.

use riposte_core::SubjectKey;
use riposte_core::page::{ListOrder, PageQuery, PageSelector, PageStart};

use super::{AuditSample, CachedReader, LoadKey, Parts};
use crate::port::{EntryLookup, RenderedPage};
use crate::stats::CacheEvent;

impl CachedReader {
    /// The first page of roots in print, if it is kept; else it is to be read in another way, which may lead to its being kept.
    pub async fn printed(
        &self,
        key: &SubjectKey,
        order: ListOrder,
        limit: usize,
        previews: u8,
    ) -> Option<RenderedPage> {
        let window = PageQuery { order, start: PageStart::Beginning, limit };
        let wanted = LoadKey { key: key.clone(), root: None, which: PageSelector::Window(window), previews };
        let printed = self.0.printed(&wanted).await?;
        self.0.tally.one(CacheEvent::Hit);
        self.0.seen.note(AuditSample::PAGE, || AuditSample::Page(wanted));
        Some(printed)
    }
}

impl Parts {
    async fn printed(&self, wanted: &LoadKey) -> Option<RenderedPage> {
        let prints = self.cache.prints()?;
        self.owed.clear(wanted.key.partition()).ok()?;
        match prints.printed(&wanted.ask(&self.places)?).await {
            Ok(EntryLookup::Hit(printed)) => printed,
            Ok(EntryLookup::Miss) | Err(_) => None,
        }
    }

    /// Whether what is kept in print is what would be printed now; where that cannot be told, it is.
    pub(super) async fn is_printed_right(&self, wanted: &LoadKey) -> bool {
        let (Some(prints), Some(ask)) = (self.cache.prints(), wanted.ask(&self.places)) else { return true };
        prints.is_right(&ask).await.unwrap_or(true)
    }
}
