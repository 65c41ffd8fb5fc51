//! Conversions from pages of the rows to fills, and from cached data to pages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use riposte_core::CommentId;
use riposte_core::comment::CommentView;
use riposte_core::page::{
    self, ListOrder, MAX_PAGE, Page, PageQuery, PageSelector, PageStart, ReplyPage, RootPage, RootPageFill, Thread,
};

use super::LoadKey;
use crate::port::{
    CacheFill, CachedCandidates, CachedComment, CachedPage, CachedPreview, ListName, ListRange, RelayCursor,
};

/// The number of pages that a miss reads at once.
const AHEAD: usize = 3;

/// Returns the comments to read for a page. It includes the following pages, as far as one read may
/// go, and one comment more, because the cache can report that more comments follow only while it
/// contains the next one. The comments after selected floors are not known here.
pub(super) fn ahead(which: &PageSelector) -> PageSelector {
    match which {
        PageSelector::Window(window) if matches!(window.start, PageStart::Beginning | PageStart::After(_)) => {
            let limit = (AHEAD * window.limit).min(window.limit.max(MAX_PAGE)) + 1;
            PageSelector::Window(PageQuery { limit, ..*window })
        }
        PageSelector::Window(_) | PageSelector::Floors(_) => which.clone(),
    }
}

/// A page as read from the rows, and the candidates for its previews.
pub(super) struct LoadedPage {
    page: CachedPage,
    choices: Vec<page::PreviewCandidates>,
    /// The position of the rank index.
    boards: RelayCursor,
}

impl LoadedPage {
    pub(super) fn roots(read: RootPageFill) -> Self {
        let RootPageFill { page: RootPage { subject, threads, pinned }, choices, boards } = read;
        let mut previews = BTreeMap::new();
        let mut root = |Thread { root, replies, more_replies }: Thread| {
            if more_replies || !replies.is_empty() {
                let replies = replies.into_iter().map(item).collect();
                previews.insert(root.comment.reference.id, CachedPreview { replies, more: more_replies });
            }
            item(root)
        };
        let (items, pinned) = (threads.map(&mut root), pinned.into_iter().map(&mut root).collect());
        let page = CachedPage { subject, root: None, items, pinned, previews };
        Self { page, choices, boards: RelayCursor(boards) }
    }

    pub(super) fn replies(page: ReplyPage) -> Self {
        let ReplyPage { subject, root, replies } = page;
        let (root, items) = (Some(item(root)), replies.map(item));
        let page = CachedPage { subject, root, items, pinned: Vec::new(), previews: BTreeMap::new() };
        Self { page, choices: Vec::new(), boards: RelayCursor(0) }
    }

    /// Returns the data to cache under a lease that was granted at the relay position `given`.
    /// Candidates that were read from a rank index behind that position are left out, because the
    /// changes that it lacked may not be reported again.
    pub(super) fn fill(&self, wanted: &LoadKey, given: RelayCursor) -> CacheFill {
        let page = &self.page;
        let mut fill = CacheFill { subject: Some(page.subject.clone()), ..CacheFill::default() };
        fill.lists.extend(part(wanted, &page.items));
        fill.items.extend(page.root.iter().chain(&page.items.items).chain(&page.pinned).cloned());
        for choice in self.choices.iter().filter(|_| given <= self.boards) {
            let replies: Vec<CachedComment> = choice.replies.iter().cloned().map(item).collect();
            let (root, members) = (choice.root, replies.iter().map(place).collect());
            fill.choices.push(CachedCandidates {
                root,
                members,
                high: choice.high,
                place: choice.place.unwrap_or((0, 0)),
            });
            fill.items.extend(replies);
        }
        fill
    }

    /// Returns the part that was requested.
    pub(super) fn cut(self, wanted: &LoadKey) -> CachedPage {
        let mut page = self.page;
        if let PageSelector::Window(PageQuery { limit, .. }) = wanted.which
            && page.items.items.len() > limit
        {
            page.items.items.truncate(limit);
            page.items.more_after = true;
        }
        page
    }
}

pub(super) fn item(view: CommentView) -> CachedComment {
    CachedComment { comment: view.comment, content: view.content }
}

fn place(item: &CachedComment) -> (i32, CommentId) {
    (item.comment.reference.floor, item.comment.reference.id)
}

/// Returns the range of a list that a page covers. A page that starts at an arbitrary position is
/// no such range.
fn part(wanted: &LoadKey, page: &Page<CachedComment>) -> Option<ListRange> {
    let PageSelector::Window(window) = &wanted.which else { return None };
    let from = match window.start {
        PageStart::Beginning => None,
        PageStart::After(floor) => Some(floor),
        PageStart::Before(_) | PageStart::Around(_) => return None,
    };
    let last = page.items.last().map(|item| item.comment.reference.floor).filter(|_| page.more_after);
    let (low, high) = match window.order {
        ListOrder::Oldest => (from.map_or(0, |floor| floor.saturating_add(1)), last.unwrap_or(i32::MAX)),
        ListOrder::Newest => (last.unwrap_or(0), from.map_or(i32::MAX, |floor| floor.saturating_sub(1))),
    };
    let name = ListName { root: wanted.root, order: window.order };
    Some(ListRange { name, low, high, members: page.items.iter().map(place).collect() })
}

/// Converts cached data to roots with their previews.
pub(crate) fn roots(hit: Arc<CachedPage>) -> RootPage {
    // The page has a single owner, unless several callers waited for one load.
    let CachedPage { subject, items, pinned, mut previews, .. } = Arc::unwrap_or_clone(hit);
    // A pinned root may also be among the other roots.
    let twice: BTreeSet<CommentId> = pinned.iter().map(|root| root.comment.reference.id).collect();
    let mut thread = |root: CachedComment| {
        let id = root.comment.reference.id;
        let preview = if twice.contains(&id) { previews.get(&id).cloned() } else { previews.remove(&id) };
        let CachedPreview { replies, more } = preview.unwrap_or_default();
        let replies = replies.into_iter().map(|reply| reply.view(&subject)).collect();
        Thread { root: root.view(&subject), replies, more_replies: more }
    };
    let (threads, pinned) = (items.map(&mut thread), pinned.into_iter().map(thread).collect());
    RootPage { threads, pinned, subject }
}

/// Converts cached data to replies; `None` if it has no root.
pub(super) fn replies(hit: Arc<CachedPage>) -> Option<ReplyPage> {
    let CachedPage { subject, root, items, .. } = Arc::unwrap_or_clone(hit);
    let root = root?.view(&subject);
    let replies = items.map(|item| item.view(&subject));
    Some(ReplyPage { root, replies, subject })
}
