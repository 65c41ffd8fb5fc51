//! The data shared by all clients: the subjects, and the acknowledged comments on them.

use std::sync::{Mutex, PoisonError};

use rand::RngExt;
use rand::rngs::StdRng;
use riposte_sdk::v1::SubjectKey;

use super::history::{Act, Op};

/// Number of subjects that get most of the load.
pub(super) const HOT: usize = 6;
/// Number of all subjects.
pub(super) const SUBJECTS: usize = HOT + 200;
/// The object types of the subjects: one flat, one with threads of up to eight levels.
pub(super) const OBJECT_TYPES: [&str; 2] = ["article", "deep"];
/// Number of known comments of a subject: the first ones, which stay hot, and then the latest.
const KNOWN: usize = 60;
const FIRST: usize = 4;

/// Returns the key of a subject by its number.
pub(super) fn key(subject: usize) -> SubjectKey {
    let object_type = OBJECT_TYPES[subject % OBJECT_TYPES.len()].to_owned();
    SubjectKey { object_type, object_id: format!("subject-{subject}") }
}

/// Acknowledged comments by subject.
#[derive(Debug)]
pub(crate) struct Ground {
    known: Mutex<Vec<Vec<i64>>>,
}

impl Ground {
    pub(super) fn new() -> Self {
        Self::of(SUBJECTS)
    }

    /// Creates an empty list for each of `subjects` subjects.
    pub(crate) fn of(subjects: usize) -> Self {
        Self { known: Mutex::new(vec![Vec::new(); subjects]) }
    }

    /// Adds the comment that an acknowledged operation created. Replies are left out; roots suffice
    /// as parents of replies.
    pub(super) fn learn(&self, op: &Op) {
        if let (Act::Root { subject, .. }, Some(answer)) = (&op.act, op.answer()) {
            self.remember(*subject, answer.id);
        }
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
