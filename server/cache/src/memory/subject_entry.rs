//! The cached data of one subject, and the state that the protocol needs to keep it correct. The
//! port describes the protocol.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use riposte_core::page::{ListOrder, Page, ReplyPage, RootPage, Thread};
use riposte_core::{CommentId, Subject};

use super::candidates::MemoryCandidates;
use super::list::MemoryList;
use crate::config::CacheLimits;
use crate::port::{
    CacheFill, CachedCandidates, CachedComment, CachedPage, CachedPageQuery, CommentUpdate, FillLease, FillOutcome,
    FillScope, LikeCounts, ListName, ListPart, ListRange, SubjectUpdate,
};

/// The maximum number of changes in a log.
const MAX_LOGGED_CHANGES: usize = 64;
/// The maximum number of likes in a log.
const MAX_LOGGED_LIKES: usize = 2_000;

/// The time in milliseconds, and the limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryClock<'l> {
    pub(super) now: i64,
    pub(super) limits: &'l CacheLimits,
}

/// The cached data of one subject. See the module.
#[derive(Debug)]
pub(super) struct MemoryEntry {
    pub(super) generation: u64,
    row: Option<Subject>,
    /// The highest revision known to be committed.
    committed_revision: i64,
    lists: HashMap<ListName, MemoryList>,
    items: HashMap<CommentId, StoredItem>,
    candidates: RootCandidates,
    log: ChangeLog,
    /// The expiry times of outstanding fill leases, by their tokens.
    lease_expiry: HashMap<u64, i64>,
    /// The token of the last fill lease of each scope.
    scope_leases: HashMap<FillScope, u64>,
}

/// A cached comment; its likes have their own revision.
#[derive(Debug, Clone)]
struct StoredItem {
    item: CachedComment,
    likes: LikeCounts,
}

/// Changes that arrived before their predecessors, or while a fill may follow.
#[derive(Debug, Default)]
struct ChangeLog {
    changes: BTreeMap<i64, Arc<SubjectUpdate>>,
    likes: HashMap<CommentId, LikeCounts>,
}

/// The candidates for previews, by their roots.
type RootCandidates = HashMap<CommentId, MemoryCandidates>;

fn candidates_by_root(read: &[CachedCandidates]) -> RootCandidates {
    read.iter().map(|of_root| (of_root.root, MemoryCandidates::of(of_root))).collect()
}

/// Applies a commit to candidates.
fn apply_to_candidates(candidates: &mut RootCandidates, change: &SubjectUpdate) {
    for update in &change.lists {
        if let Some(of_root) = update.root.and_then(|root| candidates.get_mut(&root)) {
            of_root.apply(update);
        }
    }
}

impl StoredItem {
    fn new(mut item: CachedComment) -> Self {
        item.content = item.content.filter(|_| item.comment.lifecycle.state.is_visible());
        Self { likes: LikeCounts::of(&item.comment), item }
    }

    fn like(&mut self, likes: &LikeCounts) {
        if likes.revision > self.likes.revision {
            self.likes = *likes;
        }
    }

    fn patch(&mut self, patch: &CommentUpdate) {
        if patch.comment.lifecycle.revision > self.item.comment.lifecycle.revision {
            self.item.comment = patch.comment.clone();
            let content = patch.content.clone().or(self.item.content.take());
            self.item.content = content.filter(|_| patch.comment.lifecycle.state.is_visible());
        }
        self.like(&LikeCounts::of(&patch.comment));
    }

    /// Returns the comment with its latest likes.
    fn item(&self) -> CachedComment {
        let mut item = self.item.clone();
        item.comment.counts.like_count = self.likes.likes;
        item.comment.counts.dislike_count = self.likes.dislikes;
        item.comment.lifecycle.revision = item.comment.lifecycle.revision.max(self.likes.revision);
        item
    }
}

impl MemoryEntry {
    pub(super) fn new(generation: u64) -> Self {
        Self {
            generation,
            row: None,
            committed_revision: 0,
            lists: HashMap::new(),
            items: HashMap::new(),
            candidates: HashMap::new(),
            log: ChangeLog::default(),
            lease_expiry: HashMap::new(),
            scope_leases: HashMap::new(),
        }
    }

    /// Returns the row, if it has the highest revision known to be committed.
    pub(super) fn row(&self) -> Option<&Subject> {
        self.row.as_ref().filter(|row| row.revision >= self.committed_revision)
    }

    /// Returns the revision that the entry has reached, if it has a row.
    fn revision(&self) -> Option<i64> {
        self.row.as_ref().map(|row| row.revision)
    }

    pub(super) fn item(&self, id: CommentId) -> Option<CachedComment> {
        self.items.get(&id).map(StoredItem::item)
    }

    /// Returns a complete page.
    pub(super) fn page(&self, query: &CachedPageQuery) -> Option<CachedPage> {
        let subject = self.row()?.clone();
        let Page { items, more_before, more_after } = match &query.part {
            ListPart::Window(window) => self.read_list(query.root, window.order, |list| list.page(window))?,
            ListPart::Ids(ids) => Page { items: ids.clone(), more_before: false, more_after: false },
        };
        if let Some(root) = query.root {
            let view = |id: CommentId| Some(self.item(id)?.view(&subject));
            let (root, items) = (view(root)?, items.into_iter().map(view).collect::<Option<Vec<_>>>()?);
            let replies = Page { items, more_before, more_after };
            return Some(CachedPage::Replies(Box::new(ReplyPage { root, replies, subject })));
        }
        let thread = |id: &CommentId| self.thread(*id, &subject, query.previews.into());
        let items = items.iter().map(thread).collect::<Option<Vec<_>>>()?;
        let pinned = subject.pins.iter().map(thread).collect::<Option<Vec<_>>>()?;
        let threads = Page { items, more_before, more_after };
        Some(CachedPage::Roots(Box::new(RootPage { threads, pinned, subject })))
    }

    /// Returns a root with its preview.
    fn thread(&self, id: CommentId, subject: &Subject, size: usize) -> Option<Thread> {
        let root = self.item(id)?;
        // A listed reply is visible or has a visible reply below it.
        let (replies, more_replies) = match (root.comment.counts.live_below > 0, size) {
            (false, _) => (Vec::new(), false),
            (true, 0) => (Vec::new(), true),
            (true, _) => self.candidates.get(&id)?.preview(size, |id| self.item(id))?,
        };
        let replies = replies.into_iter().map(|reply| reply.view(subject)).collect();
        Some(Thread { root: root.view(subject), replies, more_replies })
    }

    /// Reads a part of a list from either of its cached ends.
    fn read_list<T>(
        &self,
        root: Option<CommentId>,
        order: ListOrder,
        read: impl Fn(&MemoryList) -> Option<T>,
    ) -> Option<T> {
        let other = if order == ListOrder::Oldest { ListOrder::Newest } else { ListOrder::Oldest };
        [order, other].into_iter().find_map(|order| read(self.lists.get(&ListName { root, order })?))
    }

    /// Grants a fill lease, unless another process holds it.
    pub(super) fn lease(&mut self, fill_lease: FillLease, clock: EntryClock<'_>) -> Option<FillLease> {
        let (EntryClock { now, limits }, scope) = (clock, fill_lease.scope);
        self.lease_expiry.retain(|_, until| *until >= now);
        let granted = match scope {
            // Single comments carry no revision that could be compared, so the entry must have one.
            FillScope::Comments => self.row.is_some(),
            FillScope::List(_) | FillScope::Floors { .. } | FillScope::Row => {
                self.scope_leases.get(&scope).is_none_or(|token| !self.lease_expiry.contains_key(token))
            }
        };
        self.prune_log(now);
        granted.then(|| {
            self.lease_expiry.insert(fill_lease.token, now.saturating_add(super::millis(limits.lease)));
            self.scope_leases.insert(scope, fill_lease.token);
            fill_lease
        })
    }

    /// Releases a lease; one that is no longer outstanding changes nothing.
    pub(super) fn release(&mut self, fill_lease: &FillLease, now: i64) {
        if self.lease_expiry.remove(&fill_lease.token).is_some() {
            self.scope_leases.retain(|_, token| *token != fill_lease.token);
            self.prune_log(now);
        }
    }

    /// Returns `true` if a fill may follow. Every change must then be logged.
    fn may_be_filled(&self, now: i64) -> bool {
        self.lease_expiry.values().any(|until| *until >= now)
    }

    /// Removes data from the log that no fill needs any more. Changes that wait for their
    /// predecessors stay. While the entry is behind, the likes stay too, because the comments that
    /// they belong to may arrive with these changes.
    fn prune_log(&mut self, now: i64) {
        if self.may_be_filled(now) {
            return;
        }
        self.revoke_leases();
        if self.row().is_some() {
            self.log.likes.clear();
        }
        let reached = self.revision();
        self.log.changes.retain(|revision, _| reached.is_none_or(|reached| *revision > reached));
    }

    /// Revokes all outstanding leases.
    fn revoke_leases(&mut self) {
        self.lease_expiry.clear();
        self.scope_leases.clear();
    }

    /// Stores data that was read, as far as the log can bring it up to date.
    pub(super) fn fill(&mut self, fill_lease: &FillLease, fill: &CacheFill, clock: EntryClock<'_>) -> FillOutcome {
        let EntryClock { now, limits } = clock;
        if self.lease_expiry.get(&fill_lease.token).is_none_or(|until| *until < now) {
            return FillOutcome::Refused;
        }
        let read_revision = fill.subject.as_ref().map_or(fill.subject_revision, |read| read.revision);
        if self.revision().is_some_and(|reached| read_revision > reached) {
            if !fill.force {
                return FillOutcome::Behind;
            }
            if fill.subject.is_some() {
                self.restart();
            }
        }
        let (mut lists, mut candidates) = (fill.lists.clone(), candidates_by_root(&fill.candidates));
        let current = match (&fill.subject, self.revision()) {
            (Some(read), None) => {
                self.row = Some(read.clone());
                true
            }
            (Some(_), Some(reached)) => self.bring_forward(&mut lists, &mut candidates, read_revision, reached),
            (None, reached) => reached.is_some_and(|reached| read_revision <= reached),
        };
        if !current {
            self.release(fill_lease, now);
            return FillOutcome::Refused;
        }
        self.committed_revision = self.committed_revision.max(read_revision);
        self.store(&lists, &fill.items, limits);
        self.store_candidates(candidates);
        self.apply_waiting(clock);
        self.release(fill_lease, now);
        FillOutcome::Stored
    }

    /// Drops all data of the entry, which may lack intermediate changes, and revokes all leases.
    fn restart(&mut self) {
        self.row = None;
        self.lists.clear();
        self.items.clear();
        self.candidates.clear();
        self.revoke_leases();
    }

    /// Brings lists and candidates from the revision at which they were read to the one that the
    /// entry has reached. Returns `false` if the log lacks a change between them.
    fn bring_forward(
        &self,
        lists: &mut [ListRange],
        candidates: &mut RootCandidates,
        read_revision: i64,
        reached: i64,
    ) -> bool {
        for revision in read_revision + 1..=reached {
            let Some(change) = self.log.changes.get(&revision) else { return false };
            apply_to_candidates(candidates, change);
            for list in &mut *lists {
                for update in change.lists.iter().filter(|update| update.root == list.name.root) {
                    let within = list.low..=list.high;
                    list.members.retain(|(floor, _)| !update.removed.contains(floor));
                    list.members.extend(update.added.iter().filter(|(floor, _)| within.contains(floor)).copied());
                }
            }
        }
        true
    }

    /// Stores lists and comments, brought forward by the log.
    fn store(&mut self, lists: &[ListRange], items: &[CachedComment], limits: &CacheLimits) {
        for range in lists {
            match self.lists.get_mut(&range.name) {
                Some(list) => list.extend(range, limits.window),
                None => {
                    if let Some(list) = MemoryList::begin(range) {
                        self.lists.insert(range.name, list);
                    }
                }
            }
        }
        if self.items.len() + items.len() > limits.per_subject {
            self.items.clear();
            self.candidates.clear();
        }
        for item in items.iter().filter(|item| !self.items.contains_key(&item.comment.reference.id)).collect::<Vec<_>>()
        {
            let mut stored = StoredItem::new(item.clone());
            let id = item.comment.reference.id;
            // Later changes are applied when the entry reaches their revisions.
            let reached = self.revision().unwrap_or(0);
            let logged = self.log.changes.range(..=reached).flat_map(|(_, change)| &change.patches);
            logged.filter(|patch| patch.comment.reference.id == id).for_each(|patch| stored.patch(patch));
            if let Some(likes) = self.log.likes.get(&id) {
                stored.like(likes);
            }
            self.items.insert(id, stored);
        }
    }

    /// Stores candidates, unless a reply that is not among them was liked meanwhile.
    fn store_candidates(&mut self, candidates: RootCandidates) {
        for (root, of_root) in candidates {
            let below = |likes: &&LikeCounts| likes.preview_position.is_some_and(|(id, _)| id == root);
            if self.log.likes.values().filter(below).any(|likes| of_root.is_invalidated_by(likes)) {
                self.candidates.remove(&root);
            } else {
                self.candidates.insert(root, of_root);
            }
        }
    }

    /// Records that a revision was committed.
    pub(super) fn record_committed(&mut self, revision: i64) {
        if self.revision().is_some_and(|reached| reached < revision) || self.row.is_none() {
            self.committed_revision = self.committed_revision.max(revision);
        }
    }

    /// Removes a comment that ceased to be visible at a revision that the entry has not reached.
    pub(super) fn conceal(&mut self, id: CommentId, revision: i64) {
        if self.revision().is_none_or(|reached| reached < revision) {
            self.items.remove(&id);
        }
    }

    /// Applies a commit, at once or when its predecessors have arrived.
    pub(super) fn apply(&mut self, change: &Arc<SubjectUpdate>, clock: EntryClock<'_>) {
        let revision = change.subject.revision;
        self.committed_revision = self.committed_revision.max(revision);
        let reached = self.revision();
        if reached.is_some_and(|reached| revision <= reached) {
            return;
        }
        let is_next = reached.is_some_and(|reached| revision == reached + 1);
        if !is_next || self.may_be_filled(clock.now) {
            self.log.changes.insert(revision, Arc::clone(change));
        }
        if self.log.changes.len() > MAX_LOGGED_CHANGES {
            self.log.changes.pop_first();
            self.revoke_leases();
        }
        if is_next {
            self.advance(change, clock.limits);
            self.apply_waiting(clock);
        }
    }

    /// Applies the logged changes that directly follow the reached revision.
    fn apply_waiting(&mut self, clock: EntryClock<'_>) {
        while let Some(change) = self.revision().and_then(|reached| self.log.changes.get(&(reached + 1)).cloned()) {
            self.advance(&change, clock.limits);
        }
        self.prune_log(clock.now);
    }

    /// Applies the change that directly follows the reached revision.
    fn advance(&mut self, change: &SubjectUpdate, limits: &CacheLimits) {
        self.row = Some(change.subject.clone());
        for update in &change.lists {
            for order in [ListOrder::Oldest, ListOrder::Newest] {
                if let Some(list) = self.lists.get_mut(&ListName { root: update.root, order }) {
                    list.apply(update, limits.window);
                }
            }
        }
        if self.items.len() > limits.per_subject {
            self.items.clear();
            self.candidates.clear();
        }
        for root in change.lists.iter().filter_map(|update| update.root) {
            // The first replies of a root are all of its replies.
            let had_none = self.items.get(&root).is_some_and(|stored| stored.item.comment.counts.live_below == 0);
            if had_none && !self.candidates.contains_key(&root) {
                self.candidates.insert(root, MemoryCandidates::empty());
            }
        }
        apply_to_candidates(&mut self.candidates, change);
        for patch in &change.patches {
            let (id, content) = (patch.comment.reference.id, patch.content.clone());
            if let Some(stored) = self.items.get_mut(&id) {
                stored.patch(patch);
            } else if content.is_some() && patch.comment.lifecycle.state.is_visible() {
                let mut stored = StoredItem::new(CachedComment { comment: patch.comment.clone(), content });
                if let Some(likes) = self.log.likes.get(&id) {
                    stored.like(likes);
                }
                self.items.insert(id, stored);
            }
        }
    }

    /// Applies the likes of a comment.
    pub(super) fn like(&mut self, likes: &LikeCounts, now: i64) {
        if let Some(stored) = self.items.get_mut(&likes.id) {
            stored.like(likes);
        }
        if let Some((root, _)) = likes.preview_position
            && self.candidates.get(&root).is_some_and(|of_root| of_root.is_invalidated_by(likes))
        {
            self.candidates.remove(&root);
        }
        if !self.may_be_filled(now) && self.row().is_some() {
            return;
        }
        if self.log.likes.len() >= MAX_LOGGED_LIKES && !self.log.likes.contains_key(&likes.id) {
            self.drop_logged_likes();
        }
        let logged = self.log.likes.entry(likes.id).or_insert(*likes);
        if likes.revision > logged.revision {
            *logged = *likes;
        }
    }

    /// Drops the logged likes. Without them no fill is possible, and an entry that is behind cannot
    /// advance.
    fn drop_logged_likes(&mut self) {
        self.log.likes.clear();
        if self.row().is_some() { self.revoke_leases() } else { self.restart() }
    }
}
