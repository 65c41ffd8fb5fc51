//! The candidates for the preview of one root. The port of riposte-cache
//! describes the protocol.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use riposte_cache::{CachedCandidates, CachedComment, LikeCounts, ListUpdate};
use riposte_core::CommentId;
use riposte_core::rank::preview_order;

/// The size up to which candidates that include all replies grow; replies that arrive later are
/// not candidates.
const GROWS: usize = 16;

/// The candidates of one root. See the module.
#[derive(Debug, Clone)]
pub(super) struct ReferenceCandidates {
    members: BTreeMap<i32, CommentId>,
    high: i32,
    place: (i32, i32),
}

impl ReferenceCandidates {
    /// Creates the candidates of a root that has no listed replies.
    pub(super) fn empty() -> Self {
        Self { members: BTreeMap::new(), high: i32::MAX, place: (0, 0) }
    }

    /// Creates candidates from data that was read.
    pub(super) fn of(read: &CachedCandidates) -> Self {
        Self { members: read.members.iter().copied().collect(), high: read.high, place: read.place }
    }

    /// Applies a commit.
    pub(super) fn apply(&mut self, change: &ListUpdate) {
        for floor in &change.went {
            self.members.remove(floor);
        }
        for (floor, id) in change.came.iter().filter(|(floor, _)| *floor <= self.high) {
            self.members.insert(*floor, *id);
        }
        if self.high == i32::MAX && self.members.len() > GROWS {
            self.high = self.members.last_key_value().map_or(0, |(floor, _)| *floor);
        }
    }

    /// Returns whether these likes invalidate the candidates: they belong to a reply that is not a
    /// candidate and that might rank before `place`.
    pub(super) fn ends_with(&self, likes: &LikeCounts) -> bool {
        let Some((_, floor)) = likes.below else { return false };
        let other = floor > self.high && self.members.get(&floor) != Some(&likes.id);
        other && likes.likes > 0 && (Reverse(likes.likes), floor) < (Reverse(self.place.0), self.place.1)
    }

    /// Returns the first `size` candidates in preview order, and whether there are more; `None` if
    /// another reply might be among them, or if a comment is not cached.
    pub(super) fn preview(
        &self,
        size: usize,
        item: impl Fn(CommentId) -> Option<CachedComment>,
    ) -> Option<(Vec<CachedComment>, bool)> {
        let more = self.members.len() > size;
        let whole = self.high == i32::MAX;
        if !more && !whole {
            return None;
        }
        let mut replies = self.members.values().map(|id| item(*id)).collect::<Option<Vec<_>>>()?;
        replies.sort_by_key(|reply| preview_order(&reply.comment));
        replies.truncate(size);
        let (likes, floor) = (self.place.0, self.place.1.max(self.high));
        let first = |last: &CachedComment| preview_order(&last.comment) <= (Reverse(likes), floor);
        (whole || replies.last().is_none_or(first)).then_some((replies, more))
    }
}
