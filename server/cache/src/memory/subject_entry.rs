//! The copies of one subject, and what is needed to keep them right. See the protocol in `port.rs`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use riposte_core::page::{ListOrder, Page};
use riposte_core::{CommentId, Subject};

use super::candidates::MemoryCandidates;
use super::list::MemoryList;
use crate::config::CacheLimits;
use crate::port::{
    self, CacheFill, CachedComment, CachedPage, CachedPageQuery, CachedPreview, CommentUpdate, FillLease, FillOutcome,
    FillScope, LikeCounts, ListName, ListPart, ListRange, SubjectUpdate,
};

/// Changes that a log holds.
const LOG: usize = 64;
/// Likes that it holds.
const LOGGED_LIKES: usize = 2_000;

/// The time in milliseconds, and the bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryClock<'l> {
    pub(super) now: i64,
    pub(super) limits: &'l CacheLimits,
}

/// See the module.
#[derive(Debug)]
pub(super) struct MemoryEntry {
    pub(super) generation: u64,
    row: Option<Subject>,
    /// The highest revision known to be committed.
    known: i64,
    lists: HashMap<ListName, MemoryList>,
    items: HashMap<CommentId, Kept>,
    choices: Choices,
    log: Log,
    /// Tickets that are out, by their tokens, and until when.
    fill_leases: HashMap<u64, i64>,
    /// Who fills what.
    leases: HashMap<FillScope, u64>,
}

/// A comment; its likes have a line of their own.
#[derive(Debug, Clone)]
struct Kept {
    item: CachedComment,
    likes: LikeCounts,
}

/// What came while somebody may fill, or too early.
#[derive(Debug, Default)]
struct Log {
    changes: BTreeMap<i64, Arc<SubjectUpdate>>,
    likes: HashMap<CommentId, LikeCounts>,
}

/// What previews are chosen from, by their roots.
type Choices = HashMap<CommentId, MemoryCandidates>;

fn chosen(read: &[port::CachedCandidates]) -> Choices {
    read.iter().map(|choice| (choice.root, MemoryCandidates::of(choice))).collect()
}

/// Brings what a commit did to choices.
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
        if patch.comment.revision > self.item.comment.revision {
            self.item.comment = patch.comment.clone();
            self.item.content = patch.content.clone().or(self.item.content.take());
        }
        self.like(&LikeCounts::of(&patch.comment));
    }

    fn item(&self) -> CachedComment {
        let mut item = self.item.clone();
        item.comment.like_count = self.likes.likes;
        item.comment.dislike_count = self.likes.dislikes;
        item.comment.revision = item.comment.revision.max(self.likes.revision);
        item
    }
}

impl MemoryEntry {
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

    /// The row, if it is as new as is known.
    pub(super) fn row(&self) -> Option<&Subject> {
        self.row.as_ref().filter(|row| row.revision >= self.known)
    }

    fn at(&self) -> Option<i64> {
        self.row.as_ref().map(|row| row.revision)
    }

    pub(super) fn item(&self, id: CommentId) -> Option<CachedComment> {
        self.items.get(&id).map(Kept::item)
    }

    /// A page, with everything on it.
    pub(super) fn page(&self, ask: &CachedPageQuery) -> Option<CachedPage> {
        let subject = self.row()?.clone();
        let root = match ask.root {
            Some(id) => Some(self.item(id)?),
            None => None,
        };
        let Page { items, more_before, more_after } = match &ask.part {
            ListPart::Window(window) => self.slice(ask.root, window.order, |list| list.page(window))?,
            ListPart::These(ids) => Page { items: ids.clone(), more_before: false, more_after: false },
        };
        let item = |id: &CommentId| self.item(*id);
        let items = items.iter().map(item).collect::<Option<Vec<_>>>()?;
        let pins = if ask.root.is_none() { subject.pins.as_slice() } else { &[] };
        let pinned = pins.iter().map(item).collect::<Option<Vec<_>>>()?;
        let mut previews = BTreeMap::new();
        if ask.root.is_none() {
            // A listed reply is visible or stands above a visible one.
            for root in items.iter().chain(&pinned).map(|root| &root.comment).filter(|root| root.live_below > 0) {
                previews.insert(root.id, self.preview(root.id, ask.previews.into())?);
            }
        }
        Some(CachedPage { subject, root, items: Page { items, more_before, more_after }, pinned, previews })
    }

    /// The preview of a root that has listed replies.
    fn preview(&self, root: CommentId, size: usize) -> Option<CachedPreview> {
        if size == 0 {
            return Some(CachedPreview { replies: Vec::new(), more: true });
        }
        self.choices.get(&root)?.preview(size, |id| self.item(id))
    }

    /// A part of a list, from whichever end it is kept.
    fn slice<T>(
        &self,
        root: Option<CommentId>,
        order: ListOrder,
        read: impl Fn(&MemoryList) -> Option<T>,
    ) -> Option<T> {
        let other = if order == ListOrder::Oldest { ListOrder::Newest } else { ListOrder::Oldest };
        [order, other].into_iter().find_map(|order| read(self.lists.get(&ListName { root, order })?))
    }

    /// Gives the right to fill, unless somebody has it.
    pub(super) fn lease(&mut self, fill_lease: FillLease, with: EntryClock<'_>) -> Option<FillLease> {
        let (EntryClock { now, limits }, kind) = (with, fill_lease.kind);
        self.fill_leases.retain(|_, until| *until >= now);
        let may = match kind {
            // Only a block with a revision moves on by its log alone: single comments tell none that could be compared.
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

    /// Takes a ticket back; one that is not out any more changes nothing.
    pub(super) fn release(&mut self, fill_lease: &FillLease, now: i64) {
        if self.fill_leases.remove(&fill_lease.token).is_some() {
            self.leases.retain(|_, token| *token != fill_lease.token);
            self.end_invalidation(now);
        }
    }

    /// Whether somebody may fill, and so everything is logged.
    fn is_open(&self, now: i64) -> bool {
        self.fill_leases.values().any(|until| *until >= now)
    }

    /// While nobody may fill the log forgets what is not needed. What waits for its predecessors stays, and while the
    /// block is behind the likes of comments that come with them.
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

    /// Tears up all tickets that are out.
    fn tear(&mut self) {
        self.fill_leases.clear();
        self.leases.clear();
    }

    /// Takes what was read, as far as it can be brought to the present.
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

    /// Nothing that is kept is a part of the block any more, for it may lack what happened in between, and no ticket is.
    fn begin_anew(&mut self) {
        self.row = None;
        self.lists.clear();
        self.items.clear();
        self.choices.clear();
        self.tear();
    }

    /// Brings lists and choices from the revision that was read to the present one, by the log.
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
                    if let Some(list) = MemoryList::begin(part) {
                        self.lists.insert(part.name, list);
                    }
                }
            }
        }
        if self.items.len() + items.len() > limits.per_subject {
            self.items.clear();
            self.choices.clear();
        }
        for item in items.iter().filter(|item| !self.items.contains_key(&item.comment.id)).collect::<Vec<_>>() {
            let mut copy = Kept::new(item.clone());
            let id = item.comment.id;
            // What is logged beyond the present revision comes with the revision.
            let at = self.at().unwrap_or(0);
            let logged = self.log.changes.range(..=at).flat_map(|(_, change)| &change.patches);
            logged.filter(|patch| patch.comment.id == id).for_each(|patch| copy.patch(patch));
            if let Some(likes) = self.log.likes.get(&id) {
                copy.like(likes);
            }
            self.items.insert(id, copy);
        }
    }

    /// Takes what previews are chosen from, unless somebody not among it was liked meanwhile.
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

    /// A revision was committed.
    pub(super) fn hear(&mut self, revision: i64) {
        if self.at().is_some_and(|at| at < revision) || self.row.is_none() {
            self.known = self.known.max(revision);
        }
    }

    /// Brings what a commit did, now or when what precedes it has come.
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

    /// Brings what has waited for its predecessors.
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
        if self.items.len() > limits.per_subject {
            self.items.clear();
            self.choices.clear();
        }
        for root in change.lists.iter().filter_map(|of| of.root) {
            // The first replies of a root are all there are.
            let bare = self.items.get(&root).is_some_and(|kept| kept.item.comment.live_below == 0);
            if bare && !self.choices.contains_key(&root) {
                self.choices.insert(root, MemoryCandidates::empty());
            }
        }
        choose(&mut self.choices, change);
        for patch in &change.patches {
            let (id, content) = (patch.comment.id, patch.content.clone());
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

    /// Brings the likes of a comment.
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

    /// Nobody can fill without them, and a block that is behind cannot move on.
    fn lose_likes(&mut self) {
        self.log.likes.clear();
        if self.row().is_some() { self.tear() } else { self.begin_anew() }
    }
}
