//! The cached range of a list: all of its members between two floors.

use std::collections::BTreeMap;

use riposte_core::CommentId;
use riposte_core::page::{ListOrder, Page, PageQuery, RangeSplit};

use crate::port::{ListRange, ListUpdate};

/// The cached range of a list. See the module.
#[derive(Debug, Clone)]
pub(super) struct MemoryList {
    /// The end from which the list is cached.
    order: ListOrder,
    /// The first and the last floor of the range.
    low: i32,
    high: i32,
    members: BTreeMap<i32, CommentId>,
}

impl MemoryList {
    /// Creates a list from a range, if the range begins at the end from which the list is cached.
    pub(super) fn begin(range: &ListRange) -> Option<Self> {
        let starts_at_end = match range.name.order {
            ListOrder::Oldest => range.low == 0,
            ListOrder::Newest => range.high == i32::MAX,
        };
        let members = range.members.iter().copied().collect();
        starts_at_end.then_some(Self { order: range.name.order, low: range.low, high: range.high, members })
    }

    /// Adds a range that adjoins the list.
    pub(super) fn extend(&mut self, range: &ListRange, window: usize) {
        let adjoins = range.high >= self.low.saturating_sub(1) && range.low <= self.high.saturating_add(1);
        if adjoins && self.members.len() < window {
            self.members.extend(range.members.iter().copied());
            self.low = self.low.min(range.low);
            self.high = self.high.max(range.high);
        }
    }

    /// Applies a commit. A list that exceeds its window by more than a quarter is cut to the
    /// window.
    pub(super) fn apply(&mut self, change: &ListUpdate, window: usize) {
        let (low, high) = (self.low, self.high);
        self.members.extend(change.added.iter().filter(|(floor, _)| (low..=high).contains(floor)).copied());
        for floor in &change.removed {
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

    /// Returns a page, if all members that determine it are cached.
    pub(super) fn page(&self, query: &PageQuery) -> Option<Page<CommentId>> {
        let split = RangeSplit::of(query);
        let mut rows: Vec<(i32, CommentId)> = Vec::with_capacity(split.low + split.high);
        if split.low > 0 {
            if split.floor > self.high {
                return None;
            }
            rows.extend(self.members.range(..=split.floor).rev().take(split.low).map(|(floor, id)| (*floor, *id)));
            if rows.len() < split.low && self.low > 0 {
                return None;
            }
        }
        if split.high > 0 {
            if split.floor < self.low.saturating_sub(1) {
                return None;
            }
            let below = rows.len();
            let above = self.members.range(split.floor.saturating_add(1)..);
            rows.extend(above.take(split.high).map(|(floor, id)| (*floor, *id)));
            if rows.len() - below < split.high && self.high < i32::MAX {
                return None;
            }
        }
        Some(split.page(query, rows, |(floor, _)| *floor).map(|(_, id)| id))
    }
}
