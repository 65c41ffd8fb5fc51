//! Comments by their ids.

use std::collections::BTreeMap;

use futures::future::join_all;
use riposte_core::comment::CommentView;
use riposte_core::{CommentId, ObjectTypeScope, Result, SubjectKey};
use riposte_sync::record_fallback;

use super::{AuditSample, CachedReader, Parts};
use crate::port::{CacheFill, CachedComment, EntryLookup, FillLease, FillScope, LeaseOutcome, Unavailable};
use crate::stats::CacheEvent;

/// The maximum number of subjects whose comments one read caches. A batch with more of them is not
/// a page that others will request.
const KEPT: usize = 8;

impl CachedReader {
    /// Returns comments of these types in the order of `ids`, with one round trip for cached
    /// comments and one read of the rows for the others. A comment of another type is treated like
    /// one that does not exist, cached or not.
    pub(super) async fn comments_of(
        &self,
        ids: &[CommentId],
        types: &ObjectTypeScope,
    ) -> Result<Vec<Option<CommentView>>> {
        let told = ids.iter().try_for_each(|id| self.0.invalid.clear(id.partition()));
        let looked = if told.is_ok() { self.0.cache.comments(ids).await } else { Err(Unavailable) };
        let not_found = if looked.is_ok() { CacheEvent::Miss } else { CacheEvent::Unavailable };
        let looked = match looked {
            Ok(looked) => looked.into_iter().map(|found| allowed(found, types)).collect::<Vec<_>>(),
            Err(Unavailable) => {
                record_fallback();
                ids.iter().map(|_| EntryLookup::Miss).collect()
            }
        };
        let missing = |(id, found): (&CommentId, &EntryLookup<_>)| (*found == EntryLookup::Miss).then_some(*id);
        let missed: Vec<CommentId> = ids.iter().zip(&looked).filter_map(missing).collect();
        self.0.stats.add(CacheEvent::Hit, ids.len() - missed.len());
        if let Some((id, _)) = ids.iter().zip(&looked).find(|(_, found)| **found != EntryLookup::Miss) {
            self.0.seen.note(AuditSample::COMMENT, || AuditSample::Comment(*id));
        }
        self.0.stats.add(not_found, missed.len());
        let mut read =
            if missed.is_empty() { Vec::new() } else { self.0.read_comments(self, &missed, types).await? }.into_iter();
        Ok(looked
            .into_iter()
            .map(|found| match found {
                EntryLookup::Hit(view) => view,
                EntryLookup::Miss => read.next().flatten(),
            })
            .collect())
    }
}

/// Limits a cached comment to a caller that may use these types.
fn allowed(found: EntryLookup<Option<CommentView>>, types: &ObjectTypeScope) -> EntryLookup<Option<CommentView>> {
    match found {
        EntryLookup::Hit(Some(view)) if !types.hold(view.subject.object_type()) => EntryLookup::Miss,
        found @ (EntryLookup::Hit(_) | EntryLookup::Miss) => found,
    }
}

impl Parts {
    async fn read_comments(
        &self,
        reader: &CachedReader,
        ids: &[CommentId],
        types: &ObjectTypeScope,
    ) -> Result<Vec<Option<CommentView>>> {
        let location = self.inner.locate_among(ids, types).await?;
        let there: Vec<CommentId> = location.iter().flatten().map(|at| at.id).collect();
        let Some(first) = there.first() else { return Ok(vec![None; ids.len()]) };
        let keys: Vec<SubjectKey> = location.iter().flatten().map(|at| at.subject.clone()).collect();
        let left = keys.iter().any(|key| self.leaves(key.partition()));
        let fill_leases = if left { BTreeMap::new() } else { self.fill_leases(reader, keys).await? };
        let read = self.rows(first.partition(), self.inner.comments(&there)).await;
        let seen = &self.seen_after(&fill_leases).await;
        let items = |key: &SubjectKey| {
            let of = read.iter().flatten().flatten().filter(|view| view.subject == *key);
            of.map(CachedComment::of).collect::<Vec<_>>()
        };
        let kept = fill_leases.iter().map(|(key, fill_lease)| async move {
            match (items(key), seen.get(key)) {
                (items, Some(&seen)) if !items.is_empty() => {
                    self.keep(fill_lease, CacheFill { items, seen, ..CacheFill::default() }).await;
                }
                _ => drop(self.cache.close(fill_lease).await),
            }
        });
        join_all(kept).await;
        let mut read = read?.into_iter();
        Ok(location.into_iter().map(|at| at.and_then(|_| read.next().flatten())).collect())
    }

    /// Returns revisions of these subjects that are not older than any comment that was read
    /// before.
    async fn seen_after(&self, fill_leases: &BTreeMap<SubjectKey, FillLease>) -> BTreeMap<SubjectKey, i64> {
        if fill_leases.is_empty() {
            return BTreeMap::new();
        }
        let keys: Vec<SubjectKey> = fill_leases.keys().cloned().collect();
        let rows = self.inner.subjects(&keys).await.unwrap_or_default();
        let found = keys.into_iter().zip(rows);
        found.filter_map(|(key, row)| Some((key, row?.revision))).collect()
    }

    /// Requests the right to cache comments of these subjects, if their rows are cached.
    async fn fill_leases(
        &self,
        reader: &CachedReader,
        mut keys: Vec<SubjectKey>,
    ) -> Result<BTreeMap<SubjectKey, FillLease>> {
        keys.sort();
        keys.dedup();
        if keys.len() > KEPT {
            return Ok(BTreeMap::new());
        }
        // A comment is not returned from the cache without its subject's row.
        reader.subjects_of(&keys).await?;
        let open = |key| self.cache.open(key, FillScope::Comments, rand::random());
        let opened = join_all(keys.iter().map(open)).await;
        let fill_lease = |(key, opened)| match opened {
            Ok(LeaseOutcome::Ticket(fill_lease)) => Some((key, fill_lease)),
            Ok(LeaseOutcome::Busy | LeaseOutcome::Unknown { .. } | LeaseOutcome::Cold) | Err(Unavailable) => None,
        };
        Ok(keys.into_iter().zip(opened).filter_map(fill_lease).collect())
    }
}
