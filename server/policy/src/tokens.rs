//! The tokens of texts: what search finds, and what equal texts have in common.
//!
//! A run is a sequence of letters, marks and digits of the normalized text. It ends where a script
//! without spaces between words, such as Han, Kana, Hangul, Thai, Lao and Khmer, meets another
//! letter or a digit. Letters and marks of no script of their own, such as `ー`, belong to the run
//! around them.

use crate::characters::{CharClass, Character, Scripts};
use crate::normalizer::Normalizer;
use riposte_core::search::TextKey;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ops::Range;

/// The maximum number of code points of a token; what is longer is cut into several.
const MAX_TOKEN_CODE_POINTS: usize = 64;
/// The byte after each run under the hash. No run contains it, so that different sequences of runs
/// are different bytes.
const RUN_END: u8 = 0;

/// The way in which the words of a run are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunForm {
    /// The run is one word.
    Word,
    /// The run has words without spaces between them, so each part of it may be one.
    Unspaced,
}

/// A run of a text, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(crate) form: RunForm,
}

/// The runs of a text, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TokenRuns {
    /// The normalized text.
    text: String,
    /// The range of each run, in bytes.
    runs: Vec<(Range<usize>, RunForm)>,
}

impl Normalizer {
    /// Returns the terms under which a text is found in an index, each once: its tokens, and each
    /// code point and each pair of neighbours of a run without spaces. No term has white space.
    #[must_use]
    pub fn search_terms(&self, text: &str) -> BTreeSet<String> {
        let runs = self.token_runs(text);
        runs.tokens().flat_map(|token| token.code_points().chain(token.pairs())).map(str::to_owned).collect()
    }

    /// Returns the key that a text shares with all texts of the same runs in the same order: the
    /// first 16 bytes of the SHA-256 of the runs, each in UTF-8 and with a zero byte after it. A
    /// run without spaces is one run, and a long one is not cut. `None` for a text without runs.
    #[must_use]
    pub fn text_key(&self, text: &str) -> Option<TextKey> {
        let runs = self.token_runs(text);
        if runs.is_empty() {
            return None;
        }
        let mut hash = Sha256::new();
        for (range, _) in &runs.runs {
            hash.update(&runs.text[range.clone()]);
            hash.update([RUN_END]);
        }
        hash.finalize().first_chunk().copied().map(TextKey)
    }

    /// Returns the runs of a text.
    pub(crate) fn token_runs(&self, text: &str) -> TokenRuns {
        let text = self.match_copy(text).text;
        let mut runs: Vec<(Range<usize>, RunForm)> = Vec::new();
        // The start of the current run, and its form once a code point with a form is in it.
        let mut current: Option<(usize, Option<RunForm>)> = None;
        let mut end = |current: Option<(usize, Option<RunForm>)>, at: usize| {
            runs.extend(current.map(|(start, form)| (start..at, form.unwrap_or(RunForm::Word))));
        };
        for (at, c) in text.char_indices() {
            let character = self.characters.get(c);
            current = match (current, form_of(character)) {
                _ if character.class == CharClass::Other => {
                    end(current, at);
                    None
                }
                (None, form) => Some((at, form)),
                (Some((start, form)), None) => Some((start, form)),
                (Some((start, None)), form) => Some((start, form)),
                (Some((start, form)), own) if form == own => Some((start, form)),
                (Some(_), own) => {
                    end(current, at);
                    Some((at, own))
                }
            };
        }
        end(current, text.len());
        TokenRuns { text, runs }
    }
}

impl TokenRuns {
    /// Returns `true` if the text has no letter, mark or digit.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the tokens: whole runs of scripts without spaces, and parts of at most 64 code
    /// points of the others.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = Token<'_>> {
        self.runs.iter().flat_map(|(range, form)| Token { text: &self.text[range.clone()], form: *form }.cut())
    }
}

impl<'t> Token<'t> {
    /// Returns the parts of a run that are tokens.
    fn cut(self) -> impl Iterator<Item = Self> {
        let mut rest = self.text;
        std::iter::from_fn(move || {
            let end = match self.form {
                RunForm::Word => rest.char_indices().nth(MAX_TOKEN_CODE_POINTS).map_or(rest.len(), |(at, _)| at),
                RunForm::Unspaced => rest.len(),
            };
            let (text, after) = rest.split_at(end);
            rest = after;
            (!text.is_empty()).then_some(Self { text, form: self.form })
        })
    }

    /// Returns the token; each code point of one without spaces.
    pub(crate) fn code_points(self) -> impl Iterator<Item = &'t str> {
        let word = (self.form == RunForm::Word).then_some(self.text);
        word.into_iter().chain(self.windows(1))
    }

    /// Returns each pair of neighbours of a token without spaces; nothing of another one.
    pub(crate) fn pairs(self) -> impl Iterator<Item = &'t str> {
        self.windows(2)
    }

    /// Returns all parts of this number of code points of a token without spaces.
    fn windows(self, code_points: usize) -> impl Iterator<Item = &'t str> {
        let text = if self.form == RunForm::Unspaced { self.text } else { "" };
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).skip(code_points - 1);
        std::iter::zip(text.char_indices(), ends).map(move |((start, _), end)| &text[start..end])
    }
}

/// Returns the form that a letter, mark or digit gives its run; `None` if it takes that of the run.
fn form_of(character: Character) -> Option<RunForm> {
    let scripts = character.own_scripts();
    if scripts.is_unspaced() {
        Some(RunForm::Unspaced)
    } else if character.class == CharClass::Digit || scripts != Scripts::NONE {
        Some(RunForm::Word)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
