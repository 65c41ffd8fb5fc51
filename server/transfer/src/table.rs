//! CSV files: those that are read row by row, and those whose rows are found by key.

use std::collections::HashMap;
use std::path::Path;

use ::csv::{Reader, ReaderBuilder, StringRecord};
use anyhow::{Result, anyhow, bail, ensure};

use super::counted::count;
use super::csv_input::CsvInput;
use super::detect::{self, KnownFile};
use super::excerpt::{VALUE_CHARS_MAX, excerpt};
use super::format::ImportFormat;
use super::input::{self, Input, OPEN_VALUE, SourcePosition, TOO_LONG};
use super::map::{CRLF, Dialect, Map};
use super::marks::NOT_UTF8;
use super::mysql_text::MysqlRows;
use super::template::Columns;

/// A CSV file that is read row by row, with its header.
#[derive(Debug)]
pub(crate) struct CsvRows {
    form: RowForm,
    name: String,
    header: StringRecord,
    /// The place of the last row that was read; its record is the number of rows.
    last: SourcePosition,
}

#[derive(Debug)]
enum RowForm {
    Csv(Box<Reader<CsvInput>>),
    Mysql(MysqlRows),
}

/// One row of a file.
#[derive(Debug, Clone)]
pub(crate) struct SourceRow {
    pub(crate) cells: StringRecord,
    pub(crate) place: SourcePosition,
    /// The fault for which the whole row is rejected.
    pub(crate) fault: Option<String>,
    /// The start of the source of a row whose cells cannot be read.
    pub(crate) raw: Option<String>,
    /// The source of cells that are no texts, by their column; such a cell is empty.
    pub(crate) objects: Vec<(usize, String)>,
}

/// A CSV file whose rows are found by key. Of several rows with the same key, the first counts. The
/// whole table is in memory.
#[derive(Debug)]
pub(crate) struct TableLookup {
    pub(crate) header: StringRecord,
    rows: HashMap<String, StringRecord>,
    /// The faults of rows that cannot be read, by their keys.
    faults: HashMap<String, String>,
    /// The fault of the first row that cannot be read and whose key is not known either.
    unknown_fault: Option<String>,
}

impl CsvRows {
    /// Opens a file in the form that the mapping file describes.
    ///
    /// # Errors
    /// The file cannot be read, is of another system, or has no header row.
    pub(crate) fn open(path: &Path, map: &Map) -> Result<Self> {
        let input = Input::open(path)?;
        if let Some(known) = KnownFile::of(input.head()) {
            bail!(detect::wrong_format(input.name(), known, ImportFormat::Csv));
        }
        let name = input.name().to_owned();
        let delimiter = map.delimiter.unwrap_or(if map.dialect == Dialect::Mysql { '\t' } else { ',' });
        let form = match map.dialect {
            Dialect::Mysql => RowForm::Mysql(MysqlRows::new(
                input,
                (delimiter, map.quote),
                map.header.len(),
                map.line_end.as_deref().map(|end| end == CRLF),
            )),
            Dialect::Csv => {
                let mut builder = ReaderBuilder::new();
                builder.has_headers(false).flexible(true).delimiter(ascii(delimiter));
                let escape = map.escape.map(ascii);
                builder.escape(escape).double_quote(escape.is_none());
                RowForm::Csv(Box::new(builder.from_reader(CsvInput::new(input, ascii(delimiter), escape))))
            }
        };
        let mut rows =
            Self { form, name, header: StringRecord::from(map.header.clone()), last: SourcePosition::default() };
        if map.header.is_empty() {
            rows.header = rows.read()?.map(|row| row.cells).unwrap_or_default();
            rows.last.record = 0;
        }
        if let (1, Some(cell)) = (rows.header.len(), rows.header.get(0))
            && let Some(other) = [';', '\t', '|'].into_iter().find(|other| cell.contains(*other))
        {
            bail!(
                "{}: its first line is one cell, \"{}\"; is the delimiter another one? Set delimiter = {:?} in the map",
                rows.name,
                excerpt(cell, VALUE_CHARS_MAX),
                other.to_string()
            );
        }
        ensure!(!rows.header.is_empty(), "{} is empty: a CSV file begins with the names of its columns", rows.name);
        Ok(rows)
    }

    /// Returns the names of the columns.
    pub(crate) fn header(&self) -> &StringRecord {
        &self.header
    }

    /// Returns the next row; `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, a row is too long or the file ends inside a value; the error names
    /// file and line.
    pub(crate) fn next(&mut self) -> Result<Option<SourceRow>> {
        let mut row = loop {
            let Some(row) = self.read()? else { return Ok(None) };
            // A line without anything is no row, as in the other dialect.
            if row.cells.len() > 1 || self.header.len() == 1 || row.cells.iter().any(|cell| !cell.is_empty()) {
                break row;
            }
        };
        let (cells, columns) = (row.cells.len(), self.header.len());
        if row.fault.is_some() {
            // It is too long, and has fewer cells therefore.
            row.raw = Some(self.raw());
        } else if row.cells.iter().any(|cell| cell.contains(NOT_UTF8)) {
            row.fault = Some("it is not UTF-8".to_owned());
        } else if cells != columns {
            let cells = count(u64::try_from(cells)?, "cell");
            row.fault = Some(format!("it has {cells}, but the header has {columns}"));
            row.raw = Some(self.raw());
        }
        Ok(Some(row))
    }

    /// Returns the start of the last row as it stands in the file; nothing of a table with
    /// passwords, which may stand anywhere in it.
    fn raw(&self) -> String {
        if self.header.iter().any(|name| name.to_ascii_lowercase().contains("password")) {
            return String::new();
        }
        let bytes = match &self.form {
            RowForm::Csv(reader) => reader.get_ref().row(),
            RowForm::Mysql(rows) => rows.row(),
        };
        let mut start = bytes.trim_ascii_end().to_vec();
        input::cut(&mut start);
        String::from_utf8_lossy(&start).into_owned()
    }

    fn read(&mut self) -> Result<Option<SourceRow>> {
        let mut cells = StringRecord::new();
        let mut is_cut = false;
        let (found, place) = match &mut self.form {
            RowForm::Csv(reader) => {
                let found = reader.read_record(&mut cells).map_err(|error| error_at(&self.name, reader, &error))?;
                if !found && reader.get_ref().is_open() {
                    return Err(reader.get_ref().input().error_at(self.last, OPEN_VALUE));
                }
                let end = reader.position().byte();
                reader.get_mut().end_record(end);
                let position = cells.position();
                let (line, byte) = position.map_or((0, 0), |position| (position.line(), position.byte()));
                (found, SourcePosition { record: 0, line, byte })
            }
            RowForm::Mysql(rows) => {
                let place = rows.next(&mut cells, &mut is_cut)?;
                (place.is_some(), place.unwrap_or_default())
            }
        };
        let place = SourcePosition { record: self.last.record + 1, ..place };
        self.last = place;
        let fault = is_cut.then(|| TOO_LONG.to_owned());
        Ok(found.then_some(SourceRow { cells, place, fault, raw: None, objects: Vec::new() }))
    }
}

fn error_at(name: &str, reader: &Reader<CsvInput>, error: &::csv::Error) -> anyhow::Error {
    let line = error.position().map_or_else(|| reader.position().line(), ::csv::Position::line);
    anyhow!("{name}:{line}: {error}")
}

impl TableLookup {
    /// Creates a table without rows.
    pub(crate) fn new(header: StringRecord) -> Self {
        Self { header, rows: HashMap::new(), faults: HashMap::new(), unknown_fault: None }
    }

    /// Adds a row unless there is one with this key.
    pub(crate) fn add(&mut self, key: String, row: StringRecord) {
        if !self.faults.contains_key(&key) {
            self.rows.entry(key).or_insert(row);
        }
    }

    /// Adds the fault of a row that cannot be read; its key is empty if it is not known.
    pub(crate) fn add_fault(&mut self, key: String, fault: String) {
        if key.is_empty() {
            self.unknown_fault.get_or_insert(fault);
        } else if !self.rows.contains_key(&key) {
            self.faults.entry(key).or_insert(fault);
        }
    }

    /// Returns the reason why it is not known what the row with this key says.
    pub(crate) fn fault(&self, key: &str) -> Option<String> {
        if key.is_empty() || self.rows.contains_key(key) && !self.faults.contains_key(key) {
            return None;
        }
        let named = self.faults.get(key).map(|fault| format!("cannot be read ({fault})"));
        named.or_else(|| Some(format!("may be one that cannot be read ({})", self.unknown_fault.as_ref()?)))
    }

    /// Returns the row with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&StringRecord> {
        self.rows.get(key)
    }

    /// Returns the columns of this table alone.
    pub(crate) fn columns(header: &StringRecord) -> Columns {
        let mut columns = Columns::default();
        columns.add("", header.clone());
        columns
    }
}

fn ascii(c: char) -> u8 {
    u8::try_from(c).unwrap_or(b',')
}
