//! JSON files with a mapping file: subjects, comments and likes from the lists of one document, or
//! from a sequence of values.
//!
//! A template names a member by its path: `{user.name}`. `{votes.length}` is the number of entries
//! of a list or object, and `{up.title}` is a member of the value that contains the list of
//! comments (for a path such as `threads.*.comments`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ::csv::StringRecord;
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::detect::{self, KnownFile};
use super::format::ImportFormat;
use super::group::EntrySink;
use super::held::HeldRecords;
use super::input::{Input, NOT_UTF8, SourcePosition};
use super::json_lists::{self, EVERY, Element, ListPath};
use super::json_record;
use super::map::Map;
use super::mapped::{CommentFields, Enclosing, Joins, RowReader, SubjectFields, TableFields};
use super::read_settings::ReadSettings;
use super::record::Key;
use super::seen::SeenKeys;
use super::table::{SourceRow, TableLookup};
use super::template;

/// The alias of the value that contains a list of comments.
const UP: &str = "up";
/// The last segment of a template that stands for a number of entries.
const LENGTH: &str = "length";

/// Reads all files and passes their records to `out`. Comments that are joined to lists of the file
/// wait in `spool` until the file ends.
///
/// # Errors
/// A file is not JSON or is cut off (with its place), or has no list at the path of the map. An
/// element that is not an object of this form is rejected instead.
pub(crate) fn read(
    files: &[PathBuf],
    map: &Map,
    settings: &ReadSettings,
    spool: &Path,
    out: EntrySink<'_>,
) -> Result<()> {
    let reader = JsonMap::compile(map)?;
    let mut seen = SeenKeys::default();
    files.iter().try_for_each(|file| reader.read(file, (map, settings), &mut HeldRecords::new(spool), &mut seen, out))
}

/// A map, compiled: the paths of its lists, and the members that its templates name.
#[derive(Debug)]
struct JsonMap {
    /// The list of comments first, then the tables in the order of their aliases.
    lists: Vec<ListPath>,
    /// The path from an element of the first list to its comments; empty if it is one itself.
    inner: ListPath,
    children: Option<ListPath>,
    main: Members,
    tables: Vec<(String, Members, TableFields)>,
}

/// Members of a value that become the cells of a row.
#[derive(Debug)]
struct Members {
    header: StringRecord,
    paths: Vec<ListPath>,
}

/// An element that waits for the lists that are joined to it.
#[derive(Debug, Serialize, Deserialize)]
struct HeldElement {
    text: String,
    place: SourcePosition,
}

/// The use of the comments' rows.
struct CommentReader<'a> {
    map: &'a Map,
    settings: &'a ReadSettings,
    tables: &'a BTreeMap<String, TableLookup>,
    joins: Joins,
    subject: Option<SubjectFields>,
    comment: CommentFields,
}

impl JsonMap {
    fn compile(map: &Map) -> Result<Self> {
        let (main, tables) = map.templates();
        let main = Members::named_in(&main, &map.tables.keys().map(String::as_str).collect())?;
        let path = json_lists::path(map.list.as_deref().unwrap_or_default());
        let split = path.iter().rposition(|segment| segment == EVERY);
        let (outer, inner) = match split {
            None => (path, ListPath::new()),
            Some(split) => {
                (path.get(..split).unwrap_or_default().to_vec(), path.get(split + 1..).unwrap_or_default().to_vec())
            }
        };
        let mut lists = vec![outer];
        let mut compiled = Vec::new();
        for (alias, table) in &map.tables {
            lists.push(json_lists::path(table.list.as_deref().unwrap_or_default()));
            let templates = tables.get(alias.as_str()).cloned().unwrap_or_default();
            let members = Members::named_in(&templates, &BTreeSet::new())?;
            let fields = TableFields::compile(alias, &members.header, map)?;
            compiled.push((alias.clone(), members, fields));
        }
        // A joined table has the members that the main templates name after its alias.
        for (alias, members, fields) in &mut compiled {
            members.add_named_after(alias, &map.templates().0)?;
            *fields = TableFields::compile(alias, &members.header, map)?;
        }
        let children = map.comment.children.as_deref().map(json_lists::path);
        Ok(Self { lists, inner, children, main, tables: compiled })
    }

    fn read(
        &self,
        file: &Path,
        (map, settings): (&Map, &ReadSettings),
        held: &mut HeldRecords,
        seen: &mut SeenKeys,
        out: EntrySink<'_>,
    ) -> Result<()> {
        let input = Input::open(file)?;
        let known = KnownFile::of(input.head());
        if let Some(known) = known.filter(|known| !known.fits(ImportFormat::Json)) {
            bail!(detect::wrong_format(input.name(), known, ImportFormat::Json));
        }
        detect::require_json(&input)?;
        let name = input.name().to_owned();
        let new = |(alias, members, _): &(String, Members, TableFields)| {
            (alias.clone(), TableLookup::new(members.header.clone()))
        };
        let mut tables: BTreeMap<String, TableLookup> = self.tables.iter().map(new).collect();
        let waits = map.tables.values().any(|table| table.on.is_some());
        let no_tables = BTreeMap::new();
        let direct = if waits { None } else { Some(self.comments(map, settings, &no_tables)?) };
        let found = json_lists::read(input, &self.lists, &mut |element| match (element.list, &direct) {
            _ if element.is_single => Ok(()),
            (0, Some(reader)) => self.comment_element(element.text, element.place, reader, seen, out),
            (0, None) => held.add(&HeldElement { text: element.text.to_owned(), place: element.place }),
            (list, _) => self.table_element(list, &element, &mut tables, (map, settings), out),
        })?;
        if found.lists.first() != Some(&true) {
            bail!(self.without_list(&name, map, known));
        }
        if waits {
            let reader = self.comments(map, settings, &tables)?;
            held.drain(&mut |element: HeldElement| {
                self.comment_element(&element.text, element.place, &reader, seen, out)
            })?;
        }
        Ok(())
    }

    fn without_list(&self, name: &str, map: &Map, known: Option<KnownFile>) -> String {
        let list = map.list.as_deref().unwrap_or_default();
        let cure = known.and_then(|known| Some((known, known.options()?)));
        let cure = cure.map_or_else(String::new, |(known, options)| format!("; this is {known}: use {options}"));
        format!("{name} has no list of comments at {list:?}, which the map names{cure}")
    }

    fn table_element(
        &self,
        list: usize,
        element: &Element<'_>,
        tables: &mut BTreeMap<String, TableLookup>,
        settings: (&Map, &ReadSettings),
        out: EntrySink<'_>,
    ) -> Result<()> {
        let Some((alias, members, fields)) = list.checked_sub(1).and_then(|index| self.tables.get(index)) else {
            return Ok(());
        };
        let Some(lookup) = tables.get_mut(alias) else { return Ok(()) };
        let (value, fault) = parse(element.text);
        let cells = members.cells(&value, None);
        fields.read(SourceRow { cells, place: element.place, fault }, lookup, settings, out)
    }

    fn comments<'a>(
        &self,
        map: &'a Map,
        settings: &'a ReadSettings,
        tables: &'a BTreeMap<String, TableLookup>,
    ) -> Result<CommentReader<'a>> {
        let mut columns = TableLookup::columns(&self.main.header);
        let joins = Joins::compile(map, tables, &mut columns)?;
        let subject = map.subject.as_ref().filter(|subject| subject.table.is_none());
        let subject = subject.map(|subject| SubjectFields::compile(subject, &columns, map)).transpose()?;
        let comment = CommentFields::compile(map, &columns)?;
        Ok(CommentReader { map, settings, tables, joins, subject, comment })
    }

    /// Reads an element of the main list: a comment, or a value that contains a list of comments.
    fn comment_element(
        &self,
        text: &str,
        place: SourcePosition,
        reader: &CommentReader<'_>,
        seen: &mut SeenKeys,
        out: EntrySink<'_>,
    ) -> Result<()> {
        let (mut element, fault) = parse(text);
        if self.inner.is_empty() || fault.is_some() {
            let raw = fault.is_some().then_some(text);
            let fault = fault.or_else(|| (!element.is_object()).then(|| "it is no object".to_owned()));
            return self.tree(element, None, (place, fault, raw), reader, seen, out);
        }
        let list = take_at(&mut element, &self.inner);
        for comment in into_elements(list) {
            self.tree(comment, Some(&element), (place, None, None), reader, seen, out)?;
        }
        Ok(())
    }

    /// Reads a comment and the comments in its list of replies.
    fn tree(
        &self,
        root: Value,
        up: Option<&Value>,
        (place, mut fault, raw): (SourcePosition, Option<String>, Option<&str>),
        reader: &CommentReader<'_>,
        seen: &mut SeenKeys,
        out: EntrySink<'_>,
    ) -> Result<()> {
        let mut open: Vec<(Value, Option<Enclosing>)> = vec![(root, None)];
        while let Some((mut value, enclosing)) = open.pop() {
            let children = self.children.as_ref().map(|path| into_elements(take_at(&mut value, path)));
            let cells = self.main.cells(&value, up);
            let row = SourceRow { cells, place, fault: fault.take() };
            let Some(key_and_id) = self.comment(&row, raw, enclosing.as_ref(), reader, seen, out)? else { continue };
            let enclosing = Enclosing { key: key_and_id.0, id: key_and_id.1 };
            let children = children.into_iter().flatten().rev();
            open.extend(children.map(|child| (child, Some(enclosing.clone()))));
        }
        Ok(())
    }

    fn comment(
        &self,
        row: &SourceRow,
        raw: Option<&str>,
        enclosing: Option<&Enclosing>,
        reader: &CommentReader<'_>,
        seen: &mut SeenKeys,
        out: EntrySink<'_>,
    ) -> Result<Option<(Key, String)>> {
        let CommentReader { map, settings, tables, joins, subject, comment } = reader;
        let joined = joins.join(&row.cells, tables, map);
        let reader = || RowReader::new(&joined, &self.main.header, map, row);
        let Some(mut entry) = comment.entry(&mut reader(), enclosing, settings) else { return Ok(None) };
        entry.keep_original(raw.map(|raw| ("record", raw)));
        let (key, id) = (entry.record.key().clone(), entry.record.external_id().to_owned());
        if let Some(subject) = subject.as_ref().filter(|_| enclosing.is_none() && seen.add(&key)) {
            out(subject.entry(&mut reader(), settings))?;
        }
        out(entry)?;
        Ok(Some((key, id)))
    }
}

impl Members {
    /// Returns the members that templates name, except those of the joined tables `aliases`.
    fn named_in(templates: &[&str], aliases: &BTreeSet<&str>) -> Result<Self> {
        let mut members = Self { header: StringRecord::new(), paths: Vec::new() };
        for template in templates {
            for name in template::names(template)? {
                let alias = name.split_once('.').map_or("", |(alias, _)| alias);
                if !aliases.contains(alias) {
                    members.add(&name);
                }
            }
        }
        Ok(members)
    }

    fn add_named_after(&mut self, alias: &str, templates: &[&str]) -> Result<()> {
        for template in templates {
            let names = template::names(template)?;
            let own = names.iter().filter_map(|name| name.strip_prefix(alias)?.strip_prefix('.'));
            own.for_each(|name| self.add(name));
        }
        Ok(())
    }

    fn add(&mut self, name: &str) {
        if !self.header.iter().any(|known| known == name) {
            self.header.push_field(name);
            self.paths.push(json_lists::path(name));
        }
    }

    fn cells(&self, value: &Value, up: Option<&Value>) -> StringRecord {
        self.paths.iter().map(|path| cell(value, up, path)).collect()
    }
}

fn cell(value: &Value, up: Option<&Value>, path: &[String]) -> String {
    let (value, path) = match (up, path.split_first()) {
        (Some(up), Some((first, rest))) if first == UP => (up, rest),
        _ => (value, path),
    };
    if let Some((LENGTH, list)) = path.split_last().map(|(last, rest)| (last.as_str(), rest)) {
        match at(value, list) {
            Some(Value::Array(entries)) => return entries.len().to_string(),
            Some(Value::Object(entries)) if !entries.contains_key(LENGTH) => return entries.len().to_string(),
            Some(_) | None => {}
        }
    }
    at(value, path).map_or_else(String::new, text)
}

fn at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

/// Returns a value as text: the entries of a list with commas, nothing for `null` and objects.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(is_true) => is_true.to_string(),
        Value::Array(entries) => entries.iter().map(text).collect::<Vec<_>>().join(","),
        Value::Null | Value::Object(_) => String::new(),
    }
}

fn take_at(value: &mut Value, path: &[String]) -> Value {
    let found = path.iter().try_fold(value, |value, name| value.get_mut(name));
    found.map_or(Value::Null, Value::take)
}

fn into_elements(list: Value) -> Vec<Value> {
    match list {
        Value::Array(elements) => elements,
        Value::Object(elements) => elements.into_iter().map(|(_, element)| element).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn parse(text: &str) -> (Value, Option<String>) {
    if text.contains(NOT_UTF8) {
        return (Value::Null, Some("it is not UTF-8".to_owned()));
    }
    match serde_json::from_str(text) {
        Ok(value) => (value, None),
        Err(error) => (Value::Null, Some(format!("it is not JSON: {}", json_record::fault(&error)))),
    }
}

#[cfg(test)]
mod tests;
