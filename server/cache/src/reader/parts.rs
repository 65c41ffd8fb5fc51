//! From pages as the rows give them to fills, and from copies to pages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use riposte_core::CommentId;
use riposte_core::comment::CommentView;
use riposte_core::page::{self, MAX_PAGE, Order, Page, ReplyPage, RootPage, RootsToKeep, Start, Thread, Which, Window};

use super::Wanted;
use crate::port::{Choice, Cursor, Fill, Item, ListName, Listed, PageHit, Preview};

/// Pages that a miss reads at once.
const AHEAD: usize = 3;

/// What to read for a page: the next pages too, as far as one read may go, and one comment more: a copy tells that there
/// is more only while it holds it. What follows floors that were picked is not known here.
pub(super) fn ahead(which: &Which) -> Which {
    match which {
        Which::Window(window) if matches!(window.start, Start::Beginning | Start::After(_)) => {
            let limit = (AHEAD * window.limit).min(window.limit.max(MAX_PAGE)) + 1;
            Which::Window(Window { limit, ..*window })
        }
        Which::Window(_) | Which::Floors(_) => which.clone(),
    }
}

/// A page as the rows gave it, and what its previews were chosen from.
pub(super) struct Read {
    page: PageHit,
    choices: Vec<page::Choice>,
    /// How far the boards were.
    boards: Cursor,
}

impl Read {
    pub(super) fn roots(read: RootsToKeep) -> Self {
        let RootsToKeep { page: RootPage { subject, threads, pinned }, choices, boards } = read;
        let mut previews = BTreeMap::new();
        let mut root = |Thread { root, replies, more_replies }: Thread| {
            if more_replies || !replies.is_empty() {
                let replies = replies.into_iter().map(item).collect();
                previews.insert(root.comment.id, Preview { replies, more: more_replies });
            }
            item(root)
        };
        let (items, pinned) = (threads.map(&mut root), pinned.into_iter().map(&mut root).collect());
        let page = PageHit { subject, root: None, items, pinned, previews };
        Self { page, choices, boards: Cursor(boards) }
    }

    pub(super) fn replies(page: ReplyPage) -> Self {
        let ReplyPage { subject, root, replies } = page;
        let (root, items) = (Some(item(root)), replies.map(item));
        let page = PageHit { subject, root, items, pinned: Vec::new(), previews: BTreeMap::new() };
        Self { page, choices: Vec::new(), boards: Cursor(0) }
    }

    /// What it gives to keep, by a ticket that was given when the relay was there. What the boards may have lacked then is
    /// not known to be told later.
    pub(super) fn fill(&self, wanted: &Wanted, given: Cursor) -> Fill {
        let page = &self.page;
        let mut fill = Fill { subject: Some(page.subject.clone()), ..Fill::default() };
        fill.lists.extend(part(wanted, &page.items));
        fill.items.extend(page.root.iter().chain(&page.items.items).chain(&page.pinned).cloned());
        for choice in self.choices.iter().filter(|_| given <= self.boards) {
            let replies: Vec<Item> = choice.replies.iter().cloned().map(item).collect();
            let (root, members) = (choice.root, replies.iter().map(place).collect());
            fill.choices.push(Choice { root, members, high: choice.high, place: choice.place.unwrap_or((0, 0)) });
            fill.items.extend(replies);
        }
        fill
    }

    /// As much of it as was asked for.
    pub(super) fn cut(self, wanted: &Wanted) -> PageHit {
        let mut page = self.page;
        if let Which::Window(Window { limit, .. }) = wanted.which
            && page.items.items.len() > limit
        {
            page.items.items.truncate(limit);
            page.items.more_after = true;
        }
        page
    }
}

pub(super) fn item(view: CommentView) -> Item {
    Item { comment: view.comment, content: view.content }
}

fn place(item: &Item) -> (i32, CommentId) {
    (item.comment.floor, item.comment.id)
}

/// The part of a list that a page is. One that was jumped to is none: it begins nowhere.
fn part(wanted: &Wanted, page: &Page<Item>) -> Option<Listed> {
    let Which::Window(window) = &wanted.which else { return None };
    let from = match window.start {
        Start::Beginning => None,
        Start::After(floor) => Some(floor),
        Start::Before(_) | Start::Around(_) => return None,
    };
    let last = page.items.last().map(|item| item.comment.floor).filter(|_| page.more_after);
    let (low, high) = match window.order {
        Order::Oldest => (from.map_or(0, |floor| floor.saturating_add(1)), last.unwrap_or(i32::MAX)),
        Order::Newest => (last.unwrap_or(0), from.map_or(i32::MAX, |floor| floor.saturating_sub(1))),
    };
    let name = ListName { root: wanted.root, order: window.order };
    Some(Listed { name, low, high, members: page.items.iter().map(place).collect() })
}

/// Copies as roots with their previews.
pub(crate) fn roots(hit: Arc<PageHit>) -> RootPage {
    // Nobody else has it, unless several waited for one reading.
    let PageHit { subject, items, pinned, mut previews, .. } = Arc::unwrap_or_clone(hit);
    // A root that is pinned may stand among the others too.
    let twice: BTreeSet<CommentId> = pinned.iter().map(|root| root.comment.id).collect();
    let mut thread = |root: Item| {
        let id = root.comment.id;
        let preview = if twice.contains(&id) { previews.get(&id).cloned() } else { previews.remove(&id) };
        let Preview { replies, more } = preview.unwrap_or_default();
        let replies = replies.into_iter().map(|reply| reply.view(&subject)).collect();
        Thread { root: root.view(&subject), replies, more_replies: more }
    };
    let (threads, pinned) = (items.map(&mut thread), pinned.into_iter().map(thread).collect());
    RootPage { threads, pinned, subject }
}

/// Copies as replies; `None` where they have no root.
pub(super) fn replies(hit: Arc<PageHit>) -> Option<ReplyPage> {
    let PageHit { subject, root, items, .. } = Arc::unwrap_or_clone(hit);
    let root = root?.view(&subject);
    let replies = items.map(|item| item.view(&subject));
    Some(ReplyPage { root, replies, subject })
}
