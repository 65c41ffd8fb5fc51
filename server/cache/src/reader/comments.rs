//! Comments by their ids.

use std::collections::BTreeMap;

use futures::future::join_all;
use riposte_core::comment::CommentView;
use riposte_core::{CommentId, ObjectTypeScope, Result, SubjectKey};
use riposte_sync::record_fallback;

use super::{AuditSample, CachedReader, ReaderState};
use crate::port::{CacheFill, CachedComment, EntryLookup, FillLease, FillScope, LeaseOutcome, Unavailable};
use crate::stats::CacheEvent;

/// The maximum number of subjects whose comments one read caches. A batch with comments of more
/// subjects is not a page that other callers will request.
const MAX_CACHED_SUBJECTS: usize = 8;

impl CachedReader {
    /// Returns comments of these types in the order of `ids`, with one round trip for cached
    /// comments and one read of the rows for the others. A comment of another type is treated like
    /// one that does not exist, cached or not.
    pub(super) async fn comments_of(
        &self,
        ids: &[CommentId],
        types: &ObjectTypeScope,
    ) -> Result<Vec<Option<CommentView>>> {
        let valid = ids.iter().try_for_each(|id| self.0.invalid.check(id.partition()));
        let lookup = if valid.is_ok() { self.0.cache.comments(ids).await } else { Err(Unavailable) };
        let not_found = if lookup.is_ok() { CacheEvent::Miss } else { CacheEvent::Unavailable };
        let lookups = match lookup {
            Ok(lookups) => lookups.into_iter().map(|found| usable(found, types)).collect::<Vec<_>>(),
            Err(Unavailable) => {
                record_fallback();
                ids.iter().map(|_| EntryLookup::Miss).collect()
            }
        };
        let missing = |(id, found): (&CommentId, &EntryLookup<_>)| (*found == EntryLookup::Miss).then_some(*id);
        let missed: Vec<CommentId> = ids.iter().zip(&lookups).filter_map(missing).collect();
        self.0.stats.add(CacheEvent::Hit, ids.len() - missed.len());
        if let Some((id, _)) = ids.iter().zip(&lookups).find(|(_, found)| **found != EntryLookup::Miss) {
            self.0.samples.record(AuditSample::COMMENT, || AuditSample::Comment(*id));
        }
        self.0.stats.add(not_found, missed.len());
        let mut read =
            if missed.is_empty() { Vec::new() } else { self.0.read_comments(self, &missed, types).await? }.into_iter();
        Ok(lookups
            .into_iter()
            .map(|found| match found {
                EntryLookup::Hit(view) => view,
                EntryLookup::Miss => read.next().flatten(),
            })
            .collect())
    }
}

/// Limits a cached comment to a caller that may use these types, and to what the cache knows. What
/// a reader sees of a comment whose author sees more than others is in the rows alone.
fn usable(found: EntryLookup<Option<CommentView>>, types: &ObjectTypeScope) -> EntryLookup<Option<CommentView>> {
    match found {
        EntryLookup::Hit(Some(view)) if !types.contains(view.subject.object_type()) || !is_cached(&view) => {
            EntryLookup::Miss
        }
        found @ (EntryLookup::Hit(_) | EntryLookup::Miss) => found,
    }
}

/// Returns whether a read by id returns this comment from the cache, and stores it there.
fn is_cached(view: &CommentView) -> bool {
    !view.comment.lifecycle.depends_on_reader()
}

impl ReaderState {
    async fn read_comments(
        &self,
        reader: &CachedReader,
        ids: &[CommentId],
        types: &ObjectTypeScope,
    ) -> Result<Vec<Option<CommentView>>> {
        let locations = self.inner.locate_among(ids, types).await?;
        let existing: Vec<CommentId> = locations.iter().flatten().map(|location| location.id).collect();
        if existing.is_empty() {
            return Ok(vec![None; ids.len()]);
        }
        let keys: Vec<SubjectKey> = locations.iter().flatten().map(|location| location.subject.clone()).collect();
        let bypass = keys.iter().any(|key| self.bypasses_cache(key.partition()));
        let fill_leases = if bypass { BTreeMap::new() } else { self.fill_leases(reader, keys).await? };
        let rows = async {
            let read = self.inner.comments(&existing).await;
            // The permits of the comments are those of their subjects.
            Ok((read, self.current_revisions(&fill_leases).await))
        };
        let permitted = self.read_rows_of(existing.iter().map(|id| id.partition()), rows).await;
        let (read, revisions) = permitted.unwrap_or_else(|error| (Err(error), BTreeMap::new()));
        let revisions = &revisions;
        let items = |key: &SubjectKey| {
            let views = read.iter().flatten().flatten().filter(|view| view.subject == *key && is_cached(view));
            views.map(CachedComment::of).collect::<Vec<_>>()
        };
        let fills = fill_leases.iter().map(|(key, fill_lease)| async move {
            match (items(key), revisions.get(key)) {
                (items, Some(&subject_revision)) if !items.is_empty() => {
                    self.fill_cache(fill_lease, CacheFill { items, subject_revision, ..CacheFill::default() }).await;
                }
                _ => drop(self.cache.close(fill_lease).await),
            }
        });
        join_all(fills).await;
        let mut read = read?.into_iter();
        Ok(locations.into_iter().map(|location| location.and_then(|_| read.next().flatten())).collect())
    }

    /// Returns the current revisions of these subjects. Comments that were read before are not
    /// newer.
    async fn current_revisions(&self, fill_leases: &BTreeMap<SubjectKey, FillLease>) -> BTreeMap<SubjectKey, i64> {
        if fill_leases.is_empty() {
            return BTreeMap::new();
        }
        let keys: Vec<SubjectKey> = fill_leases.keys().cloned().collect();
        let rows = self.inner.subjects(&keys).await.unwrap_or_default();
        let found = keys.into_iter().zip(rows);
        found.filter_map(|(key, row)| Some((key, row?.revision))).collect()
    }

    /// Requests fill leases for comments of these subjects. A subject gets one only if its row is
    /// cached.
    async fn fill_leases(
        &self,
        reader: &CachedReader,
        mut keys: Vec<SubjectKey>,
    ) -> Result<BTreeMap<SubjectKey, FillLease>> {
        keys.sort();
        keys.dedup();
        if keys.len() > MAX_CACHED_SUBJECTS {
            return Ok(BTreeMap::new());
        }
        // This caches the rows of the subjects: the cache returns no comment without the row of its
        // subject.
        reader.subjects_of(&keys).await?;
        let open = |key| self.cache.open(key, FillScope::Comments, rand::random());
        let leases = join_all(keys.iter().map(open)).await;
        let granted = |(key, lease)| match lease {
            Ok(LeaseOutcome::Granted(fill_lease)) => Some((key, fill_lease)),
            Ok(LeaseOutcome::Busy | LeaseOutcome::Unknown { .. } | LeaseOutcome::Cold) | Err(Unavailable) => None,
        };
        Ok(keys.into_iter().zip(leases).filter_map(granted).collect())
    }
}
