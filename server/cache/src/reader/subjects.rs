//! Reads subjects by their keys.

use std::sync::Arc;

use futures::future::join_all;
use riposte_core::{Error, Result, Subject, SubjectKey};
use riposte_sync::record_fallback;

use super::{AuditSample, CachedReader, ReaderState};
use crate::port::{CacheFill, EntryLookup, FillScope, LeaseOutcome, Unavailable};
use crate::stats::CacheEvent;

impl CachedReader {
    /// Returns subjects in the order of `keys`: one round trip finds those that are cached, and one
    /// database read the others.
    pub(super) async fn subjects_of(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>> {
        let valid = keys.iter().try_for_each(|key| self.0.invalid.check(key.partition()));
        let lookup = if valid.is_ok() { self.0.cache.subjects(keys).await } else { Err(Unavailable) };
        let not_found = if lookup.is_ok() { CacheEvent::Miss } else { CacheEvent::Unavailable };
        let lookups = match lookup {
            Ok(lookups) => lookups,
            Err(Unavailable) => {
                record_fallback();
                keys.iter().map(|_| EntryLookup::Miss).collect()
            }
        };
        let missing = |(key, found): (&SubjectKey, &EntryLookup<_>)| (*found == EntryLookup::Miss).then(|| key.clone());
        let missed: Vec<SubjectKey> = keys.iter().zip(&lookups).filter_map(missing).collect();
        self.0.stats.add(CacheEvent::Hit, keys.len() - missed.len());
        if let Some((key, _)) = keys.iter().zip(&lookups).find(|(_, found)| **found != EntryLookup::Miss) {
            self.0.samples.record(AuditSample::SUBJECT, || AuditSample::Subject(key.clone()));
        }
        self.0.stats.add(not_found, missed.len());
        let read = if missed.is_empty() {
            Arc::default()
        } else {
            let (this, keys) = (Arc::clone(&self.0), missed.clone());
            let load = move || async move { this.read_subjects(&keys).await.map(Arc::new) };
            self.0.subjects.join(missed, load).await.map_err(Error::internal)??
        };
        let mut read = read.iter().cloned();
        Ok(lookups
            .into_iter()
            .map(|found| match found {
                EntryLookup::Hit(subject) => subject,
                EntryLookup::Miss => read.next().flatten(),
            })
            .collect())
    }
}

impl ReaderState {
    async fn read_subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>> {
        if keys.iter().any(|key| self.bypasses_cache(key.partition())) {
            return self.subjects_from_rows(keys).await;
        }
        let open = |key| self.cache.open(key, FillScope::Row, rand::random());
        let leases = join_all(keys.iter().map(open)).await;
        let read = self.subjects_from_rows(keys).await;
        let found = keys.iter().zip(leases).zip(read.iter().flatten());
        let fills = found.map(|((key, lease), subject)| async move {
            match (lease, subject) {
                (Ok(LeaseOutcome::Granted(fill_lease)), Some(subject)) => {
                    let fill = CacheFill { subject: Some(subject.clone()), ..CacheFill::default() };
                    self.fill_cache(&fill_lease, fill).await;
                }
                (Ok(LeaseOutcome::Granted(fill_lease)), None) => drop(self.cache.close(&fill_lease).await),
                (Ok(LeaseOutcome::Unknown { .. }), Some(subject)) => drop(self.cache.name(key, subject.id).await),
                (Ok(LeaseOutcome::Unknown { token }), None) => drop(self.cache.absent(key, token).await),
                (Ok(LeaseOutcome::Busy | LeaseOutcome::Cold) | Err(Unavailable), _) => {}
            }
        });
        join_all(fills).await;
        read
    }

    /// Reads a subject whose key the cache does not know, and stores the id of the subject, or its
    /// absence, in the cache. `token` identifies the lookup that did not find the key.
    pub(super) async fn identify(&self, key: &SubjectKey, token: u64) -> Result<Option<Subject>> {
        let found = self.subjects_from_rows(std::slice::from_ref(key)).await?.pop().flatten();
        let _ = match &found {
            Some(subject) => self.cache.name(key, subject.id).await,
            None => self.cache.absent(key, token).await,
        };
        Ok(found)
    }

    async fn subjects_from_rows(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        self.read_rows_of(keys.iter().map(SubjectKey::partition), self.inner.subjects(keys)).await
    }
}
