//! One value of a row: the filled template, its replacement by the map, and its conversion to a
//! type.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ::csv::StringRecord;
use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::de::value::{Error as Mismatch, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

use super::JoinedRow;
use crate::addresses::without_addresses;
use crate::group::GroupEntry;
use crate::map::{Field, FieldTable, Map};
use crate::not_utf8;
use crate::page::PageNames;
use crate::read_settings::ReadSettings;
use crate::record::{Key, Problem, Record};
use crate::table::SourceRow;
use crate::template::{Columns, Row, Template};
use crate::time::TimeReader;

/// The format of a value that is the address of a page.
const PAGE: &str = "page";

/// A value that is ready to be filled from rows.
#[derive(Debug)]
pub(super) struct Value {
    template: Template,
    replacements: BTreeMap<String, String>,
    default: Option<String>,
    time: TimeReader,
    is_page: bool,
}

/// Compiles the fields of one section against its available columns.
#[derive(Debug)]
pub(super) struct Compiler<'a> {
    pub(super) columns: &'a Columns,
    pub(super) map: &'a Map,
}

/// A row whose values are being read; it keeps the first problem.
#[derive(Debug)]
pub(crate) struct RowReader<'a> {
    row: &'a Row<'a>,
    header: &'a StringRecord,
    null_cells: &'a [String],
    source: &'a SourceRow,
    /// The names of the columns with e-mail addresses.
    secret_names: &'a [String],
    /// The fault of a row that is joined to it.
    join_fault: Option<&'a str>,
    problem: Option<Problem>,
}

impl Compiler<'_> {
    pub(super) fn value(&self, field: &Field) -> Result<Value> {
        let FieldTable { value, map, default, format } = &field.0;
        // The address of a page is no time.
        let format = format.as_deref().filter(|format| *format != PAGE).unwrap_or(&self.map.time_format);
        Ok(Value {
            template: self.columns.compile(value)?,
            replacements: map.clone(),
            default: default.clone(),
            time: TimeReader::new(format, &self.map.timezone)?,
            is_page: false,
        })
    }

    /// Compiles the object id of a subject, which may be the address of a page.
    pub(super) fn page(&self, field: &Field) -> Result<Value> {
        let is_page = field.0.format.as_deref() == Some(PAGE);
        Ok(Value { is_page, ..self.value(field)? })
    }

    pub(super) fn optional(&self, field: Option<&Field>) -> Result<Option<Value>> {
        field.map(|field| self.value(field)).transpose()
    }

    pub(super) fn named(&self, fields: &BTreeMap<String, Field>) -> Result<Vec<(String, Value)>> {
        let compile = |(name, field): (&String, &Field)| {
            let value = self.value(field).with_context(|| format!("in metadata.{name}"))?;
            Ok((name.clone(), value))
        };
        fields.iter().map(compile).collect()
    }
}

impl<'a> RowReader<'a> {
    /// Creates a reader of a row whose own cells have the names of `header`.
    pub(crate) fn new(
        joined: &'a JoinedRow<'a>,
        header: &'a StringRecord,
        map: &'a Map,
        source: &'a SourceRow,
    ) -> Self {
        let JoinedRow { rows, fault } = joined;
        let (null_cells, join_fault) = (map.null.as_slice(), fault.as_deref());
        let secret_names = map.secret_names.as_slice();
        let mut reader = Self { row: rows, header, null_cells, source, secret_names, join_fault, problem: None };
        if let Some(fault) = source.fault.as_deref().or(join_fault) {
            reader.report_problem("RECORD_INVALID", fault);
        }
        reader
    }

    /// Returns true if the row, or one that is joined to it, cannot be read as a whole.
    pub(crate) fn is_broken(&self) -> bool {
        self.source.fault.is_some() || self.join_fault.is_some()
    }

    /// Reports a text that is an object in its source, which would be lost.
    pub(super) fn check_text(&mut self, value: &Value) {
        let is_object = |column: &usize| self.source.objects.iter().any(|(object, _)| object == column);
        if let Some(name) = value.template.own_columns().find(is_object).and_then(|column| self.header.get(column)) {
            self.report_problem("RECORD_INVALID", &format!("{name} is an object, where a text is expected"));
        }
    }

    /// Records a problem unless one is already recorded.
    pub(super) fn report_problem(&mut self, reason: &str, message: &str) {
        let place = self.source.place;
        self.problem.get_or_insert_with(|| Problem::at(reason, place, message));
    }

    /// Returns the value as text; empty if the value is missing.
    pub(super) fn text(&mut self, value: Option<&Value>) -> String {
        self.word(value).unwrap_or_default()
    }

    /// Returns the value as text; `None` if the map has no word for it.
    fn word(&mut self, value: Option<&Value>) -> Option<String> {
        let Some(value) = value else { return Some(String::new()) };
        let raw = value.template.fill(self.row, self.null_cells);
        if let Some(fault) = not_utf8::fault(&raw) {
            self.report_problem("RECORD_INVALID", fault);
        }
        self.replaced(value, raw)
    }

    /// Returns a value of a subject's metadata, which it may have to do without.
    pub(super) fn metadata(&mut self, value: &Value) -> String {
        let raw = value.template.fill(self.row, self.null_cells);
        self.replaced(value, raw).unwrap_or_default()
    }

    fn replaced(&mut self, value: &Value, raw: String) -> Option<String> {
        if value.replacements.is_empty() {
            return Some(if raw.is_empty() { value.default.clone().unwrap_or_default() } else { raw });
        }
        let word = value.replacements.get(&raw).or(value.default.as_ref()).cloned();
        if word.is_none() {
            self.report_problem("VALUE_UNKNOWN", &format!("the map has no word for {raw:?}"));
        }
        word
    }

    /// Returns the value as a time; `None` if it is missing or one of MySQL's zero dates.
    pub(super) fn time(&mut self, value: Option<&Value>) -> Option<Timestamp> {
        let text = self.text(value);
        if TimeReader::is_none(&text) {
            return None;
        }
        let parsed = value?.time.read(&text);
        parsed.map_err(|error| self.report_problem("TIME_INVALID", &format!("{error:#}"))).ok()
    }

    /// Returns the value as a count; 0 if it is missing.
    pub(super) fn count(&mut self, value: Option<&Value>) -> u32 {
        let text = self.text(value);
        match text.trim() {
            "" => 0,
            number => complete(number).and_then(|count| u32::try_from(count).ok()).unwrap_or_else(|| {
                self.report_problem("COUNT_INVALID", &format!("{number:?} is not a count"));
                0
            }),
        }
    }

    /// Returns the value as a number of either sign; 0 if it is missing.
    pub(super) fn score(&mut self, value: Option<&Value>) -> i32 {
        let text = self.text(value);
        match text.trim() {
            "" => 0,
            number => complete(number).and_then(|score| i32::try_from(score).ok()).unwrap_or_else(|| {
                self.report_problem("COUNT_INVALID", &format!("{number:?} is not a number of votes"));
                0
            }),
        }
    }

    /// Returns the value as one of the words of an enum, such as `ACTIVE`.
    pub(super) fn enum_value<T: DeserializeOwned>(&mut self, value: Option<&Value>, type_name: &str) -> Option<T> {
        let text = self.text(value);
        if text.is_empty() {
            return None;
        }
        let parsed = parse_enum(&text);
        if parsed.is_none() {
            self.report_problem("VALUE_UNKNOWN", &format!("{text:?} is no {type_name}"));
        }
        parsed
    }

    /// Returns the value as a state: the default if it is missing, and `hidden` if it cannot be
    /// read. The record is then rejected, and must publish nothing when the rejects are imported.
    pub(super) fn state<T: DeserializeOwned + Default>(
        &mut self,
        value: Option<&Value>,
        type_name: &str,
        hidden: T,
    ) -> T {
        let is_missing = self.word(value).is_some_and(|text| text.is_empty());
        match self.enum_value(value, type_name) {
            Some(state) if !self.is_broken() => state,
            None if is_missing && !self.is_broken() => T::default(),
            Some(_) | None => hidden,
        }
    }

    /// Returns the subject's key.
    pub(super) fn key(&mut self, object_type: Option<&Value>, id: &Value, settings: &ReadSettings) -> Key {
        let type_in_row = self.text(object_type);
        let object_type = if type_in_row.is_empty() { settings.object_type.clone() } else { type_in_row };
        let mut object_id = self.text(Some(id));
        if id.is_page {
            let page = PageNames { id: "", link: &object_id, number: "" };
            object_id = page.object_id(&settings.pages).unwrap_or_default();
        }
        if object_id.is_empty() {
            self.report_problem("SUBJECT_MISSING", "it names no subject");
        }
        Key { object_type, object_id }
    }

    /// Returns the record with the first problem of its values and the cells of the row.
    pub(super) fn entry(&mut self, record: Record) -> GroupEntry {
        let own = self.row.first().copied().flatten();
        let named = own.into_iter().flat_map(|row| (0..).zip(row.iter()));
        // The cells of a broken row may have moved, so that no name shows an address.
        let is_broken = self.source.fault.is_some();
        let text = |cell: &'a str| if is_broken { Cow::Owned(without_addresses(cell)) } else { Cow::Borrowed(cell) };
        let is_secret =
            |column: usize| self.header.get(column).is_some_and(|name| self.secret_names.iter().any(|s| s == name));
        let (secrets, cells): (Vec<_>, Vec<_>) = named.partition(|(column, _)| is_secret(*column));
        let cells = cells.into_iter().map(|(column, cell)| (self.cell_name(column), text(cell)));
        let cells: Vec<(String, Cow<'_, str>)> = cells.filter(|(_, cell)| cell != "…").collect();
        let objects = self.source.objects.iter().filter(|(column, _)| !is_secret(*column));
        let objects = objects.map(|(column, text)| (self.cell_name(*column), Cow::Borrowed(text.as_str())));
        let secrets = secrets.into_iter().map(|(_, cell)| cell).filter(|cell| !cell.is_empty());
        let raw = self.source.raw.as_deref();
        let raw = raw.map(|raw| secrets.fold(raw.to_owned(), |raw, secret| raw.replace(secret, "…")));
        let raw = raw.map(|raw| ("record".to_owned(), Cow::Owned(raw)));
        let fields: Vec<(String, Cow<'_, str>)> = cells.into_iter().chain(objects).chain(raw).collect();
        let place = Some(self.source.place);
        let mut entry = GroupEntry { record, problem: self.problem.take(), place };
        entry.keep_original(fields.iter().map(|(name, cell)| (name.as_str(), cell.as_ref())));
        entry
    }

    /// Returns the name of a column; that of a cell without one is its number.
    fn cell_name(&self, column: usize) -> String {
        let name = self.header.get(column).filter(|name| !name.is_empty());
        let is_repeated = |name: &&str| self.header.iter().take(column).any(|known| known == *name);
        match name {
            Some(name) if is_repeated(&name) => format!("{name}~{}", column + 1),
            Some(name) => name.to_owned(),
            None => format!("cell {}", column + 1),
        }
    }
}

/// Parses a whole number, which some programs write as `3.0` or `1e3`.
fn complete(text: &str) -> Option<i64> {
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E'));
    let of_float = |number: f64| (number.fract() == 0.0 && number.abs() < 1e15).then(|| format!("{number:.0}"));
    let float = || is_number(text).then(|| text.parse().ok()).flatten().and_then(of_float);
    text.parse().ok().or_else(|| float()?.parse().ok())
}

/// Parses an enum's value from its name in capitals.
pub(super) fn parse_enum<T: DeserializeOwned>(text: &str) -> Option<T> {
    let name: StrDeserializer<'_, Mismatch> = text.into_deserializer();
    T::deserialize(name).ok()
}
