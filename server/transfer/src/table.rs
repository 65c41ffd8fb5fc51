//! CSV files: those that are read row by row, and those whose rows are found by key.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ::csv::{Reader, ReaderBuilder, StringRecord};
use anyhow::{Result, anyhow, bail};

use super::input::{self, Input, RecordMeter, base_name};
use super::map::Map;
use super::template::Columns;

/// A CSV file that is read row by row, with its header.
#[derive(Debug)]
pub(crate) struct CsvRows {
    reader: Reader<Input>,
    meter: RecordMeter,
    path: PathBuf,
    header: StringRecord,
}

/// A CSV file whose rows are found by key. Of several rows with the same key, the first counts. The
/// whole table is in memory.
#[derive(Debug)]
pub(crate) struct TableLookup {
    pub(crate) header: StringRecord,
    rows: HashMap<String, StringRecord>,
}

impl CsvRows {
    /// Opens a file with the delimiter and the escape character of the mapping file.
    ///
    /// # Errors
    /// The file cannot be read or has no header row.
    pub(crate) fn open(path: &Path, map: &Map) -> Result<Self> {
        let (input, meter) = input::open(path)?;
        let mut builder = ReaderBuilder::new();
        builder.delimiter(ascii(map.delimiter)).escape(map.escape.map(ascii)).double_quote(map.escape.is_none());
        let mut rows =
            Self { reader: builder.from_reader(input), meter, path: path.to_owned(), header: StringRecord::new() };
        rows.header = match rows.reader.headers() {
            Ok(header) => header.clone(),
            Err(error) => return Err(rows.error_at(&error)),
        };
        if rows.header.is_empty() {
            bail!("{} is empty: a CSV file begins with the names of its columns", rows.path.display());
        }
        Ok(rows)
    }

    /// Returns the names of the columns.
    pub(crate) fn header(&self) -> &StringRecord {
        &self.header
    }

    /// Returns the next row and the line on which the row starts; `None` at the end of the file.
    ///
    /// # Errors
    /// The row has too many or too few cells, is not UTF-8 or is too long; the error names file and
    /// line.
    pub(crate) fn next(&mut self) -> Result<Option<(StringRecord, u64)>> {
        let mut row = StringRecord::new();
        let found = self.reader.read_record(&mut row).map_err(|error| self.error_at(&error))?;
        self.meter.reset();
        let line = row.position().map_or(0, ::csv::Position::line);
        Ok(found.then_some((row, line)))
    }

    fn error_at(&self, error: &::csv::Error) -> anyhow::Error {
        let line = error.position().map_or_else(|| self.reader.position().line(), ::csv::Position::line);
        let name = base_name(&self.path);
        match error.kind() {
            ::csv::ErrorKind::Io(error) => anyhow!("{name}:{line}: {error}"),
            ::csv::ErrorKind::Utf8 { .. } => anyhow!("{name}:{line}: not UTF-8"),
            ::csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                anyhow!("{name}:{line}: {len} cells, but the header has {expected_len}")
            }
            ::csv::ErrorKind::Seek | ::csv::ErrorKind::Serialize(_) | ::csv::ErrorKind::Deserialize { .. } | _ => {
                anyhow!("{name}:{line}: {error}")
            }
        }
    }
}

impl TableLookup {
    /// Reads a whole file. `key` is a template over the columns of the file.
    ///
    /// # Errors
    /// Those of [`CsvRows::open`] and [`CsvRows::next`]; or `key` names an unknown column.
    pub(crate) fn load(path: &Path, key: &str, map: &Map) -> Result<Self> {
        let mut rows = CsvRows::open(path, map)?;
        let header = rows.header().clone();
        let mut columns = Columns::default();
        columns.add("", header.clone());
        let key = columns.compile(key)?;
        let mut by_key = HashMap::new();
        while let Some((row, _)) = rows.next()? {
            by_key.entry(key.fill(&[Some(&row)], &map.null)).or_insert(row);
        }
        Ok(Self { header, rows: by_key })
    }

    /// Returns the row with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&StringRecord> {
        self.rows.get(key)
    }
}

fn ascii(c: char) -> u8 {
    u8::try_from(c).unwrap_or(b',')
}
