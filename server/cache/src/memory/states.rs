//! What one member likes in one subject.

use std::collections::HashMap;

use riposte_core::{CommentId, LikeValue};

/// How long a doubt lasts at most, in milliseconds: longer than any commit.
const DOUBT: i64 = 30_000;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct LikeStates {
    /// Who looks at the rows to fill it.
    filler: Option<(u64, u64)>,
    /// Commits under way that may change it, and until when they can be.
    doubts: HashMap<u64, i64>,
    /// Everything the member likes, and comments that are known to exist, of a generation.
    known: Option<(u64, HashMap<CommentId, LikeValue>)>,
}

impl LikeStates {
    pub(super) fn begin_invalidation(&mut self, token: u64, now: i64) {
        self.forget();
        self.doubts.retain(|_, until| *until >= now);
        self.doubts.insert(token, now + DOUBT);
    }

    /// Where this doubt is gone, somebody may have filled what was read before the commit.
    pub(super) fn end_invalidation(&mut self, token: u64) {
        if self.doubts.remove(&token).is_none() {
            self.forget();
        }
    }

    /// Forgets all but the doubts.
    pub(super) fn forget(&mut self) {
        self.filler = None;
        self.known = None;
    }

    /// Whether `token` may fill it.
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

    /// Comments that exist, of which nothing is said; at most so many are kept.
    pub(super) fn exist(&mut self, ids: &[CommentId], most: usize) {
        let Some((_, known)) = &mut self.known else { return };
        for id in ids {
            if known.len() < most {
                known.entry(*id).or_insert(LikeValue::None);
            }
        }
    }

    /// The values; `exists` tells of comments that this does not know.
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
