//! A member's like states of comments.

use std::collections::HashMap;

use riposte_core::{CommentId, LikeValue, Result};

use super::{AuditSample, CachedReader, ReaderState};
use crate::port::{SubjectMember, Unavailable};
use crate::stats::CacheEvent;

/// The maximum number of cached likes of one member in one subject; if the member has more, reads
/// go to the rows.
const MAX_CACHED_LIKES: usize = 1_000;

impl CachedReader {
    /// Returns a member's values in the order of `ids`; `None` for a comment that is not in this
    /// subject.
    pub(super) async fn states_of(&self, member: &SubjectMember, ids: &[CommentId]) -> Result<Vec<Option<LikeValue>>> {
        let valid = self.0.invalid.check(member.key.partition());
        let lookup = if valid.is_ok() { self.0.cache.states(member, ids).await } else { Err(Unavailable) };
        let known = match self.0.counted(lookup) {
            Some(Some(known)) => {
                self.0.samples.record(AuditSample::STATES, || AuditSample::States(member.clone(), ids.to_vec()));
                known
            }
            // The caller has received comments of the subject, so the subject exists. A cache that
            // reports it as absent has not received it yet.
            Some(None) | None => return self.read_states(member, ids).await,
        };
        if known.iter().all(Option::is_some) {
            return Ok(known);
        }
        // The member has no value for the other comments. The rows show which of them belong to
        // this subject, which never changes.
        let belongs = self.belong_to_subject(member, ids).await?;
        let values = known.into_iter().zip(belongs);
        Ok(values.map(|(value, belongs)| value.or(belongs.then_some(LikeValue::None))).collect())
    }

    async fn read_states(&self, member: &SubjectMember, ids: &[CommentId]) -> Result<Vec<Option<LikeValue>>> {
        if !self.0.bypasses_cache(member.key.partition()) {
            // The subject's row determines whether the values may be returned.
            let subject = self.subjects_of(std::slice::from_ref(&member.key)).await?.pop().flatten();
            if subject.as_ref().is_some_and(|subject| subject.delete_time.is_some()) {
                return Ok(vec![None; ids.len()]);
            }
            if subject.is_some()
                && let Some(values) = self.0.load_states(member).await?
            {
                let belongs = self.belong_to_subject(member, ids).await?;
                let value = |id| values.get(id).copied().unwrap_or(LikeValue::None);
                return Ok(ids.iter().zip(belongs).map(|(id, belongs)| belongs.then(|| value(id))).collect());
            }
        }
        self.0.read_rows(member.key.partition(), self.0.inner.like_states(&member.key, &member.member, ids)).await
    }

    /// Returns for each id whether it is a comment of the subject. The comments of the subject are
    /// recorded in the cache, so that later reads need not locate them.
    async fn belong_to_subject(&self, member: &SubjectMember, ids: &[CommentId]) -> Result<Vec<bool>> {
        let locations = self.0.inner.locate(ids).await?;
        let belongs: Vec<bool> = locations
            .iter()
            .map(|location| location.as_ref().is_some_and(|location| location.subject == member.key))
            .collect();
        let existing = ids.iter().zip(&belongs).filter(|(_, belongs)| **belongs).map(|(id, _)| *id);
        let _ = self.0.cache.record_existing(member, &existing.collect::<Vec<_>>()).await;
        Ok(belongs)
    }
}

impl ReaderState {
    /// Reads all likes of a member in a subject, caches them, and returns them. `None` if no fill
    /// is allowed now, or if the member has too many likes.
    async fn load_states(&self, member: &SubjectMember) -> Result<Option<HashMap<CommentId, LikeValue>>> {
        let token = rand::random();
        if self.cache.open_states(member, token).await != Ok(true) {
            return Ok(None);
        }
        let read = self.inner.member_likes(&member.key, &member.member, None, MAX_CACHED_LIKES);
        let page = self.read_rows(member.key.partition(), read).await?;
        if page.more_after {
            return Ok(None);
        }
        let values: Vec<_> = page.items.into_iter().map(|like| (like.comment, like.value)).collect();
        let _ = self.cache.fill_states(member, token, &values).await;
        self.stats.increment(CacheEvent::Fill);
        Ok(Some(values.into_iter().collect()))
    }
}
