//! Texts about which a service does not respond even if it is asked about one of them alone. Asked
//! again and again, such a text would delay all others, and its failures would open the breaker of
//! a service that responds about every other text. So it is asked about after the others, alone,
//! and after longer and longer pauses.

use std::collections::HashMap;

use riposte_core::CommentId;
use riposte_core::review::WaitingText;

/// The failures, with responses about other texts in between, after which a text is left to
/// moderators.
const ATTEMPTS: u8 = 3;
/// The longest pause, in passes.
const LONGEST_PAUSE: u64 = 32;
/// The maximum number of texts that are stored.
const STORED: usize = 10_000;

/// The texts about which a service did not respond, by the failures of each.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    texts: HashMap<(CommentId, WaitingText), Suspect>,
    pass: u64,
    /// The number of questions about other texts that had a response.
    responses: u64,
}

#[derive(Debug)]
struct Suspect {
    pause: u64,
    /// The pass in which it is asked about again.
    next: u64,
    /// The number of responses at the last failure.
    responses: u64,
    /// The failures after which the service responded about other texts.
    attempts: u8,
}

impl Suspects {
    /// Begins a pass.
    pub(super) const fn begin(&mut self) {
        self.pass += 1;
    }

    pub(super) fn has(&self, text: &(CommentId, WaitingText)) -> bool {
        self.texts.contains_key(text)
    }

    /// Returns `true` if a suspect is to be asked about in this pass.
    pub(super) fn is_next(&self, text: &(CommentId, WaitingText)) -> bool {
        self.texts.get(text).is_some_and(|suspect| suspect.next <= self.pass)
    }

    /// Counts a question that had a response. Its texts are suspects no more.
    pub(super) fn succeeded(&mut self, texts: &[(CommentId, WaitingText)]) {
        self.responses += 1;
        for text in texts {
            self.texts.remove(text);
        }
    }

    /// Counts a question about this text alone that had no response. Returns `true` if the service
    /// has responded about other texts after each of the last failures: then it is not away.
    pub(super) fn failed(&mut self, text: (CommentId, WaitingText)) -> bool {
        if self.texts.len() >= STORED && !self.has(&text) {
            return false;
        }
        let (pass, responses) = (self.pass, self.responses);
        let suspect = self.texts.entry(text).or_insert(Suspect { pause: 1, next: 0, responses, attempts: 0 });
        suspect.attempts += u8::from(suspect.responses < responses);
        suspect.responses = responses;
        suspect.next = pass + suspect.pause;
        suspect.pause = (suspect.pause * 2).min(LONGEST_PAUSE);
        let is_left = suspect.attempts >= ATTEMPTS;
        if is_left {
            self.texts.remove(&text);
        }
        is_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(id: i64) -> (CommentId, WaitingText) {
        (CommentId::new(id).unwrap(), WaitingText::Present)
    }

    #[test]
    fn a_text_is_in_questions_after_longer_and_longer_pauses() {
        let (mut suspects, mut passes) = (Suspects::default(), Vec::new());
        for pass in 1..=160 {
            suspects.begin();
            if pass == 1 || suspects.is_next(&text(7)) {
                assert!(!suspects.failed(text(7)), "in an outage nothing is left to moderators");
                passes.push(pass);
            }
        }
        assert_eq!(passes, [1, 2, 4, 8, 16, 32, 64, 96, 128, 160]);
    }

    #[test]
    fn a_text_alone_without_a_response_is_left_to_moderators_and_one_with_a_response_is_no_suspect() {
        let mut suspects = Suspects::default();
        for attempt in 0..=ATTEMPTS {
            assert_eq!(suspects.failed(text(7)), attempt == ATTEMPTS, "{attempt}");
            suspects.failed(text(8));
            suspects.succeeded(&[text(9), text(8)]);
            assert!(!suspects.has(&text(8)));
        }
        assert!(!suspects.has(&text(7)));
    }

    #[test]
    fn the_number_of_stored_texts_is_bounded() {
        let mut suspects = Suspects::default();
        for id in 1..=STORED as i64 + 9 {
            suspects.failed(text(id));
        }
        assert_eq!(suspects.texts.len(), STORED);
    }
}
