//! The relay's part: tells the copies what was committed, in order, at least once, and finds out when they have lost
//! something.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use riposte_core::event::{ChangeKind, CommentChange, SequencedEvent, commits};
use riposte_core::ports::{Outbox, Projection, Reader};
use riposte_core::{CommentId, Error, Partition, Result, SubjectId, SubjectKey};

use crate::port::{Cache, CommittedState, LikeCounts, RelayCursor, SubjectMember, Unavailable};
use crate::stats::{CacheEvent, CacheStats};

/// Commits whose events are told at a time.
const CHUNK: usize = 100;
/// Comments that are read at a time.
const READ: usize = 500;
/// How far back a relay that begins goes on from where the last one was; beyond it a partition begins anew.
const REACH: i64 = 20_000;
/// How often it is looked whether the cursors of quiet partitions still stand.
const LOOK: Duration = Duration::from_secs(1);
/// How long events wait for boards that do not move. What is told ahead of them leaves their previews out of the copies.
const PATIENCE: Duration = Duration::from_secs(3);
/// A partition that cannot be moved on so often in a row, while its cursor can be asked for, begins anew: it would hold up all
/// others of its source.
const TRIES: u32 = 3;
/// Partitions that are asked at once.
const BREADTH: usize = 128;

/// The mending of one data source's copies. See the module.
#[derive(Debug)]
pub struct CacheRepair {
    cache: Arc<dyn Cache>,
    outbox: Arc<dyn Outbox>,
    rows: Arc<dyn Reader>,
    tally: CacheStats,
    source: usize,
    partitions: Vec<Partition>,
    /// Where each partition is, and up to which number events were read; `None` before the start.
    places: Option<Places>,
    /// Partitions that could not be moved on, and how often in a row.
    stuck: BTreeMap<Partition, u32>,
}

/// A partition, where its cursor goes, and what was committed on the way.
type PartitionAdvance = (Partition, i64, CommittedState);

#[derive(Debug)]
struct Places {
    of: BTreeMap<Partition, i64>,
    read: i64,
    looked: Instant,
    /// How far the boards are known to be, and since when they have been waited for without moving.
    boards: i64,
    waits: Option<Instant>,
}

impl From<Unavailable> for Error {
    fn from(_: Unavailable) -> Self {
        Self::internal("the cache is away")
    }
}

impl CacheRepair {
    /// Mends what `cache` holds of `partitions`, all of which lie on `source`, from 0 on.
    #[must_use]
    pub fn new(
        cache: Arc<dyn Cache>,
        outbox: Arc<dyn Outbox>,
        rows: Arc<dyn Reader>,
        tally: CacheStats,
        source: usize,
        partitions: Vec<Partition>,
    ) -> Self {
        Self { cache, outbox, rows, tally, source, partitions, places: None, stuck: BTreeMap::new() }
    }

    /// Forgets where it was: another process may have moved that.
    pub fn rest(&mut self) {
        self.places = None;
    }

    /// Tells some events; whether there may be more. After an error it begins where the cursors are.
    ///
    /// # Errors
    /// Those of the outbox and of the rows, and when the cache is away.
    pub async fn turn(&mut self) -> Result<bool> {
        let mut places = match self.places.take() {
            Some(places) => places,
            None => self.begin().await?,
        };
        let events = self.outbox.read(self.source, places.read, CHUNK).await?;
        let full = commits(&events) == CHUNK;
        if events.first().is_some_and(|first| first.number > places.read + 1) {
            // It was away for so long that events were deleted meanwhile.
            self.renew_all(&mut places).await?;
            self.places = Some(places);
            return Ok(true);
        }
        let events = self.on_boards(events, &mut places).await?;
        if let Some(last) = events.last() {
            let behind =
                |of: &&SequencedEvent| places.of.get(&of.event.partition).is_some_and(|place| *place < of.number);
            let events: Vec<&SequencedEvent> = events.iter().filter(behind).collect();
            let likes = self.likes(&events).await?;
            let likers = self.likers(&events).await?;
            self.advance(moves(&events, likes, likers), last.number, &mut places).await?;
            places.read = last.number;
        }
        if places.looked.elapsed() >= LOOK {
            self.look(&mut places).await?;
        }
        self.places = Some(places);
        Ok(full && !events.is_empty())
    }

    /// Those of these events that the boards hold; all of them where the boards have not moved for too long.
    async fn on_boards(&self, mut events: Vec<SequencedEvent>, places: &mut Places) -> Result<Vec<SequencedEvent>> {
        let Some(last) = events.last().map(|last| last.number) else { return Ok(events) };
        if last > places.boards {
            let boards = self.outbox.position(self.source, Projection::Boards).await?;
            // Under load there is always more to come: they are waited for as long as they move.
            if boards > places.boards {
                (places.boards, places.waits) = (boards, None);
            }
        }
        if last <= places.boards {
            places.waits = None;
        } else if places.waits.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
            events.retain(|of| of.number <= places.boards);
        }
        Ok(events)
    }

    /// Goes on from where the cursors are; where there is none, or too far behind, a partition begins anew.
    async fn begin(&self) -> Result<Places> {
        // What was committed before is in the rows that fills will read.
        let head = self.outbox.head(self.source).await?;
        let mut places = Places { of: BTreeMap::new(), read: head, looked: Instant::now(), boards: 0, waits: None };
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
        self.tally.one(CacheEvent::Renewed);
        Ok(())
    }

    async fn renew_all(&self, places: &mut Places) -> Result<()> {
        let head = self.outbox.head(self.source).await?;
        for (at, place) in &mut places.of {
            self.renew(*at, head).await?;
            *place = head;
        }
        places.read = head;
        Ok(())
    }

    /// The likes of all comments that were liked or moved on their boards, as the rows have them now. Whether any block needs
    /// them is not asked: one that is just being filled, or waits for a late apply, could not say.
    async fn likes(&self, events: &[&SequencedEvent]) -> Result<Vec<LikeCounts>> {
        let moved = |change: &&CommentChange| match change.what {
            ChangeKind::Liked => true,
            // The apply brings likes too, but not to a board, which a preview may have been chosen from meanwhile.
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

    /// The members whose likes changed, under their subjects, which their comments name.
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

    /// Looks whether all cursors still stand, and brings them up to what was read.
    async fn look(&mut self, places: &mut Places) -> Result<()> {
        let read = places.read;
        let behind = places.of.iter().filter(|(_, place)| **place < read);
        let idle: Vec<_> = behind.map(|(at, _)| (*at, read, CommittedState::default())).collect();
        // Those that stand at the end are asked too: a server that was replaced by an older copy shows there.
        let still: Vec<_> =
            places.of.iter().filter(|(_, place)| **place >= read).map(|(at, place)| (*at, *place)).collect();
        self.advance(idle, read, places).await?;
        let still = still.into_iter().map(|(at, place)| (at, place, CommittedState::default())).collect();
        self.advance(still, read, places).await?;
        places.looked = Instant::now();
        Ok(())
    }

    /// Moves cursors on. One that is not where it was left says that something was lost. One that cannot be moved holds up no
    /// other of these.
    async fn advance(&mut self, moves: Vec<PartitionAdvance>, last: i64, places: &mut Places) -> Result<()> {
        for moves in moves.chunks(BREADTH) {
            let (of, this) = (&places.of, &*self);
            let moved = join_all(moves.iter().map(|(at, to, told)| async move {
                let from = of.get(at).copied().unwrap_or(*to);
                if this.cache.advance(*at, RelayCursor(from), RelayCursor(*to), told).await? {
                    return Ok(*to);
                }
                tracing::info!(partition = at.get(), "copies were lost; the partition begins anew");
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
                tracing::warn!(partitions = stuck, last = at.get(), "copies cannot be brought up to date");
                return Err(error);
            }
        }
        Ok(())
    }
}

/// What each partition is told, and where its cursor goes.
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
