//! The time up to which a subscriber has received every event.

use riposte_core::Millis;
use riposte_core::feed::EventPosition;

/// The last sequence number of a source at a time: every commit before that time has at most this
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeadMark {
    pub(super) head: i64,
    pub(super) time: Millis,
}

/// The progress of a subscriber in all sources.
#[derive(Debug)]
pub(super) struct FeedProgress(Vec<SourceProgress>);

#[derive(Debug, Clone, Copy, Default)]
struct SourceProgress {
    /// The mark that the subscriber has to pass.
    mark: Option<HeadMark>,
    /// The time of the last mark that it has passed.
    passed: Option<Millis>,
}

impl FeedProgress {
    /// Creates the progress in a number of sources, without any mark.
    pub(super) fn new(sources: usize) -> Self {
        Self(vec![SourceProgress::default(); sources])
    }

    /// Records the positions of the subscriber. `mark` returns the present mark of a source.
    pub(super) fn update(&mut self, positions: &[EventPosition], mark: impl Fn(usize) -> Option<HeadMark>) {
        for ((source, progress), position) in self.0.iter_mut().enumerate().zip(positions) {
            // A mark stays until it is passed: under load the present one is always ahead.
            progress.mark = progress.mark.or_else(|| mark(source));
            if let Some(passed) = progress.mark.filter(|mark| EventPosition::after(mark.head) <= *position) {
                progress.passed = progress.passed.max(Some(passed.time));
                progress.mark = None;
            }
        }
    }

    /// Returns the time before which every event was received; `None` if it is not known for all
    /// sources.
    pub(super) fn time(&self) -> Option<Millis> {
        // None is less than every time.
        self.0.iter().map(|progress| progress.passed).min().flatten()
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::Millis;
    use riposte_core::feed::EventPosition;

    use super::{FeedProgress, HeadMark};

    #[test]
    fn the_time_is_that_of_the_last_mark_that_all_sources_have_passed() {
        let mut progress = FeedProgress::new(2);
        let mark = |head, time| Some(HeadMark { head, time: Millis(time) });
        let mut at = |numbers: [i64; 2], marks: [Option<HeadMark>; 2]| {
            progress.update(&numbers.map(EventPosition::after), |source| marks[source]);
            progress.time()
        };
        assert_eq!(at([7, 3], [mark(7, 100), None]), None, "the second source is not observed");
        assert_eq!(at([7, 3], [mark(7, 200), mark(4, 150)]), None, "the second source has not passed its mark");
        assert_eq!(at([7, 3], [mark(9, 300), mark(9, 300)]), None, "the mark stays until it is passed");
        assert_eq!(at([8, 4], [mark(9, 400), mark(9, 400)]), Some(Millis(150)));
        assert_eq!(at([9, 4], [None, mark(9, 500)]), Some(Millis(150)), "the slowest source decides");
        assert_eq!(at([9, 9], [None, None]), Some(Millis(300)));
    }
}
