//! The quotes of a CSV file, followed as it passes: the parser takes an open one at the end of the
//! file for a closed one, so that a file that is cut off would import a shorter text.

use std::io::{self, Read};

use super::input::Input;

const QUOTE: u8 = b'"';

/// A CSV file that knows whether it ends inside quotes.
#[derive(Debug)]
pub(crate) struct CsvInput {
    input: Input,
    delimiter: u8,
    /// Escapes a quote inside quotes; without it a doubled quote does.
    escape: Option<u8>,
    state: CellState,
}

/// The state of a cell after the bytes that have passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellState {
    Start,
    Plain,
    Quoted,
    Escaped,
    /// After a quote inside quotes.
    Closed,
}

impl CsvInput {
    pub(crate) fn new(input: Input, delimiter: u8, escape: Option<u8>) -> Self {
        Self { input, delimiter, escape, state: CellState::Start }
    }

    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// Marks the end of a record.
    pub(crate) fn end_record(&mut self) {
        self.input.end_record();
    }

    /// Returns true if what was read ends inside quotes.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, CellState::Quoted | CellState::Escaped)
    }

    fn after(&self, byte: u8) -> CellState {
        match (self.state, byte) {
            (CellState::Quoted, QUOTE) => CellState::Closed,
            (CellState::Quoted, byte) if Some(byte) == self.escape => CellState::Escaped,
            (CellState::Quoted | CellState::Escaped, _) | (CellState::Start, QUOTE) => CellState::Quoted,
            (CellState::Closed, QUOTE) if self.escape.is_none() => CellState::Quoted,
            (_, b'\n' | b'\r') => CellState::Start,
            (_, byte) if byte == self.delimiter => CellState::Start,
            (CellState::Start | CellState::Plain | CellState::Closed, _) => CellState::Plain,
        }
    }
}

impl Read for CsvInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        for byte in buffer.get(..read).unwrap_or_default() {
            self.state = self.after(*byte);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn is_open(text: &str, escape: Option<u8>) -> bool {
        let input = Input::from_reader(Cursor::new(text.as_bytes().to_vec()), "x").unwrap();
        let mut input = CsvInput::new(input, b',', escape);
        io::copy(&mut input, &mut io::sink()).unwrap();
        input.is_open()
    }

    #[test]
    fn quotes_are_open_until_one_that_is_neither_doubled_nor_escaped() {
        for text in ["", "a,b", "a\"b", "a,\"b\"", "\"a\"\"b\"\n", "\"a\n\"\r\n", "\"a\"b\"", "\"a\", \"b"] {
            assert!(!is_open(text, None), "{text}");
        }
        for text in ["\"", "a,\"b", "\"a\"\"", "\"a\"\n\"b,\n", "\"a\",\"b\"\",\"\""] {
            assert!(is_open(text, None), "{text}");
        }
        assert!(is_open("\"a\\\"", Some(b'\\')) && is_open("\"a\\", Some(b'\\')));
        assert!(!is_open("\"a\\\"\"", Some(b'\\')) && !is_open("\"a\"\"", Some(b'\\')));
    }
}
