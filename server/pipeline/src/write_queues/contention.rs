//! The subjects whose rows other transactions held, as far as this process has noticed.

use std::collections::HashMap;
use std::time::Duration;

use riposte_core::SubjectKey;
use tokio::time::Instant;

/// The time for which a subject that another transaction held counts as contended.
const MEMORY: Duration = Duration::from_secs(1);
/// The pause before the first attempt to commit a contended subject without a wait.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// The longest such pause. It is shorter than [`MEMORY`], so that a subject stays contended.
const MAX_PAUSE: Duration = Duration::from_millis(640);

/// The subjects that other transactions held recently. Transactions of other processes that happen
/// to need the same subject are over in milliseconds; a subject is contended only if it was held
/// twice within [`MEMORY`], or for so long.
#[derive(Debug, Default)]
pub(super) struct Contention {
    subjects: HashMap<SubjectKey, HeldSubject>,
    /// The time at which expired subjects were last removed.
    cleaned: Option<Instant>,
}

#[derive(Debug)]
struct HeldSubject {
    /// The last time at which the subject was found held.
    last: Instant,
    contended: bool,
    /// The pause before its next attempt without a wait. It doubles with each hold.
    pause: Duration,
}

impl Contention {
    /// Records that a batch, which was taken from its queue at `taken`, found a subject held.
    /// Returns true if the subject is contended.
    pub(super) fn record_hold(&mut self, subject: &SubjectKey, taken: Instant, now: Instant) -> bool {
        if self.cleaned.is_none_or(|cleaned| now - cleaned >= MEMORY) {
            self.subjects.retain(|_, held| taken < held.last + MEMORY);
            self.cleaned = Some(now);
        }
        let before = self.subjects.get(subject);
        let contended = now - taken >= MEMORY || before.is_some_and(|held| taken < held.last + MEMORY);
        let pause = before.map_or(FIRST_PAUSE, |held| (held.pause * 2).min(MAX_PAUSE));
        self.subjects.insert(subject.clone(), HeldSubject { last: now, contended, pause });
        contended
    }

    /// Returns the time of the next attempt to commit a subject without a wait; `None` if no hold
    /// of it is stored. The time may have passed.
    pub(super) fn next_attempt(&self, subject: &SubjectKey) -> Option<Instant> {
        self.subjects.get(subject).map(|held| held.last + held.pause)
    }

    /// Returns whether a subject is contended.
    pub(super) fn is_contended(&self, subject: &SubjectKey, now: Instant) -> bool {
        self.subjects.get(subject).is_some_and(|held| held.contended && now - held.last < MEMORY)
    }

    /// Returns true if no hold is stored; expired ones are removed at the next hold.
    pub(super) fn is_empty(&self) -> bool {
        self.subjects.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use riposte_core::SubjectKey;
    use tokio::time::Instant;

    use super::{Contention, MEMORY};

    #[test]
    fn a_subject_is_contended_from_its_second_hold_until_a_second_after_its_last() {
        let (mut contention, start) = (Contention::default(), Instant::now());
        let subject = SubjectKey::stored("article".into(), "1".into());
        let at = |millis| start + Duration::from_millis(millis);
        assert!(!contention.record_hold(&subject, at(0), at(0)));
        assert!(!contention.is_contended(&subject, at(1)), "one transaction held it");
        assert!(contention.record_hold(&subject, at(899), at(900)));
        assert!(contention.is_contended(&subject, at(1_899)));
        assert!(!contention.is_contended(&subject, at(900) + MEMORY));
        assert!(!contention.record_hold(&subject, at(1_900), at(1_901)), "the earlier holds have expired");
        let other = SubjectKey::stored("article".into(), "2".into());
        assert!(!contention.record_hold(&other, at(4_000), at(4_001)));
        assert!(contention.record_hold(&other, at(6_000), at(7_000)), "a batch waited for it for a second");
        assert_eq!(contention.subjects.len(), 1, "expired subjects take no memory");
    }

    #[test]
    fn the_pauses_between_attempts_double_up_to_a_limit() {
        let (mut contention, start) = (Contention::default(), Instant::now());
        let subject = SubjectKey::stored("article".into(), "1".into());
        assert_eq!(contention.next_attempt(&subject), None);
        let (mut now, mut pauses) = (start, Vec::new());
        for _ in 0..8 {
            contention.record_hold(&subject, now, now);
            let next = contention.next_attempt(&subject).expect("it was held");
            pauses.push((next - now).as_millis());
            now = next;
        }
        assert_eq!(pauses, [20, 40, 80, 160, 320, 640, 640, 640]);
        assert!(contention.is_contended(&subject, now));
    }
}
