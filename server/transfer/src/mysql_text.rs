//! The text dumps of MySQL: `SELECT … INTO OUTFILE` with its default options, and `mysql --batch`.
//!
//! A backslash escapes the character after it, line ends included; `\N` alone is no value, and so
//! is the word NULL of `--batch` if the map lists it.
//!
//! MySQL escapes only the first character of a line end. With `LINES TERMINATED BY '\r\n'` a row
//! ends at a `\r\n` whose `\r` is not escaped, and a `\n` alone belongs to a value.

use std::io::BufRead;

use ::csv::StringRecord;
use anyhow::{Result, anyhow};

use super::input::{Input, OPEN_VALUE, SourcePosition};

/// A dump that is read row by row.
#[derive(Debug)]
pub(crate) struct MysqlRows {
    input: Input,
    form: RowForm,
    line: Vec<u8>,
}

/// The characters that separate and enclose cells, and the line end of rows.
#[derive(Debug, Clone, Copy)]
struct RowForm {
    delimiter: u8,
    quote: Option<u8>,
    /// True if `\r\n` ends a row and `\n` does not.
    has_crlf: bool,
}

impl MysqlRows {
    /// Creates a reader of rows whose cells are separated by `delimiter` and may be enclosed in
    /// `quote`. `columns` is the number of cells of each row; 0 if the first row says it.
    /// `has_crlf` says whether `\r\n` ends rows; without it the start of the file shows it.
    pub(crate) fn new(
        input: Input,
        (delimiter, quote): (char, Option<char>),
        columns: usize,
        has_crlf: Option<bool>,
    ) -> Self {
        let byte = |c| u8::try_from(c).unwrap_or(b'\t');
        let form = RowForm { delimiter: byte(delimiter), quote: quote.map(byte), has_crlf: true };
        let form = RowForm { has_crlf: has_crlf.unwrap_or_else(|| form.is_crlf(input.head(), columns)), ..form };
        Self { input, form, line: Vec::new() }
    }

    /// Returns the last row as it stands in the file.
    pub(crate) fn row(&self) -> &[u8] {
        &self.line
    }

    /// Reads one row into `cells` and returns its place; `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, the row is too long or the file ends inside a value; the error
    /// names file and place.
    /// Of a row that is too long only the start is in `cells`, and `is_cut` becomes true.
    pub(crate) fn next(&mut self, cells: &mut StringRecord, is_cut: &mut bool) -> Result<Option<SourcePosition>> {
        let place = self.input.place();
        self.line.clear();
        let mut scan = RowScan { at_start: true, ..RowScan::default() };
        loop {
            let piece = match self.input.fill_buf() {
                Ok(piece) => piece,
                Err(error) => return Err(anyhow!("{}: {place}: {error}", self.input.name())),
            };
            let end = memchr::memchr(b'\n', piece);
            let piece = end.map_or(piece, |end| piece.get(..=end).unwrap_or_default());
            let is_end = scan.ends_row(piece, self.form);
            if piece.is_empty() && self.line.is_empty() {
                return Ok(None);
            }
            if piece.is_empty() && (scan.is_quoted || scan.is_escaped) {
                return Err(self.input.error_at(place, OPEN_VALUE));
            }
            if piece.is_empty() {
                break;
            }
            self.input.read_piece(&mut self.line, is_cut)?;
            if *is_cut && scan.is_quoted {
                return Err(self.input.error_at(place, "a value is longer than 16 MiB; is its quote left open?"));
            }
            if is_end {
                break;
            }
        }
        self.input.end_record();
        split(self.form.without_end(&self.line), self.form, cells);
        Ok(Some(place))
    }
}

impl RowForm {
    /// Returns true if the rows at the start of a file end with `\r\n`: as many of them have the
    /// expected number of cells as if `\n` ended them. `columns` is that number; 0 if the first row
    /// says it.
    fn is_crlf(self, head: &[u8], columns: usize) -> bool {
        let [crlf, lf] = [true, false].map(|has_crlf| Self { has_crlf, ..self }.sound_rows(head, columns));
        crlf > 0 && crlf >= lf
    }

    /// Counts the complete rows at the start of a file that have the expected number of cells.
    fn sound_rows(self, head: &[u8], columns: usize) -> usize {
        let (mut columns, mut rest, mut sound) = (columns, head, 0);
        while let Some(row) = self.first_row(rest) {
            let mut cells = StringRecord::new();
            split(self.without_end(row), self, &mut cells);
            // The names of columns have no line ends.
            if columns == 0 && memchr::memchr_iter(b'\n', row).count() > 1 {
                return 0;
            }
            if columns == 0 {
                columns = cells.len();
            }
            sound += usize::from(cells.len() == columns);
            rest = rest.get(row.len()..).unwrap_or_default();
        }
        sound
    }

    /// Returns a row without the end of its line.
    fn without_end(self, line: &[u8]) -> &[u8] {
        let end: &[u8] = if self.has_crlf { b"\r\n" } else { b"\n" };
        line.strip_suffix(end).unwrap_or(line)
    }

    /// Returns the first row with its end; `None` if it is not complete.
    fn first_row(self, bytes: &[u8]) -> Option<&[u8]> {
        let mut scan = RowScan { at_start: true, ..RowScan::default() };
        let mut end = 0;
        while let Some(length) = memchr::memchr(b'\n', bytes.get(end..)?) {
            let line = bytes.get(end..=end + length)?;
            end += line.len();
            if scan.ends_row(line, self) {
                return bytes.get(..end);
            }
        }
        None
    }
}

/// The state at the end of what was read of a row.
#[derive(Debug, Default)]
struct RowScan {
    is_escaped: bool,
    is_quoted: bool,
    at_start: bool,
    last: LastByte,
}

/// The last byte of what was read, as far as it matters for the end of a row.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LastByte {
    #[default]
    Other,
    Cr,
    EscapedCr,
}

impl RowScan {
    /// Returns true if the next line of the row ends at a line end that is neither escaped nor
    /// enclosed. The line end after an escaped `\r` is that of a value.
    fn ends_row(&mut self, line: &[u8], form: RowForm) -> bool {
        for byte in line {
            let is_start = std::mem::replace(&mut self.at_start, false);
            let last = match *byte {
                b'\r' if self.is_escaped => LastByte::EscapedCr,
                b'\r' => LastByte::Cr,
                _ => LastByte::Other,
            };
            let before = std::mem::replace(&mut self.last, last);
            let ends_row = if form.has_crlf { before == LastByte::Cr } else { before != LastByte::EscapedCr };
            match *byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'\n' if !self.is_quoted && ends_row => return true,
                byte if Some(byte) == form.quote && (self.is_quoted || is_start) => self.is_quoted = !self.is_quoted,
                byte if byte == form.delimiter && !self.is_quoted => self.at_start = true,
                _ => {}
            }
        }
        false
    }
}

fn split(row: &[u8], form: RowForm, cells: &mut StringRecord) {
    let RowForm { delimiter, quote, .. } = form;
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
        let mut reader = MysqlRows::new(input, (delimiter, quote), 0, None);
        let mut rows = Vec::new();
        loop {
            let mut cells = StringRecord::new();
            let Some(place) = reader.next(&mut cells, &mut false).unwrap() else { return rows };
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
        let found = rows("1\t\\N\r\n2\tx\\\\\r\n3\ty\r\n", '\t', None);
        let cells: Vec<&str> = found.iter().map(|(_, cells)| cells[1].as_str()).collect();
        assert_eq!(cells, ["", "x\\", "y"]);
    }

    #[test]
    fn a_line_end_inside_of_a_value_is_kept_whatever_ends_the_rows() {
        let windows = "id\ttext\r\n1\ta\\\r\nb\nc\r\n2\td\n\r\n3\te\\\r\r\n";
        let unix = "id\ttext\n1\ta\\\r\\\nb\\\nc\n2\td\\\n\n3\te\\\r\n\n";
        for (text, last) in [(windows, "e\r"), (unix, "e\r\n")] {
            let cells: Vec<_> = rows(text, '\t', None).into_iter().map(|(_, cells)| cells[1].clone()).collect();
            assert_eq!(cells, ["text", "a\r\nb\nc", "d\n", last]);
        }
    }

    #[test]
    fn a_value_that_ends_with_a_carriage_return_keeps_it_and_makes_no_file_of_windows() {
        for text in ["1\ta\r\n2\tb\n3\tc\r\n", "1\ta\n2\tb\r\n3\tc\n"] {
            let cells: String = rows(text, '\t', None).into_iter().map(|(_, cells)| cells[1].clone()).collect();
            assert_eq!(cells, text.replace(['1', '2', '3', '\t', '\n'], ""), "{text:?}");
        }
    }

    #[test]
    fn a_row_that_is_broken_changes_no_line_end() {
        for broken in ["garbage\r\n", "\r\n", "9\tx\ty\r\n"] {
            for text in [
                format!("id\ttext\r\n1\ta\nb\r\n2\tc\nd\r\n{broken}"),
                format!("0\tz\r\n{broken}1\ta\nb\r\n2\tc\nd\r\n"),
            ] {
                let found = rows(&text, '\t', None);
                let values: Vec<&str> =
                    found.iter().filter(|(_, cells)| cells.len() == 2).map(|(_, cells)| cells[1].as_str()).collect();
                assert!(values.ends_with(&["a\nb", "c\nd"]), "{text:?}: {found:?}");
            }
        }
    }

    #[test]
    fn a_dump_that_ends_inside_a_value_is_refused_with_its_place() {
        for text in ["1,a\n2,\"b\nc", "1,a\n2,b\\"] {
            let input = Input::from_reader(Cursor::new(text.as_bytes().to_vec()), "x").unwrap();
            let mut reader = MysqlRows::new(input, (',', Some('"')), 0, None);
            let mut cells = StringRecord::new();
            assert!(reader.next(&mut cells, &mut false).unwrap().is_some());
            let error = reader.next(&mut cells, &mut false).unwrap_err().to_string();
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
