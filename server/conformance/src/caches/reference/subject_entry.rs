//! The cached data of one subject, and the state that keeps it correct. The port of riposte-cache
//! describes the protocol.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use riposte_cache::{
    CacheFill, CacheLimits, CachedCandidates, CachedComment, CachedPage, CachedPageQuery, CommentUpdate, FillLease,
    FillOutcome, FillScope, LikeCounts, ListName, ListPart, ListRange, SubjectUpdate,
};
use riposte_core::page::{ListOrder, Page, ReplyPage, RootPage, Thread};
use riposte_core::{CommentId, Subject};

use super::candidates::ReferenceCandidates;
use super::list::ReferenceList;

/// The maximum number of changes in a log.
const LOG: usize = 64;
/// The maximum number of likes in a log.
const LOGGED_LIKES: usize = 2_000;

/// The time in milliseconds, and the limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryClock<'l> {
    pub(super) now: i64,
    pub(super) limits: &'l CacheLimits,
}

/// The cached data of one subject. See the module.
#[derive(Debug)]
pub(super) struct ReferenceEntry {
    pub(super) generation: u64,
    row: Option<Subject>,
    /// The highest revision known to be committed.
    known: i64,
    lists: HashMap<ListName, ReferenceList>,
    items: HashMap<CommentId, Kept>,
    choices: Choices,
    log: Log,
    /// The tokens of outstanding fill leases, and their expiry times.
    fill_leases: HashMap<u64, i64>,
    /// The token of the lease that fills each scope.
    leases: HashMap<FillScope, u64>,
}

/// A cached comment; its likes have their own revision.
#[derive(Debug, Clone)]
struct Kept {
    item: CachedComment,
    likes: LikeCounts,
}

/// Changes that arrived while a fill may follow, or too early.
#[derive(Debug, Default)]
struct Log {
    changes: BTreeMap<i64, Arc<SubjectUpdate>>,
    likes: HashMap<CommentId, LikeCounts>,
}

/// The candidates for previews, by their roots.
type Choices = HashMap<CommentId, ReferenceCandidates>;

fn chosen(read: &[CachedCandidates]) -> Choices {
    read.iter().map(|choice| (choice.root, ReferenceCandidates::of(choice))).collect()
}

/// Applies a commit to candidates.
fn choose(choices: &mut Choices, change: &SubjectUpdate) {
    for of in &change.lists {
        if let Some(choice) = of.root.and_then(|root| choices.get_mut(&root)) {
            choice.apply(of);
        }
    }
}

impl Kept {
    fn new(item: CachedComment) -> Self {
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
            self.item.content = patch.content.clone().or(self.item.content.take());
        }
        self.like(&LikeCounts::of(&patch.comment));
    }

    fn item(&self) -> CachedComment {
        let mut item = self.item.clone();
        item.comment.counts.like_count = self.likes.likes;
        item.comment.counts.dislike_count = self.likes.dislikes;
        item.comment.lifecycle.revision = item.comment.lifecycle.revision.max(self.likes.revision);
        item
    }
}

impl ReferenceEntry {
    pub(super) fn new(generation: u64) -> Self {
        Self {
            generation,
            row: None,
            known: 0,
            lists: HashMap::new(),
            items: HashMap::new(),
            choices: HashMap::new(),
            log: Log::default(),
            fill_leases: HashMap::new(),
            leases: HashMap::new(),
        }
    }

    /// Returns the row, if it has the highest revision known to be committed.
    pub(super) fn row(&self) -> Option<&Subject> {
        self.row.as_ref().filter(|row| row.revision >= self.known)
    }

    fn at(&self) -> Option<i64> {
        self.row.as_ref().map(|row| row.revision)
    }

    pub(super) fn item(&self, id: CommentId) -> Option<CachedComment> {
        self.items.get(&id).map(Kept::item)
    }

    /// Returns a complete page.
    pub(super) fn page(&self, ask: &CachedPageQuery) -> Option<CachedPage> {
        let subject = self.row()?.clone();
        let Page { items, more_before, more_after } = match &ask.part {
            ListPart::Window(window) => self.slice(ask.root, window.order, |list| list.page(window))?,
            ListPart::These(ids) => Page { items: ids.clone(), more_before: false, more_after: false },
        };
        if let Some(root) = ask.root {
            let view = |id: CommentId| Some(self.item(id)?.view(&subject));
            let (root, items) = (view(root)?, items.into_iter().map(view).collect::<Option<Vec<_>>>()?);
            let replies = Page { items, more_before, more_after };
            return Some(CachedPage::Replies(Box::new(ReplyPage { root, replies, subject })));
        }
        let thread = |id: &CommentId| self.thread(*id, &subject, ask.previews.into());
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
            (true, _) => self.choices.get(&id)?.preview(size, |id| self.item(id))?,
        };
        let replies = replies.into_iter().map(|reply| reply.view(subject)).collect();
        Some(Thread { root: root.view(subject), replies, more_replies })
    }

    /// Reads a part of a list from either of its cached ends.
    fn slice<T>(
        &self,
        root: Option<CommentId>,
        order: ListOrder,
        read: impl Fn(&ReferenceList) -> Option<T>,
    ) -> Option<T> {
        let other = if order == ListOrder::Oldest { ListOrder::Newest } else { ListOrder::Oldest };
        [order, other].into_iter().find_map(|order| read(self.lists.get(&ListName { root, order })?))
    }

    /// Grants a fill lease, unless another process holds it.
    pub(super) fn lease(&mut self, fill_lease: FillLease, with: EntryClock<'_>) -> Option<FillLease> {
        let (EntryClock { now, limits }, kind) = (with, fill_lease.kind);
        self.fill_leases.retain(|_, until| *until >= now);
        let may = match kind {
            // Only an entry with a revision advances by its log alone; single comments carry no
            // revision that could be compared.
            FillScope::Comments => self.row.is_some(),
            FillScope::List(_) | FillScope::Picked { .. } | FillScope::Row => {
                self.leases.get(&kind).is_none_or(|of| !self.fill_leases.contains_key(of))
            }
        };
        self.end_invalidation(now);
        may.then(|| {
            self.fill_leases.insert(fill_lease.token, now.saturating_add(super::millis(limits.lease)));
            self.leases.insert(kind, fill_lease.token);
            fill_lease
        })
    }

    /// Releases a lease; one that is no longer outstanding changes nothing.
    pub(super) fn release(&mut self, fill_lease: &FillLease, now: i64) {
        if self.fill_leases.remove(&fill_lease.token).is_some() {
            self.leases.retain(|_, token| *token != fill_lease.token);
            self.end_invalidation(now);
        }
    }

    /// Returns whether a fill may follow, so that every change must be logged.
    fn is_open(&self, now: i64) -> bool {
        self.fill_leases.values().any(|until| *until >= now)
    }

    /// Removes unneeded data from the log while no fill may follow. Changes that wait for their
    /// predecessors stay, and, while the entry is behind, so do the likes of comments that arrive
    /// with them.
    fn end_invalidation(&mut self, now: i64) {
        if self.is_open(now) {
            return;
        }
        self.tear();
        if self.row().is_some() {
            self.log.likes.clear();
        }
        let at = self.at();
        self.log.changes.retain(|revision, _| at.is_none_or(|at| *revision > at));
    }

    /// Revokes all outstanding leases.
    fn tear(&mut self) {
        self.fill_leases.clear();
        self.leases.clear();
    }

    /// Stores data that was read, as far as the log can bring it up to date.
    pub(super) fn fill(&mut self, fill_lease: &FillLease, fill: &CacheFill, at: EntryClock<'_>) -> FillOutcome {
        let EntryClock { now, limits } = at;
        if self.fill_leases.get(&fill_lease.token).is_none_or(|until| *until < now) {
            return FillOutcome::Refused;
        }
        let present = fill.subject.as_ref().map_or(fill.seen, |read| read.revision);
        if self.at().is_some_and(|at| present > at) {
            if !fill.force {
                return FillOutcome::Behind;
            }
            if fill.subject.is_some() {
                self.begin_anew();
            }
        }
        let (mut lists, mut choices) = (fill.lists.clone(), chosen(&fill.choices));
        let current = match (&fill.subject, self.at()) {
            (Some(read), None) => {
                self.row = Some(read.clone());
                true
            }
            (Some(read), Some(at)) => self.bring(&mut lists, &mut choices, read.revision, at),
            (None, at) => at.is_some_and(|at| present <= at),
        };
        if !current {
            self.release(fill_lease, now);
            return FillOutcome::Refused;
        }
        self.known = self.known.max(present);
        self.take(&lists, &fill.items, limits);
        self.choose_from(choices);
        self.drain(at);
        self.release(fill_lease, now);
        FillOutcome::Kept
    }

    /// Makes the entry start anew: drops all its data, which may lack intermediate changes, and
    /// revokes all leases.
    fn begin_anew(&mut self) {
        self.row = None;
        self.lists.clear();
        self.items.clear();
        self.choices.clear();
        self.tear();
    }

    /// Brings lists and candidates from the revision at which they were read to the present one, by
    /// the log.
    fn bring(&self, lists: &mut [ListRange], choices: &mut Choices, read: i64, at: i64) -> bool {
        for revision in read + 1..=at {
            let Some(change) = self.log.changes.get(&revision) else { return false };
            choose(choices, change);
            for list in &mut *lists {
                for of in change.lists.iter().filter(|of| of.root == list.name.root) {
                    let within = list.low..=list.high;
                    list.members.retain(|(floor, _)| !of.went.contains(floor));
                    list.members.extend(of.came.iter().filter(|(floor, _)| within.contains(floor)).copied());
                }
            }
        }
        true
    }

    fn take(&mut self, lists: &[ListRange], items: &[CachedComment], limits: &CacheLimits) {
        for part in lists {
            match self.lists.get_mut(&part.name) {
                Some(list) => list.extend(part, limits.window),
                None => {
                    if let Some(list) = ReferenceList::begin(part) {
                        self.lists.insert(part.name, list);
                    }
                }
            }
        }
        if self.items.len() + items.len() > super::PER_SUBJECT {
            self.items.clear();
            self.choices.clear();
        }
        for item in items.iter().filter(|item| !self.items.contains_key(&item.comment.reference.id)).collect::<Vec<_>>()
        {
            let mut copy = Kept::new(item.clone());
            let id = item.comment.reference.id;
            // Changes that are logged beyond the present revision are applied with that revision.
            let at = self.at().unwrap_or(0);
            let logged = self.log.changes.range(..=at).flat_map(|(_, change)| &change.patches);
            logged.filter(|patch| patch.comment.reference.id == id).for_each(|patch| copy.patch(patch));
            if let Some(likes) = self.log.likes.get(&id) {
                copy.like(likes);
            }
            self.items.insert(id, copy);
        }
    }

    /// Stores candidates, unless a reply that is not among them was liked meanwhile.
    fn choose_from(&mut self, choices: Choices) {
        for (root, choice) in choices {
            let below = |likes: &&LikeCounts| likes.below.is_some_and(|(of, _)| of == root);
            if self.log.likes.values().filter(below).any(|likes| choice.ends_with(likes)) {
                self.choices.remove(&root);
            } else {
                self.choices.insert(root, choice);
            }
        }
    }

    /// Records that a revision was committed.
    pub(super) fn hear(&mut self, revision: i64) {
        if self.at().is_some_and(|at| at < revision) || self.row.is_none() {
            self.known = self.known.max(revision);
        }
    }

    /// Applies a commit, at once or when its predecessors have arrived.
    pub(super) fn apply(&mut self, change: &Arc<SubjectUpdate>, with: EntryClock<'_>) {
        let revision = change.subject.revision;
        self.known = self.known.max(revision);
        let at = self.at();
        if at.is_some_and(|at| revision <= at) {
            return;
        }
        let next = at.is_some_and(|at| revision == at + 1);
        if !next || self.is_open(with.now) {
            self.log.changes.insert(revision, Arc::clone(change));
        }
        if self.log.changes.len() > LOG {
            self.log.changes.pop_first();
            self.tear();
        }
        if next {
            self.move_on(change, with.limits);
            self.drain(with);
        }
    }

    /// Applies the changes that waited for their predecessors.
    fn drain(&mut self, with: EntryClock<'_>) {
        while let Some(change) = self.at().and_then(|at| self.log.changes.get(&(at + 1)).cloned()) {
            self.move_on(&change, with.limits);
        }
        self.end_invalidation(with.now);
    }

    fn move_on(&mut self, change: &SubjectUpdate, limits: &CacheLimits) {
        self.row = Some(change.subject.clone());
        for of in &change.lists {
            for order in [ListOrder::Oldest, ListOrder::Newest] {
                if let Some(list) = self.lists.get_mut(&ListName { root: of.root, order }) {
                    list.apply(of, limits.window);
                }
            }
        }
        if self.items.len() > super::PER_SUBJECT {
            self.items.clear();
            self.choices.clear();
        }
        for root in change.lists.iter().filter_map(|of| of.root) {
            // The first replies of a root are all of its replies.
            let bare = self.items.get(&root).is_some_and(|kept| kept.item.comment.counts.live_below == 0);
            if bare && !self.choices.contains_key(&root) {
                self.choices.insert(root, ReferenceCandidates::empty());
            }
        }
        choose(&mut self.choices, change);
        for patch in &change.patches {
            let (id, content) = (patch.comment.reference.id, patch.content.clone());
            if let Some(copy) = self.items.get_mut(&id) {
                copy.patch(patch);
            } else if content.is_some() {
                let mut copy = Kept::new(CachedComment { comment: patch.comment.clone(), content });
                if let Some(likes) = self.log.likes.get(&id) {
                    copy.like(likes);
                }
                self.items.insert(id, copy);
            }
        }
    }

    /// Applies the likes of a comment.
    pub(super) fn like(&mut self, likes: &LikeCounts, now: i64) {
        if let Some(copy) = self.items.get_mut(&likes.id) {
            copy.like(likes);
        }
        if let Some((root, _)) = likes.below
            && self.choices.get(&root).is_some_and(|choice| choice.ends_with(likes))
        {
            self.choices.remove(&root);
        }
        if !self.is_open(now) && self.row().is_some() {
            return;
        }
        if self.log.likes.len() >= LOGGED_LIKES && !self.log.likes.contains_key(&likes.id) {
            self.lose_likes();
        }
        let of = self.log.likes.entry(likes.id).or_insert(*likes);
        if likes.revision > of.revision {
            *of = *likes;
        }
    }

    /// Drops the logged likes. Without them no fill is possible, and an entry that is behind cannot
    /// advance.
    fn lose_likes(&mut self) {
        self.log.likes.clear();
        if self.row().is_some() { self.tear() } else { self.begin_anew() }
    }
}
