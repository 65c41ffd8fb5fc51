//! Pages of a list that is sorted by floor, oldest first.

use riposte_core::page::{ListOrder, Page, PageQuery, PageStart};

/// Returns the page of `items` that `query` requests; `floor` returns the floor of an item.
pub(super) fn page<T>(mut items: Vec<T>, query: PageQuery, floor: impl Fn(&T) -> i32) -> Page<T> {
    let newest = query.order == ListOrder::Newest;
    if newest {
        items.reverse();
    }
    // The number of items before a floor in this order, and the same with the item at the floor.
    let before = |at: i32| items.iter().filter(|item| if newest { floor(item) > at } else { floor(item) < at }).count();
    let up_to =
        |at: i32| items.iter().filter(|item| if newest { floor(item) >= at } else { floor(item) <= at }).count();
    let (from, to) = match query.start {
        PageStart::Beginning => (0, query.limit),
        PageStart::After(at) => (up_to(at), up_to(at) + query.limit),
        PageStart::Before(at) => (before(at).saturating_sub(query.limit), before(at)),
        PageStart::Around(at) => around(before(at), items.len(), query.limit),
    };
    let to = to.min(items.len());
    let (more_before, more_after) = (from > 0, to < items.len());
    let items = items.into_iter().skip(from).take(to - from).collect();
    Page { items, more_before, more_after }
}

/// Returns the range of a page around a position. The position is in the middle of the page, except
/// near an end of the list.
fn around(position: usize, len: usize, limit: usize) -> (usize, usize) {
    let from = position.saturating_sub(limit / 2).min(len.saturating_sub(limit));
    (from, from + limit)
}
