//! From pages as the rows give them to fills, and from copies to pages.

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

/// Pages that a miss reads at once.
const AHEAD: usize = 3;

/// What to read for a page: the next pages too, as far as one read may go, and one comment more: a copy tells that there
/// is more only while it holds it. What follows floors that were picked is not known here.
pub(super) fn ahead(which: &PageSelector) -> PageSelector {
    match which {
        PageSelector::Window(window) if matches!(window.start, PageStart::Beginning | PageStart::After(_)) => {
            let limit = (AHEAD * window.limit).min(window.limit.max(MAX_PAGE)) + 1;
            PageSelector::Window(PageQuery { limit, ..*window })
        }
        PageSelector::Window(_) | PageSelector::Floors(_) => which.clone(),
    }
}

/// A page as the rows gave it, and what its previews were chosen from.
pub(super) struct LoadedPage {
    page: CachedPage,
    choices: Vec<page::PreviewCandidates>,
    /// How far the boards were.
    boards: RelayCursor,
}

impl LoadedPage {
    pub(super) fn roots(read: RootPageFill) -> Self {
        let RootPageFill { page: RootPage { subject, threads, pinned }, choices, boards } = read;
        let mut previews = BTreeMap::new();
        let mut root = |Thread { root, replies, more_replies }: Thread| {
            if more_replies || !replies.is_empty() {
                let replies = replies.into_iter().map(item).collect();
                previews.insert(root.comment.id, CachedPreview { replies, more: more_replies });
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

    /// What it gives to keep, by a ticket that was given when the relay was there. What the boards may have lacked then is
    /// not known to be told later.
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

    /// As much of it as was asked for.
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
    (item.comment.floor, item.comment.id)
}

/// The part of a list that a page is. One that was jumped to is none: it begins nowhere.
fn part(wanted: &LoadKey, page: &Page<CachedComment>) -> Option<ListRange> {
    let PageSelector::Window(window) = &wanted.which else { return None };
    let from = match window.start {
        PageStart::Beginning => None,
        PageStart::After(floor) => Some(floor),
        PageStart::Before(_) | PageStart::Around(_) => return None,
    };
    let last = page.items.last().map(|item| item.comment.floor).filter(|_| page.more_after);
    let (low, high) = match window.order {
        ListOrder::Oldest => (from.map_or(0, |floor| floor.saturating_add(1)), last.unwrap_or(i32::MAX)),
        ListOrder::Newest => (last.unwrap_or(0), from.map_or(i32::MAX, |floor| floor.saturating_sub(1))),
    };
    let name = ListName { root: wanted.root, order: window.order };
    Some(ListRange { name, low, high, members: page.items.iter().map(place).collect() })
}

/// Copies as roots with their previews.
pub(crate) fn roots(hit: Arc<CachedPage>) -> RootPage {
    // Nobody else has it, unless several waited for one reading.
    let CachedPage { subject, items, pinned, mut previews, .. } = Arc::unwrap_or_clone(hit);
    // A root that is pinned may stand among the others too.
    let twice: BTreeSet<CommentId> = pinned.iter().map(|root| root.comment.id).collect();
    let mut thread = |root: CachedComment| {
        let id = root.comment.id;
        let preview = if twice.contains(&id) { previews.get(&id).cloned() } else { previews.remove(&id) };
        let CachedPreview { replies, more } = preview.unwrap_or_default();
        let replies = replies.into_iter().map(|reply| reply.view(&subject)).collect();
        Thread { root: root.view(&subject), replies, more_replies: more }
    };
    let (threads, pinned) = (items.map(&mut thread), pinned.into_iter().map(thread).collect());
    RootPage { threads, pinned, subject }
}

/// Copies as replies; `None` where they have no root.
pub(super) fn replies(hit: Arc<CachedPage>) -> Option<ReplyPage> {
    let CachedPage { subject, root, items, .. } = Arc::unwrap_or_clone(hit);
    let root = root?.view(&subject);
    let replies = items.map(|item| item.view(&subject));
    Some(ReplyPage { root, replies, subject })
}
