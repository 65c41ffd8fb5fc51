//! Rendered first pages in Redis: the xxh3 of the rendered page (8 bytes, big-endian), and the
//! page. It does not contain the subject's row, which is in the subject entry. The entry's revision
//! and content version determine whether the page is still valid.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fred::types::Value;
use prost::bytes::Bytes;
use riposte_core::page::{PageQuery, PageStart, RootPage};
use riposte_core::ports::{PageRenderer, RenderedPage};
use tokio::sync::Semaphore;
use xxhash_rust::xxh3::xxh3_64;

use super::decode;
use super::encode::{self, text};
use super::{RedisCache, at_of, jittered, observer, value::hex};
use crate::port::{CachedPage, CachedPageQuery, EntryLookup, ListPart, RenderedPages, Unavailable};

/// The maximum lifetime of a rendered page; rendering it again is cheap.
const KEPT: Duration = Duration::from_secs(10 * 60);
/// The maximum size of a stored rendered page in bytes. A larger page is built anew for each read,
/// because every like invalidates a rendered page.
const LARGEST: usize = 128 << 10;
/// The maximum number of rendered pages that are being stored at a time; further pages are not
/// stored.
const KEEPING: usize = 64;

/// The renderer, and the limit on pages that are being stored.
#[derive(Debug)]
pub(super) struct RenderQueue {
    printer: Arc<dyn PageRenderer>,
    keeping: Arc<Semaphore>,
}

impl RenderQueue {
    pub(super) fn new(printer: Arc<dyn PageRenderer>) -> Self {
        Self { printer, keeping: Arc::new(Semaphore::new(KEEPING)) }
    }

    /// Returns the name of a rendered page, which contains the parameters of the request and the
    /// rendered format.
    fn name(&self, window: &PageQuery, previews: u8) -> Value {
        text(format!("{}:{previews}:{}", window.limit, self.printer.form()))
    }
}

impl RedisCache {
    /// Returns the name of a window's rendered page, if rendered pages are stored.
    pub(super) fn print_name(&self, ask: &CachedPageQuery) -> Option<Value> {
        Some(self.press.as_ref()?.name(first(ask)?, ask.previews))
    }

    /// Renders a first page and stores it in the background, without delaying the reader. `of` is
    /// the version to which the page belongs.
    pub(super) fn keep(&self, ask: &CachedPageQuery, page: &RootPage, of: Value) {
        let (Some(press), Some(window)) = (&self.press, first(ask)) else { return };
        if said(page) > LARGEST {
            return;
        }
        let Ok(room) = Arc::clone(&press.keeping).try_acquire_owned() else { return };
        let (printer, page, subject) = (Arc::clone(&press.printer), page.clone(), page.subject.id);
        let mut words = vec![
            text(hex(subject.get())),
            text(encode::order(window.order)),
            jittered(KEPT.min(self.limits().ttl)),
            of,
            press.name(window, ask.previews),
        ];
        let (client, trips) = (Arc::clone(&self.client), self.trips.clone());
        let cursor = encode::cursor(at_of(subject), self.config.timeline);
        tokio::spawn(async move {
            let rendered = printer.rendered(page);
            if rendered.len() <= LARGEST {
                words.push(encode::bytes([&xxh3_64(&rendered).to_be_bytes()[..], &rendered].concat()));
                // A page that is not stored is rendered again.
                let _ = observer::watched(trips.as_deref(), "keep", client.call_aside("keep", &cursor, words)).await;
            }
            drop(room);
        });
    }

    /// Returns the rendered first page, and the version to which it belongs.
    async fn kept(
        &self,
        press: &RenderQueue,
        ask: &CachedPageQuery,
    ) -> Result<EntryLookup<Option<(Value, RenderedPage)>>, Unavailable> {
        let Some(window) = first(ask) else { return Ok(EntryLookup::Miss) };
        let words =
            vec![text(encode::name(&ask.key)), text(encode::order(window.order)), press.name(window, ask.previews)];
        let answer = self.call("printed", ask.key.partition(), words).await?;
        Ok(decode::lookup(&answer, |parts| {
            let [row, of, kept] = parts else { return None };
            Some((of.clone(), RenderedPage { subject: decode::subject(row)?, rendered: whole(kept)? }))
        }))
    }
}

#[async_trait]
impl RenderedPages for RedisCache {
    async fn rendered_page(&self, ask: &CachedPageQuery) -> Result<EntryLookup<Option<RenderedPage>>, Unavailable> {
        let Some(press) = &self.press else { return Ok(EntryLookup::Miss) };
        Ok(match self.kept(press, ask).await? {
            EntryLookup::Hit(found) => EntryLookup::Hit(found.map(|(_, rendered_page)| rendered_page)),
            EntryLookup::Miss => EntryLookup::Miss,
        })
    }

    async fn is_right(&self, ask: &CachedPageQuery) -> Result<bool, Unavailable> {
        let Some(press) = &self.press else { return Ok(true) };
        let EntryLookup::Hit(Some((of, RenderedPage { rendered, .. }))) = self.kept(press, ask).await? else {
            return Ok(true);
        };
        let (EntryLookup::Hit(Some(CachedPage::Roots(page))), _) = self.put_together(ask, None).await? else {
            return Ok(true);
        };
        if press.printer.rendered(*page) == rendered {
            return Ok(true);
        }
        // The entry may have changed between the two reads; then the rendered page is no longer
        // valid.
        Ok(!matches!(self.kept(press, ask).await?, EntryLookup::Hit(Some((now, _))) if now == of))
    }
}

/// Returns the window of a first page of roots. No other page is rendered, and the name of a
/// rendered page does not contain the start of the window.
fn first(ask: &CachedPageQuery) -> Option<&PageQuery> {
    match &ask.part {
        ListPart::Window(window) if ask.root.is_none() && window.start == PageStart::Beginning => Some(window),
        ListPart::Window(_) | ListPart::These(_) => None,
    }
}

/// Returns the number of bytes of the texts on a page; its rendered page is larger.
fn said(page: &RootPage) -> usize {
    let threads = page.threads.items.iter().chain(&page.pinned);
    let comments = threads.flat_map(|thread| std::iter::once(&thread.root).chain(&thread.replies));
    comments.filter_map(|view| Some(view.content.as_ref()?.text().len())).sum()
}

/// Verifies the checksum and returns the page; `None` if it is damaged.
fn whole(kept: &Value) -> Option<Bytes> {
    let mut rendered = decode::owned(kept)?.clone();
    if rendered.len() < size_of::<u64>() {
        return None;
    }
    let sum = rendered.split_to(size_of::<u64>());
    (sum[..] == xxh3_64(&rendered).to_be_bytes()).then_some(rendered)
}
