//! The likes of one member in one subject.

use std::collections::HashMap;

use riposte_core::{CommentId, LikeValue};

/// The maximum lifetime of an invalidation, in milliseconds. No commit takes longer.
const INVALIDATION_TTL: i64 = 30_000;

/// The like states of one member in one subject, and their invalidations.
#[derive(Debug, Default)]
pub(super) struct LikeStates {
    /// The token and generation of the reader that may fill them.
    filler: Option<(u64, u64)>,
    /// The tokens of running commits that may change them, each with the end of its invalidation.
    invalidations: HashMap<u64, i64>,
    /// All likes of the member, and comments that are known to exist, with their generation.
    likes: Option<(u64, HashMap<CommentId, LikeValue>)>,
}

impl LikeStates {
    /// Drops the likes, and prevents fills until the invalidation ends.
    pub(super) fn begin_invalidation(&mut self, token: u64, now: i64) {
        self.clear();
        self.invalidations.retain(|_, until| *until >= now);
        self.invalidations.insert(token, now + INVALIDATION_TTL);
    }

    /// Ends an invalidation. If the invalidation was lost, the likes are dropped: another process
    /// may have filled likes that were read before the commit.
    pub(super) fn end_invalidation(&mut self, token: u64) {
        if self.invalidations.remove(&token).is_none() {
            self.clear();
        }
    }

    /// Drops everything but the invalidations.
    pub(super) fn clear(&mut self) {
        self.filler = None;
        self.likes = None;
    }

    /// Returns whether `token` may fill the likes.
    pub(super) fn open(&mut self, token: u64, generation: u64, now: i64) -> bool {
        self.invalidations.retain(|_, until| *until >= now);
        let allowed = self.invalidations.is_empty();
        if allowed {
            self.filler = Some((token, generation));
        }
        allowed
    }

    /// Stores the likes, if `token` may still fill them.
    pub(super) fn fill(&mut self, token: u64, values: &[(CommentId, LikeValue)], generation: Option<u64>) {
        if let Some((_, filled_in)) =
            self.filler.take_if(|(filler, opened_in)| *filler == token && Some(*opened_in) == generation)
        {
            self.likes = Some((filled_in, values.iter().copied().collect()));
        }
    }

    /// Adds existing comments on which the member has no value; at most `limit` values are stored.
    pub(super) fn exist(&mut self, ids: &[CommentId], limit: usize) {
        let Some((_, likes)) = &mut self.likes else { return };
        for id in ids {
            if likes.len() < limit {
                likes.entry(*id).or_insert(LikeValue::None);
            }
        }
    }

    /// Returns the values; `exists` reports the existence of comments that are not stored here.
    pub(super) fn read(
        &self,
        ids: &[CommentId],
        generation: u64,
        exists: impl Fn(CommentId) -> bool,
    ) -> Option<Vec<Option<LikeValue>>> {
        let (_, likes) = self.likes.as_ref().filter(|(filled_in, _)| *filled_in == generation)?;
        let value = |id: &CommentId| likes.get(id).copied().or_else(|| exists(*id).then_some(LikeValue::None));
        Some(ids.iter().map(value).collect())
    }
}
