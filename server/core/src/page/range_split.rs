//! Which rows a window needs on either side of a cut between two floors, and the page they make. Nothing is counted:
//! one row more than the page holds tells whether there are more.

use super::{ListOrder, Page, PageQuery, PageStart};

/// The cut that a window is read from: floors up to `floor` on one side, those above it on the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeSplit {
    /// The last floor of the lower side.
    pub floor: i32,
    /// The most rows to read at and below the cut, from it downward.
    pub low: usize,
    /// The most rows to read above the cut, from it upward.
    pub high: usize,
}

/// What a page that goes on behind a floor is read by. As a rule that floor still stands, and is then what lies before the page:
/// one side of a cut is read and not two, which costs a database half as much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForwardScan {
    /// The floor.
    pub from: i32,
    /// The side that lies ahead, the floor itself first.
    pub ahead: RangeSplit,
    /// One row of the other side, to be read where the floor was not found.
    pub behind: RangeSplit,
}

impl ForwardScan {
    /// The reads of a window; `None` for one that does not go on behind a floor.
    #[must_use]
    pub fn of(window: &PageQuery) -> Option<Self> {
        let PageStart::After(from) = window.start else { return None };
        let (cut, many) = (RangeSplit::of(window), window.limit + 2);
        Some(match window.order {
            ListOrder::Oldest => Self {
                from,
                ahead: RangeSplit { floor: from.saturating_sub(1), low: 0, high: many },
                behind: RangeSplit { high: 0, ..cut },
            },
            ListOrder::Newest => Self {
                from,
                ahead: RangeSplit { floor: from, low: many, high: 0 },
                behind: RangeSplit { low: 0, ..cut },
            },
        })
    }
}

impl RangeSplit {
    /// The cut of a window.
    #[must_use]
    pub fn of(window: &PageQuery) -> Self {
        let more = window.limit + 1;
        // Where a floor itself follows the cut: behind it in the order when the walk came from there, ahead otherwise.
        let (at, ahead, behind) = match window.start {
            PageStart::Beginning => (None, more, 0),
            PageStart::After(floor) => (Some((floor, false)), more, 1),
            PageStart::Before(floor) => (Some((floor, true)), 1, more),
            PageStart::Around(floor) => (Some((floor, true)), more, more),
        };
        match (window.order, at) {
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

    /// The page of a window out of the rows of both sides, in whatever order they came.
    pub fn page<T>(&self, window: &PageQuery, mut rows: Vec<T>, floor: impl Fn(&T) -> i32) -> Page<T> {
        rows.sort_by_key(|row| floor(row));
        let low = rows.iter().filter(|row| floor(row) <= self.floor).count();
        let (behind, ahead) = match window.order {
            ListOrder::Oldest => (low, rows.len() - low),
            ListOrder::Newest => {
                rows.reverse();
                (rows.len() - low, low)
            }
        };
        let (back, forth) = share(window, behind, ahead);
        Page {
            items: rows.into_iter().skip(behind - back).take(back + forth).collect(),
            more_before: behind > back,
            more_after: ahead > forth,
        }
    }
}

/// How many rows of those behind and ahead of the cut stand on the page.
fn share(window: &PageQuery, behind: usize, ahead: usize) -> (usize, usize) {
    let limit = window.limit;
    match window.start {
        PageStart::Beginning | PageStart::After(_) => (0, ahead.min(limit)),
        PageStart::Before(_) => (behind.min(limit), 0),
        // The place lies in the middle; a short side leaves its room to the other.
        PageStart::Around(_) => {
            let forth = ahead.min(limit - behind.min(limit / 2));
            (behind.min(limit - forth), forth)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ForwardScan, RangeSplit};
    use crate::page::{ListOrder, Page, PageQuery, PageStart};
    use proptest::prelude::*;

    /// What a store reads for a cut.
    fn read(cut: &RangeSplit, floors: &[i32]) -> Vec<i32> {
        let low = floors.iter().rev().copied().filter(|f| *f <= cut.floor).take(cut.low);
        low.chain(floors.iter().copied().filter(|f| *f > cut.floor).take(cut.high)).collect()
    }

    /// The page by the definition of each start.
    fn expected(window: &PageQuery, floors: &[i32]) -> Page<i32> {
        let newest = window.order == ListOrder::Newest;
        let mut all = floors.to_vec();
        if newest {
            all.reverse();
        }
        let before = |at: i32| all.iter().filter(|f| if newest { **f > at } else { **f < at }).count();
        let from = match window.start {
            PageStart::Beginning => 0,
            PageStart::After(at) => before(at) + usize::from(all.contains(&at)),
            PageStart::Before(at) => before(at).saturating_sub(window.limit),
            PageStart::Around(at) => {
                before(at).saturating_sub(window.limit / 2).min(all.len().saturating_sub(window.limit))
            }
        };
        let to = match window.start {
            PageStart::Before(at) => before(at),
            PageStart::Beginning | PageStart::After(_) | PageStart::Around(_) => (from + window.limit).min(all.len()),
        };
        Page { items: all[from..to].to_vec(), more_before: from > 0, more_after: to < all.len() }
    }

    proptest! {
        #[test]
        fn a_bounded_read_makes_the_same_page_as_the_whole_list(
            floors in proptest::collection::btree_set(1..40_i32, 0..30), newest: bool, kind in 0..4, at in 0..42_i32, limit in 1..9_usize,
        ) {
            let floors: Vec<i32> = floors.into_iter().collect();
            let order = if newest { ListOrder::Newest } else { ListOrder::Oldest };
            let start = [PageStart::Beginning, PageStart::After(at), PageStart::Before(at), PageStart::Around(at)][kind as usize];
            let window = PageQuery { order, start, limit };
            let cut = RangeSplit::of(&window);
            let rows = read(&cut, &floors);
            prop_assert!(rows.len() <= 2 * (limit + 1));
            prop_assert_eq!(cut.page(&window, rows, |floor| *floor), expected(&window, &floors));
            prop_assert_eq!(ForwardScan::of(&window).is_some(), matches!(start, PageStart::After(_)));
            if let Some(onward) = ForwardScan::of(&window) {
                let mut rows = read(&onward.ahead, &floors);
                if !rows.contains(&onward.from) {
                    rows.extend(read(&onward.behind, &floors));
                }
                prop_assert!(rows.len() <= limit + 2 + usize::from(!rows.contains(&onward.from)));
                prop_assert_eq!(cut.page(&window, rows, |floor| *floor), expected(&window, &floors));
            }
        }
    }
}
