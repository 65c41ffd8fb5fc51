//! Pages of a list that is sorted by floor, oldest first.

use riposte_core::page::{ListOrder, Page, PageQuery, PageStart};

/// Returns the page of `items` that `window` requests; `floor` returns the position of an item.
pub(super) fn page<T>(mut items: Vec<T>, window: PageQuery, floor: impl Fn(&T) -> i32) -> Page<T> {
    let newest = window.order == ListOrder::Newest;
    if newest {
        items.reverse();
    }
    // The number of items before a floor in this order; `or_at` includes the item at the floor.
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

/// Returns the range of a page around a position. The position is in the middle, and nearer to an
/// end only where the list ends.
fn around(place: usize, len: usize, limit: usize) -> (usize, usize) {
    let from = place.saturating_sub(limit / 2).min(len.saturating_sub(limit));
    (from, from + limit)
}
