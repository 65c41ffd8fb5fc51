//! Selection of the next call about a subject with an owner, by chance.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::histcheck::history::{Op, Outcome, OwnedCall, OwnedResponse, OwnedState};
use crate::histcheck::names::{OWNED, OWNER, is_moderated};

/// Number of subjects at a time. They are few, so that clients meet.
const AT_A_TIME: usize = 3;
/// Number of calls about a subject until another one takes its place. A subject stays small, so
/// that one page has all its roots.
const CALLS: usize = 160;
/// The most roots of a subject.
const ROOTS: usize = 24;
/// The calls in which a subject that was replaced is still used.
const FORMER: usize = 12;

/// The subjects that all clients use.
#[derive(Debug, Default)]
pub(crate) struct OwnedSubjects(Mutex<SharedSubjects>);

#[derive(Debug, Default)]
struct SharedSubjects {
    /// The number of subjects that were begun.
    begun: u32,
    subjects: Vec<KnownSubject>,
    /// The number of subjects that are being created.
    making: usize,
}

/// A subject that clients use.
#[derive(Debug, Clone)]
struct KnownSubject {
    number: u32,
    calls: usize,
    /// Its roots with their authors.
    roots: Vec<(i64, u32)>,
}

impl OwnedSubjects {
    /// Returns the numbers of all subjects that were begun.
    pub(crate) fn all(&self) -> std::ops::Range<u32> {
        OWNED..OWNED + self.lock().begun
    }

    fn lock(&self) -> MutexGuard<'_, SharedSubjects> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The random choices of one client.
#[derive(Debug)]
pub(super) struct OwnedPlanner {
    client: u32,
    rng: StdRng,
    text_count: u64,
}

impl OwnedPlanner {
    pub(super) fn new(client: u32, seed: u64) -> Self {
        let rng = StdRng::seed_from_u64(seed ^ u64::from(client + 991).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self { client, rng, text_count: 0 }
    }

    pub(super) fn rng(&mut self) -> &mut StdRng {
        &mut self.rng
    }

    /// Returns the next call and its subject.
    pub(super) fn next(&mut self, known: &OwnedSubjects) -> (u32, OwnedCall) {
        let mut shared = known.lock();
        let in_use = shared.subjects.iter().filter(|subject| subject.calls < CALLS).count() + shared.making;
        if in_use < AT_A_TIME || shared.subjects.is_empty() {
            (shared.begun, shared.making) = (shared.begun + 1, shared.making + 1);
            return (OWNED + shared.begun - 1, OwnedCall::Make);
        }
        let at = self.rng.random_range(0..shared.subjects.len());
        let subject = &mut shared.subjects[at];
        subject.calls += 1;
        let (number, roots, is_former) = (subject.number, subject.roots.clone(), subject.calls >= CALLS);
        if subject.calls == CALLS {
            return (number, OwnedCall::DeleteSubject);
        }
        if subject.calls >= CALLS + FORMER {
            shared.subjects.swap_remove(at);
        }
        drop(shared);
        (number, self.call(&roots, is_former))
    }

    fn call(&mut self, roots: &[(i64, u32)], is_former: bool) -> OwnedCall {
        let fresh = self.rng.random_ratio(1, 3);
        let root = (!roots.is_empty()).then(|| roots[self.rng.random_range(0..roots.len())]);
        // Few roots are pinned, so that the same ones are pinned and unpinned again.
        let first = roots.get(self.rng.random_range(0..6)).copied().or(root);
        let by_owner = self.rng.random_ratio(2, 3);
        match (self.rng.random_range(0..100), root, first) {
            (0..12, ..) if roots.len() < ROOTS => self.root(),
            (12..18, Some((comment, member)), _) => Self::remove_or_restore((comment, member), false),
            (18..26, Some((comment, member)), _) => Self::remove_or_restore((comment, member), true),
            (26..40, _, Some((comment, _))) => OwnedCall::Pin { comment, pinned: true, by_owner },
            (40..47, _, Some((comment, _))) => OwnedCall::Pin { comment, pinned: false, by_owner },
            (47..54, ..) => OwnedCall::SetState(self.state()),
            (54..55, ..) => OwnedCall::DeleteSubject,
            (55..58, ..) if !is_former => OwnedCall::UndeleteSubject,
            (58..66, ..) => OwnedCall::Subject { fresh },
            (66..74, Some((comment, _)), _) => OwnedCall::Get { comment, fresh },
            (_, None, _) => self.root(),
            _list => OwnedCall::List { fresh },
        }
    }

    /// Hides or deletes a root, or brings it back.
    fn remove_or_restore((comment, member): (i64, u32), back: bool) -> OwnedCall {
        match (is_moderated(comment), back) {
            (true, false) => OwnedCall::Hide { comment },
            (true, true) => OwnedCall::Unhide { comment },
            (false, false) => OwnedCall::Delete { comment, member },
            (false, true) => OwnedCall::Undelete { comment, member },
        }
    }

    /// Returns a state, in most cases the one in which everything is allowed.
    fn state(&mut self) -> OwnedState {
        if self.rng.random_ratio(3, 5) { OwnedState::Active } else { OwnedState::ALL[self.rng.random_range(1..3)] }
    }

    fn root(&mut self) -> OwnedCall {
        self.text_count += 1;
        OwnedCall::Root { member: OWNER + 1 + self.client, text: (u64::from(self.client) + 1) << 56 | self.text_count }
    }

    /// Records the effect of an operation.
    pub(super) fn record(op: &Op, (number, call): (u32, OwnedCall), known: &OwnedSubjects) {
        let mut shared = known.lock();
        if call == OwnedCall::Make {
            shared.making -= 1;
        }
        let Outcome::Owned(OwnedResponse::Written { comment, .. }) = op.outcome else { return };
        match call {
            OwnedCall::Make => shared.subjects.push(KnownSubject { number, calls: 0, roots: Vec::new() }),
            OwnedCall::Root { member, .. } => {
                let subject = shared.subjects.iter_mut().find(|subject| subject.number == number);
                if let Some(subject) = subject {
                    subject.roots.push((comment, member));
                }
            }
            OwnedCall::SetState(_)
            | OwnedCall::DeleteSubject
            | OwnedCall::UndeleteSubject
            | OwnedCall::Delete { .. }
            | OwnedCall::Undelete { .. }
            | OwnedCall::Hide { .. }
            | OwnedCall::Unhide { .. }
            | OwnedCall::Pin { .. }
            | OwnedCall::List { .. }
            | OwnedCall::Subject { .. }
            | OwnedCall::Get { .. } => {}
        }
    }
}
