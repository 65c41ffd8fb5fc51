//! CSV files: those that are read row by row, and those whose rows are found by key.

use std::collections::HashMap;
use std::path::Path;

use ::csv::{Reader, ReaderBuilder, StringRecord};
use anyhow::{Result, anyhow, bail, ensure};

use super::counted::count;
use super::csv_input::CsvInput;
use super::detect::{self, KnownFile};
use super::format::ImportFormat;
use super::input::{Input, NOT_UTF8, OPEN_VALUE, SourcePosition};
use super::map::{Dialect, Map};
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
}

/// A CSV file whose rows are found by key. Of several rows with the same key, the first counts. The
/// whole table is in memory.
#[derive(Debug)]
pub(crate) struct TableLookup {
    pub(crate) header: StringRecord,
    rows: HashMap<String, StringRecord>,
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
            Dialect::Mysql => RowForm::Mysql(MysqlRows::new(input, delimiter, map.quote)),
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
                "{}: its first line is one cell, {cell:?}; is the delimiter another one? Set delimiter = {:?} in the map",
                rows.name,
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
        let Some(mut row) = self.read()? else { return Ok(None) };
        let (cells, columns) = (row.cells.len(), self.header.len());
        if row.cells.iter().any(|cell| cell.contains(NOT_UTF8)) {
            row.fault = Some("it is not UTF-8".to_owned());
        } else if cells != columns {
            let cells = count(u64::try_from(cells)?, "cell");
            row.fault = Some(format!("it has {cells}, but the header has {columns}"));
        }
        Ok(Some(row))
    }

    fn read(&mut self) -> Result<Option<SourceRow>> {
        let mut cells = StringRecord::new();
        let (found, place) = match &mut self.form {
            RowForm::Csv(reader) => {
                let found = reader.read_record(&mut cells).map_err(|error| error_at(&self.name, reader, &error))?;
                if !found && reader.get_ref().is_open() {
                    return Err(reader.get_ref().input().error_at(self.last, OPEN_VALUE));
                }
                reader.get_mut().end_record();
                let position = cells.position();
                let (line, byte) = position.map_or((0, 0), |position| (position.line(), position.byte()));
                (found, SourcePosition { record: 0, line, byte })
            }
            RowForm::Mysql(rows) => {
                let place = rows.next(&mut cells)?;
                (place.is_some(), place.unwrap_or_default())
            }
        };
        let place = SourcePosition { record: self.last.record + 1, ..place };
        self.last = place;
        Ok(found.then_some(SourceRow { cells, place, fault: None }))
    }
}

fn error_at(name: &str, reader: &Reader<CsvInput>, error: &::csv::Error) -> anyhow::Error {
    let line = error.position().map_or_else(|| reader.position().line(), ::csv::Position::line);
    anyhow!("{name}:{line}: {error}")
}

impl TableLookup {
    /// Creates a table without rows.
    pub(crate) fn new(header: StringRecord) -> Self {
        Self { header, rows: HashMap::new() }
    }

    /// Adds a row unless there is one with this key.
    pub(crate) fn add(&mut self, key: String, row: StringRecord) {
        self.rows.entry(key).or_insert(row);
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
