//! The acknowledged comments of each subject, which all clients share.

use std::sync::{Mutex, PoisonError};

use rand::RngExt;
use rand::rngs::StdRng;

/// Number of known comments of a subject: the first ones, which stay hot, and then the latest.
const KNOWN: usize = 60;
const FIRST: usize = 4;

/// Acknowledged comments by subject.
#[derive(Debug)]
pub(crate) struct Ground {
    known: Mutex<Vec<Vec<i64>>>,
}

impl Ground {
    /// Creates an empty list for each of `subjects` subjects.
    pub(crate) fn new(subjects: usize) -> Self {
        Self { known: Mutex::new(vec![Vec::new(); subjects]) }
    }

    /// Adds a comment of a subject.
    pub(crate) fn remember(&self, subject: usize, id: i64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = &mut known[subject];
        if ids.len() >= KNOWN {
            ids.remove(FIRST);
        }
        ids.push(id);
    }

    /// Returns the subject and the comment for the turn of this number, among all comments of the
    /// subjects from `from` on. The result is the same for all clients.
    pub(crate) fn turn(&self, from: usize, number: usize) -> Option<(usize, i64)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let all = known[from..].iter().map(Vec::len).sum::<usize>();
        let place = number.checked_rem(all)?;
        (from..).zip(&known[from..]).flat_map(|(subject, ids)| ids.iter().map(move |id| (subject, *id))).nth(place)
    }

    /// Returns a comment of a subject; one of three choices takes one of the first comments.
    pub(crate) fn comment(&self, subject: usize, rng: &mut StdRng) -> Option<i64> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = &known[subject];
        let reach = if rng.random_ratio(1, 3) { ids.len().min(FIRST) } else { ids.len() };
        (reach > 0).then(|| ids[rng.random_range(0..reach)])
    }
}
