//! An XML file whose records may be longer than the limit: of a longer one the texts are dropped
//! beyond it, and its tags remain, so that its end is found.

use std::io::{self, BufRead, Read};

use crate::input::{CUT_BYTES, Input, RECORD_BYTES_MAX};

/// A file that drops texts of records that are too long.
#[derive(Debug)]
pub(super) struct ClippedInput {
    input: Input,
    state: State,
    /// The bytes of the record that were read.
    length: usize,
    is_cut: bool,
}

/// The part of the markup after the bytes that have passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// After `<`: the bytes of the beginning of `![CDATA[` or `!--` that have passed.
    Begin {
        matched: usize,
    },
    Tag {
        quote: Option<u8>,
    },
    /// Inside CDATA: the closing brackets that have passed.
    Data {
        brackets: usize,
    },
    /// Inside a comment: the hyphens that have passed.
    Comment {
        hyphens: usize,
    },
}

/// The length after which texts are dropped, below the one at which the input gives up.
const LENGTH_MAX: usize = RECORD_BYTES_MAX - CUT_BYTES;
const DATA: &[u8] = b"![CDATA[";
const COMMENT: &[u8] = b"!--";

impl ClippedInput {
    pub(super) fn new(input: Input) -> Self {
        Self { input, state: State::Text, length: 0, is_cut: false }
    }

    pub(super) fn input(&self) -> &Input {
        &self.input
    }

    /// Marks the end of a record.
    pub(super) fn end_record(&mut self) {
        self.input.end_record();
        (self.length, self.is_cut) = (0, false);
    }

    /// Returns true if texts of the record were dropped.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Drops the text that follows and returns its length.
    fn drop_text(&mut self) -> io::Result<usize> {
        let state = self.state;
        let is_text = |byte: &&u8| match state {
            State::Text => **byte != b'<',
            State::Data { brackets: 0 } => **byte != b']',
            State::Data { .. } | State::Begin { .. } | State::Tag { .. } | State::Comment { .. } => false,
        };
        let length = self.input.fill_buf()?.iter().take_while(is_text).count();
        if length > 0 {
            self.input.consume(length);
            self.input.end_record();
        }
        Ok(length)
    }
}

impl State {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Text, b'<') => Self::Begin { matched: 0 },
            (Self::Text, _) | (Self::Tag { quote: None } | Self::Begin { .. }, b'>') => Self::Text,
            (Self::Begin { matched }, byte) => {
                let is_next = |opening: &[u8]| opening.get(matched) == Some(&byte);
                match (is_next(DATA), is_next(COMMENT)) {
                    (true, _) if matched + 1 == DATA.len() => Self::Data { brackets: 0 },
                    (_, true) if matched + 1 == COMMENT.len() => Self::Comment { hyphens: 0 },
                    (true, _) | (_, true) => Self::Begin { matched: matched + 1 },
                    (false, false) => Self::Tag { quote: None }.after(byte),
                }
            }
            (Self::Tag { quote: None }, b'"' | b'\'') => Self::Tag { quote: Some(byte) },
            (Self::Tag { quote: Some(open) }, byte) if open == byte => Self::Tag { quote: None },
            (Self::Tag { .. }, _) => self,
            (Self::Data { brackets }, b']') => Self::Data { brackets: brackets + 1 },
            (Self::Data { brackets: 2.. }, b'>') | (Self::Comment { hyphens: 2.. }, b'>') => Self::Text,
            (Self::Data { .. }, _) => Self::Data { brackets: 0 },
            (Self::Comment { hyphens }, b'-') => Self::Comment { hyphens: hyphens + 1 },
            (Self::Comment { .. }, _) => Self::Comment { hyphens: 0 },
        }
    }
}

impl Read for ClippedInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..length), available.get(..length)) {
            to.copy_from_slice(from);
        }
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for ClippedInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.length <= LENGTH_MAX {
            return self.input.fill_buf();
        }
        self.is_cut = true;
        while self.drop_text()? > 0 {}
        // Markup passes one byte at a time, so that its end is noticed.
        let available = self.input.fill_buf()?;
        Ok(available.get(..1).unwrap_or_default())
    }

    fn consume(&mut self, length: usize) {
        let consumed = self.input.head().get(..length).unwrap_or_default();
        self.state = consumed.iter().fold(self.state, |state, byte| state.after(*byte));
        self.length += length;
        self.input.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn clipped(text: String) -> String {
        let input = Input::from_reader(Cursor::new(text.into_bytes()), "x").unwrap();
        let mut clipped = ClippedInput::new(input);
        let mut out = String::new();
        clipped.read_to_string(&mut out).unwrap();
        out.replace(&"x".repeat(1000), "")
    }

    #[test]
    fn texts_beyond_the_limit_are_dropped_and_markup_stays() {
        let long = "x".repeat(2 * RECORD_BYTES_MAX);
        for (start, end) in [
            ("<a><b>", "</b><c d='>x'/>y<![CDATA[z]]></a>"),
            ("<a><![CDATA[", "]] > ] x]]></a>"),
            ("<a><!-- ' -->", "</a>"),
        ] {
            let text = clipped(format!("{start}{long}{end}"));
            assert!(text.starts_with(start) && text.ends_with("</a>"), "{text}");
            assert!(text.len() < 2000, "{} bytes are left", text.len());
        }
        assert!(clipped(format!("<a>{long}</a><b c='1'>&amp;</b>")).ends_with("</a><b c='1'></b>"));
    }
}
