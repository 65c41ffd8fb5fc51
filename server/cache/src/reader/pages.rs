//! Pages of roots and replies.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::page::{DEFAULT_PAGE, DEFAULT_PREVIEW, Order, Start, Window};
use riposte_core::{Result, SubjectKey};

use super::parts::{self, Read};
use super::{CachedReader, Parts};
use crate::port::{Kind, ListName, Lookup, Opened, PageAsk, PageHit, Ticket};

/// How often one looks whether another process has filled, before the rows are read all the same.
const LOOKS: usize = 5;
/// How long one rests in between, at least and at most, in milliseconds.
const REST: std::ops::RangeInclusive<u64> = 10..=50;

impl CachedReader {
    /// A page, from the copies or from the rows.
    pub(super) async fn page(&self, ask: PageAsk) -> Result<Option<Arc<PageHit>>> {
        if let Some(found) = self.0.looked(self.0.look(&ask).await) {
            self.0.seen.note(&ask.key);
            return Ok(found.map(Arc::new));
        }
        let this = Arc::clone(&self.0);
        self.0.pages.join(ask.clone(), move || async move { this.fetch(&ask).await }).await
    }
}

impl Parts {
    /// The newest roots, for whoever makes copies anew.
    pub(super) async fn first_page(&self, key: &SubjectKey) -> Result<Option<Arc<PageHit>>> {
        let window = Window { order: Order::Newest, start: Start::Beginning, limit: DEFAULT_PAGE };
        self.fetch(&PageAsk { key: key.clone(), root: None, window, previews: DEFAULT_PREVIEW }).await
    }

    /// What the copies did not know a moment ago.
    async fn fetch(&self, ask: &PageAsk) -> Result<Option<Arc<PageHit>>> {
        let ticket = match self.ticket(ask).await? {
            Way::Found(found) => return Ok(found.map(|found| Arc::new(*found))),
            Way::Read(ticket) => ticket,
        };
        let Some(ticket) = ticket else {
            return Ok(self.read(ask, ask.window).await?.map(|read| Arc::new(read.cut(ask))));
        };
        match self.read(ask, parts::ahead(&ask.window)).await {
            Ok(Some(read)) => {
                self.keep(&ticket, read.fill(ask, ticket.given)).await;
                Ok(Some(Arc::new(read.cut(ask))))
            }
            nothing => {
                let _ = self.cache.close(&ticket).await;
                nothing.map(|_| None)
            }
        }
    }

    /// The right to fill, or what another has filled meanwhile.
    async fn ticket(&self, ask: &PageAsk) -> Result<Way> {
        let kind = Kind::List(ListName { root: ask.root, order: ask.window.order });
        for look in 0..=LOOKS {
            if let Ok(Lookup::Hit(found)) = self.look(ask).await {
                return Ok(Way::Found(found.map(Box::new)));
            }
            match self.cache.open(&ask.key, kind, rand::random()).await {
                Ok(Opened::Ticket(ticket)) => {
                    // Another may have filled, and given its ticket back, since the look.
                    let Ok(Lookup::Hit(found)) = self.look(ask).await else { return Ok(Way::Read(Some(ticket))) };
                    let _ = self.cache.close(&ticket).await;
                    return Ok(Way::Found(found.map(Box::new)));
                }
                Ok(Opened::Busy) if look < LOOKS => {
                    tokio::time::sleep(Duration::from_millis(rand::random_range(REST))).await;
                }
                Ok(Opened::Unknown { token }) => {
                    if self.identify(&ask.key, token).await?.is_none() {
                        return Ok(Way::Found(None));
                    }
                }
                Ok(Opened::Busy | Opened::Cold) | Err(_) => break,
            }
        }
        Ok(Way::Read(None))
    }

    /// The page out of the rows, or with a wider window more than was asked for.
    async fn read(&self, ask: &PageAsk, window: Window) -> Result<Option<Read>> {
        let read = async {
            match ask.root {
                None => Ok(self.inner.roots_to_keep(&ask.key, window, ask.previews).await?.map(Read::roots)),
                Some(root) => Ok(self.inner.replies(&ask.key, root, window).await?.map(Read::replies)),
            }
        };
        self.rows(ask.key.partition(), read).await
    }
}

/// How a page is come by.
enum Way {
    /// It is there now.
    Found(Option<Box<PageHit>>),
    /// By the rows, which may be kept with a ticket.
    Read(Option<Ticket>),
}
