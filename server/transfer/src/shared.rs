//! The state that all streams of one import share.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;

use super::batch::SubjectBatch;
use super::ordering::Orphans;
use super::record::Reject;
use super::rejects::Rejects;
use super::throttle::Throttle;
use super::totals::ImportTotals;
use super::votes::VotePolicy;

/// State that all streams of one import share.
pub(crate) struct ImportShared {
    pub(crate) totals: Arc<ImportTotals>,
    pub(crate) source: String,
    pub(crate) votes: VotePolicy,
    pub(crate) orphans: Orphans,
    /// The most items without a response in one stream.
    pub(crate) window: usize,
    pub(crate) throttle: Throttle,
    /// The longest time that the server may be unreachable before the import gives up.
    pub(crate) outage_limit: Duration,
    /// True while the server is known to be unreachable, so that only one stream reports it.
    pub(crate) outage: AtomicBool,
    /// Reports a message to the person at the terminal.
    pub(crate) report: Box<dyn Fn(&str) + Send + Sync>,
    pub(crate) rejects: Mutex<Option<Rejects>>,
}

impl std::fmt::Debug for ImportShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImportShared")
            .field("source", &self.source)
            .field("totals", &self.totals)
            .finish_non_exhaustive()
    }
}

impl ImportShared {
    /// Writes a reject. After the file is finished, a reject is only counted.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn reject(&self, reject: Reject) -> Result<()> {
        let mut rejects = self.rejects.lock().unwrap_or_else(PoisonError::into_inner);
        rejects.as_mut().map_or(Ok(()), |rejects| rejects.add(reject))
    }

    /// Adds the items of a batch to the expected total.
    pub(crate) fn add_expected(&self, batch: &SubjectBatch) {
        let votes: u64 = batch.comments.iter().map(|ordered| ordered.comment.votes.total()).sum();
        let votes = if self.votes == VotePolicy::Skip { 0 } else { votes };
        let records = batch.comments.len() + batch.likes.len() + batch.rejects.len();
        let records = records + usize::from(batch.requires_subject);
        self.totals.total.add(votes + u64::try_from(records).unwrap_or(u64::MAX) + batch.repeated);
    }
}
