//! CSV files with a mapping file: subjects, comments and likes from tables of any shape.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::group::EntrySink;
use super::input::base_name;
use super::map::{JoinedTable, Map};
use super::mapped::{CommentFields, Joins, RowReader, SubjectFields, TableFields};
use super::read_settings::ReadSettings;
use super::seen::SeenKeys;
use super::table::{CsvRows, TableLookup};

/// Reads all tables that the map names, each of them once, and then the comments, and passes their
/// records to `out`.
///
/// # Errors
/// A file or column is missing, or a file cannot be read (with file and line). A row that is not
/// UTF-8, has too many or too few cells or a cell that cannot be parsed is rejected instead.
pub(crate) fn read(files: &[PathBuf], map: &Map, settings: &ReadSettings, out: EntrySink<'_>) -> Result<()> {
    let files = InputFiles::sort(files, map)?;
    let mut tables = BTreeMap::new();
    for alias in map.tables.keys() {
        let mut rows = CsvRows::open(&files.table(map, alias)?, map)?;
        let mut lookup = TableLookup::new(rows.header().clone());
        let fields = TableFields::compile(alias, rows.header(), map)?;
        while let Some(row) = rows.next()? {
            fields.read(row, &mut lookup, (map, settings), out)?;
        }
        tables.insert(alias.clone(), lookup);
    }
    let mut seen = SeenKeys::default();
    files.main.iter().try_for_each(|main| read_comments(main, &tables, (map, settings), &mut seen, out))
}

/// The files of the command line: those that a table of the map names, and the others, which
/// contain the comments.
#[derive(Debug)]
struct InputFiles {
    main: Vec<PathBuf>,
    tables: Vec<PathBuf>,
}

impl InputFiles {
    fn sort(files: &[PathBuf], map: &Map) -> Result<Self> {
        let is_table = |path: &PathBuf| map.tables.values().any(|table| table.file == Some(base_name(path)));
        let (tables, main): (Vec<_>, Vec<_>) = files.iter().cloned().partition(is_table);
        if main.is_empty() {
            bail!("all the files given are tables of the map; give the file with the comments too");
        }
        Ok(Self { main, tables })
    }

    fn table(&self, map: &Map, alias: &str) -> Result<PathBuf> {
        let JoinedTable { file, .. } =
            map.tables.get(alias).with_context(|| format!("there is no [tables.{alias}]"))?;
        let file = file.as_deref().unwrap_or_default();
        let named = self.tables.iter().find(|path| base_name(path) == *file).cloned();
        let sibling = || self.main.first().and_then(|main| main.parent()).unwrap_or(Path::new("")).join(file);
        Ok(named.unwrap_or_else(sibling))
    }
}

fn read_comments(
    main: &Path,
    tables: &BTreeMap<String, TableLookup>,
    (map, settings): (&Map, &ReadSettings),
    seen: &mut SeenKeys,
    out: EntrySink<'_>,
) -> Result<()> {
    let mut rows = CsvRows::open(main, map)?;
    let header = rows.header().clone();
    let mut columns = TableLookup::columns(&header);
    let subject = map.subject.as_ref().filter(|subject| subject.table.is_none());
    let joins = Joins::compile(map, tables, &mut columns)?;
    let subject = subject.map(|subject| SubjectFields::compile(subject, &columns, map)).transpose()?;
    let comment = CommentFields::compile(map, &columns)?;
    while let Some(row) = rows.next()? {
        let joined = joins.join(&row.cells, tables, map);
        let is_broken = row.fault.is_some() || joined.fault.is_some();
        let reader = || RowReader::new(&joined, &header, map, &row);
        let Some(entry) = comment.entry(&mut reader(), None, settings) else { continue };
        if let Some(subject) = subject.as_ref().filter(|_| !is_broken && seen.add(entry.record.key())) {
            out(subject.entry(&mut reader(), settings))?;
        }
        out(entry)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
