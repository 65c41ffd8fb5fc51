//! From pages as the rows give them to fills, and from copies to pages.

use riposte_core::comment::CommentView;
use riposte_core::page::{MAX_PAGE, Order, Page, ReplyPage, RootPage, Start, Thread, Window};
use riposte_core::{CommentId, Subject};

use crate::port::{Fill, Item, ListName, Listed, PageAsk, PageHit};

/// Pages that a miss reads at once.
const AHEAD: usize = 3;

/// What to read for a page: the next pages too, as far as one read may go, and one comment more: a copy tells that there
/// is more only while it holds it.
pub(super) fn ahead(window: &Window) -> Window {
    let limit = match window.start {
        Start::Beginning | Start::After(_) => (AHEAD * window.limit).min(window.limit.max(MAX_PAGE)) + 1,
        Start::Before(_) | Start::Around(_) => window.limit,
    };
    Window { limit, ..*window }
}

/// Roots as they were read without previews, as copies.
pub(super) fn of_roots(page: RootPage) -> PageHit {
    let RootPage { subject, threads, pinned } = page;
    let root = |thread: Thread| item(thread.root);
    let pinned = pinned.into_iter().map(root).collect();
    PageHit { subject, root: None, items: threads.map(root), pinned }
}

/// Replies likewise.
pub(super) fn of_replies(page: ReplyPage) -> PageHit {
    let ReplyPage { subject, root, replies } = page;
    PageHit { subject, root: Some(item(root)), items: replies.map(item), pinned: Vec::new() }
}

pub(super) fn item(view: CommentView) -> Item {
    Item { comment: view.comment, content: view.content }
}

/// What a page, read for `ask` with more than it wanted, gives to keep.
pub(super) fn fill(ask: &PageAsk, read: &PageHit) -> Fill {
    let mut fill = Fill { subject: Some(read.subject.clone()), ..Fill::default() };
    fill.lists.extend(part(ask, &read.items));
    fill.items.extend(read.root.clone());
    fill.items.extend(read.items.items.iter().chain(&read.pinned).cloned());
    fill
}

fn place(item: &Item) -> (i32, CommentId) {
    (item.comment.floor, item.comment.id)
}

/// The part of a list that a page is. One that was jumped to is none: it begins nowhere.
fn part(ask: &PageAsk, page: &Page<Item>) -> Option<Listed> {
    let from = match ask.window.start {
        Start::Beginning => None,
        Start::After(floor) => Some(floor),
        Start::Before(_) | Start::Around(_) => return None,
    };
    let last = page.items.last().map(|item| item.comment.floor).filter(|_| page.more_after);
    let (low, high) = match ask.window.order {
        Order::Oldest => (from.map_or(0, |floor| floor.saturating_add(1)), last.unwrap_or(i32::MAX)),
        Order::Newest => (last.unwrap_or(0), from.map_or(i32::MAX, |floor| floor.saturating_sub(1))),
    };
    let name = ListName { root: ask.root, order: ask.window.order };
    Some(Listed { name, low, high, members: page.items.iter().map(place).collect() })
}

/// As much of what was read as was asked for.
pub(super) fn cut(ask: &PageAsk, mut read: PageHit) -> PageHit {
    let limit = ask.window.limit;
    if read.items.items.len() > limit {
        read.items.items.truncate(limit);
        read.items.more_after = true;
    }
    read
}

/// Copies as roots without previews.
pub(crate) fn roots(hit: &PageHit) -> RootPage {
    let subject = hit.subject.clone();
    let pinned = hit.pinned.iter().map(|item| thread(item.clone(), &subject)).collect();
    RootPage { threads: hit.items.clone().map(|item| thread(item, &subject)), pinned, subject }
}

fn thread(root: Item, subject: &Subject) -> Thread {
    // A listed reply is visible or stands above a visible one.
    let more_replies = root.comment.live_below > 0;
    Thread { root: root.view(subject), replies: Vec::new(), more_replies }
}

/// Copies as replies; `None` where they have no root.
pub(super) fn replies(hit: &PageHit) -> Option<ReplyPage> {
    let subject = hit.subject.clone();
    let root = hit.root.clone()?.view(&subject);
    let replies = hit.items.clone().map(|item| item.view(&subject));
    Some(ReplyPage { root, replies, subject })
}
