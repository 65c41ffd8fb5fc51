//! Pages: not too large, and with tokens on either side.

use prost::Message;
use riposte_core::CommentId;
use riposte_core::comments::{At, RankedAt};
use riposte_core::page::{Order, Page, Start};
use riposte_core::rank::{Toward, Trail};
use riposte_sdk::v1;

use crate::rpc::page_token::{Cursor, Step};

/// A page ends early rather than grow beyond this.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// The item that a page must not lose when it is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The first: the page goes on from somewhere.
    First,
    /// The last: the page goes upward and ends before somewhere.
    Last,
    /// This one: the page lies around it.
    At(usize),
}

/// The part of a page around its anchor that stays within `room` bytes; one item at least. What is cut off lies on the
/// next page.
pub(crate) fn fit<T: Message>(page: Page<T>, anchor: Anchor, room: usize) -> Page<T> {
    let Page { mut items, more_before, more_after } = page;
    let Some(last) = items.len().checked_sub(1) else { return Page { items, more_before, more_after } };
    let sizes: Vec<usize> = items.iter().map(prost::Message::encoded_len).collect();
    let kept = match anchor {
        Anchor::First => 0,
        Anchor::Last => last,
        Anchor::At(index) => index.min(last),
    };
    let (mut from, mut to, mut bytes) = (kept, kept, sizes[kept]);
    loop {
        let before = (from > 0 && bytes + sizes[from - 1] <= room).then(|| from - 1);
        if let Some(before) = before {
            (from, bytes) = (before, bytes + sizes[before]);
        }
        let after = (to < last && bytes + sizes[to + 1] <= room).then(|| to + 1);
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
pub(crate) trait Placed: Message {
    /// Its floor.
    fn floor(&self) -> i32;

    /// Whether it is this comment, or shows it.
    fn holds(&self, id: CommentId) -> bool;
}

impl Placed for v1::Comment {
    fn floor(&self) -> i32 {
        self.floor
    }

    fn holds(&self, id: CommentId) -> bool {
        self.id == id.get()
    }
}

impl Placed for v1::CommentThread {
    fn floor(&self) -> i32 {
        self.comment.as_ref().map_or(0, |root| root.floor)
    }

    fn holds(&self, id: CommentId) -> bool {
        self.comment.iter().chain(&self.replies).any(|comment| comment.id == id.get())
    }
}

/// Where a page was asked to stand, and in which order.
#[derive(Debug, Clone)]
pub(crate) enum Asked {
    /// By floor.
    Floor(Order, At),
    /// By rank, along a walk.
    Rank(RankedAt, Trail),
}

/// The cursors to the pages on either side of one; `None` where the list ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ends {
    /// To the page after this one.
    pub(crate) next: Option<Cursor>,
    /// To the page before this one.
    pub(crate) previous: Option<Cursor>,
}

/// A page that stays within `room` bytes, and its ends.
pub(crate) fn cut<T: Placed>(page: Page<T>, asked: &Asked, room: usize) -> (Page<T>, Ends) {
    let anchor = asked.anchor(&page.items);
    let page = fit(page, anchor, room);
    let ends = match asked {
        Asked::Floor(order, at) => ends_by_floor(*order, *at, &page),
        Asked::Rank(_, trail) => Ends {
            next: page.more_after.then(|| Cursor::Ranked(trail.next(page.items.last().map(Placed::floor)))),
            previous: page.more_before.then(|| Cursor::Ranked(trail.previous(page.items.first().map(Placed::floor)))),
        },
    };
    (page, ends)
}

impl Asked {
    fn anchor<T: Placed>(&self, items: &[T]) -> Anchor {
        let holds = |id: &CommentId| items.iter().position(|item| item.holds(*id));
        let index = match self {
            Self::Floor(_, At::Start(Start::Beginning | Start::After(_))) => return Anchor::First,
            Self::Floor(_, At::Start(Start::Before(_))) => return Anchor::Last,
            Self::Floor(order, At::Start(Start::Around(floor))) => items.iter().position(|item| match order {
                Order::Oldest => item.floor() >= *floor,
                Order::Newest => item.floor() <= *floor,
            }),
            Self::Floor(_, At::Comment(id)) | Self::Rank(RankedAt::Comment(id), _) => holds(id),
            Self::Rank(RankedAt::Beginning, _) => return Anchor::First,
            Self::Rank(RankedAt::Cursor(cursor), _) => match cursor.toward {
                Toward::Ahead(_) => return Anchor::First,
                Toward::Back(_) => return Anchor::Last,
            },
            // Where it is gone, its neighbours stand in the middle.
            Self::Rank(RankedAt::Floor(floor), _) => {
                items.iter().position(|item| item.floor() == *floor).or(Some(items.len() / 2))
            }
        };
        index.map_or(Anchor::Last, Anchor::At)
    }
}

/// A page without items (they went away meanwhile) still leads back to where it came from: the floor it was asked to start
/// beyond belongs to the page on the other side.
fn ends_by_floor<T: Placed>(order: Order, at: At, page: &Page<T>) -> Ends {
    let one_on = |floor: i32, ahead: bool| {
        let up = ahead == (order == Order::Oldest);
        floor.saturating_add(if up { 1 } else { -1 })
    };
    let (first, last) = match (page.items.first(), page.items.last(), at) {
        (Some(first), Some(last), _) => (first.floor(), last.floor()),
        (_, _, At::Start(Start::After(floor))) => (one_on(floor, true), floor),
        (_, _, At::Start(Start::Before(floor))) => (floor, one_on(floor, false)),
        (_, _, At::Start(Start::Around(floor))) => (floor, floor),
        (_, _, At::Start(Start::Beginning) | At::Comment(_)) => return Ends { next: None, previous: None },
    };
    Ends {
        next: page.more_after.then(|| Cursor::Floor(Step::after(last, order))),
        previous: page.more_before.then(|| Cursor::Floor(Step::before(first, order))),
    }
}
