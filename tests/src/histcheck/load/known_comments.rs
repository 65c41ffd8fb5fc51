//! The comments that all clients of a run know.

use std::sync::{Mutex, PoisonError};

use rand::RngExt;
use rand::rngs::StdRng;

/// Number of known comments of a subject: the first ones and the latest ones.
const KNOWN: usize = 60;
/// Number of first comments of a subject; they stay known, and so become hot.
const FIRST: usize = 4;

/// Acknowledged comments by subject.
#[derive(Debug)]
pub(crate) struct KnownComments {
    known: Mutex<Vec<Vec<i64>>>,
}

impl KnownComments {
    /// Creates an empty list for each of `subjects` subjects.
    pub(crate) fn new(subjects: usize) -> Self {
        Self { known: Mutex::new(vec![Vec::new(); subjects]) }
    }

    /// Adds a comment of a subject.
    pub(crate) fn insert(&self, subject: usize, id: i64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = &mut known[subject];
        if ids.len() >= KNOWN {
            ids.remove(FIRST);
        }
        ids.push(id);
    }

    /// Returns one of all known comments of the subjects from `from` on, with its subject. The
    /// index wraps around, and the result is the same for all clients.
    pub(crate) fn nth(&self, from: usize, index: usize) -> Option<(usize, i64)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let all = known[from..].iter().map(Vec::len).sum::<usize>();
        let index = index.checked_rem(all)?;
        (from..).zip(&known[from..]).flat_map(|(subject, ids)| ids.iter().map(move |id| (subject, *id))).nth(index)
    }

    /// Returns a random comment of a subject; one of the first comments in one of three cases.
    pub(crate) fn comment(&self, subject: usize, rng: &mut StdRng) -> Option<i64> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = &known[subject];
        let count = if rng.random_ratio(1, 3) { ids.len().min(FIRST) } else { ids.len() };
        (count > 0).then(|| ids[rng.random_range(0..count)])
    }
}
