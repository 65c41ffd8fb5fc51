//! Samples of the requests served from the cache.

use std::sync::{Mutex, PoisonError};

use super::AuditSample;

/// The first request of each kind that the cache has served since the last audit. The
/// [`CacheAuditor`](crate::CacheAuditor) repeats it against the cache and the rows.
#[derive(Debug, Default)]
pub(crate) struct AuditSamples(Mutex<[Option<AuditSample>; AuditSample::KINDS]>);

impl AuditSamples {
    /// Records a request if it is the first of its kind. If the lock is not free, the request is
    /// not recorded: every cached read calls this method, and must not wait.
    pub(super) fn record(&self, kind: usize, sample: impl FnOnce() -> AuditSample) {
        if let Ok(mut samples) = self.0.try_lock()
            && let Some(free @ None) = samples.get_mut(kind)
        {
            *free = Some(sample());
        }
    }

    /// Returns the samples recorded since the last call.
    pub(crate) fn take(&self) -> Vec<AuditSample> {
        let mut samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        samples.iter_mut().filter_map(Option::take).collect()
    }
}
