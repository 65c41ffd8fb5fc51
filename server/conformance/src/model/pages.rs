//! Windows over a list that lies sorted by floor, oldest first.

use riposte_core::page::{ListOrder, Page, PageQuery, PageStart};

/// The page of `items` that `window` asks for; `floor` tells an item's place.
pub(super) fn page<T>(mut items: Vec<T>, window: PageQuery, floor: impl Fn(&T) -> i32) -> Page<T> {
    let newest = window.order == ListOrder::Newest;
    if newest {
        items.reverse();
    }
    // How many items stand before a floor in this order; `or_at`: before or at it.
    let before = |at: i32| items.iter().filter(|item| if newest { floor(item) > at } else { floor(item) < at }).count();
    let or_at =
        |at: i32| items.iter().filter(|item| if newest { floor(item) >= at } else { floor(item) <= at }).count();
    let (from, to) = match window.start {
        PageStart::Beginning => (0, window.limit),
        PageStart::After(at) => (or_at(at), or_at(at) + window.limit),
        PageStart::Before(at) => (before(at).saturating_sub(window.limit), before(at)),
        PageStart::Around(at) => around(before(at), items.len(), window.limit),
    };
    let to = to.min(items.len());
    let (more_before, more_after) = (from > 0, to < items.len());
    let items = items.into_iter().skip(from).take(to - from).collect();
    Page { items, more_before, more_after }
}

/// The place lies in the middle, nearer to an end only where the list ends.
fn around(place: usize, len: usize, limit: usize) -> (usize, usize) {
    let from = place.saturating_sub(limit / 2).min(len.saturating_sub(limit));
    (from, from + limit)
}
