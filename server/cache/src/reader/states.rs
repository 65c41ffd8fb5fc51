//! A member's like states of comments.

use std::collections::HashMap;

use riposte_core::{CommentId, LikeValue, Result};

use super::{AuditSample, CachedReader, Parts};
use crate::port::{SubjectMember, Unavailable};
use crate::stats::CacheEvent;

/// The maximum number of cached likes of one member in one subject; if the member has more, reads
/// go to the rows.
const MOST: usize = 1_000;

impl CachedReader {
    /// Returns a member's values in the order of `ids`; `None` for a comment that is not in this
    /// subject.
    pub(super) async fn states_of(&self, who: &SubjectMember, ids: &[CommentId]) -> Result<Vec<Option<LikeValue>>> {
        let told = self.0.invalid.clear(who.key.partition());
        let looked = if told.is_ok() { self.0.cache.states(who, ids).await } else { Err(Unavailable) };
        let known = match self.0.looked(looked) {
            Some(Some(known)) => {
                self.0.seen.note(AuditSample::STATES, || AuditSample::States(who.clone(), ids.to_vec()));
                known
            }
            // The caller was given comments of the subject, so a cache that knows no such subject
            // has not received it yet.
            Some(None) | None => return self.read_states(who, ids).await,
        };
        if known.iter().all(Option::is_some) {
            return Ok(known);
        }
        // The member's values are known. The existence of the comments here is not; once they
        // exist, that never changes.
        let here = self.here(who, ids).await?;
        let values = known.into_iter().zip(here);
        Ok(values.map(|(value, here)| value.or(here.then_some(LikeValue::None))).collect())
    }

    async fn read_states(&self, who: &SubjectMember, ids: &[CommentId]) -> Result<Vec<Option<LikeValue>>> {
        if !self.0.leaves(who.key.partition()) {
            // The subject's row determines whether the values may be returned.
            let subject = self.subjects_of(std::slice::from_ref(&who.key)).await?.pop().flatten();
            if subject.as_ref().is_some_and(|subject| subject.delete_time.is_some()) {
                return Ok(vec![None; ids.len()]);
            }
            if subject.is_some()
                && let Some(values) = self.0.keep_states(who).await?
            {
                let here = self.here(who, ids).await?;
                let value = |id| values.get(id).copied().unwrap_or(LikeValue::None);
                return Ok(ids.iter().zip(here).map(|(id, here)| here.then(|| value(id))).collect());
            }
        }
        self.0.rows(who.key.partition(), self.0.inner.like_states(&who.key, &who.member, ids)).await
    }

    /// Returns for each of these whether it is a comment of the subject. The cache stores which
    /// ones are, so that later reads need not locate them.
    async fn here(&self, who: &SubjectMember, ids: &[CommentId]) -> Result<Vec<bool>> {
        let location = self.0.inner.locate(ids).await?;
        let here: Vec<bool> = location.iter().map(|at| at.as_ref().is_some_and(|at| at.subject == who.key)).collect();
        let there = ids.iter().zip(&here).filter(|(_, here)| **here).map(|(id, _)| *id);
        let _ = self.0.cache.exist(who, &there.collect::<Vec<_>>()).await;
        Ok(here)
    }
}

impl Parts {
    /// Caches all likes of a member in a subject, and returns them; `None` if no fill is allowed
    /// now, or if there are too many.
    async fn keep_states(&self, who: &SubjectMember) -> Result<Option<HashMap<CommentId, LikeValue>>> {
        let token = rand::random();
        if self.cache.open_states(who, token).await != Ok(true) {
            return Ok(None);
        }
        let read = self.inner.member_likes(&who.key, &who.member, None, MOST);
        let page = self.rows(who.key.partition(), read).await?;
        if page.more_after {
            return Ok(None);
        }
        let values: Vec<_> = page.items.into_iter().map(|like| (like.comment, like.value)).collect();
        let _ = self.cache.fill_states(who, token, &values).await;
        self.stats.one(CacheEvent::Fill);
        Ok(Some(values.into_iter().collect()))
    }
}
