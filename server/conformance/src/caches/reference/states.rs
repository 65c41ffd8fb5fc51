//! The likes of one member in one subject.

use std::collections::HashMap;

use riposte_core::{CommentId, LikeValue};

/// The maximum lifetime of an invalidation, in milliseconds; it is longer than any commit.
const DOUBT: i64 = 30_000;

/// The like states of one member in one subject, and their invalidations.
#[derive(Debug, Default)]
pub(super) struct LikeStates {
    /// The token and generation of the reader that may fill them.
    filler: Option<(u64, u64)>,
    /// The tokens of running commits that may change them, and the ends of their invalidations.
    doubts: HashMap<u64, i64>,
    /// All likes of the member, and comments that are known to exist, with their generation.
    known: Option<(u64, HashMap<CommentId, LikeValue>)>,
}

impl LikeStates {
    pub(super) fn begin_invalidation(&mut self, token: u64, now: i64) {
        self.forget();
        self.doubts.retain(|_, until| *until >= now);
        self.doubts.insert(token, now + DOUBT);
    }

    /// Ends an invalidation. If the invalidation was lost, the likes are dropped: another process
    /// may have filled likes that were read before the commit.
    pub(super) fn end_invalidation(&mut self, token: u64) {
        if self.doubts.remove(&token).is_none() {
            self.forget();
        }
    }

    /// Drops everything but the invalidations.
    pub(super) fn forget(&mut self) {
        self.filler = None;
        self.known = None;
    }

    /// Returns whether `token` may fill the likes.
    pub(super) fn open(&mut self, token: u64, generation: u64, now: i64) -> bool {
        self.doubts.retain(|_, until| *until >= now);
        let may = self.doubts.is_empty();
        if may {
            self.filler = Some((token, generation));
        }
        may
    }

    pub(super) fn fill(&mut self, token: u64, values: &[(CommentId, LikeValue)], generation: Option<u64>) {
        if let Some((_, of)) = self.filler.take_if(|(filler, of)| *filler == token && Some(*of) == generation) {
            self.known = Some((of, values.iter().copied().collect()));
        }
    }

    /// Adds existing comments on which the member has no value; at most `most` values are stored.
    pub(super) fn exist(&mut self, ids: &[CommentId], most: usize) {
        let Some((_, known)) = &mut self.known else { return };
        for id in ids {
            if known.len() < most {
                known.entry(*id).or_insert(LikeValue::None);
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
        let (_, known) = self.known.as_ref().filter(|(of, _)| *of == generation)?;
        let value = |id: &CommentId| known.get(id).copied().or_else(|| exists(*id).then_some(LikeValue::None));
        Some(ids.iter().map(value).collect())
    }
}
