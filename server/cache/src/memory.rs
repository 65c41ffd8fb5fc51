//! The in-process cache: the cache of `riposte dev` and of a single process without Redis, and the
//! reference model with which the conformance suite compares Redis.
//!
//! A subject entry is one value with one lock, and is evicted as a unit. The number of entries is
//! limited.

mod candidates;
mod list;
mod states;
mod subject_entry;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use moka::policy::EvictionPolicy;
use moka::sync::Cache as Bounded;
use riposte_core::comment::CommentView;
use riposte_core::ids::PARTITIONS;
use riposte_core::{CommentId, LikeValue, Partition, Subject, SubjectId, SubjectKey};

use crate::config::CacheLimits;
use crate::port::{
    Cache, CacheFill, CachedPage, CachedPageQuery, CommittedState, ConcealedComment, EntryLookup, FillLease,
    FillOutcome, FillScope, LeaseOutcome, LikeCounts, RelayCursor, SubjectMember, SubjectUpdate, Unavailable,
};
use states::LikeStates;
use subject_entry::{EntryClock, MemoryEntry};

/// The in-process cache. See the module.
#[derive(Debug)]
pub struct MemoryCache {
    limits: CacheLimits,
    start: Instant,
    /// The relay's position and the generation of each partition.
    partitions: Vec<Mutex<Option<(RelayCursor, u64)>>>,
    names: Bounded<SubjectKey, Name>,
    entries: Bounded<SubjectId, Arc<Mutex<MemoryEntry>>>,
    /// The subject of each comment; a comment id does not contain it.
    comment_subjects: Bounded<CommentId, SubjectId>,
    states: Bounded<SubjectMember, Arc<Mutex<LikeStates>>>,
    /// Held while a name or a subject entry may be created.
    creation: Mutex<()>,
}

/// The cached name of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Of(SubjectId),
    /// The reader with this token reads the subject, or has found that it does not exist. Valid
    /// until `until`.
    Unresolved {
        token: u64,
        until: i64,
        absent: bool,
    },
}

impl MemoryCache {
    /// Creates an empty cache that no relay has reached.
    #[must_use]
    pub fn new(limits: CacheLimits) -> Self {
        let subjects = limits.subjects;
        // Lifetimes in Redis vary by up to a fifth. The model has the longest of them.
        let longest = |ttl: Duration| ttl + ttl / 5;
        Self {
            limits,
            start: Instant::now(),
            partitions: (0..PARTITIONS).map(|_| Mutex::default()).collect(),
            names: Bounded::new(4 * subjects),
            entries: Bounded::builder().max_capacity(subjects).time_to_live(longest(limits.ttl)).build(),
            comment_subjects: Bounded::new(64 * subjects),
            // A policy by frequency could reject the entry of an invalidation.
            states: Bounded::builder()
                .max_capacity(4 * subjects)
                .eviction_policy(EvictionPolicy::lru())
                .time_to_live(longest(limits.like_states_ttl))
                .build(),
            creation: Mutex::default(),
        }
    }

    /// Drops all data, as the restart of a server without persistence would.
    pub fn clear(&self) {
        let _creation = locked(&self.creation);
        self.partitions.iter().for_each(|partition| *locked(partition) = None);
        self.names.invalidate_all();
        self.entries.invalidate_all();
        self.states.invalidate_all();
    }

    /// Drops the entry of one subject, as an eviction would.
    pub fn evict(&self, id: SubjectId) {
        self.entries.invalidate(&id);
    }

    fn now(&self) -> i64 {
        self.start.elapsed().as_millis().try_into().unwrap_or(i64::MAX)
    }

    fn clock(&self) -> EntryClock<'_> {
        EntryClock { now: self.now(), limits: &self.limits }
    }

    fn partition(&self, at: Partition) -> MutexGuard<'_, Option<(RelayCursor, u64)>> {
        locked(&self.partitions[usize::from(at.get())])
    }

    fn generation(&self, at: Partition) -> Option<u64> {
        self.partition(at).map(|(_, generation)| generation)
    }

    /// Returns the cached name of a key, unless it has expired.
    fn name_of(&self, key: &SubjectKey) -> Option<Name> {
        self.names.get(key).filter(|name| match name {
            Name::Of(_) => true,
            Name::Unresolved { until, .. } => *until >= self.now(),
        })
    }

    /// Returns the entry of a subject, if it belongs to the current generation.
    fn entry(&self, id: SubjectId) -> Option<Arc<Mutex<MemoryEntry>>> {
        let generation = self.generation(CommentId::from(id).partition())?;
        let entry = self.entries.get(&id)?;
        let is_current = locked(&entry).generation == generation;
        is_current.then_some(entry)
    }

    fn subject(&self, key: &SubjectKey) -> EntryLookup<Option<Subject>> {
        match self.name_of(key) {
            Some(Name::Unresolved { absent: true, .. }) => EntryLookup::Hit(None),
            Some(Name::Of(id)) => {
                let row = self.entry(id).and_then(|entry| locked(&entry).row().cloned());
                row.map_or(EntryLookup::Miss, |row| EntryLookup::Hit(Some(row)))
            }
            Some(Name::Unresolved { .. }) | None => EntryLookup::Miss,
        }
    }

    fn comment(&self, id: CommentId) -> EntryLookup<Option<CommentView>> {
        let Some(entry) = self.comment_subjects.get(&id).and_then(|subject| self.entry(subject)) else {
            return EntryLookup::Miss;
        };
        let entry = locked(&entry);
        let found = entry.row().zip(entry.item(id));
        found.map_or(EntryLookup::Miss, |(row, item)| {
            EntryLookup::Hit(row.delete_time.is_none().then(|| item.view(row)))
        })
    }

    fn states_of(&self, member: &SubjectMember) -> Arc<Mutex<LikeStates>> {
        self.states.get_with(member.clone(), Arc::default)
    }
}

fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[async_trait]
impl Cache for MemoryCache {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<EntryLookup<Option<Subject>>>, Unavailable> {
        Ok(keys.iter().map(|key| self.subject(key)).collect())
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<EntryLookup<Option<CommentView>>>, Unavailable> {
        Ok(ids.iter().map(|id| self.comment(*id)).collect())
    }

    async fn page(&self, query: &CachedPageQuery) -> Result<EntryLookup<Option<CachedPage>>, Unavailable> {
        let id = match self.name_of(&query.key) {
            Some(Name::Of(id)) => id,
            Some(Name::Unresolved { absent: true, .. }) => return Ok(EntryLookup::Hit(None)),
            Some(Name::Unresolved { .. }) | None => return Ok(EntryLookup::Miss),
        };
        let Some(entry) = self.entry(id) else { return Ok(EntryLookup::Miss) };
        let entry = locked(&entry);
        if entry.row().is_some_and(|row| row.delete_time.is_some()) {
            return Ok(EntryLookup::Hit(None));
        }
        Ok(entry.page(query).map_or(EntryLookup::Miss, |page| EntryLookup::Hit(Some(page))))
    }

    async fn states(
        &self,
        member: &SubjectMember,
        ids: &[CommentId],
    ) -> Result<EntryLookup<Option<Vec<Option<LikeValue>>>>, Unavailable> {
        let subject = match self.subject(&member.key) {
            EntryLookup::Hit(Some(subject)) if subject.delete_time.is_none() => subject,
            EntryLookup::Hit(_) => return Ok(EntryLookup::Hit(None)),
            EntryLookup::Miss => return Ok(EntryLookup::Miss),
        };
        let Some(generation) = self.generation(member.key.partition()) else { return Ok(EntryLookup::Miss) };
        let Some(states) = self.states.get(member) else { return Ok(EntryLookup::Miss) };
        let entry = self.entry(subject.id);
        let exists = |id: CommentId| entry.as_ref().is_some_and(|entry| locked(entry).item(id).is_some());
        let values = locked(&states).read(ids, generation, exists);
        Ok(values.map_or(EntryLookup::Miss, |values| EntryLookup::Hit(Some(values))))
    }

    async fn open(&self, key: &SubjectKey, scope: FillScope, token: u64) -> Result<LeaseOutcome, Unavailable> {
        let _creation = locked(&self.creation);
        let Some((cursor, generation)) = *self.partition(key.partition()) else { return Ok(LeaseOutcome::Cold) };
        let id = match self.name_of(key) {
            Some(Name::Of(id)) => id,
            Some(Name::Unresolved { .. }) | None => {
                let until = self.now() + millis(self.limits.lease);
                self.names.insert(key.clone(), Name::Unresolved { token, until, absent: false });
                return Ok(LeaseOutcome::Unknown { token });
            }
        };
        let entry = self.entry(id).unwrap_or_else(|| {
            let entry = Arc::new(Mutex::new(MemoryEntry::new(generation)));
            self.entries.insert(id, Arc::clone(&entry));
            entry
        });
        let fill_lease =
            locked(&entry).lease(FillLease { subject: id, scope, token, granted_at: cursor }, self.clock());
        Ok(fill_lease.map_or(LeaseOutcome::Busy, LeaseOutcome::Granted))
    }

    async fn name(&self, key: &SubjectKey, id: SubjectId) -> Result<(), Unavailable> {
        let _creation = locked(&self.creation);
        self.names.insert(key.clone(), Name::Of(id));
        Ok(())
    }

    async fn absent(&self, key: &SubjectKey, token: u64) -> Result<(), Unavailable> {
        let _creation = locked(&self.creation);
        if let Some(Name::Unresolved { token: last, absent: false, .. }) = self.name_of(key)
            && last == token
        {
            let until = self.now() + millis(self.limits.negative_ttl);
            self.names.insert(key.clone(), Name::Unresolved { token, until, absent: true });
        }
        Ok(())
    }

    async fn fill(&self, fill_lease: &FillLease, fill: &CacheFill) -> Result<FillOutcome, Unavailable> {
        let Some(entry) = self.entry(fill_lease.subject) else { return Ok(FillOutcome::Refused) };
        fill.items.iter().for_each(|item| self.comment_subjects.insert(item.comment.reference.id, fill_lease.subject));
        Ok(locked(&entry).fill(fill_lease, fill, self.clock()))
    }

    async fn close(&self, fill_lease: &FillLease) -> Result<(), Unavailable> {
        if let Some(entry) = self.entry(fill_lease.subject) {
            locked(&entry).release(fill_lease, self.now());
        }
        Ok(())
    }

    async fn apply(&self, changes: &[SubjectUpdate]) -> Result<(), Unavailable> {
        for change in changes {
            if change.created {
                self.name(&change.subject.key, change.subject.id).await?;
            }
            if let Some(entry) = self.entry(change.subject.id) {
                let with_content = change.patches.iter().filter(|patch| patch.content.is_some());
                with_content
                    .for_each(|patch| self.comment_subjects.insert(patch.comment.reference.id, change.subject.id));
                locked(&entry).apply(&Arc::new(change.clone()), self.clock());
            }
        }
        Ok(())
    }

    async fn like(&self, likes: &[LikeCounts]) -> Result<(), Unavailable> {
        for likes in likes {
            if let Some(entry) = self.entry(likes.subject) {
                locked(&entry).like(likes, self.now());
            }
        }
        Ok(())
    }

    async fn begin_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        let now = self.now();
        members.iter().for_each(|member| locked(&self.states_of(member)).begin_invalidation(token, now));
        Ok(())
    }

    async fn end_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        members.iter().for_each(|member| locked(&self.states_of(member)).end_invalidation(token));
        Ok(())
    }

    async fn open_states(&self, member: &SubjectMember, token: u64) -> Result<bool, Unavailable> {
        let Some(generation) = self.generation(member.key.partition()) else { return Ok(false) };
        Ok(locked(&self.states_of(member)).open(token, generation, self.now()))
    }

    async fn fill_states(
        &self,
        member: &SubjectMember,
        token: u64,
        values: &[(CommentId, LikeValue)],
    ) -> Result<(), Unavailable> {
        if let Some(states) = self.states.get(member) {
            locked(&states).fill(token, values, self.generation(member.key.partition()));
        }
        Ok(())
    }

    async fn record_existing(&self, member: &SubjectMember, ids: &[CommentId]) -> Result<(), Unavailable> {
        if let Some(states) = self.states.get(member) {
            locked(&states).exist(ids, self.limits.per_subject);
        }
        Ok(())
    }

    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<RelayCursor>>, Unavailable> {
        Ok(partitions.iter().map(|at| self.partition(*at).map(|(cursor, _)| cursor)).collect())
    }

    async fn advance(
        &self,
        partition: Partition,
        from: RelayCursor,
        to: RelayCursor,
        committed: &CommittedState,
    ) -> Result<bool, Unavailable> {
        if self.partition(partition).is_none_or(|(cursor, _)| cursor != from) {
            return Ok(false);
        }
        for (id, revision) in &committed.revisions {
            if let Some(entry) = self.entry(*id) {
                locked(&entry).record_committed(*revision);
            }
        }
        // The likes come after the revisions: a like whose comment has not arrived yet waits for
        // the comment.
        self.like(&committed.likes).await?;
        for ConcealedComment { subject, comment, revision } in &committed.concealed {
            if let Some(entry) = self.entry(*subject) {
                locked(&entry).conceal(*comment, *revision);
            }
        }
        for states in committed.likers.iter().filter_map(|member| self.states.get(member)) {
            locked(&states).clear();
        }
        if let Some((cursor, _)) = self.partition(partition).as_mut() {
            *cursor = to;
        }
        Ok(true)
    }

    async fn renew(&self, partition: Partition, cursor: RelayCursor, generation: u64) -> Result<(), Unavailable> {
        *self.partition(partition) = Some((cursor, generation));
        Ok(())
    }

    async fn invalidate_subject(&self, key: &SubjectKey) -> Result<(), Unavailable> {
        let _creation = locked(&self.creation);
        if let Some(Name::Of(id)) = self.name_of(key) {
            self.entries.invalidate(&id);
        }
        self.names.invalidate(key);
        Ok(())
    }

    fn is_unavailable(&self) -> bool {
        false
    }

    fn connection_changes(&self) -> u64 {
        0
    }
}
