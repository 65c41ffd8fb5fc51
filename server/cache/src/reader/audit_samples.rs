//! The samples for the auditor.

use std::sync::{Mutex, PoisonError};

use super::AuditSample;

/// The first response of each kind that the cache has served since the last audit.
#[derive(Debug, Default)]
pub(crate) struct AuditSamples(Mutex<[Option<AuditSample>; AuditSample::KINDS]>);

impl AuditSamples {
    /// Records a response if it is the first of its kind and the lock is free: every reader runs
    /// through here.
    pub(super) fn note(&self, kind: usize, answer: impl FnOnce() -> AuditSample) {
        if let Ok(mut seen) = self.0.try_lock()
            && let Some(free @ None) = seen.get_mut(kind)
        {
            *free = Some(answer());
        }
    }

    /// Returns the samples recorded since the last call.
    pub(crate) fn take(&self) -> Vec<AuditSample> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter_mut().filter_map(Option::take).collect()
    }
}
