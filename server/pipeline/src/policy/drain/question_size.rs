//! The number of texts in one question of the drain. A service that answers about few texts within
//! its deadline may be too slow for many, so a question that fails is followed by a smaller one.

/// The texts of one question at most.
pub(super) const BATCH: usize = 64;
/// The failures in a row after which a pass asks no more. A pass that begins at the full size finds
/// the text that makes its questions fail.
pub(super) const TRIES: u32 = 7;
/// The questions in a row that succeed at a size before a greater one is tried. Failures are then
/// too few to open the breaker of a service.
const STEADY: u32 = 16;

/// The size of the next question about texts of one type.
#[derive(Debug)]
pub(super) struct QuestionSize {
    size: usize,
    /// Succeeded at this size so far, in a row.
    successes: u32,
    /// Failed in this pass so far, in a row.
    failures: u32,
}

impl Default for QuestionSize {
    fn default() -> Self {
        Self { size: BATCH, successes: 0, failures: 0 }
    }
}

impl QuestionSize {
    /// Begins a pass.
    pub(super) const fn begin(&mut self) {
        self.failures = 0;
    }

    /// The number of texts to ask about; `None` once the pass asks no more.
    pub(super) fn size(&self) -> Option<usize> {
        (self.failures < TRIES).then_some(self.size)
    }

    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
        self.successes += 1;
        if self.successes >= STEADY {
            (self.size, self.successes) = ((self.size * 2).min(BATCH), 0);
        }
    }

    /// A failure about a single text is followed by a question about many: it may be the only one
    /// that fails, and must not stop the others.
    pub(super) const fn failed(&mut self) {
        self.size = if self.size == 1 { BATCH } else { self.size / 2 };
        (self.successes, self.failures) = (0, self.failures + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::{BATCH, QuestionSize, STEADY};

    /// Asks about all `texts` of a service that answers about at most `most` at a time, in passes.
    /// Returns the numbers of passes and of questions that fail.
    fn drained(mut texts: usize, most: usize) -> (usize, usize) {
        let (mut question_size, mut passes, mut failures) = (QuestionSize::default(), 0, 0);
        while texts > 0 {
            question_size.begin();
            passes += 1;
            while let Some(size) = question_size.size().filter(|_| texts > 0) {
                if size.min(texts) > most {
                    failures += 1;
                    question_size.failed();
                } else {
                    texts = texts.saturating_sub(size);
                    question_size.succeeded();
                }
            }
        }
        (passes, failures)
    }

    #[test]
    fn a_service_that_is_slow_for_many_texts_is_asked_about_few() {
        assert_eq!(drained(18_000, BATCH), (1, 0));
        for most in [1, 2, 5, 16, 40] {
            let (passes, failures) = drained(18_000, most);
            assert!(passes <= 3, "{most}: {passes} passes");
            let questions = 18_000 / most;
            assert!(failures * STEADY as usize <= questions * 2 + 64, "{most}: {failures} failures");
        }
    }

    #[test]
    fn a_pass_ends_after_failures_in_a_row_and_every_size_is_tried() {
        let (mut question_size, mut sizes) = (QuestionSize::default(), Vec::new());
        for _ in 0..2 {
            question_size.begin();
            while let Some(size) = question_size.size() {
                sizes.push(size);
                question_size.failed();
            }
        }
        assert_eq!(sizes, [64, 32, 16, 8, 4, 2, 1, 64, 32, 16, 8, 4, 2, 1]);
    }
}
