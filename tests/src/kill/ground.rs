//! What the clients know in common: the subjects, and the comments that were acknowledged on them.

use std::sync::{Mutex, PoisonError};

use rand::RngExt;
use rand::rngs::StdRng;
use riposte_sdk::v1::SubjectKey;

use super::history::{Act, Op};

/// Subjects that most of the load is about.
pub(super) const HOT: usize = 6;
/// All subjects.
pub(super) const SUBJECTS: usize = HOT + 200;
/// The object types of the subjects: one flat, one that lets threads grow eight levels deep.
pub(super) const OBJECT_TYPES: [&str; 2] = ["article", "deep"];
/// Comments known of a subject: the first ones, which stay hot, and then the latest.
const KNOWN: usize = 60;
const FIRST: usize = 4;

/// The name of a subject by its number.
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

    /// Of so many subjects.
    pub(crate) fn of(subjects: usize) -> Self {
        Self { known: Mutex::new(vec![Vec::new(); subjects]) }
    }

    /// Remembers what an acknowledged operation made; where replies stand is of no interest, roots are enough of a
    /// stage for them.
    pub(super) fn learn(&self, op: &Op) {
        if let (Act::Root { subject, .. }, Some(answer)) = (&op.act, op.answer()) {
            self.remember(*subject, answer.id);
        }
    }

    /// Remembers a comment of a subject.
    pub(crate) fn remember(&self, subject: usize, id: i64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = &mut known[subject];
        if ids.len() >= KNOWN {
            ids.remove(FIRST);
        }
        ids.push(id);
    }

    /// The subject and the comment whose turn it is, of all comments of the subjects from this one on: the same for everybody.
    pub(crate) fn turn(&self, from: usize, number: usize) -> Option<(usize, i64)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let all = known[from..].iter().map(Vec::len).sum::<usize>();
        let place = number.checked_rem(all)?;
        (from..).zip(&known[from..]).flat_map(|(subject, ids)| ids.iter().map(move |id| (subject, *id))).nth(place)
    }

    /// A comment of a subject; of three choices one falls on the first ones.
    pub(crate) fn comment(&self, subject: usize, rng: &mut StdRng) -> Option<i64> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = &known[subject];
        let reach = if rng.random_ratio(1, 3) { ids.len().min(FIRST) } else { ids.len() };
        (reach > 0).then(|| ids[rng.random_range(0..reach)])
    }
}
