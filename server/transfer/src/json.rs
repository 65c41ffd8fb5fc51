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
use super::input::{Input, SourcePosition, TOO_LONG};
use super::json_lists::{self, EVERY, Element, ListPath, NodePaths};
use super::json_record;
use super::map::Map;
use super::mapped::{CommentFields, Enclosing, Joins, NO_OBJECT, RowReader, SubjectFields, TableFields};
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
    files.iter().try_for_each(|file| reader.read(file, (map, settings), spool, &mut seen, out))
}

/// A map, compiled: the paths of its lists, and the members that its templates name.
#[derive(Debug)]
struct JsonMap {
    /// The list of comments first, then the tables in the order of their aliases.
    lists: Vec<ListPath>,
    /// The paths from an element of the first list to its comments, and from those to replies.
    inside: NodePaths,
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
    is_cut: bool,
    place: SourcePosition,
    depth: usize,
}

/// The source of an element.
#[derive(Debug, Clone, Copy)]
struct SourceElement<'a> {
    text: &'a str,
    is_cut: bool,
    place: SourcePosition,
    /// The number of elements that contain it.
    depth: usize,
}

/// The elements that contain the one that is being read.
#[derive(Debug, Default)]
struct OpenElements {
    /// The value that contains the list of comments.
    up: Option<UpElement>,
    /// The comments that contain it, from the outermost one.
    comments: Vec<Enclosing>,
}

#[derive(Debug)]
struct UpElement {
    value: Value,
    text: String,
    fault: Option<String>,
}

/// The value of a row, and the value that contains its list.
#[derive(Debug, Clone, Copy)]
struct RowValue<'a> {
    value: &'a Value,
    up: Option<&'a UpElement>,
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
        Ok(Self { lists, inside: NodePaths { inner, children }, main, tables: compiled })
    }

    fn read(
        &self,
        file: &Path,
        (map, settings): (&Map, &ReadSettings),
        spool: &Path,
        seen: &mut SeenKeys,
        out: EntrySink<'_>,
    ) -> Result<()> {
        let mut held = HeldRecords::new(spool);
        let input = Input::open(file)?;
        let known = KnownFile::of(input.head());
        if let Some(known) = known.filter(|known| !known.fits(ImportFormat::Json)) {
            bail!(detect::wrong_format(input.name(), known, ImportFormat::Json));
        }
        if let Some(message) = known.and_then(|known| detect::wrong_map(input.name(), known, &map.source)) {
            bail!(message);
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
        let mut open = OpenElements::default();
        let inside = (&self.inside, spool);
        let found = json_lists::read_nodes(input, &self.lists, inside, &mut |element| {
            let Element { text, is_cut, place, depth, .. } = element;
            match (element.list, &direct) {
                _ if element.is_single => return Ok(()),
                (0, _) if depth > 0 => {}
                (0, _) => self.tables_in(&element, &mut tables, (map, settings), out)?,
                (list, _) => return self.table_element(list, &element, &mut tables, (map, settings), out),
            }
            match &direct {
                Some(reader) => self.comment_element(SourceElement::of(&element), &mut open, reader, seen, out),
                None => held.add(&HeldElement { text: text.to_owned(), is_cut, place, depth }),
            }
        })?;
        if found.lists.first() != Some(&true) {
            bail!(self.without_list(&name, map, known));
        }
        if waits {
            let reader = self.comments(map, settings, &tables)?;
            held.drain(&mut |element: HeldElement| {
                let HeldElement { text, is_cut, place, depth } = &element;
                let source = SourceElement { text, is_cut: *is_cut, place: *place, depth: *depth };
                self.comment_element(source, &mut open, &reader, seen, out)
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
        let source = SourceElement::of(element);
        let (value, fault) = source.parse();
        let row = members.row(RowValue { value: &value, up: None }, &source, fault);
        fields.read(row, lookup, settings, out)
    }

    /// Reads the lists of tables in a value of a sequence, of which each value is also an element.
    fn tables_in(
        &self,
        element: &Element<'_>,
        tables: &mut BTreeMap<String, TableLookup>,
        settings: (&Map, &ReadSettings),
        out: EntrySink<'_>,
    ) -> Result<()> {
        let tables_of_it = (0..).zip(&self.lists).skip(1).filter(|(_, path)| !path.is_empty());
        if !self.lists.first().is_some_and(Vec::is_empty) || !element.text.trim_start().starts_with('{') {
            return Ok(());
        }
        // Nearly all values have no such list, which its name shows without parsing them.
        let is_named = |path: &ListPath| path.first().is_some_and(|name| element.text.contains(&format!("\"{name}\"")));
        let named: Vec<_> = tables_of_it.filter(|(_, path)| is_named(path)).collect();
        if named.is_empty() {
            return Ok(());
        }
        // A value that cannot be parsed is rejected as an element.
        let value = json_record::parse_exact(element.text).unwrap_or_default();
        for (list, path) in named {
            for entry in at(&value, path).and_then(Value::as_array).into_iter().flatten() {
                let text = entry.to_string();
                self.table_element(list, &Element { list, text: &text, ..*element }, tables, settings, out)?;
            }
        }
        Ok(())
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

    /// Reads an element of the main list, or one inside of it: a comment, or a value that contains
    /// a list of comments. An element comes after those that contain it.
    fn comment_element(
        &self,
        source: SourceElement<'_>,
        open: &mut OpenElements,
        reader: &CommentReader<'_>,
        seen: &mut SeenKeys,
        out: EntrySink<'_>,
    ) -> Result<()> {
        let (value, fault) = source.parse();
        let Some(level) = source.depth.checked_sub(self.inside.record_depth()) else {
            open.comments.clear();
            let up = UpElement { value, text: source.text.to_owned(), fault };
            if up.fault.is_some() {
                // What it says of its subject is lost, so its comments are too.
                let row = self.main.row(RowValue { value: &Value::Null, up: Some(&up) }, &source, up.fault.clone());
                self.comment(&row, None, reader, seen, out)?;
            }
            open.up = Some(up);
            return Ok(());
        };
        open.comments.truncate(level);
        if open.comments.len() < level {
            // The comment that contains it is left out.
            return Ok(());
        }
        let up = open.up.as_ref();
        let up_fault = up.and_then(|up| up.fault.as_deref());
        let fault = fault.or_else(|| Some(format!("what contains it cannot be read: {}", up_fault?)));
        let row = self.main.row(RowValue { value: &value, up }, &source, fault);
        let found = self.comment(&row, open.comments.last(), reader, seen, out)?;
        open.comments.extend(found.map(|(key, id)| Enclosing { key, id }));
        Ok(())
    }

    fn comment(
        &self,
        row: &SourceRow,
        enclosing: Option<&Enclosing>,
        reader: &CommentReader<'_>,
        seen: &mut SeenKeys,
        out: EntrySink<'_>,
    ) -> Result<Option<(Key, String)>> {
        let CommentReader { map, settings, tables, joins, subject, comment } = reader;
        let joined = joins.join(&row.cells, tables, map);
        let reader = || RowReader::new(&joined, &self.main.header, map, row);
        let Some(entry) = comment.entry(&mut reader(), enclosing, settings) else { return Ok(None) };
        let (key, id) = (entry.record.key().clone(), entry.record.external_id().to_owned());
        let describes = enclosing.is_none() && row.fault.is_none() && joined.fault.is_none();
        if let Some(subject) = subject.as_ref().filter(|_| describes && seen.add(&key)) {
            out(subject.entry(&mut reader(), settings))?;
        }
        out(entry)?;
        Ok(Some((key, id)))
    }
}

impl<'a> SourceElement<'a> {
    fn of(element: &Element<'a>) -> Self {
        Self { text: element.text, is_cut: element.is_cut, place: element.place, depth: element.depth }
    }

    /// Returns its value, or the fault for which it is rejected.
    fn parse(&self) -> (Value, Option<String>) {
        if self.is_cut {
            return (Value::Null, Some(TOO_LONG.to_owned()));
        }
        match json_record::parse_exact(self.text) {
            Ok(value) if !value.is_object() => (value, Some(NO_OBJECT.to_owned())),
            Ok(value) => (value, None),
            Err(error) => (Value::Null, Some(format!("it is not JSON: {}", json_record::fault(&error)))),
        }
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

    /// Returns the members of a value, or of the one that contains its list, as a row. Of a value
    /// that cannot be parsed it has those that can be found.
    fn row(
        &self,
        RowValue { value, up }: RowValue<'_>,
        source: &SourceElement<'_>,
        fault: Option<String>,
    ) -> SourceRow {
        let found = |path: &'_ ListPath| match (up, path.split_first()) {
            (Some(up), Some((first, rest))) if first == UP => cell_of(&up.value, &up.text, rest),
            _ => cell_of(value, source.text, path),
        };
        let object = |(column, path): (usize, &ListPath)| {
            let value = at(value, path).filter(|value| contains_object(value))?;
            Some((column, json_record::without_secrets(value.clone())))
        };
        SourceRow {
            cells: self.paths.iter().map(found).collect(),
            place: source.place,
            raw: fault.is_some().then(|| source.text.to_owned()),
            fault,
            objects: self.paths.iter().enumerate().filter_map(object).collect(),
        }
    }
}

/// Returns a member of a value, or of its text if it is `null` because it cannot be parsed.
fn cell_of(value: &Value, text: &str, path: &[String]) -> String {
    match (value, path) {
        (Value::Null, [name]) => json_record::after_name(text, 1, name).unwrap_or_default(),
        _ => cell(value, path),
    }
}

fn contains_object(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(entries) => entries.iter().any(contains_object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn cell(value: &Value, path: &[String]) -> String {
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

#[cfg(test)]
mod tests;
