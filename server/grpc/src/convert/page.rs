//! Cuts pages to a size limit and computes the tokens on either side.

use prost::Message;
use riposte_core::CommentId;
use riposte_core::page::{ListOrder, Page, PageStart};
use riposte_core::read::{Continuation, Direction};
use riposte_core::read::{ListStart, RankedStart};
use riposte_sdk::v1;

use crate::page_token::{FloorStep, TokenCursor};

/// The size limit of a page in bytes: a page ends early rather than exceed it.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// The item that a page must keep when it is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The first item: the page continues from a position.
    First,
    /// The last item: the page is read backward and ends before a position.
    Last,
    /// The item with this index: the page surrounds it.
    At(usize),
}

/// Returns the part of a page around its anchor that stays within `budget` bytes, at least one
/// item. Items that are cut off belong to the adjacent page.
pub(crate) fn fit<T: Message>(page: Page<T>, anchor: Anchor, budget: usize) -> Page<T> {
    let Page { mut items, more_before, more_after } = page;
    let Some(last) = items.len().checked_sub(1) else { return Page { items, more_before, more_after } };
    let sizes: Vec<usize> = items.iter().map(prost::Message::encoded_len).collect();
    let anchor = match anchor {
        Anchor::First => 0,
        Anchor::Last => last,
        Anchor::At(index) => index.min(last),
    };
    let (mut from, mut to, mut bytes) = (anchor, anchor, sizes[anchor]);
    loop {
        let before = (from > 0 && bytes + sizes[from - 1] <= budget).then(|| from - 1);
        if let Some(before) = before {
            (from, bytes) = (before, bytes + sizes[before]);
        }
        let after = (to < last && bytes + sizes[to + 1] <= budget).then(|| to + 1);
        if let Some(after) = after {
            (to, bytes) = (after, bytes + sizes[after]);
        }
        if before.is_none() && after.is_none() {
            break;
        }
    }
    items.truncate(to + 1);
    items.drain(..from);
    Page { items, more_before: more_before || from > 0, more_after: more_after || to < last }
}

/// An item of a list of comments.
pub(crate) trait PositionedItem: Message {
    /// Returns its floor.
    fn floor(&self) -> i32;

    /// Returns true if the item is this comment or contains it.
    fn contains(&self, id: CommentId) -> bool;
}

impl PositionedItem for v1::Comment {
    fn floor(&self) -> i32 {
        self.floor
    }

    fn contains(&self, id: CommentId) -> bool {
        self.id == id.get()
    }
}

impl PositionedItem for v1::CommentThread {
    fn floor(&self) -> i32 {
        self.comment.as_ref().map_or(0, |root| root.floor)
    }

    fn contains(&self, id: CommentId) -> bool {
        self.comment.iter().chain(&self.replies).any(|comment| comment.id == id.get())
    }
}

/// The requested order and start of a page, from which its cursors are computed.
#[derive(Debug, Clone)]
pub(crate) enum PageArgs {
    /// By floor.
    Floor(ListOrder, ListStart),
    /// By rank, with the continuation of the list.
    Rank(RankedStart, Continuation),
}

/// The cursors to the pages on either side of one; `None` where the list ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageCursors {
    /// The cursor to the page after this one.
    pub(crate) next: Option<TokenCursor>,
    /// The cursor to the page before this one.
    pub(crate) previous: Option<TokenCursor>,
}

/// Returns the page cut to `budget` bytes, and the cursors on either side of it.
pub(crate) fn cut<T: PositionedItem>(page: Page<T>, args: &PageArgs, budget: usize) -> (Page<T>, PageCursors) {
    let anchor = args.anchor(&page.items);
    let page = fit(page, anchor, budget);
    let cursors = match args {
        PageArgs::Floor(order, at) => cursors_by_floor(*order, *at, &page),
        PageArgs::Rank(_, continuation) => PageCursors {
            next: page
                .more_after
                .then(|| TokenCursor::Ranked(continuation.next(page.items.last().map(PositionedItem::floor)))),
            previous: page
                .more_before
                .then(|| TokenCursor::Ranked(continuation.previous(page.items.first().map(PositionedItem::floor)))),
        },
    };
    (page, cursors)
}

impl PageArgs {
    fn anchor<T: PositionedItem>(&self, items: &[T]) -> Anchor {
        let index_of = |id: &CommentId| items.iter().position(|item| item.contains(*id));
        let index = match self {
            Self::Floor(_, ListStart::Start(PageStart::Beginning | PageStart::After(_))) => return Anchor::First,
            Self::Floor(_, ListStart::Start(PageStart::Before(_))) => return Anchor::Last,
            Self::Floor(order, ListStart::Start(PageStart::Around(floor))) => {
                items.iter().position(|item| match order {
                    ListOrder::Oldest => item.floor() >= *floor,
                    ListOrder::Newest => item.floor() <= *floor,
                })
            }
            Self::Floor(_, ListStart::Comment(id)) | Self::Rank(RankedStart::Comment(id), _) => index_of(id),
            Self::Rank(RankedStart::Beginning, _) => return Anchor::First,
            Self::Rank(RankedStart::Cursor(cursor), _) => match cursor.direction {
                Direction::Ahead(_) => return Anchor::First,
                Direction::Back(_) => return Anchor::Last,
            },
            // If the item is gone, its neighbours are in the middle of the page.
            Self::Rank(RankedStart::Floor(floor), _) => {
                items.iter().position(|item| item.floor() == *floor).or(Some(items.len() / 2))
            }
        };
        index.map_or(Anchor::Last, Anchor::At)
    }
}

/// Returns the cursors of a page by floor. A page whose items were removed since its token was made
/// still has a cursor to the adjacent page, computed from the floor that the request named.
fn cursors_by_floor<T: PositionedItem>(order: ListOrder, start: ListStart, page: &Page<T>) -> PageCursors {
    let next_floor = |floor: i32, ahead: bool| {
        let is_upward = ahead == (order == ListOrder::Oldest);
        floor.saturating_add(if is_upward { 1 } else { -1 })
    };
    let (first, last) = match (page.items.first(), page.items.last(), start) {
        (Some(first), Some(last), _) => (first.floor(), last.floor()),
        (_, _, ListStart::Start(PageStart::After(floor))) => (next_floor(floor, true), floor),
        (_, _, ListStart::Start(PageStart::Before(floor))) => (floor, next_floor(floor, false)),
        (_, _, ListStart::Start(PageStart::Around(floor))) => (floor, floor),
        (_, _, ListStart::Start(PageStart::Beginning) | ListStart::Comment(_)) => {
            return PageCursors { next: None, previous: None };
        }
    };
    PageCursors {
        next: page.more_after.then(|| TokenCursor::Floor(FloorStep::after(last, order))),
        previous: page.more_before.then(|| TokenCursor::Floor(FloorStep::before(first, order))),
    }
}
