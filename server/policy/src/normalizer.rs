//! The normalisation of texts and entries: `NFKC_Casefold` with the digits of all scripts as ASCII.

use crate::characters::{CharClass, Character, Characters, Form, Scripts};
use crate::match_copy::MatchCopy;
use crate::text_range::TextRange;
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// Makes the match copy in which the words of a text are found. It has a table of all code points,
/// so a process makes one and shares it.
pub struct Normalizer {
    pub(crate) characters: Characters,
}

impl fmt::Debug for Normalizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Normalizer").finish_non_exhaustive()
    }
}

impl Default for Normalizer {
    fn default() -> Self {
        Self { characters: Characters::new() }
    }
}

impl Normalizer {
    /// Returns the match copy for a text.
    #[must_use]
    pub fn match_copy(&self, text: &str) -> MatchCopy {
        if text.is_ascii() {
            // No mark, no letter or digit of another script, nothing to remove.
            let text = text.to_ascii_lowercase();
            return MatchCopy { text, spans: None, has_marks: false, is_mixed: false };
        }
        let mut writer = Writer {
            characters: &self.characters,
            stored: text,
            text: String::with_capacity(text.len()),
            written: 0,
            copied: 0,
            spans: None,
            token: Scripts::NONE,
            base: Scripts::NONE,
            has_marks: false,
            is_mixed: false,
        };
        writer.write();
        let Writer { mut text, spans, has_marks, is_mixed, .. } = writer;
        // The capitals of runs that were copied as they are.
        text.make_ascii_lowercase();
        MatchCopy { text, spans, has_marks, is_mixed }
    }
}

/// The source of the last code points that were written: a mark that follows is composed with them.
#[derive(Debug, Clone, Copy, Default)]
struct SourceUnit {
    /// The index of its first code point in the stored text, and its position in bytes.
    source: u32,
    byte: usize,
    /// The state of the copy before the unit.
    written: u32,
    text_bytes: usize,
}

struct Writer<'w> {
    characters: &'w Characters,
    stored: &'w str,
    /// The copy, up to the byte `copied` of the stored text. From there on both are equal.
    text: String,
    copied: usize,
    /// The number of code points of the copy.
    written: u32,
    spans: Option<Vec<TextRange>>,
    /// The scripts of the current token, and of the letter that a mark would belong to.
    token: Scripts,
    base: Scripts,
    has_marks: bool,
    is_mixed: bool,
}

impl Writer<'_> {
    fn write(&mut self) {
        let mut unit = SourceUnit::default();
        let (mut source, mut byte) = (0, 0);
        let mut chars = self.stored.chars();
        while let Some(c) = chars.next() {
            if c.is_ascii() {
                let run = ascii_run(&self.stored[byte..]);
                self.ascii(run, source);
                (source, byte) = (source + run.len() as u32, byte + run.len());
                chars = self.stored[byte..].chars();
                unit = self.unit_before(source - 1, byte, 1);
                continue;
            }
            let character = self.characters.get(c);
            if character.is_plain_letter() {
                let run = self.characters.plain_letters(&self.stored[byte..], character.scripts);
                let last = source + run.code_points - 1;
                self.letters(character.scripts, run.code_points, source);
                (source, byte) = (last + 1, byte + run.bytes);
                chars = self.stored[byte..].chars();
                unit = self.unit_before(last, byte, run.last_bytes);
                continue;
            }
            let here = self.unit(source, byte);
            let next = byte + c.len_utf8();
            let span = TextRange { start: source, end: source + 1 };
            match character.form {
                Form::Single(0) => {
                    unit = here;
                    self.count(character, span);
                }
                Form::Single(distance) => {
                    unit = here;
                    self.flush(byte, next);
                    self.push(moved(c, distance), span);
                }
                Form::Removed => {
                    self.flush(byte, next);
                    self.keep_spans();
                }
                Form::Sequence(number) => {
                    unit = here;
                    self.flush(byte, next);
                    self.keep_spans();
                    self.characters.sequence(number).iter().for_each(|c| self.push(*c, span));
                }
                Form::Opens(_) | Form::Joins(_) => {
                    if matches!(character.form, Form::Opens(_)) {
                        unit = here;
                    }
                    (source, byte) = self.cluster(unit, byte);
                    chars = self.stored[byte..].chars();
                    continue;
                }
            }
            (source, byte) = (source + 1, next);
        }
        self.flush(byte, byte);
    }

    /// Returns the unit that begins at a code point of the stored text behind all that is written.
    fn unit(&self, source: u32, byte: usize) -> SourceUnit {
        SourceUnit { source, byte, written: self.written, text_bytes: self.text.len() + (byte - self.copied) }
    }

    /// Returns the unit of the unchanged code point of this index and size that ends at a byte.
    fn unit_before(&self, source: u32, end: usize, bytes: usize) -> SourceUnit {
        let unit = self.unit(source, end - bytes);
        SourceUnit { written: unit.written - 1, ..unit }
    }

    /// Counts code points that are copied as they are.
    fn unchanged(&mut self, code_points: u32, source: u32) {
        self.written += code_points;
        if let Some(spans) = &mut self.spans {
            spans.extend((source..source + code_points).map(|at| TextRange { start: at, end: at + 1 }));
        }
    }

    /// Counts a run of letters of the same scripts, which is copied as it is.
    fn letters(&mut self, scripts: Scripts, code_points: u32, source: u32) {
        self.unchanged(code_points, source);
        self.base = scripts;
        self.token = self.token.followed_by(scripts);
        self.is_mixed |= self.token.is_mixed();
    }

    /// Counts a run of ASCII, which is copied as it is. Only the tokens at its ends meet others.
    fn ascii(&mut self, run: &str, source: u32) {
        self.unchanged(run.len() as u32, source);
        let is_of_token = u8::is_ascii_alphanumeric;
        let first = run.bytes().take_while(is_of_token);
        if first.clone().any(|byte| byte.is_ascii_alphabetic()) {
            self.token = self.token.followed_by(Scripts::LATIN);
            self.is_mixed |= self.token.is_mixed();
        }
        let last = run.bytes().rev().take_while(is_of_token);
        if first.count() < run.len() {
            let is_letter = last.clone().any(|byte| byte.is_ascii_alphabetic());
            self.token = if is_letter { Scripts::LATIN } else { Scripts::NONE };
        }
        let is_letter = run.bytes().next_back().is_some_and(|byte| byte.is_ascii_alphabetic());
        self.base = if is_letter { Scripts::LATIN } else { Scripts::NONE };
    }

    /// Writes the unit before the mark at `mark`, composed with all marks that follow, and returns
    /// the place behind them. Each code point of the cluster has the range of all of it.
    fn cluster(&mut self, unit: SourceUnit, mark: usize) -> (u32, usize) {
        self.flush(mark, mark);
        self.keep_spans();
        self.text.truncate(unit.text_bytes);
        self.written = unit.written;
        if let Some(spans) = &mut self.spans {
            spans.truncate(unit.written as usize);
        }
        let mut mapped: Vec<char> = Vec::new();
        let (mut end, mut byte) = (unit.source, unit.byte);
        for (index, (at, c)) in (unit.source..).zip(self.stored[unit.byte..].char_indices()) {
            match self.characters.get(c).form {
                Form::Removed => continue,
                Form::Single(_) | Form::Sequence(_) | Form::Opens(_) if index > unit.source => break,
                Form::Single(distance) => mapped.push(moved(c, distance)),
                Form::Sequence(number) | Form::Opens(number) | Form::Joins(number) => {
                    mapped.extend_from_slice(self.characters.sequence(number));
                }
            }
            (end, byte) = (index + 1, unit.byte + at + c.len_utf8());
        }
        self.copied = byte;
        let span = TextRange { start: unit.source, end };
        for c in mapped.into_iter().nfc() {
            self.push(c, span);
        }
        (end, byte)
    }

    /// Writes a code point that the stored text does not have there.
    fn push(&mut self, c: char, span: TextRange) {
        self.text.push(c);
        self.count(self.characters.get(c), span);
    }

    /// Counts a code point of the copy.
    fn count(&mut self, character: Character, span: TextRange) {
        self.written += 1;
        if let Some(spans) = &mut self.spans {
            spans.push(span);
        }
        match character.class {
            CharClass::Letter => {
                self.base = character.scripts;
                if character.scripts != self.token {
                    self.token = self.token.followed_by(character.scripts);
                    self.is_mixed |= self.token.is_mixed();
                }
            }
            CharClass::Mark => self.has_marks |= self.base.drops_marks(),
            CharClass::Digit => self.base = Scripts::NONE,
            CharClass::Other => (self.token, self.base) = (Scripts::NONE, Scripts::NONE),
        }
    }

    /// Writes what is unchanged up to `end`; the copy goes on at `next`.
    fn flush(&mut self, end: usize, next: usize) {
        self.text.push_str(&self.stored[self.copied..end]);
        self.copied = next;
    }

    /// Records the ranges from now on: the indices of the copy and of the stored text differ.
    fn keep_spans(&mut self) {
        if self.spans.is_none() {
            self.spans = Some((0..self.written).map(|at| TextRange { start: at, end: at + 1 }).collect());
        }
    }
}

/// Returns the ASCII at the beginning of a text.
fn ascii_run(text: &str) -> &str {
    let end = text.bytes().position(|byte| !byte.is_ascii()).unwrap_or(text.len());
    &text[..end]
}

/// Returns the code point at a distance of the table.
pub(crate) fn moved(c: char, distance: u32) -> char {
    // The table has distances between code points only.
    char::from_u32(u32::from(c).wrapping_add(distance)).unwrap_or(c)
}

#[cfg(test)]
mod tests;
