//! From pages as the rows give them to fills, and from copies to pages.

use riposte_core::comment::CommentView;
use riposte_core::page::{MAX_PAGE, Order, Page, ReplyPage, RootPage, Start, Thread, Window};
use riposte_core::{CommentId, Subject};

use crate::port::{Fill, Item, ListName, Listed, PageAsk, PageHit, Shown};

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

/// Replies to read beside each root: one more than asked for tells whether there are more when the first ones have gone.
pub(super) fn more(previews: u8) -> u8 {
    if previews == 0 { 0 } else { previews.saturating_add(1) }
}

/// Roots as they were read, as copies.
pub(super) fn of_roots(page: RootPage) -> PageHit {
    let RootPage { subject, threads, pinned } = page;
    let pinned = pinned.into_iter().map(shown).collect();
    PageHit { subject, root: None, items: threads.map(shown), pinned }
}

/// Replies likewise.
pub(super) fn of_replies(page: ReplyPage) -> PageHit {
    let ReplyPage { subject, root, replies } = page;
    let alone = |view| Shown { item: item(view), replies: Vec::new(), more: false };
    PageHit { subject, root: Some(item(root)), items: replies.map(alone), pinned: Vec::new() }
}

fn shown(thread: Thread) -> Shown {
    let Thread { root, replies, more_replies } = thread;
    Shown { item: item(root), replies: replies.into_iter().map(item).collect(), more: more_replies }
}

pub(super) fn item(view: CommentView) -> Item {
    Item { comment: view.comment, content: view.content }
}

/// What a page, read for `ask` with more than it wanted, gives to keep.
pub(super) fn fill(ask: &PageAsk, read: &PageHit) -> Fill {
    let mut fill = Fill { subject: Some(read.subject.clone()), ..Fill::default() };
    fill.lists.extend(part(ask, &read.items));
    fill.items.extend(read.root.clone());
    for shown in read.items.items.iter().chain(&read.pinned) {
        fill.items.push(shown.item.clone());
        fill.items.extend(shown.replies.iter().cloned());
        if let Some(last) = shown.replies.last() {
            let name = ListName { root: Some(shown.item.comment.id), order: Order::Oldest };
            let high = if shown.more { last.comment.floor } else { i32::MAX };
            fill.lists.push(Listed { name, low: 0, high, members: shown.replies.iter().map(place).collect() });
        }
    }
    fill
}

fn place(item: &Item) -> (i32, CommentId) {
    (item.comment.floor, item.comment.id)
}

/// The part of a list that a page is. One that was jumped to is none: it begins nowhere.
fn part(ask: &PageAsk, page: &Page<Shown>) -> Option<Listed> {
    let from = match ask.window.start {
        Start::Beginning => None,
        Start::After(floor) => Some(floor),
        Start::Before(_) | Start::Around(_) => return None,
    };
    let last = page.items.last().map(|shown| shown.item.comment.floor).filter(|_| page.more_after);
    let (low, high) = match ask.window.order {
        Order::Oldest => (from.map_or(0, |floor| floor.saturating_add(1)), last.unwrap_or(i32::MAX)),
        Order::Newest => (last.unwrap_or(0), from.map_or(i32::MAX, |floor| floor.saturating_sub(1))),
    };
    let name = ListName { root: ask.root, order: ask.window.order };
    Some(Listed { name, low, high, members: page.items.iter().map(|shown| place(&shown.item)).collect() })
}

/// As much of what was read as was asked for.
pub(super) fn cut(ask: &PageAsk, mut read: PageHit) -> PageHit {
    let (limit, previews) = (ask.window.limit, usize::from(ask.previews));
    if read.items.items.len() > limit {
        read.items.items.truncate(limit);
        read.items.more_after = true;
    }
    for shown in read.items.items.iter_mut().chain(&mut read.pinned) {
        if shown.replies.len() > previews {
            shown.replies.truncate(previews);
            shown.more = true;
        }
    }
    read
}

/// Copies as roots.
pub(crate) fn roots(hit: &PageHit) -> RootPage {
    let subject = hit.subject.clone();
    let pinned = hit.pinned.iter().map(|shown| thread(shown, &subject)).collect();
    RootPage { threads: hit.items.clone().map(|shown| thread(&shown, &subject)), pinned, subject }
}

fn thread(shown: &Shown, subject: &Subject) -> Thread {
    let view = |item: &Item| item.clone().view(subject);
    let replies = shown.replies.iter().map(view).collect();
    Thread { root: view(&shown.item), replies, more_replies: shown.more }
}

/// Copies as replies; `None` where they have no root.
pub(super) fn replies(hit: &PageHit) -> Option<ReplyPage> {
    let subject = hit.subject.clone();
    let root = hit.root.clone()?.view(&subject);
    let replies = hit.items.clone().map(|shown| shown.item.view(&subject));
    Some(ReplyPage { root, replies, subject })
}
