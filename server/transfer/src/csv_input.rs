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
    /// The bytes that the parser has got since the end of the row before the last one.
    passed: Vec<u8>,
    /// The offset of its first byte.
    start: u64,
    /// The size of the last row in it.
    row_bytes: usize,
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
        let (passed, start, row_bytes) = (Vec::new(), 0, 0);
        Self { input, delimiter, escape, state: CellState::Start, passed, start, row_bytes }
    }

    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// Marks the end of a record at this offset in what the parser has got.
    pub(crate) fn end_record(&mut self, end: u64) {
        self.input.end_record();
        self.passed.drain(..self.row_bytes);
        self.start += u64::try_from(self.row_bytes).unwrap_or_default();
        let row_bytes = usize::try_from(end.saturating_sub(self.start)).unwrap_or_default();
        self.row_bytes = row_bytes.min(self.passed.len());
    }

    /// Returns the last row as it stands in the file.
    pub(crate) fn row(&self) -> &[u8] {
        self.passed.get(..self.row_bytes).unwrap_or_default()
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
        let bytes = buffer.get(..read).unwrap_or_default();
        self.passed.extend_from_slice(bytes);
        for byte in bytes {
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
