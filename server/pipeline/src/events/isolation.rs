//! The isolation of an event that a consumer cannot apply. A batch that fails is repeated in halves
//! until the commit that fails is alone; everything before it is applied meanwhile.

/// The number of times that a commit must fail alone until it is reported. Fewer failures are
/// common while a database is unavailable for a short time.
const MAX_FAILURES: u32 = 3;

/// The state of the search for an event that fails.
#[derive(Debug, Default)]
pub(super) struct EventIsolation {
    /// The number of commits in the next batch; `None` while nothing fails.
    limit: Option<usize>,
    /// The last sequence number of the largest batch that failed.
    until: i64,
    /// The commit that failed alone, and the number of its consecutive failures.
    alone: Option<(i64, u32)>,
}

impl EventIsolation {
    /// Returns the number of commits in the next batch of a consumer that takes up to `batch`.
    pub(super) fn limit(&self, batch: usize) -> usize {
        self.limit.map_or(batch, |limit| limit.min(batch)).max(1)
    }

    /// Records the failure of a batch from one sequence number to another. Returns `true` if it is
    /// a single commit that has now failed often enough to be reported.
    pub(super) fn failed(&mut self, first: i64, last: i64) -> bool {
        self.until = self.until.max(last);
        let commits = usize::try_from(last - first + 1).unwrap_or(1);
        self.limit = Some((commits / 2).max(1));
        if commits > 1 {
            return false;
        }
        let failures = self.alone.filter(|(number, _)| *number == first).map_or(0, |(_, failures)| failures) + 1;
        self.alone = Some((first, failures));
        failures == MAX_FAILURES
    }

    /// Returns `true` while batches are repeated in parts.
    pub(super) fn is_searching(&self) -> bool {
        self.limit.is_some()
    }

    /// Records that everything up to a sequence number is applied. Returns the commit that had been
    /// reported, if it is applied now.
    pub(super) fn applied(&mut self, to: i64) -> Option<i64> {
        if to >= self.until {
            self.limit = None;
        }
        let (number, failures) = self.alone.take_if(|(number, _)| *number <= to)?;
        (failures >= MAX_FAILURES).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::EventIsolation;

    /// Runs batches of up to `batch` commits from 1 to `head`, of which `poison` fails, until it is
    /// reported. Returns the last number applied and the number of batches.
    fn isolate(batch: usize, head: i64, poison: i64) -> (i64, usize) {
        let (mut isolation, mut at) = (EventIsolation::default(), 0);
        for batches in 1.. {
            let last = head.min(at + isolation.limit(batch) as i64);
            let fails = (at + 1..=last).contains(&poison);
            if fails && isolation.failed(at + 1, last) {
                assert_eq!((at + 1, last), (poison, poison), "it is alone");
                return (at, batches);
            }
            if !fails {
                at = last;
                assert_eq!(isolation.applied(at), None, "no commit was reported yet");
            }
        }
        unreachable!("the loop ends at the event that fails")
    }

    #[test]
    fn an_event_that_fails_is_reported_when_all_earlier_events_are_applied() {
        for poison in 1..=100 {
            let (applied, batches) = isolate(50, 100, poison);
            assert_eq!(applied, poison - 1);
            assert!(batches <= 20, "{batches} batches for {poison}");
        }
    }

    #[test]
    fn batches_have_their_full_size_again_after_the_failing_event() {
        let mut isolation = EventIsolation::default();
        assert!(!isolation.failed(1, 50));
        assert_eq!(isolation.limit(50), 25);
        assert!(!isolation.failed(1, 25));
        assert_eq!((isolation.limit(50), isolation.applied(12), isolation.limit(50)), (12, None, 12));
        assert_eq!((isolation.applied(50), isolation.limit(50)), (None, 50));
    }

    #[test]
    fn an_event_that_failed_is_reported_when_it_is_applied() {
        let mut isolation = EventIsolation::default();
        assert_eq!([7; 4].map(|number| isolation.failed(number, number)), [false, false, true, false]);
        assert_eq!([isolation.applied(6), isolation.applied(7), isolation.applied(8)], [None, Some(7), None]);
    }
}
