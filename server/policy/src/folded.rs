//! The folded forms of a match copy, which undo disguises of letters: marks that no letter is
//! composed with, and confusable letters of another script.

use crate::characters::{CharClass, Form, Scripts};
use crate::match_copy::MatchCopy;
use crate::normalizer::{Normalizer, moved};
use crate::text_range::TextRange;
use std::ops::Range;
use unicode_script::Script;
use unicode_security::skeleton;

/// A copy in which each of several confusable letters is replaced by the same one: the skeletons
/// of UTS #39.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SkeletonCopy {
    pub(crate) copy: MatchCopy,
    /// The tokens that mix scripts, as code points of the copy. Only words in these are disguised.
    pub(crate) mixed: Vec<Range<u32>>,
}

/// A token of a copy: letters, marks and digits in a row.
struct Token {
    scripts: Scripts,
    /// The end of the token, as code points.
    end: usize,
}

impl Normalizer {
    /// Returns a copy in which Latin, Greek and Cyrillic letters have lost their marks. A letter
    /// with a composed form, as `ñ`, is one code point and stays.
    pub(crate) fn without_marks(&self, copy: &MatchCopy) -> MatchCopy {
        let (mut text, mut spans) = (String::with_capacity(copy.text.len()), Vec::<TextRange>::new());
        let mut base = Scripts::NONE;
        for (c, span) in copy.code_points() {
            let character = self.characters.get(c);
            match character.class {
                CharClass::Mark if base.drops_marks() => {
                    if let Some(last) = spans.last_mut() {
                        last.end = last.end.max(span.end);
                    }
                    continue;
                }
                CharClass::Mark => {}
                CharClass::Letter => base = character.scripts,
                CharClass::Digit | CharClass::Other => base = Scripts::NONE,
            }
            text.push(c);
            spans.push(span);
        }
        MatchCopy { text, spans: Some(spans), has_marks: false, is_mixed: copy.is_mixed }
    }

    /// Returns the skeleton of a match copy, and a second one if capital letters
    /// are confusable with others than their small forms, as the Cyrillic `В` and the Greek `Ν`.
    pub(crate) fn skeletons(&self, stored: &str, copy: &MatchCopy) -> Vec<SkeletonCopy> {
        let stored: Vec<char> = stored.chars().collect();
        let small = self.skeleton_by(copy, |c, _| self.skeleton(c));
        let capital = self.skeleton_by(copy, |c, span| {
            let own = stored.get(span.start as usize).filter(|own| span.code_points() == 1 && self.is_foreign(**own));
            let by_capital = own.map(|own| self.skeleton(*own).into_iter().flat_map(|c| self.skeleton(c)).collect());
            by_capital.filter(|new: &Vec<char>| new.iter().all(char::is_ascii)).unwrap_or_else(|| self.skeleton(c))
        });
        if capital == small { vec![small] } else { vec![small, capital] }
    }

    /// Returns `true` for a capital letter that is not Latin.
    fn is_foreign(&self, c: char) -> bool {
        let character = self.characters.get(c);
        character.form != Form::Single(0) && character.script != Script::Latin
    }

    /// Returns the skeleton of an entry.
    pub(crate) fn entry_skeleton(&self, copy: &MatchCopy) -> String {
        self.skeleton_by(copy, |c, _| self.skeleton(c)).copy.text
    }

    /// Returns `true` if letters of a copy are confusable with others.
    pub(crate) fn has_confusables(&self, copy: &MatchCopy) -> bool {
        copy.text.chars().any(|c| self.characters.get(c).scripts.has_confusables())
    }

    fn skeleton_by(&self, copy: &MatchCopy, skeleton: impl Fn(char, TextRange) -> Vec<char>) -> SkeletonCopy {
        let chars: Vec<(char, TextRange)> = copy.code_points().collect();
        let (mut text, mut spans, mut mixed) = (String::with_capacity(copy.text.len()), Vec::new(), Vec::new());
        let mut at = 0;
        while at < chars.len() {
            let token = self.token(&chars[at..]);
            let from = spans.len() as u32;
            for (c, span) in &chars[at..at + token.end] {
                let new = if token.scripts.has_confusables() { skeleton(*c, *span) } else { vec![*c] };
                spans.extend(new.iter().map(|_| *span));
                text.extend(new);
            }
            if token.scripts.is_mixed() {
                mixed.push(from..spans.len() as u32);
            }
            at += token.end;
        }
        SkeletonCopy { copy: MatchCopy { text, spans: Some(spans), has_marks: false, is_mixed: false }, mixed }
    }

    /// Returns the token at the beginning, or the single code point that belongs to none.
    fn token(&self, chars: &[(char, TextRange)]) -> Token {
        let mut scripts = Scripts::NONE;
        for (at, (c, _)) in chars.iter().enumerate() {
            let character = self.characters.get(*c);
            if character.class == CharClass::Other {
                return Token { scripts, end: at.max(1) };
            }
            let next = scripts.followed_by(character.scripts);
            let is_cut = at > 0 && scripts != Scripts::NONE && next.is_unspaced() != scripts.is_unspaced();
            if is_cut {
                return Token { scripts, end: at };
            }
            scripts = next;
        }
        Token { scripts, end: chars.len() }
    }

    /// Returns the skeleton of one code point, folded.
    fn skeleton(&self, c: char) -> Vec<char> {
        let mut folded = Vec::new();
        for c in skeleton(c.encode_utf8(&mut [0; 4])) {
            match self.characters.get(c).form {
                Form::Single(distance) => folded.push(moved(c, distance)),
                Form::Removed => {}
                Form::Sequence(number) | Form::Opens(number) | Form::Joins(number) => {
                    folded.extend_from_slice(self.characters.sequence(number));
                }
            }
        }
        folded
    }
}
