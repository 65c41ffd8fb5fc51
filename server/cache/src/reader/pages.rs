//! Pages of roots and replies.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::page::{DEFAULT_PAGE, DEFAULT_PREVIEW, Order, Start, Which, Window};
use riposte_core::{Result, SubjectKey};

use super::parts::{self, Read};
use super::{CachedReader, Parts, Sample, Wanted};
use crate::port::{Away, Lookup, Opened, PageHit, Ticket};

/// How often one looks whether another process has filled, before the rows are read all the same.
const LOOKS: usize = 5;
/// How long one rests in between, at least and at most, in milliseconds.
const REST: std::ops::RangeInclusive<u64> = 10..=50;

impl CachedReader {
    /// A page, from the copies or from the rows.
    pub(super) async fn page(&self, wanted: Wanted) -> Result<Option<Arc<PageHit>>> {
        if let Some(found) = self.0.looked(self.0.look(&wanted).await) {
            self.0.seen.note(Sample::PAGE, || Sample::Page(wanted));
            return Ok(found.map(Arc::new));
        }
        let this = Arc::clone(&self.0);
        self.0.pages.join(wanted.clone(), move || async move { this.fetch(&wanted).await }).await
    }
}

impl Parts {
    /// The newest roots, for whoever makes copies anew.
    pub(super) async fn first_page(&self, key: &SubjectKey) -> Result<Option<Arc<PageHit>>> {
        let window = Window { order: Order::Newest, start: Start::Beginning, limit: DEFAULT_PAGE };
        let which = Which::Window(window);
        self.fetch(&Wanted { key: key.clone(), root: None, which, previews: DEFAULT_PREVIEW }).await
    }

    /// The page as copies have it, if they have heard all that this process has to tell.
    pub(super) async fn look(&self, wanted: &Wanted) -> std::result::Result<Lookup<Option<PageHit>>, Away> {
        self.owed.clear(wanted.key.partition())?;
        let Some(ask) = wanted.ask(&self.places) else { return Ok(Lookup::Miss) };
        Ok(match self.cache.page(&ask).await? {
            Lookup::Hit(Some(hit)) => wanted.of(hit).map_or(Lookup::Miss, |hit| Lookup::Hit(Some(hit))),
            // Who asks for replies was told of the root: copies that know of no such subject have not heard of it yet.
            Lookup::Hit(None) if wanted.root.is_some() => Lookup::Miss,
            nothing @ (Lookup::Hit(None) | Lookup::Miss) => nothing,
        })
    }

    /// What the copies did not know a moment ago.
    async fn fetch(&self, wanted: &Wanted) -> Result<Option<Arc<PageHit>>> {
        if self.leaves(wanted.key.partition()) {
            return Ok(self.read(wanted, &wanted.which).await?.map(|read| Arc::new(read.cut(wanted))));
        }
        let ticket = match self.ticket(wanted).await? {
            Way::Found(found) => return Ok(found.map(|found| Arc::new(*found))),
            Way::Read(ticket) => ticket,
        };
        let Some(ticket) = ticket else {
            return Ok(self.read(wanted, &wanted.which).await?.map(|read| Arc::new(read.cut(wanted))));
        };
        match self.read(wanted, &parts::ahead(&wanted.which)).await {
            Ok(Some(read)) => {
                self.keep(&ticket, read.fill(wanted, ticket.given)).await;
                let page = read.cut(wanted);
                wanted.note(&self.places, &page);
                Ok(Some(Arc::new(page)))
            }
            nothing => {
                let _ = self.cache.close(&ticket).await;
                nothing.map(|_| None)
            }
        }
    }

    /// The right to fill, or what another has filled meanwhile.
    async fn ticket(&self, wanted: &Wanted) -> Result<Way> {
        for look in 0..=LOOKS {
            if let Ok(Lookup::Hit(found)) = self.look(wanted).await {
                return Ok(Way::Found(found.map(Box::new)));
            }
            match self.cache.open(&wanted.key, wanted.kind(), rand::random()).await {
                Ok(Opened::Ticket(ticket)) => {
                    // Another may have filled, and given its ticket back, since the look.
                    let Ok(Lookup::Hit(found)) = self.look(wanted).await else { return Ok(Way::Read(Some(ticket))) };
                    let _ = self.cache.close(&ticket).await;
                    return Ok(Way::Found(found.map(Box::new)));
                }
                Ok(Opened::Busy) if look < LOOKS => {
                    tokio::time::sleep(Duration::from_millis(rand::random_range(REST))).await;
                }
                Ok(Opened::Unknown { token }) => {
                    if self.identify(&wanted.key, token).await?.is_none() {
                        return Ok(Way::Found(None));
                    }
                }
                Ok(Opened::Busy | Opened::Cold) | Err(_) => break,
            }
        }
        Ok(Way::Read(None))
    }

    /// The page out of the rows, or with a wider window more than was asked for.
    async fn read(&self, wanted: &Wanted, which: &Which) -> Result<Option<Read>> {
        let Wanted { key, root, previews, .. } = wanted;
        let read = async {
            match (root, which) {
                (None, which) => Ok(self.inner.roots_to_keep(key, which, *previews).await?.map(Read::roots)),
                (Some(root), Which::Window(window)) => {
                    Ok(self.inner.replies(key, *root, *window).await?.map(Read::replies))
                }
                (Some(root), Which::Floors(floors)) => {
                    Ok(self.inner.replies_at(key, *root, floors).await?.map(Read::replies))
                }
            }
        };
        self.rows(key.partition(), read).await
    }
}

/// How a page is come by.
enum Way {
    /// It is there now.
    Found(Option<Box<PageHit>>),
    /// By the rows, which may be kept with a ticket.
    Read(Option<Ticket>),
}
