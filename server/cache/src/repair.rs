//! The relay's repair of the cache. It reports committed changes to the cache, in order and at
//! least once, and detects when the cache has lost data.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use riposte_core::event::{ChangeKind, CommentChange, SequencedEvent};
use riposte_core::ports::{EventLog, Reader};
use riposte_core::{CommentId, Error, Partition, Result, SubjectId, SubjectKey};

use crate::port::{Cache, CommittedState, LikeCounts, RelayCursor, SubjectMember, Unavailable};
use crate::stats::{CacheEvent, CacheStats};

/// The number of comments that are read at a time.
const READ: usize = 500;
/// The maximum distance between a stored cursor and the end of the events, in sequence numbers, at
/// which a starting relay continues from the cursor. Beyond it the partition begins a new
/// generation.
const REACH: i64 = 20_000;
/// The interval between checks of the cursors of idle partitions.
const LOOK: Duration = Duration::from_secs(1);
/// The number of consecutive failures after which a partition begins a new generation, if its
/// cursor can still be read: it would hold up all other partitions of its source.
const TRIES: u32 = 3;
/// The number of partitions that are accessed concurrently.
const BREADTH: usize = 128;

/// The repair of the cached data of one data source. See the module.
#[derive(Debug)]
pub struct CacheRepair {
    cache: Arc<dyn Cache>,
    outbox: Arc<dyn EventLog>,
    rows: Arc<dyn Reader>,
    stats: CacheStats,
    source: usize,
    partitions: Vec<Partition>,
    /// The position of each partition, and the sequence number up to which events were read; `None`
    /// before the start.
    places: Option<Places>,
    /// Partitions that could not be advanced, with the number of consecutive failures.
    stuck: BTreeMap<Partition, u32>,
}

/// A partition, the new position of its cursor, and the commits up to it.
type PartitionAdvance = (Partition, i64, CommittedState);

#[derive(Debug)]
struct Places {
    of: BTreeMap<Partition, i64>,
    read: i64,
    looked: Instant,
}

impl From<Unavailable> for Error {
    fn from(_: Unavailable) -> Self {
        Self::internal("the cache is unavailable")
    }
}

impl CacheRepair {
    /// Repairs the cached data of `partitions` in `cache`. All of them lie on `source`, counted
    /// from 0.
    #[must_use]
    pub fn new(
        cache: Arc<dyn Cache>,
        outbox: Arc<dyn EventLog>,
        rows: Arc<dyn Reader>,
        stats: CacheStats,
        source: usize,
        partitions: Vec<Partition>,
    ) -> Self {
        Self { cache, outbox, rows, stats, source, partitions, places: None, stuck: BTreeMap::new() }
    }

    /// Drops the known positions, because another process may have moved the cursors.
    pub fn forget_cursors(&mut self) {
        self.places = None;
    }

    /// Reads the cursors and returns the sequence number up to which all partitions have received
    /// the events.
    ///
    /// # Errors
    /// Those of the outbox, and an error when the cache is unavailable.
    pub async fn start(&mut self) -> Result<i64> {
        let places = self.begin().await?;
        Ok(self.places.insert(places).read)
    }

    /// Reports the events that follow those reported before, and returns the number of the last
    /// one. After an error the cursors must be read again by [`CacheRepair::start`].
    ///
    /// # Errors
    /// Those of the database, and an error when the cache is unavailable.
    pub async fn apply(&mut self, events: &[SequencedEvent]) -> Result<i64> {
        let mut places = self.known()?;
        if let Some(last) = events.last() {
            let behind =
                |of: &&SequencedEvent| places.of.get(&of.event.partition).is_some_and(|place| *place < of.number);
            let events: Vec<&SequencedEvent> = events.iter().filter(behind).collect();
            let likes = self.likes(&events).await?;
            let likers = self.likers(&events).await?;
            self.advance(moves(&events, likes, likers), last.number, &mut places).await?;
            places.read = last.number;
        }
        let read = places.read;
        self.check(places).await?;
        Ok(read)
    }

    /// Checks the cursors of idle partitions, once a second. After an error the cursors must be
    /// read again.
    ///
    /// # Errors
    /// An error when the cache is unavailable.
    pub async fn check_cursors(&mut self) -> Result<()> {
        let places = self.known()?;
        self.check(places).await
    }

    /// Begins a new generation of every partition at the end of the events, because some events can
    /// no longer be reported. The cursors must be read again afterwards.
    ///
    /// # Errors
    /// Those of the outbox, and an error when the cache is unavailable.
    pub async fn renew_all(&mut self) -> Result<()> {
        self.places = None;
        let head = self.outbox.head(self.source).await?;
        for partitions in self.partitions.chunks(BREADTH) {
            join_all(partitions.iter().map(|at| self.renew(*at, head))).await.into_iter().collect::<Result<()>>()?;
        }
        Ok(())
    }

    fn known(&mut self) -> Result<Places> {
        self.places.take().ok_or_else(|| Error::internal("the cursors were not read"))
    }

    async fn check(&mut self, mut places: Places) -> Result<()> {
        if places.looked.elapsed() >= LOOK {
            self.look(&mut places).await?;
        }
        self.places = Some(places);
        Ok(())
    }

    /// Continues from the cursors. A partition without a cursor, or with one that is too far
    /// behind, begins a new generation.
    async fn begin(&self) -> Result<Places> {
        // Earlier commits are in the rows that fills will read.
        let head = self.outbox.head(self.source).await?;
        let mut places = Places { of: BTreeMap::new(), read: head, looked: Instant::now() };
        for partitions in self.partitions.chunks(BREADTH) {
            let cursors = self.cache.cursors(partitions).await?;
            let found = partitions.iter().zip(cursors);
            let begun = join_all(found.map(|(at, cursor)| async move {
                let stuck = self.stuck.get(at).is_some_and(|times| *times >= TRIES);
                match cursor {
                    Some(RelayCursor(cursor)) if !stuck && (head - REACH..=head).contains(&cursor) => Ok((*at, cursor)),
                    Some(_) | None => self.renew(*at, head).await.map(|()| (*at, head)),
                }
            }));
            places.of.extend(begun.await.into_iter().collect::<Result<Vec<_>>>()?);
        }
        places.read = places.of.values().copied().min().unwrap_or(head);
        Ok(places)
    }

    async fn renew(&self, at: Partition, cursor: i64) -> Result<()> {
        self.cache.renew(at, RelayCursor(cursor), rand::random()).await?;
        self.stats.one(CacheEvent::GenerationStarted);
        Ok(())
    }

    /// Returns the likes of all comments that were liked or moved in their rank index, as the rows
    /// have them now. It does not check which subject entries need them: an entry that is being
    /// filled, or that waits for a late apply, may need them later.
    async fn likes(&self, events: &[&SequencedEvent]) -> Result<Vec<LikeCounts>> {
        let moved = |change: &&CommentChange| match change.what {
            ChangeKind::Liked => true,
            // The apply reports likes too, but not to a rank index, from which a preview may have
            // been chosen meanwhile.
            ChangeKind::StateChanged | ChangeKind::Recounted => change.root.is_some(),
            ChangeKind::Created | ChangeKind::Edited | ChangeKind::PinChanged => false,
        };
        let changes = events.iter().flat_map(|of| &of.event.changes.comments).filter(moved);
        let mut ids: Vec<CommentId> = changes.map(|change| change.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut likes = Vec::new();
        for ids in ids.chunks(READ) {
            let rows = self.rows.comments(ids).await?;
            likes.extend(rows.iter().flatten().map(|view| LikeCounts::of(&view.comment)));
        }
        Ok(likes)
    }

    /// Returns the members whose likes changed, with their subjects, which are located by their
    /// comments.
    async fn likers(&self, events: &[&SequencedEvent]) -> Result<Vec<SubjectMember>> {
        let liked = |of: &&SequencedEvent| {
            let changes = &of.event.changes;
            let liked = changes.comments.iter().find(|change| change.what == ChangeKind::Liked)?;
            (!changes.likers.is_empty()).then_some((liked.id, of.event.subject))
        };
        let of: BTreeMap<SubjectId, CommentId> = events.iter().filter_map(liked).map(|(id, of)| (of, id)).collect();
        if of.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<CommentId> = of.values().copied().collect();
        let location = self.rows.locate(&ids).await?;
        let keys: BTreeMap<SubjectId, SubjectKey> =
            of.into_keys().zip(location).filter_map(|(of, at)| Some((of, at?.subject))).collect();
        let under = |of: &&SequencedEvent| {
            let members = keys.get(&of.event.subject).map(|key| (key.clone(), of.event.changes.likers.clone()));
            members
                .into_iter()
                .flat_map(|(key, likers)| {
                    likers.into_iter().map(move |member| SubjectMember { key: key.clone(), member })
                })
                .collect::<Vec<_>>()
        };
        Ok(events.iter().flat_map(under).collect())
    }

    /// Checks that all cursors are still in place, and advances them to the events that were read.
    async fn look(&mut self, places: &mut Places) -> Result<()> {
        let read = places.read;
        let behind = places.of.iter().filter(|(_, place)| **place < read);
        let idle: Vec<_> = behind.map(|(at, _)| (*at, read, CommittedState::default())).collect();
        // Cursors that are already at the end are checked too: they reveal a server that was
        // replaced by an older copy.
        let still: Vec<_> =
            places.of.iter().filter(|(_, place)| **place >= read).map(|(at, place)| (*at, *place)).collect();
        self.advance(idle, read, places).await?;
        let still = still.into_iter().map(|(at, place)| (at, place, CommittedState::default())).collect();
        self.advance(still, read, places).await?;
        places.looked = Instant::now();
        Ok(())
    }

    /// Advances cursors. A cursor that is not where it was left shows that data was lost. A cursor
    /// that cannot be advanced does not hold up the others of this call.
    async fn advance(&mut self, moves: Vec<PartitionAdvance>, last: i64, places: &mut Places) -> Result<()> {
        for moves in moves.chunks(BREADTH) {
            let (of, this) = (&places.of, &*self);
            let moved = join_all(moves.iter().map(|(at, to, told)| async move {
                let from = of.get(at).copied().unwrap_or(*to);
                if this.cache.advance(*at, RelayCursor(from), RelayCursor(*to), told).await? {
                    return Ok(*to);
                }
                tracing::info!(partition = at.get(), "cached data was lost; the partition starts a new generation");
                this.renew(*at, last).await.map(|()| last)
            }));
            let (mut failed, mut stuck) = (None, 0);
            for ((at, ..), moved) in moves.iter().zip(moved.await) {
                match moved {
                    Ok(place) => {
                        self.stuck.remove(at);
                        places.of.insert(*at, place);
                    }
                    Err(error) => {
                        *self.stuck.entry(*at).or_default() += 1;
                        stuck += 1;
                        failed = Some((*at, error));
                    }
                }
            }
            if let Some((at, error)) = failed {
                tracing::warn!(partitions = stuck, last = at.get(), %error, "the cache cannot be repaired; the repair is retried");
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Returns the commits to report to each partition, and the new position of its cursor.
fn moves(events: &[&SequencedEvent], likes: Vec<LikeCounts>, likers: Vec<SubjectMember>) -> Vec<PartitionAdvance> {
    let mut told: BTreeMap<Partition, (i64, CommittedState)> = BTreeMap::new();
    for SequencedEvent { number, event } in events {
        let (to, committed) = told.entry(event.partition).or_default();
        *to = *number;
        let Some(revision) = event.revision else { continue };
        match committed.revisions.iter_mut().find(|(subject, _)| *subject == event.subject) {
            Some((_, highest)) => *highest = revision.max(*highest),
            None => committed.revisions.push((event.subject, revision)),
        }
    }
    for likes in likes {
        if let Some((_, committed)) = told.get_mut(&likes.id.partition()) {
            committed.likes.push(likes);
        }
    }
    for who in likers {
        if let Some((_, committed)) = told.get_mut(&who.key.partition()) {
            committed.likers.push(who);
        }
    }
    told.into_iter().map(|(at, (to, committed))| (at, to, committed)).collect()
}
