//! The rows that a page reads on either side of a floor, and the page made of them. Nothing is
//! counted: one row more than the page needs shows that there are more.

use super::{ListOrder, Page, PageQuery, PageStart};

/// The floor at which the rows of a page are split: one side has the floors up to `floor`, the
/// other the floors above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeSplit {
    /// The last floor of the lower side.
    pub floor: i32,
    /// The maximum number of rows to read at and below `floor`, downward from it.
    pub low: usize,
    /// The maximum number of rows to read above `floor`, upward from it.
    pub high: usize,
}

/// The reads of a page that continues after a floor. As a rule the row of that floor still exists
/// and is the item before the page. Then one side of the split is read instead of two, which halves
/// the cost for the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForwardScan {
    /// The floor after which the page continues.
    pub from: i32,
    /// The side that follows in the order, beginning with the floor itself.
    pub ahead: RangeSplit,
    /// One row of the other side, to be read if the floor was not found.
    pub behind: RangeSplit,
}

impl ForwardScan {
    /// Returns the reads of a page; `None` if it does not continue after a floor.
    #[must_use]
    pub fn of(query: &PageQuery) -> Option<Self> {
        let PageStart::After(from) = query.start else { return None };
        let (split, row_count) = (RangeSplit::of(query), query.limit + 2);
        Some(match query.order {
            ListOrder::Oldest => Self {
                from,
                ahead: RangeSplit { floor: from.saturating_sub(1), low: 0, high: row_count },
                behind: RangeSplit { high: 0, ..split },
            },
            ListOrder::Newest => Self {
                from,
                ahead: RangeSplit { floor: from, low: row_count, high: 0 },
                behind: RangeSplit { low: 0, ..split },
            },
        })
    }
}

impl RangeSplit {
    /// Returns the split of a page.
    #[must_use]
    pub fn of(query: &PageQuery) -> Self {
        let more = query.limit + 1;
        // The flag is `true` if the floor itself belongs to the rows ahead in the order. It is
        // `false` for a page that continues after the floor, which then belongs to the rows behind.
        let (at, ahead, behind) = match query.start {
            PageStart::Beginning => (None, more, 0),
            PageStart::After(floor) => (Some((floor, false)), more, 1),
            PageStart::Before(floor) => (Some((floor, true)), 1, more),
            PageStart::Around(floor) => (Some((floor, true)), more, more),
        };
        match (query.order, at) {
            (ListOrder::Oldest, None) => Self { floor: 0, low: behind, high: ahead },
            (ListOrder::Newest, None) => Self { floor: i32::MAX, low: ahead, high: behind },
            (ListOrder::Oldest, Some((floor, included))) => {
                Self { floor: floor.saturating_sub(i32::from(included)), low: behind, high: ahead }
            }
            (ListOrder::Newest, Some((floor, included))) => {
                Self { floor: floor.saturating_sub(i32::from(!included)), low: ahead, high: behind }
            }
        }
    }

    /// Makes the page from the rows of both sides, which may be in any order.
    pub fn page<T>(&self, query: &PageQuery, mut rows: Vec<T>, floor: impl Fn(&T) -> i32) -> Page<T> {
        rows.sort_by_key(|row| floor(row));
        let low = rows.iter().filter(|row| floor(row) <= self.floor).count();
        let (behind, ahead) = match query.order {
            ListOrder::Oldest => (low, rows.len() - low),
            ListOrder::Newest => {
                rows.reverse();
                (rows.len() - low, low)
            }
        };
        let (before, after) = share(query, behind, ahead);
        Page {
            items: rows.into_iter().skip(behind - before).take(before + after).collect(),
            more_before: behind > before,
            more_after: ahead > after,
        }
    }
}

/// Returns the numbers of rows before and after the split that the page contains.
fn share(query: &PageQuery, behind: usize, ahead: usize) -> (usize, usize) {
    let limit = query.limit;
    match query.start {
        PageStart::Beginning | PageStart::After(_) => (0, ahead.min(limit)),
        PageStart::Before(_) => (behind.min(limit), 0),
        // The floor lies in the middle of the page; a short side leaves its capacity to the other.
        PageStart::Around(_) => {
            let after = ahead.min(limit - behind.min(limit / 2));
            (behind.min(limit - after), after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ForwardScan, RangeSplit};
    use crate::domain::page::{ListOrder, Page, PageQuery, PageStart};
    use proptest::prelude::*;

    /// Returns the rows that a store reads for a split.
    fn read(split: &RangeSplit, floors: &[i32]) -> Vec<i32> {
        let low = floors.iter().rev().copied().filter(|f| *f <= split.floor).take(split.low);
        low.chain(floors.iter().copied().filter(|f| *f > split.floor).take(split.high)).collect()
    }

    /// Returns the page by the definition of each start.
    fn expected(query: &PageQuery, floors: &[i32]) -> Page<i32> {
        let newest = query.order == ListOrder::Newest;
        let mut all = floors.to_vec();
        if newest {
            all.reverse();
        }
        let before = |at: i32| all.iter().filter(|f| if newest { **f > at } else { **f < at }).count();
        let from = match query.start {
            PageStart::Beginning => 0,
            PageStart::After(at) => before(at) + usize::from(all.contains(&at)),
            PageStart::Before(at) => before(at).saturating_sub(query.limit),
            PageStart::Around(at) => {
                before(at).saturating_sub(query.limit / 2).min(all.len().saturating_sub(query.limit))
            }
        };
        let to = match query.start {
            PageStart::Before(at) => before(at),
            PageStart::Beginning | PageStart::After(_) | PageStart::Around(_) => (from + query.limit).min(all.len()),
        };
        Page { items: all[from..to].to_vec(), more_before: from > 0, more_after: to < all.len() }
    }

    proptest! {
        #[test]
        fn a_bounded_read_makes_the_same_page_as_the_complete_list(
            floors in proptest::collection::btree_set(1..40_i32, 0..30), newest: bool, kind in 0..4, at in 0..42_i32, limit in 1..9_usize,
        ) {
            let floors: Vec<i32> = floors.into_iter().collect();
            let order = if newest { ListOrder::Newest } else { ListOrder::Oldest };
            let start = [PageStart::Beginning, PageStart::After(at), PageStart::Before(at), PageStart::Around(at)][kind as usize];
            let query = PageQuery { order, start, limit };
            let split = RangeSplit::of(&query);
            let rows = read(&split, &floors);
            prop_assert!(rows.len() <= 2 * (limit + 1));
            prop_assert_eq!(split.page(&query, rows, |floor| *floor), expected(&query, &floors));
            prop_assert_eq!(ForwardScan::of(&query).is_some(), matches!(start, PageStart::After(_)));
            if let Some(scan) = ForwardScan::of(&query) {
                let mut rows = read(&scan.ahead, &floors);
                if !rows.contains(&scan.from) {
                    rows.extend(read(&scan.behind, &floors));
                }
                prop_assert!(rows.len() <= limit + 2 + usize::from(!rows.contains(&scan.from)));
                prop_assert_eq!(split.page(&query, rows, |floor| *floor), expected(&query, &floors));
            }
        }
    }
}
