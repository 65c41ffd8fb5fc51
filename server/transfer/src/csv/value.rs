//! One value of a row: the filled template, its replacement by the map, and its conversion to a
//! type.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::de::value::{Error as Mismatch, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

use super::{Columns, GroupEntry, Key, Map, Problem, ReadSettings, Record};
use crate::map::{Field, FieldTable};
use crate::template::{Row, Template};
use crate::time::TimeReader;

/// A value that is ready to be filled from rows.
#[derive(Debug)]
pub(super) struct Value {
    template: Template,
    replacements: BTreeMap<String, String>,
    default: Option<String>,
    time: TimeReader,
}

/// Compiles the fields of one section against its available columns.
#[derive(Debug)]
pub(super) struct Compiler<'a> {
    pub(super) columns: &'a Columns,
    pub(super) map: &'a Map,
}

/// A row whose values are being read; it keeps the first parse error.
#[derive(Debug)]
pub(super) struct RowReader<'a> {
    row: &'a Row<'a>,
    null_cells: &'a [String],
    line: u64,
    problem: Option<Problem>,
}

impl Compiler<'_> {
    pub(super) fn value(&self, field: &Field) -> Result<Value> {
        let FieldTable { value, map, default, format } = &field.0;
        let format = format.as_deref().unwrap_or(&self.map.time_format);
        Ok(Value {
            template: self.columns.compile(value)?,
            replacements: map.clone(),
            default: default.clone(),
            time: TimeReader::new(format, &self.map.timezone)?,
        })
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
    pub(super) fn new(row: &'a Row<'a>, map: &'a Map, line: u64) -> Self {
        Self { row, null_cells: &map.null, line, problem: None }
    }

    /// Records a problem unless one is already recorded.
    pub(super) fn report_problem(&mut self, reason: &str, message: &str) {
        let line = self.line;
        self.problem.get_or_insert_with(|| Problem::new(reason, format!("line {line}: {message}")));
    }

    /// Returns the value as text; empty if the value is missing.
    pub(super) fn text(&mut self, value: Option<&Value>) -> String {
        let Some(value) = value else { return String::new() };
        let raw = value.template.fill(self.row, self.null_cells);
        if value.replacements.is_empty() {
            return if raw.is_empty() { value.default.clone().unwrap_or_default() } else { raw };
        }
        match value.replacements.get(&raw).or(value.default.as_ref()) {
            Some(replacement) => replacement.clone(),
            None => {
                self.report_problem("VALUE_UNKNOWN", &format!("the map has no word for {raw:?}"));
                String::new()
            }
        }
    }

    /// Returns the value as a time.
    pub(super) fn time(&mut self, value: Option<&Value>) -> Option<Timestamp> {
        let text = self.text(value);
        if text.trim().is_empty() {
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
            number => number.parse().unwrap_or_else(|_| {
                self.report_problem("COUNT_INVALID", &format!("{number:?} is not a count"));
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

    /// Returns the subject's key.
    pub(super) fn key(&mut self, object_type: Option<&Value>, id: &Value, settings: &ReadSettings) -> Key {
        let type_in_row = self.text(object_type);
        let object_type = if type_in_row.is_empty() { settings.object_type.clone() } else { type_in_row };
        let key = Key { object_type, object_id: self.text(Some(id)) };
        if key.object_id.is_empty() {
            self.report_problem("SUBJECT_MISSING", "it names no subject");
        }
        key
    }

    /// Returns the record with the first problem of its values.
    pub(super) fn entry(&mut self, record: Record) -> GroupEntry {
        GroupEntry { record, problem: self.problem.take() }
    }
}

/// Parses an enum's value from its name in capitals.
pub(super) fn parse_enum<T: DeserializeOwned>(text: &str) -> Option<T> {
    let name: StrDeserializer<'_, Mismatch> = text.into_deserializer();
    T::deserialize(name).ok()
}
