//! The relay's repair of the cache. It reports committed changes to the cache, in order and at
//! least once, and detects when the cache has lost data.

mod generations;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use riposte_core::event::{ChangeKind, CommentChange, SequencedEvent};
use riposte_core::ports::{EventLog, Reader};
use riposte_core::{CommentId, Error, Partition, Result, SubjectId, SubjectKey};

use crate::port::{Cache, CommittedState, ConcealedComment, LikeCounts, RelayCursor, SubjectMember, Unavailable};
use crate::source_partitions::SourcePartitions;
use crate::stats::CacheStats;
use generations::{concealed, unreported_since};

/// The number of comments that are read at a time.
const COMMENTS_PER_READ: usize = 500;
/// The maximum distance between a stored cursor and the end of the events, in sequence numbers, at
/// which a starting relay continues from the cursor. Beyond it the partition begins a new
/// generation.
const MAX_CURSOR_LAG: i64 = 20_000;
/// The interval between checks of the cursors.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The number of partitions whose cursors a check reads while nothing happens; each check reads the
/// next ones. The last check of all partitions moved nearly all cursors of every server. A server
/// that lost a later write than any of theirs has lost them too, so a few represent all.
const IDLE_SAMPLE: usize = 2;
/// The number of consecutive failures after which a partition begins a new generation, if its
/// cursor can still be read. Otherwise it would delay all other partitions of its source.
const MAX_FAILURES: u32 = 3;
/// The number of partitions that are accessed concurrently.
const CONCURRENT_PARTITIONS: usize = 128;

/// The repair of the cached data of one data source. See the module.
#[derive(Debug)]
pub struct CacheRepair {
    cache: Arc<dyn Cache>,
    outbox: Arc<dyn EventLog>,
    rows: Arc<dyn Reader>,
    stats: CacheStats,
    source: usize,
    partitions: SourcePartitions,
    /// The positions of the cursors; `None` before the start.
    cursors: Option<CursorPositions>,
    /// Partitions that could not be advanced, with the number of consecutive failures.
    stuck: BTreeMap<Partition, u32>,
}

/// A partition, the new position of its cursor, and the commits up to it.
type PartitionAdvance = (Partition, i64, CommittedState);

/// The positions of the cursors in the cache.
#[derive(Debug)]
struct CursorPositions {
    by_partition: BTreeMap<Partition, i64>,
    /// The sequence number up to which events were read.
    read: i64,
    last_check: Instant,
    /// True if all cursors were found at `read`, and no event has followed.
    are_checked: bool,
    /// [`Cache::connection_changes`] before the last check of all cursors.
    connection_changes: u64,
    /// The index of the first partition that the next check of a few reads.
    next_sample: usize,
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
        partitions: SourcePartitions,
    ) -> Self {
        Self { cache, outbox, rows, stats, source, partitions, cursors: None, stuck: BTreeMap::new() }
    }

    /// Drops the known positions, because another process may have moved the cursors.
    pub fn discard_cursors(&mut self) {
        self.cursors = None;
    }

    /// Reads the cursors. Returns the sequence number up to which all partitions have received the
    /// events.
    ///
    /// # Errors
    /// Those of the outbox, and an error when the cache is unavailable.
    pub async fn start(&mut self) -> Result<i64> {
        let cursors = self.load_cursors(false).await?;
        Ok(self.cursors.insert(cursors).read)
    }

    /// Reports the events that follow those reported before, and returns the number of the last
    /// one. After an error the cursors must be read again by [`CacheRepair::start`].
    ///
    /// # Errors
    /// Those of the database, and an error when the cache is unavailable.
    pub async fn apply(&mut self, events: &[SequencedEvent]) -> Result<i64> {
        let mut cursors = self.take_cursors()?;
        if let Some(last) = events.last() {
            let mut concealed = concealed(events);
            concealed.retain(|concealed| self.can_conceal(concealed.comment.partition()));
            let is_new = |sequenced: &&SequencedEvent| {
                let position = cursors.by_partition.get(&sequenced.event.partition);
                position.is_some_and(|position| *position < sequenced.number)
            };
            let events: Vec<&SequencedEvent> = events.iter().filter(is_new).collect();
            let likes = self.likes(&events).await?;
            let likers = self.likers(&events).await?;
            cursors.are_checked = false;
            let mut advances = advances(&events, likes, likers);
            add_concealed(&mut advances, concealed, &cursors.by_partition);
            self.advance(advances, last.number, &mut cursors).await?;
            cursors.read = last.number;
        }
        let read = cursors.read;
        self.check_if_due(cursors).await?;
        Ok(read)
    }

    /// Checks the cursors once a second: all of them after events and after a change of the
    /// connections, else those of a few partitions. After an error the cursors must be read again.
    ///
    /// # Errors
    /// An error when the cache is unavailable.
    pub async fn check_cursors(&mut self) -> Result<()> {
        let cursors = self.take_cursors()?;
        self.check_if_due(cursors).await
    }

    /// Begins a new generation of every partition at the end of the events, because some events can
    /// no longer be reported. The cursors must be read again afterwards.
    ///
    /// # Errors
    /// Those of the outbox, and an error when the cache is unavailable.
    pub async fn renew_all(&mut self) -> Result<()> {
        self.cursors = None;
        self.load_cursors(true).await.map(drop)
    }

    fn take_cursors(&mut self) -> Result<CursorPositions> {
        self.cursors.take().ok_or_else(|| Error::internal("the cursors were not read"))
    }

    async fn check_if_due(&mut self, mut cursors: CursorPositions) -> Result<()> {
        if cursors.last_check.elapsed() >= CHECK_INTERVAL {
            let is_at_rest = cursors.are_checked && cursors.connection_changes == self.cache.connection_changes();
            if !is_at_rest || !self.sample_is_at(&mut cursors).await? {
                self.check(&mut cursors).await?;
            }
            cursors.last_check = Instant::now();
        }
        self.cursors = Some(cursors);
        Ok(())
    }

    /// Reads the cursors of a few partitions. Returns whether all of them are at their known
    /// positions.
    async fn sample_is_at(&self, cursors: &mut CursorPositions) -> Result<bool> {
        let count = cursors.by_partition.len();
        let next = cursors.by_partition.keys().cycle().skip(cursors.next_sample).take(IDLE_SAMPLE.min(count));
        let sample: Vec<Partition> = next.copied().collect();
        cursors.next_sample = (cursors.next_sample + sample.len()) % count.max(1);
        let found = self.cache.cursors(&sample).await?;
        let known = |partition: &Partition| cursors.by_partition.get(partition).copied();
        let is_at = |(partition, found): (&Partition, Option<RelayCursor>)| known(partition) == found.map(|at| at.0);
        Ok(sample.iter().zip(found).all(is_at))
    }

    /// Reads the cursors. A partition without a cursor, or with one that is too far behind, begins
    /// a new generation at the end of the events; so does every partition if `renews_all` is true.
    async fn load_cursors(&mut self, renews_all: bool) -> Result<CursorPositions> {
        // A new generation needs no commits before this position: fills read them from the rows.
        let head = self.outbox.head(self.source).await?;
        let (mut positions, mut lost) = (BTreeMap::new(), BTreeMap::new());
        for partitions in self.partitions.get().chunks(CONCURRENT_PARTITIONS) {
            for (partition, cursor) in partitions.iter().zip(self.cache.cursors(partitions).await?) {
                let stuck = self.stuck.get(partition).is_some_and(|failures| *failures >= MAX_FAILURES);
                let found = cursor.map(|RelayCursor(position)| position);
                let is_current = |position: &i64| (head - MAX_CURSOR_LAG..=head).contains(position);
                match found.filter(|position| !renews_all && !stuck && is_current(position)) {
                    Some(position) => positions.insert(*partition, position),
                    None => lost.insert(*partition, unreported_since(found, head)),
                };
            }
        }
        self.begin_generations(&lost, head).await?;
        positions.extend(lost.into_keys().map(|partition| (partition, head)));
        let read = positions.values().copied().min().unwrap_or(head);
        Ok(CursorPositions {
            by_partition: positions,
            read,
            last_check: Instant::now(),
            are_checked: false,
            connection_changes: 0,
            next_sample: 0,
        })
    }

    /// Returns the likes of all comments that were liked or moved in their rank index, as the rows
    /// have them now. They are reported to all subject entries: one that is being filled, or that
    /// waits for a late apply, may need them later.
    async fn likes(&self, events: &[&SequencedEvent]) -> Result<Vec<LikeCounts>> {
        let is_liked_or_moved = |change: &&CommentChange| match change.kind {
            ChangeKind::Liked => true,
            // The apply reports these likes as well. Meanwhile a fill may have read candidates from
            // a rank index that did not contain them yet.
            ChangeKind::StateChanged | ChangeKind::Recounted => change.root.is_some(),
            ChangeKind::Created | ChangeKind::Edited | ChangeKind::PinChanged | ChangeKind::Noted => false,
        };
        let changes = events.iter().flat_map(|sequenced| &sequenced.event.changes.comments).filter(is_liked_or_moved);
        let mut ids: Vec<CommentId> = changes.map(|change| change.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut likes = Vec::new();
        for ids in ids.chunks(COMMENTS_PER_READ) {
            let rows = self.rows.comments(ids).await?;
            likes.extend(rows.iter().flatten().map(|view| LikeCounts::of(&view.comment)));
        }
        Ok(likes)
    }

    /// Returns the members whose likes changed, with their subjects, which are located by their
    /// comments.
    async fn likers(&self, events: &[&SequencedEvent]) -> Result<Vec<SubjectMember>> {
        let liked = |sequenced: &&SequencedEvent| {
            let changes = &sequenced.event.changes;
            let liked = changes.comments.iter().find(|change| change.kind == ChangeKind::Liked)?;
            (!changes.likers.is_empty()).then_some((sequenced.event.subject, liked.id))
        };
        let comments: BTreeMap<SubjectId, CommentId> = events.iter().filter_map(liked).collect();
        if comments.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<CommentId> = comments.values().copied().collect();
        let locations = self.rows.locate(&ids).await?;
        let keys: BTreeMap<SubjectId, SubjectKey> = comments
            .into_keys()
            .zip(locations)
            .filter_map(|(subject, location)| Some((subject, location?.subject)))
            .collect();
        let members = |sequenced: &&SequencedEvent| {
            let likers = sequenced.event.changes.likers.iter();
            let key = keys.get(&sequenced.event.subject);
            key.map(|key| {
                likers.map(|member| SubjectMember { key: key.clone(), member: member.clone() }).collect::<Vec<_>>()
            })
            .unwrap_or_default()
        };
        Ok(events.iter().flat_map(members).collect())
    }

    /// Checks that all cursors are at their known positions, and advances them to the events that
    /// were read.
    async fn check(&mut self, cursors: &mut CursorPositions) -> Result<()> {
        let (read, connection_changes) = (cursors.read, self.cache.connection_changes());
        let advance = |partition: &Partition, to: i64| (*partition, to, CommittedState::default());
        let (behind, current): (Vec<_>, Vec<_>) = cursors.by_partition.iter().partition(|(_, at)| **at < read);
        let behind = behind.into_iter().map(|(partition, _)| advance(partition, read)).collect();
        // Cursors that are already at the end are checked as well: a server that was replaced by an
        // older copy has other positions.
        let current = current.into_iter().map(|(partition, at)| advance(partition, *at)).collect();
        self.advance(behind, read, cursors).await?;
        self.advance(current, read, cursors).await?;
        (cursors.are_checked, cursors.connection_changes) = (true, connection_changes);
        Ok(())
    }

    /// Advances cursors. A cursor that is not at its known position shows that data was lost; its
    /// partition begins a new generation at `last`. A cursor that cannot be advanced does not
    /// prevent the others of this call from advancing.
    async fn advance(
        &mut self,
        advances: Vec<PartitionAdvance>,
        last: i64,
        cursors: &mut CursorPositions,
    ) -> Result<()> {
        for advances in advances.chunks(CONCURRENT_PARTITIONS) {
            let (positions, this) = (&cursors.by_partition, &*self);
            let results = join_all(advances.iter().map(|(partition, to, committed)| async move {
                let from = positions.get(partition).copied().unwrap_or(*to);
                if this.cache.advance(*partition, RelayCursor(from), RelayCursor(*to), committed).await? {
                    return Ok((*to, None));
                }
                let partition = *partition;
                tracing::info!(
                    partition = partition.get(),
                    "cached data was lost; the partition starts a new generation"
                );
                let found = this.cache.cursors(&[partition]).await?.pop().flatten();
                Ok::<_, Error>((last, Some(found.map_or(from, |RelayCursor(found)| found.min(from)))))
            }));
            let (mut failed, mut stuck, mut lost) = (None, 0, BTreeMap::new());
            for ((partition, ..), result) in advances.iter().zip(results.await) {
                match result {
                    Ok((position, lost_from)) => {
                        self.stuck.remove(partition);
                        cursors.by_partition.insert(*partition, position);
                        lost.extend(lost_from.map(|from| (*partition, from)));
                    }
                    Err(error) => {
                        *self.stuck.entry(*partition).or_default() += 1;
                        stuck += 1;
                        failed = Some((*partition, error));
                    }
                }
            }
            let renewed = self.begin_generations(&lost, last).await;
            if let Some((partition, error)) = failed {
                tracing::warn!(
                    partitions = stuck,
                    last = partition.get(),
                    error = error.log_text(),
                    "the cache cannot be repaired; the repair is retried"
                );
                return Err(error);
            }
            renewed?;
        }
        Ok(())
    }
}

/// Adds concealed comments to the advances of their partitions. They are reported again to a cursor
/// that is already beyond their events, because a new generation may have moved it there.
fn add_concealed(
    advances: &mut Vec<PartitionAdvance>,
    concealed: Vec<ConcealedComment>,
    positions: &BTreeMap<Partition, i64>,
) {
    for concealed in concealed {
        let partition = concealed.comment.partition();
        let Some(position) = positions.get(&partition) else { continue };
        match advances.iter_mut().find(|(at, ..)| *at == partition) {
            Some((.., committed)) => committed.concealed.push(concealed),
            None => {
                let committed = CommittedState { concealed: vec![concealed], ..CommittedState::default() };
                advances.push((partition, *position, committed));
            }
        }
    }
}

/// Returns the commits to report to each partition, and the new position of its cursor.
fn advances(events: &[&SequencedEvent], likes: Vec<LikeCounts>, likers: Vec<SubjectMember>) -> Vec<PartitionAdvance> {
    let mut by_partition: BTreeMap<Partition, (i64, CommittedState)> = BTreeMap::new();
    for SequencedEvent { number, event } in events {
        let (to, committed) = by_partition.entry(event.partition).or_default();
        *to = *number;
        let Some(revision) = event.revision else { continue };
        match committed.revisions.iter_mut().find(|(subject, _)| *subject == event.subject) {
            Some((_, highest)) => *highest = revision.max(*highest),
            None => committed.revisions.push((event.subject, revision)),
        }
    }
    for likes in likes {
        if let Some((_, committed)) = by_partition.get_mut(&likes.id.partition()) {
            committed.likes.push(likes);
        }
    }
    for liker in likers {
        if let Some((_, committed)) = by_partition.get_mut(&liker.key.partition()) {
            committed.likers.push(liker);
        }
    }
    by_partition.into_iter().map(|(partition, (to, committed))| (partition, to, committed)).collect()
}
