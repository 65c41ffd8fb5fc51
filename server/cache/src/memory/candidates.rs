//! The candidates for the preview of one root. The port describes the protocol.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use riposte_core::CommentId;
use riposte_core::rank::preview_order;

use crate::port::{CachedCandidates, CachedComment, LikeCounts, ListUpdate};

/// The maximum number of candidates that include all replies. Replies beyond it are not candidates.
const MAX_COMPLETE: usize = 16;

/// The candidates of one root. See the module.
#[derive(Debug, Clone)]
pub(super) struct MemoryCandidates {
    members: BTreeMap<i32, CommentId>,
    /// The floor up to which every listed reply is a candidate; [`i32::MAX`] = all replies are.
    high: i32,
    /// The likes and the floor of a rank position that no other reply precedes.
    bound: (i32, i32),
}

impl MemoryCandidates {
    /// Creates the candidates of a root that has no listed replies.
    pub(super) fn empty() -> Self {
        Self { members: BTreeMap::new(), high: i32::MAX, bound: (0, 0) }
    }

    /// Creates candidates from data that was read.
    pub(super) fn of(read: &CachedCandidates) -> Self {
        Self { members: read.members.iter().copied().collect(), high: read.high, bound: read.bound }
    }

    /// Applies a commit.
    pub(super) fn apply(&mut self, change: &ListUpdate) {
        for floor in &change.removed {
            self.members.remove(floor);
        }
        for (floor, id) in change.added.iter().filter(|(floor, _)| *floor <= self.high) {
            self.members.insert(*floor, *id);
        }
        if self.high == i32::MAX && self.members.len() > MAX_COMPLETE {
            self.high = self.members.last_key_value().map_or(0, |(floor, _)| *floor);
        }
    }

    /// Returns whether these likes invalidate the candidates: they belong to a reply that is not a
    /// candidate and that might rank before `bound`.
    pub(super) fn is_invalidated_by(&self, likes: &LikeCounts) -> bool {
        let Some((_, floor)) = likes.preview_position else { return false };
        let is_other = floor > self.high && self.members.get(&floor) != Some(&likes.id);
        is_other && likes.likes > 0 && (Reverse(likes.likes), floor) < (Reverse(self.bound.0), self.bound.1)
    }

    /// Returns the first `size` candidates in preview order, and whether more exist; `None` if
    /// another reply might be among them, or if a comment is not cached.
    pub(super) fn preview(
        &self,
        size: usize,
        item: impl Fn(CommentId) -> Option<CachedComment>,
    ) -> Option<(Vec<CachedComment>, bool)> {
        let more = self.members.len() > size;
        let complete = self.high == i32::MAX;
        if !more && !complete {
            return None;
        }
        let mut replies = self.members.values().map(|id| item(*id)).collect::<Option<Vec<_>>>()?;
        replies.sort_by_key(|reply| preview_order(&reply.comment));
        replies.truncate(size);
        let (likes, floor) = (self.bound.0, self.bound.1.max(self.high));
        let within_bound = |last: &CachedComment| preview_order(&last.comment) <= (Reverse(likes), floor);
        (complete || replies.last().is_none_or(within_bound)).then_some((replies, more))
    }
}
