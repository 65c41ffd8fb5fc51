//! CSV files with a mapping file: subjects, comments and likes from tables of any shape.

mod likes;
mod value;

use std::path::{Path, PathBuf};

use ::csv::StringRecord;
use anyhow::{Context, Result, bail};

use self::likes::LatestVotes;
use self::value::{Compiler, RowReader, Value};
use super::group::GroupEntry;
use super::html;
use super::input::base_name;
use super::map::{CommentMap, JoinedTable, Map, SubjectMap};
use super::read_settings::ReadSettings;
use super::record::{Client, Comment, Key, Problem, Record, Subject, Votes, put_metadata};
use super::table::{CsvRows, TableLookup};
use super::template::{Columns, Template};

/// Reads all tables that the map names and passes their records to `out`: subjects, then comments,
/// then likes.
///
/// # Errors
/// A file or column is missing, or a row is not CSV or not UTF-8 (with file and line). A record
/// with a cell that cannot be parsed is rejected instead.
pub(crate) fn read(
    files: &[PathBuf],
    map: &Map,
    settings: &ReadSettings,
    out: &mut dyn FnMut(GroupEntry),
) -> Result<()> {
    let files = InputFiles::sort(files, map)?;
    if let Some(subjects) = &map.subject {
        read_subjects(&files.table(map, &subjects.table)?, subjects, map, settings, out)?;
    }
    for main in &files.main {
        read_comments(main, &files, map, settings, out)?;
    }
    if let Some(likes) = &map.like {
        LatestVotes::read(&files.table(map, &likes.table)?, likes, map, settings)?.emit(out);
    }
    Ok(())
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
        let is_table = |path: &PathBuf| map.tables.values().any(|table| table.file == base_name(path));
        let (tables, main): (Vec<_>, Vec<_>) = files.iter().cloned().partition(is_table);
        if main.is_empty() {
            bail!("all the files given are tables of the map; give the file with the comments too");
        }
        Ok(Self { main, tables })
    }

    fn table(&self, map: &Map, alias: &str) -> Result<PathBuf> {
        let JoinedTable { file, .. } =
            map.tables.get(alias).with_context(|| format!("there is no [tables.{alias}]"))?;
        let named = self.tables.iter().find(|path| base_name(path) == *file).cloned();
        let sibling = || self.main.first().and_then(|main| main.parent()).unwrap_or(Path::new("")).join(file);
        Ok(named.unwrap_or_else(sibling))
    }
}

fn read_subjects(
    path: &Path,
    subjects: &SubjectMap,
    map: &Map,
    settings: &ReadSettings,
    out: &mut dyn FnMut(GroupEntry),
) -> Result<()> {
    let mut rows = CsvRows::open(path, map)?;
    let mut columns = Columns::default();
    columns.add("", rows.header().clone());
    let compiler = Compiler { columns: &columns, map };
    let fields = (|| {
        Ok::<_, anyhow::Error>(SubjectFields {
            object_type: compiler.optional(subjects.object_type.as_ref())?,
            id: compiler.value(&subjects.id)?,
            owner: compiler.optional(subjects.owner.as_ref())?,
            state: compiler.optional(subjects.state.as_ref())?,
            create_time: compiler.optional(subjects.create_time.as_ref())?,
            metadata: compiler.named(&subjects.metadata)?,
        })
    })()
    .context("in [subject] of the mapping file")?;
    while let Some((row, line)) = rows.next()? {
        out(fields.subject(&mut RowReader::new(&[Some(&row)], map, line), settings));
    }
    Ok(())
}

#[derive(Debug)]
struct SubjectFields {
    object_type: Option<Value>,
    id: Value,
    owner: Option<Value>,
    state: Option<Value>,
    create_time: Option<Value>,
    metadata: Vec<(String, Value)>,
}

impl SubjectFields {
    fn subject(&self, row: &mut RowReader<'_>, settings: &ReadSettings) -> GroupEntry {
        let mut subject = Subject {
            key: row.key(self.object_type.as_ref(), &self.id, settings),
            owner_id: row.text(self.owner.as_ref()),
            state: row.enum_value(self.state.as_ref(), "subject state").unwrap_or_default(),
            create_time: row.time(self.create_time.as_ref()),
            ..Subject::default()
        };
        for (name, value) in &self.metadata {
            put_metadata(&mut subject.metadata, name, &row.text(Some(value)));
        }
        row.entry(Record::Subject(subject))
    }
}

/// A join: the rows of another table, and the template that selects one of them.
#[derive(Debug)]
struct Join {
    rows: TableLookup,
    on: Template,
}

fn read_comments(
    main: &Path,
    files: &InputFiles,
    map: &Map,
    settings: &ReadSettings,
    out: &mut dyn FnMut(GroupEntry),
) -> Result<()> {
    let mut rows = CsvRows::open(main, map)?;
    let mut columns = Columns::default();
    columns.add("", rows.header().clone());
    let mut joins = Vec::new();
    for (alias, table) in &map.tables {
        let (Some(key), Some(on)) = (&table.key, &table.on) else { continue };
        let context = || format!("in [tables.{alias}] of the mapping file");
        let lookup = TableLookup::load(&files.table(map, alias)?, key, map).with_context(context)?;
        let on = columns.compile(on).with_context(context)?;
        columns.add(alias, lookup.header.clone());
        joins.push(Join { rows: lookup, on });
    }
    let compiler = Compiler { columns: &columns, map };
    let fields = CommentFields::compile(&map.comment, &compiler).context("in [comment] of the mapping file")?;
    while let Some((row, line)) = rows.next()? {
        let joined = join(&row, &joins, map);
        out(fields.comment(&mut RowReader::new(&joined, map, line), settings));
    }
    Ok(())
}

fn join<'a>(row: &'a StringRecord, joins: &'a [Join], map: &Map) -> Vec<Option<&'a StringRecord>> {
    let mut joined = vec![Some(row)];
    for join in joins {
        let key = join.on.fill(&joined, &map.null);
        joined.push(join.rows.get(&key));
    }
    joined
}

#[derive(Debug)]
struct CommentFields {
    object_type: Option<Value>,
    subject: Value,
    id: Value,
    parent: Option<Value>,
    parent_root: Vec<String>,
    member: Value,
    text: Value,
    html: bool,
    times: [Option<Value>; 3],
    state: Option<Value>,
    deleted_by: Option<Value>,
    votes: [Option<Value>; 2],
    mentions: Option<Value>,
    client: [Option<Value>; 3],
    metadata: Vec<(String, Value)>,
}

impl CommentFields {
    fn compile(map: &CommentMap, compiler: &Compiler<'_>) -> Result<Self> {
        let optional = |field: &Option<_>| compiler.optional(field.as_ref());
        Ok(Self {
            object_type: optional(&map.object_type)?,
            subject: compiler.value(&map.subject)?,
            id: compiler.value(&map.id)?,
            parent: optional(&map.parent)?,
            parent_root: map.parent_root.clone(),
            member: compiler.value(&map.member)?,
            text: compiler.value(&map.text)?,
            html: map.html,
            times: [Some(compiler.value(&map.create_time)?), optional(&map.edit_time)?, optional(&map.delete_time)?],
            state: optional(&map.state)?,
            deleted_by: optional(&map.deleted_by)?,
            votes: [optional(&map.up)?, optional(&map.down)?],
            mentions: optional(&map.mentions)?,
            client: [optional(&map.ip)?, optional(&map.platform)?, optional(&map.device)?],
            metadata: compiler.named(&map.metadata)?,
        })
    }

    fn comment(&self, row: &mut RowReader<'_>, settings: &ReadSettings) -> GroupEntry {
        let parent = row.text(self.parent.as_ref());
        let is_root = parent.is_empty() || self.parent_root.contains(&parent);
        let text = row.text(Some(&self.text));
        let [create_time, edit_time, delete_time] = self.times.each_ref().map(|time| row.time(time.as_ref()));
        let [up, down] = self.votes.each_ref().map(|votes| row.count(votes.as_ref()));
        let [ip, platform, device] = self.client.each_ref().map(|part| row.text(part.as_ref()));
        let mentions = row.text(self.mentions.as_ref());
        let mentions = mentions.split(|c: char| c == ',' || c.is_whitespace()).filter(|member| !member.is_empty());
        let mut comment = Comment {
            key: row.key(self.object_type.as_ref(), &self.subject, settings),
            external_id: row.text(Some(&self.id)),
            parent_external_id: (!is_root).then_some(parent),
            member_id: row.text(Some(&self.member)),
            text: if self.html { html::to_text(&text) } else { text },
            mentioned_member_ids: mentions.map(str::to_owned).collect(),
            client: Client { ip, platform, device },
            state: row.enum_value(self.state.as_ref(), "state").unwrap_or_default(),
            deleted_by: row.enum_value(self.deleted_by.as_ref(), "deleted_by"),
            create_time,
            edit_time,
            delete_time,
            votes: Votes { up, down },
            ..Comment::default()
        };
        for (name, value) in &self.metadata {
            put_metadata(&mut comment.metadata, name, &row.text(Some(value)));
        }
        if comment.external_id.is_empty() {
            row.report_problem("ID_EMPTY", "it has no id");
        }
        if comment.create_time.is_none() {
            row.report_problem("TIME_INVALID", "it has no create time");
        }
        row.entry(Record::Comment(comment))
    }
}

#[cfg(test)]
mod tests;
