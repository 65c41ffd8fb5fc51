//! First pages in print, as Redis keeps them: the xxh3 of the print (8 bytes, big-endian), and the print. The subject's row is not in
//! it: it lies in the block, which says by revision and stamp whether the print is still true.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fred::types::Value;
use prost::bytes::Bytes;
use riposte_core::page::{PageQuery, PageStart};
use tokio::sync::Semaphore;
use xxhash_rust::xxh3::xxh3_64;

use super::decode;
use super::encode::{self, text};
use super::{RedisCache, at_of, jittered, observer, value::hex};
use crate::port::{
    CachedPage, CachedPageQuery, EntryLookup, ListPart, PageRenderer, RenderedPage, RenderedPages, Unavailable,
};
use crate::reader::roots;

/// How long a print is kept at most: to print it again costs little.
const KEPT: Duration = Duration::from_secs(10 * 60);
/// The most bytes of a print that is kept: a larger page is put together each time, for every like ends its print.
const LARGEST: usize = 128 << 10;
/// The most prints that are being kept at a time; more are not.
const KEEPING: usize = 64;

/// Who prints, and room for what is on its way.
#[derive(Debug)]
pub(super) struct RenderQueue {
    printer: Arc<dyn PageRenderer>,
    keeping: Arc<Semaphore>,
}

impl RenderQueue {
    pub(super) fn new(printer: Arc<dyn PageRenderer>) -> Self {
        Self { printer, keeping: Arc::new(Semaphore::new(KEEPING)) }
    }

    /// How a page is asked for and printed.
    fn name(&self, window: &PageQuery, previews: u8) -> Value {
        text(format!("{}:{previews}:{}", window.limit, self.printer.form()))
    }
}

impl RedisCache {
    /// The name of a window's print, where prints are kept.
    pub(super) fn print_name(&self, ask: &CachedPageQuery) -> Option<Value> {
        Some(self.press.as_ref()?.name(first(ask)?, ask.previews))
    }

    /// Prints a first page and keeps it, behind the back of who reads it. `of`: what it is of.
    pub(super) fn keep(&self, ask: &CachedPageQuery, hit: &CachedPage, of: Value) {
        let (Some(press), Some(window)) = (&self.press, first(ask)) else { return };
        if said(hit) > LARGEST {
            return;
        }
        let Ok(room) = Arc::clone(&press.keeping).try_acquire_owned() else { return };
        let (printer, hit, subject) = (Arc::clone(&press.printer), hit.clone(), hit.subject.id);
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
            let rendered = printer.rendered(roots(hit.into()));
            if rendered.len() <= LARGEST {
                words.push(encode::bytes([&xxh3_64(&rendered).to_be_bytes()[..], &rendered].concat()));
                // One that is not kept is printed again.
                let _ = observer::watched(trips.as_deref(), "keep", client.call_aside("keep", &cursor, words)).await;
            }
            drop(room);
        });
    }

    /// The print of a first page, and what it is of.
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
        let (EntryLookup::Hit(Some(hit)), _) = self.put_together(ask, None).await? else { return Ok(true) };
        if press.printer.rendered(roots(hit.into())) == rendered {
            return Ok(true);
        }
        // Something may have changed between the two: then the print is none any more.
        Ok(!matches!(self.kept(press, ask).await?, EntryLookup::Hit(Some((now, _))) if now == of))
    }
}

/// The window of a first page of roots: no other page is printed, and a print's name does not say where its page begins.
fn first(ask: &CachedPageQuery) -> Option<&PageQuery> {
    match &ask.part {
        ListPart::Window(window) if ask.root.is_none() && window.start == PageStart::Beginning => Some(window),
        ListPart::Window(_) | ListPart::These(_) => None,
    }
}

/// How many bytes the texts on a page have: its print has more.
fn said(hit: &CachedPage) -> usize {
    let replies = hit.previews.values().flat_map(|preview| &preview.replies);
    let items = hit.items.items.iter().chain(&hit.pinned).chain(replies);
    items.filter_map(|item| Some(item.content.as_ref()?.text().len())).sum()
}

/// `None` where it is damaged.
fn whole(kept: &Value) -> Option<Bytes> {
    let mut rendered = decode::owned(kept)?.clone();
    if rendered.len() < size_of::<u64>() {
        return None;
    }
    let sum = rendered.split_to(size_of::<u64>());
    (sum[..] == xxh3_64(&rendered).to_be_bytes()).then_some(rendered)
}
