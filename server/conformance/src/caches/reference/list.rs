//! The cached range of a list: all of its members between two floors.

use std::collections::BTreeMap;

use riposte_cache::{ListRange, ListUpdate};
use riposte_core::CommentId;
use riposte_core::page::{ListOrder, Page, PageQuery, RangeSplit};

/// The cached range of a list. See the module.
#[derive(Debug, Clone)]
pub(super) struct ReferenceList {
    order: ListOrder,
    low: i32,
    high: i32,
    members: BTreeMap<i32, CommentId>,
}

impl ReferenceList {
    /// Creates a list from a range, if the range begins at the end from which the list is cached.
    pub(super) fn begin(part: &ListRange) -> Option<Self> {
        let at_end = match part.name.order {
            ListOrder::Oldest => part.low == 0,
            ListOrder::Newest => part.high == i32::MAX,
        };
        let members = part.members.iter().copied().collect();
        at_end.then_some(Self { order: part.name.order, low: part.low, high: part.high, members })
    }

    /// Adds a range that adjoins the list.
    pub(super) fn extend(&mut self, part: &ListRange, window: usize) {
        let adjoins = part.high >= self.low.saturating_sub(1) && part.low <= self.high.saturating_add(1);
        if adjoins && self.members.len() < window {
            self.members.extend(part.members.iter().copied());
            self.low = self.low.min(part.low);
            self.high = self.high.max(part.high);
        }
    }

    /// Applies a commit. A list that exceeds its window by more than a quarter is cut to the
    /// window.
    pub(super) fn apply(&mut self, change: &ListUpdate, window: usize) {
        let (low, high) = (self.low, self.high);
        self.members.extend(change.came.iter().filter(|(floor, _)| (low..=high).contains(floor)).copied());
        for floor in &change.went {
            self.members.remove(floor);
        }
        if self.members.len() <= window + window / 4 {
            return;
        }
        while self.members.len() > window {
            match self.order {
                ListOrder::Oldest => drop(self.members.pop_last()),
                ListOrder::Newest => drop(self.members.pop_first()),
            }
        }
        match self.order {
            ListOrder::Oldest => self.high = self.members.last_key_value().map_or(0, |(floor, _)| *floor),
            ListOrder::Newest => self.low = self.members.first_key_value().map_or(0, |(floor, _)| *floor),
        }
    }

    /// Returns the page of a window, if all members that determine it are cached.
    pub(super) fn page(&self, window: &PageQuery) -> Option<Page<CommentId>> {
        let cut = RangeSplit::of(window);
        let mut rows: Vec<(i32, CommentId)> = Vec::with_capacity(cut.low + cut.high);
        if cut.low > 0 {
            if cut.floor > self.high {
                return None;
            }
            rows.extend(self.members.range(..=cut.floor).rev().take(cut.low).map(|(floor, id)| (*floor, *id)));
            if rows.len() < cut.low && self.low > 0 {
                return None;
            }
        }
        if cut.high > 0 {
            if cut.floor < self.low.saturating_sub(1) {
                return None;
            }
            let before = rows.len();
            let above = self.members.range(cut.floor.saturating_add(1)..);
            rows.extend(above.take(cut.high).map(|(floor, id)| (*floor, *id)));
            if rows.len() - before < cut.high && self.high < i32::MAX {
                return None;
            }
        }
        Some(cut.page(window, rows, |(floor, _)| *floor).map(|(_, id)| id))
    }
}
