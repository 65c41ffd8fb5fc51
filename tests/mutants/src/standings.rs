//! The mutants of standings.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use riposte_core::object_type::ObjectType;
use riposte_core::ports::Standings;
use riposte_core::standing::StandingInForce;
use riposte_core::{MemberId, Millis};

use crate::mutant::Mutant;

/// Standings with a mutant.
#[derive(Debug)]
pub(crate) struct MutantStandings {
    inner: Arc<dyn Standings>,
    mutant: Mutant,
    /// The standing that each member had at its first write.
    first: Mutex<HashMap<(ObjectType, MemberId), Option<StandingInForce>>>,
    /// The present standing of each member, with the time of the first write that met it.
    met: Mutex<HashMap<(ObjectType, MemberId), (StandingInForce, Millis)>>,
}

/// The time in milliseconds after which a standing is lost.
const LOST_AFTER: i64 = 5_000;

impl MutantStandings {
    pub(crate) fn new(inner: Arc<dyn Standings>, mutant: Mutant) -> Self {
        Self { inner, mutant, first: Mutex::default(), met: Mutex::default() }
    }

    /// Returns a standing until some time after it was met first.
    fn until_lost(
        &self,
        (object_type, member): (&ObjectType, &MemberId),
        present: StandingInForce,
        now: Millis,
    ) -> Option<StandingInForce> {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let first = met.entry((object_type.clone(), member.clone())).or_insert((present, now));
        if first.0 != present {
            *first = (present, now);
        }
        (now.0 < first.1.0 + LOST_AFTER).then_some(present)
    }
}

impl Standings for MutantStandings {
    fn of(&self, object_type: &ObjectType, member: &MemberId, now: Millis) -> Option<StandingInForce> {
        if self.mutant == Mutant::StandingNeverEnds {
            return self.inner.of(object_type, member, Millis(0));
        }
        let present = self.inner.of(object_type, member, now);
        if self.mutant == Mutant::StandingLost {
            return present.and_then(|present| self.until_lost((object_type, member), present, now));
        }
        if self.mutant != Mutant::StandingsNeverReloaded {
            return present;
        }
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        *first.entry((object_type.clone(), member.clone())).or_insert(present)
    }

    fn was_set(&self) {
        self.inner.was_set();
    }
}
