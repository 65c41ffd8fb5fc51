//! The text dumps of MySQL: `SELECT … INTO OUTFILE` with its default options, and `mysql --batch`.
//!
//! A backslash escapes the character after it, line ends included; `\N` alone is no value, and so
//! is the word NULL of `--batch` if the map lists it.

use std::io::BufRead;

use ::csv::StringRecord;
use anyhow::{Result, anyhow};

use super::input::{Input, OPEN_VALUE, SourcePosition};

/// A dump that is read row by row.
#[derive(Debug)]
pub(crate) struct MysqlRows {
    input: Input,
    delimiter: u8,
    quote: Option<u8>,
    line: Vec<u8>,
}

impl MysqlRows {
    /// Creates a reader of rows whose cells are separated by `delimiter` and may be enclosed in
    /// `quote`.
    pub(crate) fn new(input: Input, delimiter: char, quote: Option<char>) -> Self {
        let byte = |c| u8::try_from(c).unwrap_or(b'\t');
        Self { input, delimiter: byte(delimiter), quote: quote.map(byte), line: Vec::new() }
    }

    /// Reads one row into `cells` and returns its place; `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, the row is too long or the file ends inside a value; the error
    /// names file and place.
    pub(crate) fn next(&mut self, cells: &mut StringRecord) -> Result<Option<SourcePosition>> {
        let place = self.input.place();
        self.line.clear();
        let mut scan = RowScan { at_start: true, ..RowScan::default() };
        loop {
            let scanned = self.line.len();
            let read = self.input.read_until(b'\n', &mut self.line);
            let read = read.map_err(|error| anyhow!("{}: {place}: {error}", self.input.name()))?;
            if read == 0 && self.line.is_empty() {
                return Ok(None);
            }
            if read == 0 && (scan.is_quoted || scan.is_escaped) {
                return Err(self.input.error_at(place, OPEN_VALUE));
            }
            let line = self.line.get(scanned..).unwrap_or_default();
            if read == 0 || scan.ends_row(line, self.delimiter, self.quote) {
                break;
            }
        }
        self.input.end_record();
        split(strip_line_end(&self.line), self.delimiter, self.quote, cells);
        Ok(Some(place))
    }
}

/// The state at the end of what was read of a row.
#[derive(Debug, Default)]
struct RowScan {
    is_escaped: bool,
    is_quoted: bool,
    at_start: bool,
}

impl RowScan {
    /// Returns true if the next line of the row ends at a line end that is neither escaped nor
    /// enclosed.
    fn ends_row(&mut self, line: &[u8], delimiter: u8, quote: Option<u8>) -> bool {
        for byte in line {
            let is_start = std::mem::replace(&mut self.at_start, false);
            match *byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'\n' if !self.is_quoted => return true,
                byte if Some(byte) == quote && (self.is_quoted || is_start) => self.is_quoted = !self.is_quoted,
                byte if byte == delimiter && !self.is_quoted => self.at_start = true,
                _ => {}
            }
        }
        false
    }
}

/// Returns a row without the end of its line, which is `\r\n` in files of Windows. An escaped `\r`
/// belongs to the last cell.
fn strip_line_end(line: &[u8]) -> &[u8] {
    let Some(row) = line.strip_suffix(b"\n") else { return line };
    let without = row.strip_suffix(b"\r").unwrap_or(row);
    let escapes = without.iter().rev().take_while(|byte| **byte == b'\\').count();
    if escapes % 2 == 0 { without } else { row }
}

fn split(row: &[u8], delimiter: u8, quote: Option<u8>, cells: &mut StringRecord) {
    let mut cell = Cell::default();
    let mut bytes = row.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(escaped) => cell.push_escaped(escaped),
                None => cell.push(b'\\'),
            },
            byte if Some(byte) == quote && cell.is_quoted => {
                // A doubled quote inside quotes is one.
                if bytes.next_if_eq(&byte).is_some() {
                    cell.push(byte);
                } else {
                    cell.is_quoted = false;
                }
            }
            byte if Some(byte) == quote && cell.is_untouched() => {
                cell.is_quoted = true;
                cell.was_quoted = true;
            }
            byte if byte == delimiter && !cell.is_quoted => std::mem::take(&mut cell).end(cells),
            byte => cell.push(byte),
        }
    }
    cell.end(cells);
}

#[derive(Debug, Default)]
struct Cell {
    bytes: Vec<u8>,
    is_quoted: bool,
    was_quoted: bool,
    is_null: bool,
}

impl Cell {
    fn is_untouched(&self) -> bool {
        self.bytes.is_empty() && !self.was_quoted
    }

    fn push(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn push_escaped(&mut self, byte: u8) {
        self.is_null = byte == b'N' && self.is_untouched();
        self.bytes.push(match byte {
            b'0' => 0,
            b'b' => 8,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'Z' => 0x1a,
            other => other,
        });
    }

    fn end(self, cells: &mut StringRecord) {
        let is_null = self.is_null && self.bytes == b"N";
        let text = if is_null { String::new() } else { String::from_utf8_lossy(&self.bytes).into_owned() };
        cells.push_field(&text);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn rows(text: &str, delimiter: char, quote: Option<char>) -> Vec<(u64, Vec<String>)> {
        let input = Input::from_reader(Cursor::new(text.as_bytes().to_vec()), "x").unwrap();
        let mut reader = MysqlRows::new(input, delimiter, quote);
        let mut rows = Vec::new();
        loop {
            let mut cells = StringRecord::new();
            let Some(place) = reader.next(&mut cells).unwrap() else { return rows };
            rows.push((place.line, cells.iter().map(str::to_owned).collect()));
        }
    }

    #[test]
    fn escapes_of_an_outfile_become_their_characters() {
        let text = "1\t\\N\tline\\\none\\\ttab\\\\\n2\tback\\\\N\t\\0\\n\\Z.\n\t\t\\N!";
        let expected =
            [(1, vec!["1", "", "line\none\ttab\\"]), (3, vec!["2", "back\\N", "\0\n\u{1a}."]), (4, vec!["", "", "N!"])];
        let found = rows(text, '\t', None);
        let found: Vec<_> =
            found.iter().map(|(line, cells)| (*line, cells.iter().map(String::as_str).collect())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn line_ends_of_windows_are_no_part_of_the_last_cell() {
        let found = rows("1\t\\N\r\n2\tx\\\\\r\n3\ty\\\r\n", '\t', None);
        let cells: Vec<&str> = found.iter().map(|(_, cells)| cells[1].as_str()).collect();
        assert_eq!(cells, ["", "x\\", "y\r"]);
    }

    #[test]
    fn a_dump_that_ends_inside_a_value_is_refused_with_its_place() {
        for text in ["1,a\n2,\"b\nc", "1,a\n2,b\\"] {
            let input = Input::from_reader(Cursor::new(text.as_bytes().to_vec()), "x").unwrap();
            let mut reader = MysqlRows::new(input, ',', Some('"'));
            let mut cells = StringRecord::new();
            assert!(reader.next(&mut cells).unwrap().is_some());
            let error = reader.next(&mut cells).unwrap_err().to_string();
            assert!(error.starts_with("x: line 2, byte 4: ") && error.contains("cut off"), "{error}");
        }
    }

    #[test]
    fn enclosed_cells_keep_delimiters_quotes_and_line_ends() {
        let found = rows("1,\"a,\nb\\\"c\"\"d\",\\N\n\"\",x\"y,z\n", ',', Some('"'));
        assert_eq!(
            found,
            [
                (1, vec!["1".to_owned(), "a,\nb\"c\"d".to_owned(), String::new()]),
                (3, vec![String::new(), "x\"y".to_owned(), "z".to_owned()]),
            ]
        );
    }
}
