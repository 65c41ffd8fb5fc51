//! Rows of any shape as subjects, comments and likes, by a mapping file: what CSV and JSON share.

mod fields;
mod likes;
mod value;

use std::collections::BTreeMap;

use ::csv::StringRecord;
use anyhow::{Context, Result};

pub(crate) use self::fields::{CommentFields, Enclosing, SubjectFields};
pub(crate) use self::likes::LikeFields;
pub(crate) use self::value::RowReader;
use super::group::EntrySink;
use super::map::Map;
use super::read_settings::ReadSettings;
use super::table::{SourceRow, TableLookup};
use super::template::{Columns, Template};

/// The compiled use of one additional table: each of its rows may be joined to comments, be a
/// subject, and be a vote.
#[derive(Debug)]
pub(crate) struct TableFields {
    header: StringRecord,
    key: Option<Template>,
    subject: Option<SubjectFields>,
    like: Option<LikeFields>,
}

impl TableFields {
    /// Compiles what the map says about a table with these columns.
    ///
    /// # Errors
    /// The map names an unknown column.
    pub(crate) fn compile(alias: &str, header: &StringRecord, map: &Map) -> Result<Self> {
        let columns = TableLookup::columns(header);
        let key = map.tables.get(alias).and_then(|table| table.key.as_deref());
        let key = key.map(|key| columns.compile(key)).transpose();
        let key = key.with_context(|| format!("in [tables.{alias}] of the mapping file"))?;
        let subject = map.subject.as_ref().filter(|subject| subject.table.as_deref() == Some(alias));
        let like = map.like.as_ref().filter(|like| like.table == alias);
        Ok(Self {
            header: header.clone(),
            key,
            subject: subject.map(|subject| SubjectFields::compile(subject, &columns, map)).transpose()?,
            like: like.map(|like| LikeFields::compile(like, &columns, map)).transpose()?,
        })
    }

    /// Passes the records of one row to `out`, and adds the row to `lookup` if comments join it.
    ///
    /// # Errors
    /// That of `out`.
    pub(crate) fn read(
        &self,
        row: SourceRow,
        lookup: &mut TableLookup,
        (map, settings): (&Map, &ReadSettings),
        out: EntrySink<'_>,
    ) -> Result<()> {
        let alone = JoinedRow { rows: vec![Some(&row.cells)], fault: None };
        let reader = || RowReader::new(&alone, &self.header, map, &row);
        if let Some(subject) = &self.subject {
            out(subject.entry(&mut reader(), settings))?;
        }
        if let Some(like) = &self.like {
            out(like.entry(&mut reader(), settings))?;
        }
        if let Some(key) = &self.key {
            let key = key.fill(&alone.rows, &map.null);
            match row.fault.as_ref().filter(|_| row.raw.is_some()) {
                // A value that is no row belongs to no author.
                Some(fault) if fault.as_str() == NO_OBJECT => {}
                Some(fault) => lookup.add_fault(key, format!("{}: {fault}", row.place)),
                None => lookup.add(key, row.cells),
            }
        }
        Ok(())
    }
}

/// The fault of a value of JSON in place of a row.
pub(crate) const NO_OBJECT: &str = "it is no object";

/// A row with the rows that are joined to it.
#[derive(Debug)]
pub(crate) struct JoinedRow<'a> {
    pub(crate) rows: Vec<Option<&'a StringRecord>>,
    /// The fault of a row that is, or may be, joined to it.
    pub(crate) fault: Option<String>,
}

/// The tables that are joined to the rows of the comments, in the order of their aliases.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    joins: Vec<(Template, String)>,
}

impl Joins {
    /// Compiles the joins of a map, and adds the columns of each table to `columns`.
    ///
    /// # Errors
    /// The map names an unknown column.
    pub(crate) fn compile(map: &Map, tables: &BTreeMap<String, TableLookup>, columns: &mut Columns) -> Result<Self> {
        let mut joins = Vec::new();
        for (alias, table) in &map.tables {
            let (Some(on), Some(lookup)) = (&table.on, tables.get(alias)) else { continue };
            let on = columns.compile(on).with_context(|| format!("in [tables.{alias}] of the mapping file"))?;
            columns.add(alias, lookup.header.clone());
            joins.push((on, alias.clone()));
        }
        Ok(Self { joins })
    }

    /// Returns a row with the rows that are joined to it.
    pub(crate) fn join<'a>(
        &self,
        row: &'a StringRecord,
        tables: &'a BTreeMap<String, TableLookup>,
        map: &Map,
    ) -> JoinedRow<'a> {
        let mut joined = JoinedRow { rows: vec![Some(row)], fault: None };
        for (on, alias) in &self.joins {
            let key = on.fill(&joined.rows, &map.null);
            let table = tables.get(alias);
            if let Some(fault) = table.and_then(|table| table.fault(&key)) {
                joined.fault.get_or_insert_with(|| format!("its row of [tables.{alias}] {fault}"));
            }
            joined.rows.push(table.and_then(|table| table.get(&key)));
        }
        joined
    }
}
