//! Reads that ask the copies first. What they do not know is read from the rows once for all who ask, and kept.

mod comments;
mod pages;
mod parts;
mod printed;
mod rest;
mod sample;
mod seen;
mod shown;
mod states;
mod subjects;
mod wanted;

use std::sync::Arc;
use std::time::Duration;

use riposte_core::ports::Reader;
use riposte_core::{Partition, Result, Subject, SubjectKey};

pub(crate) use parts::roots;
pub(crate) use sample::Sample;
use seen::Seen;
pub(crate) use shown::Shown;
pub(crate) use wanted::Wanted;

use crate::fallback;
use crate::flights::Flights;
use crate::owed::Owed;
use crate::places::Places;
use crate::port::{Away, Cache, Fill, Filled, Lookup, PageHit, Ticket};
use crate::room::Room;
use crate::tally::{Tally, Told};

/// How long a fill waits for a commit that was read and is not applied yet.
const SOON: Duration = Duration::from_millis(5);

/// A [`Reader`] of the same rows as the one inside it. Cloning is cheap, and clones are one.
#[derive(Debug, Clone)]
pub struct CachedReader(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    inner: Arc<dyn Reader>,
    cache: Arc<dyn Cache>,
    owed: Owed,
    room: Room,
    tally: Tally,
    pages: Flights<Wanted, Option<Arc<PageHit>>>,
    places: Places,
    subjects: Flights<Vec<SubjectKey>, Arc<Vec<Option<Subject>>>>,
    /// What copies have answered.
    seen: Seen,
}

impl CachedReader {
    /// Reads `inner` through `cache`, within `room`.
    #[must_use]
    pub fn new(inner: Arc<dyn Reader>, cache: Arc<dyn Cache>, owed: Owed, room: Room, tally: Tally) -> Self {
        let (pages, subjects, places) = (Flights::default(), Flights::default(), Places::new());
        let seen = Seen::default();
        Self(Arc::new(Parts { inner, cache, owed, room, tally, pages, places, subjects, seen }))
    }

    /// What it counts.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.0.tally
    }

    /// Whether the copies cannot be asked at present, or could not be by this piece of work; see [`noting`](crate::noting).
    #[must_use]
    pub fn is_degraded(&self) -> bool {
        self.0.cache.is_away() || fallback::is_noted()
    }

    /// Forgets the copies of a subject and makes its first pages anew.
    ///
    /// # Errors
    /// Those of the rows.
    pub async fn rebuild(&self, key: &SubjectKey) -> Result<()> {
        let _ = self.0.cache.forget(key).await;
        self.0.first_page(key).await.map(drop)
    }

    /// Forgets the copies of a subject, whose boards were set right: its previews were chosen from what stood there before.
    pub async fn forget(&self, key: &SubjectKey) {
        if self.0.cache.forget(key).await.is_err() {
            self.0.owed.owe(std::iter::once(key.partition()));
        }
    }

    pub(crate) fn inner(&self) -> &Arc<dyn Reader> {
        &self.0.inner
    }

    pub(crate) fn seen(&self) -> &Seen {
        &self.0.seen
    }
}

impl Parts {
    /// Whether none of the copies of a partition is to be read or kept.
    fn leaves(&self, at: Partition) -> bool {
        self.cache.is_away() || self.owed.clear(at).is_err()
    }

    /// Reads the rows of a partition, when there is room on its data source.
    async fn rows<T>(&self, at: Partition, read: impl Future<Output = Result<T>>) -> Result<T> {
        let _room = self.room.enter(at).await?;
        self.tally.one(Told::Read);
        read.await
    }

    /// Counts a look, and tells what it found.
    fn looked<T>(&self, looked: std::result::Result<Lookup<T>, Away>) -> Option<T> {
        match looked {
            Ok(Lookup::Hit(found)) => {
                self.tally.one(Told::Hit);
                Some(found)
            }
            Ok(Lookup::Miss) => {
                self.tally.one(Told::Miss);
                None
            }
            Err(Away) => {
                fallback::note();
                self.tally.one(Told::Away);
                None
            }
        }
    }

    /// Keeps what was read. Where the copies are behind it they have a moment to come, and then begin anew.
    async fn keep(&self, ticket: &Ticket, mut fill: Fill) {
        for last in [false, true] {
            fill.force = last;
            match self.cache.fill(ticket, &fill).await {
                Ok(Filled::Kept) => return self.tally.one(Told::Fill),
                Ok(Filled::Behind) => tokio::time::sleep(SOON).await,
                Ok(Filled::Refused) => break,
                Err(Away) => return,
            }
        }
        self.tally.one(Told::Refused);
        let _ = self.cache.close(ticket).await;
    }
}
