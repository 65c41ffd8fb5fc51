//! What the auditor is to look at.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::Wanted;

/// Pages that wait to be looked at.
const WAITING: usize = 64;

/// The last pages that copies answered with.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<VecDeque<Wanted>>);

impl Seen {
    /// Notes one, if there is room and nobody is in the way: this is on every reader's road.
    pub(crate) fn note(&self, page: &Wanted) {
        if let Ok(mut seen) = self.0.try_lock()
            && seen.len() < WAITING
        {
            seen.push_back(page.clone());
        }
    }

    /// The one that has waited longest.
    pub(crate) fn take(&self) -> Option<Wanted> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = seen.pop_front();
        // What has waited meanwhile is of long ago.
        seen.clear();
        taken
    }
}
