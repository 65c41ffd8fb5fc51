//! The reference model of the cache: the protocol over plain maps, written for correctness instead
//! of speed. The suite compares Redis with it.
//!
//! A subject entry is one value with one lock, and is evicted as a whole. Nothing is evicted by
//! itself: the tests evict.

mod candidates;
mod list;
mod states;
mod subject_entry;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use riposte_cache::{
    Cache, CacheFill, CacheLimits, CachedPage, CachedPageQuery, CommittedState, EntryLookup, FillLease, FillOutcome,
    FillScope, LeaseOutcome, LikeCounts, RelayCursor, SubjectMember, SubjectUpdate, Unavailable,
};
use riposte_core::comment::CommentView;
use riposte_core::ids::PARTITIONS;
use riposte_core::{CommentId, LikeValue, Partition, Subject, SubjectId, SubjectKey};

use states::LikeStates;
use subject_entry::{EntryClock, ReferenceEntry};

/// The number of comments, and of a member's likes, that are kept per subject.
const PER_SUBJECT: usize = 2_000;

/// A map with a lock of its own.
#[derive(Debug)]
struct SharedMap<K, V>(Mutex<HashMap<K, V>>);

impl<K: Eq + Hash, V: Clone> SharedMap<K, V> {
    fn new() -> Self {
        Self(Mutex::default())
    }

    fn get(&self, key: &K) -> Option<V> {
        locked(&self.0).get(key).cloned()
    }

    fn insert(&self, key: K, value: V) {
        locked(&self.0).insert(key, value);
    }

    fn remove(&self, key: &K) {
        locked(&self.0).remove(key);
    }

    fn clear(&self) {
        locked(&self.0).clear();
    }
}

/// The reference model. See the module.
#[derive(Debug)]
pub struct ReferenceCache {
    limits: CacheLimits,
    begin: Instant,
    /// The relay's position and the generation of each partition.
    partitions: Vec<Mutex<Option<(RelayCursor, u64)>>>,
    names: SharedMap<SubjectKey, Name>,
    blocks: SharedMap<SubjectId, Arc<Mutex<ReferenceEntry>>>,
    /// The subject of each comment, which its id does not contain.
    places: SharedMap<CommentId, SubjectId>,
    states: SharedMap<SubjectMember, Arc<Mutex<LikeStates>>>,
    /// Held while a name or a subject entry may be created.
    door: Mutex<()>,
}

/// The cached name of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Of(SubjectId),
    /// A reader with this token is reading the subject, or has found that it does not exist. Valid
    /// until `until`.
    Looked {
        token: u64,
        until: i64,
        absent: bool,
    },
}

impl ReferenceCache {
    /// Creates an empty cache that no relay has reached.
    #[must_use]
    pub fn new(limits: CacheLimits) -> Self {
        Self {
            limits,
            begin: Instant::now(),
            partitions: (0..PARTITIONS).map(|_| Mutex::default()).collect(),
            names: SharedMap::new(),
            blocks: SharedMap::new(),
            places: SharedMap::new(),
            states: SharedMap::new(),
            door: Mutex::default(),
        }
    }

    /// Drops all data, as an empty restart of a server would.
    pub fn clear(&self) {
        let _door = locked(&self.door);
        self.partitions.iter().for_each(|partition| *locked(partition) = None);
        self.names.clear();
        self.blocks.clear();
        self.states.clear();
    }

    /// Drops the entry of one subject, as an eviction would.
    pub fn evict(&self, id: SubjectId) {
        self.blocks.remove(&id);
    }

    fn now(&self) -> i64 {
        self.begin.elapsed().as_millis().try_into().unwrap_or(i64::MAX)
    }

    fn with(&self) -> EntryClock<'_> {
        EntryClock { now: self.now(), limits: &self.limits }
    }

    fn partition(&self, at: Partition) -> MutexGuard<'_, Option<(RelayCursor, u64)>> {
        locked(&self.partitions[usize::from(at.get())])
    }

    fn generation(&self, at: Partition) -> Option<u64> {
        self.partition(at).map(|(_, generation)| generation)
    }

    fn named(&self, key: &SubjectKey) -> Option<Name> {
        self.names.get(key).filter(|name| match name {
            Name::Of(_) => true,
            Name::Looked { until, .. } => *until >= self.now(),
        })
    }

    /// Returns the entry of a subject, if it belongs to the present generation.
    fn block(&self, id: SubjectId) -> Option<Arc<Mutex<ReferenceEntry>>> {
        let generation = self.generation(CommentId::from(id).partition())?;
        let block = self.blocks.get(&id)?;
        let present = locked(&block).generation == generation;
        present.then_some(block)
    }

    fn subject(&self, key: &SubjectKey) -> EntryLookup<Option<Subject>> {
        match self.named(key) {
            Some(Name::Looked { absent: true, .. }) => EntryLookup::Hit(None),
            Some(Name::Of(id)) => {
                let row = self.block(id).and_then(|block| locked(&block).row().cloned());
                row.map_or(EntryLookup::Miss, |row| EntryLookup::Hit(Some(row)))
            }
            Some(Name::Looked { .. }) | None => EntryLookup::Miss,
        }
    }

    fn comment(&self, id: CommentId) -> EntryLookup<Option<CommentView>> {
        let Some(block) = self.places.get(&id).and_then(|subject| self.block(subject)) else {
            return EntryLookup::Miss;
        };
        let block = locked(&block);
        let found = block.row().zip(block.item(id));
        found.map_or(EntryLookup::Miss, |(row, item)| {
            EntryLookup::Hit(row.delete_time.is_none().then(|| item.view(row)))
        })
    }

    fn states_of(&self, who: &SubjectMember) -> Arc<Mutex<LikeStates>> {
        Arc::clone(locked(&self.states.0).entry(who.clone()).or_default())
    }
}

fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[async_trait]
impl Cache for ReferenceCache {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<EntryLookup<Option<Subject>>>, Unavailable> {
        Ok(keys.iter().map(|key| self.subject(key)).collect())
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<EntryLookup<Option<CommentView>>>, Unavailable> {
        Ok(ids.iter().map(|id| self.comment(*id)).collect())
    }

    async fn page(&self, ask: &CachedPageQuery) -> Result<EntryLookup<Option<CachedPage>>, Unavailable> {
        let id = match self.named(&ask.key) {
            Some(Name::Of(id)) => id,
            Some(Name::Looked { absent: true, .. }) => return Ok(EntryLookup::Hit(None)),
            Some(Name::Looked { .. }) | None => return Ok(EntryLookup::Miss),
        };
        let Some(block) = self.block(id) else { return Ok(EntryLookup::Miss) };
        let block = locked(&block);
        if block.row().is_some_and(|row| row.delete_time.is_some()) {
            return Ok(EntryLookup::Hit(None));
        }
        Ok(block.page(ask).map_or(EntryLookup::Miss, |page| EntryLookup::Hit(Some(page))))
    }

    async fn states(
        &self,
        who: &SubjectMember,
        ids: &[CommentId],
    ) -> Result<EntryLookup<Option<Vec<Option<LikeValue>>>>, Unavailable> {
        let subject = match self.subject(&who.key) {
            EntryLookup::Hit(Some(subject)) if subject.delete_time.is_none() => subject,
            EntryLookup::Hit(_) => return Ok(EntryLookup::Hit(None)),
            EntryLookup::Miss => return Ok(EntryLookup::Miss),
        };
        let Some(generation) = self.generation(who.key.partition()) else { return Ok(EntryLookup::Miss) };
        let Some(states) = self.states.get(who) else { return Ok(EntryLookup::Miss) };
        let block = self.block(subject.id);
        let exists = |id: CommentId| block.as_ref().is_some_and(|block| locked(block).item(id).is_some());
        let values = locked(&states).read(ids, generation, exists);
        Ok(values.map_or(EntryLookup::Miss, |values| EntryLookup::Hit(Some(values))))
    }

    async fn open(&self, key: &SubjectKey, kind: FillScope, token: u64) -> Result<LeaseOutcome, Unavailable> {
        let _door = locked(&self.door);
        let Some((given, generation)) = *self.partition(key.partition()) else { return Ok(LeaseOutcome::Cold) };
        let id = match self.named(key) {
            Some(Name::Of(id)) => id,
            Some(Name::Looked { .. }) | None => {
                let until = self.now() + millis(self.limits.lease);
                self.names.insert(key.clone(), Name::Looked { token, until, absent: false });
                return Ok(LeaseOutcome::Unknown { token });
            }
        };
        let block = self.block(id).unwrap_or_else(|| {
            let block = Arc::new(Mutex::new(ReferenceEntry::new(generation)));
            self.blocks.insert(id, Arc::clone(&block));
            block
        });
        let fill_lease = locked(&block).lease(FillLease { subject: id, kind, token, given }, self.with());
        Ok(fill_lease.map_or(LeaseOutcome::Busy, LeaseOutcome::Ticket))
    }

    async fn name(&self, key: &SubjectKey, id: SubjectId) -> Result<(), Unavailable> {
        let _door = locked(&self.door);
        self.names.insert(key.clone(), Name::Of(id));
        Ok(())
    }

    async fn absent(&self, key: &SubjectKey, token: u64) -> Result<(), Unavailable> {
        let _door = locked(&self.door);
        if let Some(Name::Looked { token: last, absent: false, .. }) = self.named(key)
            && last == token
        {
            let until = self.now() + millis(self.limits.negative_ttl);
            self.names.insert(key.clone(), Name::Looked { token, until, absent: true });
        }
        Ok(())
    }

    async fn fill(&self, fill_lease: &FillLease, fill: &CacheFill) -> Result<FillOutcome, Unavailable> {
        let Some(block) = self.block(fill_lease.subject) else { return Ok(FillOutcome::Refused) };
        fill.items.iter().for_each(|item| self.places.insert(item.comment.reference.id, fill_lease.subject));
        Ok(locked(&block).fill(fill_lease, fill, self.with()))
    }

    async fn close(&self, fill_lease: &FillLease) -> Result<(), Unavailable> {
        if let Some(block) = self.block(fill_lease.subject) {
            locked(&block).release(fill_lease, self.now());
        }
        Ok(())
    }

    async fn apply(&self, changes: &[SubjectUpdate]) -> Result<(), Unavailable> {
        for change in changes {
            if change.created {
                self.name(&change.subject.key, change.subject.id).await?;
            }
            if let Some(block) = self.block(change.subject.id) {
                let written = change.patches.iter().filter(|patch| patch.content.is_some());
                written.for_each(|patch| self.places.insert(patch.comment.reference.id, change.subject.id));
                locked(&block).apply(&Arc::new(change.clone()), self.with());
            }
        }
        Ok(())
    }

    async fn like(&self, likes: &[LikeCounts]) -> Result<(), Unavailable> {
        for likes in likes {
            if let Some(block) = self.block(likes.subject) {
                locked(&block).like(likes, self.now());
            }
        }
        Ok(())
    }

    async fn begin_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        let now = self.now();
        members.iter().for_each(|who| locked(&self.states_of(who)).begin_invalidation(token, now));
        Ok(())
    }

    async fn end_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        members.iter().for_each(|who| locked(&self.states_of(who)).end_invalidation(token));
        Ok(())
    }

    async fn open_states(&self, who: &SubjectMember, token: u64) -> Result<bool, Unavailable> {
        let Some(generation) = self.generation(who.key.partition()) else { return Ok(false) };
        Ok(locked(&self.states_of(who)).open(token, generation, self.now()))
    }

    async fn fill_states(
        &self,
        who: &SubjectMember,
        token: u64,
        values: &[(CommentId, LikeValue)],
    ) -> Result<(), Unavailable> {
        if let Some(states) = self.states.get(who) {
            locked(&states).fill(token, values, self.generation(who.key.partition()));
        }
        Ok(())
    }

    async fn exist(&self, who: &SubjectMember, ids: &[CommentId]) -> Result<(), Unavailable> {
        if let Some(states) = self.states.get(who) {
            locked(&states).exist(ids, PER_SUBJECT);
        }
        Ok(())
    }

    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<RelayCursor>>, Unavailable> {
        Ok(partitions.iter().map(|at| self.partition(*at).map(|(cursor, _)| cursor)).collect())
    }

    async fn advance(
        &self,
        at: Partition,
        from: RelayCursor,
        to: RelayCursor,
        told: &CommittedState,
    ) -> Result<bool, Unavailable> {
        if self.partition(at).is_none_or(|(cursor, _)| cursor != from) {
            return Ok(false);
        }
        for (id, revision) in &told.revisions {
            if let Some(block) = self.block(*id) {
                locked(&block).hear(*revision);
            }
        }
        // After the revisions: a like of a comment that has not arrived yet waits for it.
        self.like(&told.likes).await?;
        for states in told.likers.iter().filter_map(|who| self.states.get(who)) {
            locked(&states).forget();
        }
        if let Some((cursor, _)) = self.partition(at).as_mut() {
            *cursor = to;
        }
        Ok(true)
    }

    async fn renew(&self, at: Partition, cursor: RelayCursor, generation: u64) -> Result<(), Unavailable> {
        *self.partition(at) = Some((cursor, generation));
        Ok(())
    }

    async fn forget(&self, key: &SubjectKey) -> Result<(), Unavailable> {
        let _door = locked(&self.door);
        if let Some(Name::Of(id)) = self.named(key) {
            self.blocks.remove(&id);
        }
        self.names.remove(key);
        Ok(())
    }

    fn is_away(&self) -> bool {
        false
    }
}
