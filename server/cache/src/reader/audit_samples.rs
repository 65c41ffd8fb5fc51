//! What the auditor is to look at.

use std::sync::{Mutex, PoisonError};

use super::AuditSample;

/// What copies have answered since the last audit: of each kind the first.
#[derive(Debug, Default)]
pub(crate) struct AuditSamples(Mutex<[Option<AuditSample>; AuditSample::KINDS]>);

impl AuditSamples {
    /// Notes an answer of a kind, if it is the first and nobody is in the way: this is on every reader's road.
    pub(super) fn note(&self, kind: usize, answer: impl FnOnce() -> AuditSample) {
        if let Ok(mut seen) = self.0.try_lock()
            && let Some(free @ None) = seen.get_mut(kind)
        {
            *free = Some(answer());
        }
    }

    /// What was noted since this was asked before.
    pub(crate) fn take(&self) -> Vec<AuditSample> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter_mut().filter_map(Option::take).collect()
    }
}
