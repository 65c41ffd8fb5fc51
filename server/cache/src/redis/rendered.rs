//! Rendered first pages in Redis. The stored value is the xxh3 of the rendered page (8 bytes,
//! big-endian) and the page, without the subject's row, which is in the subject entry. The entry's
//! revision and content version determine whether the page is still valid.

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
use super::{RedisCache, jittered, observer, partition_of, value::hex};
use crate::port::{CachedPage, CachedPageQuery, EntryLookup, ListPart, RenderedPages, Unavailable};

/// The maximum lifetime of a rendered page; rendering it again is cheap.
const MAX_TTL: Duration = Duration::from_secs(10 * 60);
/// The maximum size of a stored rendered page in bytes. A larger page is not worth storing, because
/// every like invalidates it; it is built anew for each read.
const MAX_SIZE: usize = 128 << 10;
/// The maximum number of rendered pages that are being stored at a time; further pages are not
/// stored.
const MAX_CONCURRENT_STORES: usize = 64;

/// The renderer, and the limit on pages that are being stored.
#[derive(Debug)]
pub(super) struct PageStorage {
    renderer: Arc<dyn PageRenderer>,
    permits: Arc<Semaphore>,
}

impl PageStorage {
    pub(super) fn new(renderer: Arc<dyn PageRenderer>) -> Self {
        Self { renderer, permits: Arc::new(Semaphore::new(MAX_CONCURRENT_STORES)) }
    }

    /// Returns the name of a rendered page, which contains the parameters of the request and the
    /// rendered format.
    fn name(&self, window: &PageQuery, previews: u8) -> Value {
        text(format!("{}:{previews}:{}", window.limit, self.renderer.format()))
    }
}

impl RedisCache {
    /// Returns the name of the rendered page, if this page may be stored as one.
    pub(super) fn rendered_page_name(&self, query: &CachedPageQuery) -> Option<Value> {
        Some(self.page_storage.as_ref()?.name(first_page(query)?, query.previews))
    }

    /// Renders a first page and stores it in the background, without delaying the reader. `version`
    /// is the version of the entry from which the page was built.
    pub(super) fn store_rendered(&self, query: &CachedPageQuery, page: &RootPage, version: Value) {
        let (Some(storage), Some(window)) = (&self.page_storage, first_page(query)) else { return };
        if text_size(page) > MAX_SIZE {
            return;
        }
        let Ok(permit) = Arc::clone(&storage.permits).try_acquire_owned() else { return };
        let (renderer, page, subject) = (Arc::clone(&storage.renderer), page.clone(), page.subject.id);
        let mut args = vec![
            text(hex(subject.get())),
            text(encode::order(window.order)),
            jittered(MAX_TTL.min(self.limits().ttl)),
            version,
            storage.name(window, query.previews),
        ];
        let (client, observer) = (Arc::clone(&self.client), self.observer.clone());
        let cursor = encode::cursor(partition_of(subject), self.config.timeline);
        tokio::spawn(async move {
            let rendered = renderer.render(page);
            if rendered.len() <= MAX_SIZE {
                args.push(encode::bytes([&xxh3_64(&rendered).to_be_bytes()[..], &rendered].concat()));
                let call = client.call_in_background("keep", &cursor, args);
                // A page that could not be stored is rendered again after its next read.
                let _ = observer::observe(observer.as_deref(), "keep", call).await;
            }
            drop(permit);
        });
    }

    /// Returns the rendered first page, and the version to which it belongs.
    async fn stored_page(
        &self,
        storage: &PageStorage,
        query: &CachedPageQuery,
    ) -> Result<EntryLookup<Option<(Value, RenderedPage)>>, Unavailable> {
        let Some(window) = first_page(query) else { return Ok(EntryLookup::Miss) };
        let name = storage.name(window, query.previews);
        let args = vec![text(encode::name(&query.key)), text(encode::order(window.order)), name];
        let response = self.call("printed", query.key.partition(), args).await?;
        Ok(decode::lookup(&response, |items| {
            let [row, version, stored] = items else { return None };
            let page = RenderedPage { subject: decode::subject(row)?, rendered: verified(stored)? };
            Some((version.clone(), page))
        }))
    }
}

#[async_trait]
impl RenderedPages for RedisCache {
    async fn rendered_page(&self, query: &CachedPageQuery) -> Result<EntryLookup<Option<RenderedPage>>, Unavailable> {
        let Some(storage) = &self.page_storage else { return Ok(EntryLookup::Miss) };
        Ok(match self.stored_page(storage, query).await? {
            EntryLookup::Hit(found) => EntryLookup::Hit(found.map(|(_, rendered_page)| rendered_page)),
            EntryLookup::Miss => EntryLookup::Miss,
        })
    }

    async fn is_correct(&self, query: &CachedPageQuery) -> Result<bool, Unavailable> {
        let Some(storage) = &self.page_storage else { return Ok(true) };
        let EntryLookup::Hit(Some((version, stored))) = self.stored_page(storage, query).await? else {
            return Ok(true);
        };
        let (EntryLookup::Hit(Some(CachedPage::Roots(page))), _) = self.build_page(query, None).await? else {
            return Ok(true);
        };
        if storage.renderer.render(*page) == stored.rendered {
            return Ok(true);
        }
        // The entry may have changed between the two reads. Then the stored page was replaced or is
        // no longer valid, and the difference is no error.
        let again = self.stored_page(storage, query).await?;
        Ok(!matches!(again, EntryLookup::Hit(Some((current, _))) if current == version))
    }
}

/// Returns the window of a first page of roots; `None` for any other page. Only first pages are
/// rendered, so the name of a rendered page does not contain the start of the window.
fn first_page(query: &CachedPageQuery) -> Option<&PageQuery> {
    match &query.part {
        ListPart::Window(window) if query.root.is_none() && window.start == PageStart::Beginning => Some(window),
        ListPart::Window(_) | ListPart::Ids(_) => None,
    }
}

/// Returns the number of bytes of the texts on a page; its rendered page is larger.
fn text_size(page: &RootPage) -> usize {
    let threads = page.threads.items.iter().chain(&page.pinned);
    let comments = threads.flat_map(|thread| std::iter::once(&thread.root).chain(&thread.replies));
    comments.filter_map(|view| Some(view.content.as_ref()?.text().len())).sum()
}

/// Verifies the checksum and returns the page; `None` if it is damaged.
fn verified(stored: &Value) -> Option<Bytes> {
    let mut rendered = decode::shared_bytes(stored)?.clone();
    if rendered.len() < size_of::<u64>() {
        return None;
    }
    let checksum = rendered.split_to(size_of::<u64>());
    (checksum[..] == xxh3_64(&rendered).to_be_bytes()).then_some(rendered)
}
