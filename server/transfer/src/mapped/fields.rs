//! The fields of subjects and comments in a mapping file, compiled and filled from rows.

use anyhow::{Context, Result};

use super::RowReader;
use super::value::{Compiler, Value};
use crate::group::GroupEntry;
use crate::html;
use crate::map::{CommentMap, Map, SubjectMap};
use crate::member_ids::{self, SourceMember};
use crate::read_settings::ReadSettings;
use crate::record::{Client, Comment, CommentState, Key, Record, Subject, SubjectState, Votes};
use crate::template::Columns;

/// The fields of a subject.
#[derive(Debug)]
pub(crate) struct SubjectFields {
    object_type: Option<Value>,
    id: Value,
    owner: Option<Value>,
    state: Option<Value>,
    create_time: Option<Value>,
    metadata: Vec<(String, Value)>,
}

/// The comment whose list of replies contains a row.
#[derive(Debug, Clone)]
pub(crate) struct Enclosing {
    pub(crate) key: Key,
    pub(crate) id: String,
}

impl SubjectFields {
    /// Compiles the fields against the columns of their table.
    ///
    /// # Errors
    /// The map names an unknown column.
    pub(crate) fn compile(subject: &SubjectMap, columns: &Columns, map: &Map) -> Result<Self> {
        let compiler = Compiler { columns, map };
        let fields = || -> Result<Self> {
            Ok(Self {
                object_type: compiler.optional(subject.object_type.as_ref())?,
                id: compiler.page(&subject.id)?,
                owner: compiler.optional(subject.owner.as_ref())?,
                state: compiler.optional(subject.state.as_ref())?,
                create_time: compiler.optional(subject.create_time.as_ref())?,
                metadata: compiler.named(&subject.metadata)?,
            })
        };
        fields().context("in [subject] of the mapping file")
    }

    /// Returns the subject of a row.
    pub(crate) fn entry(&self, row: &mut RowReader<'_>, settings: &ReadSettings) -> GroupEntry {
        let mut subject = Subject {
            key: row.key(self.object_type.as_ref(), &self.id, settings),
            owner_id: row.text(self.owner.as_ref()),
            state: row.state(self.state.as_ref(), "subject state", SubjectState::Hidden),
            create_time: row.time(self.create_time.as_ref()),
            ..Subject::default()
        };
        for (name, value) in &self.metadata {
            subject.put_metadata(name, &row.metadata(value));
        }
        row.entry(Record::Subject(subject))
    }
}

/// The fields of a comment.
#[derive(Debug)]
pub(crate) struct CommentFields {
    when: Option<Value>,
    object_type: Option<Value>,
    subject: Value,
    id: Value,
    parent: Option<Value>,
    parent_root: Vec<String>,
    member: Option<Value>,
    /// E-mail address and name of the author.
    person: [Option<Value>; 2],
    text: Value,
    is_html: bool,
    times: [Option<Value>; 3],
    state: Option<Value>,
    deleted_by: Option<Value>,
    votes: [Option<Value>; 2],
    score: Option<Value>,
    mentions: Option<Value>,
    client: [Option<Value>; 3],
    metadata: Vec<(String, Value)>,
}

impl CommentFields {
    /// Compiles the fields against the columns of the comments and of the tables joined to them.
    ///
    /// # Errors
    /// The map names an unknown column.
    pub(crate) fn compile(map: &Map, columns: &Columns) -> Result<Self> {
        let compiler = Compiler { columns, map };
        Self::compile_fields(&map.comment, &compiler).context("in [comment] of the mapping file")
    }

    fn compile_fields(map: &CommentMap, compiler: &Compiler<'_>) -> Result<Self> {
        let optional = |field: &Option<_>| compiler.optional(field.as_ref());
        Ok(Self {
            when: optional(&map.when)?,
            object_type: optional(&map.object_type)?,
            subject: compiler.page(&map.subject)?,
            id: compiler.value(&map.id)?,
            parent: optional(&map.parent)?,
            parent_root: map.parent_root.clone(),
            member: optional(&map.member)?,
            person: [optional(&map.email)?, optional(&map.name)?],
            text: compiler.value(&map.text)?,
            is_html: map.html,
            times: [Some(compiler.value(&map.create_time)?), optional(&map.edit_time)?, optional(&map.delete_time)?],
            state: optional(&map.state)?,
            deleted_by: optional(&map.deleted_by)?,
            votes: [optional(&map.up)?, optional(&map.down)?],
            score: optional(&map.score)?,
            mentions: optional(&map.mentions)?,
            client: [optional(&map.ip)?, optional(&map.platform)?, optional(&map.device)?],
            metadata: compiler.named(&map.metadata)?,
        })
    }

    /// Returns the comment of a row; `None` if the row is no comment. A row in the list of replies
    /// of another takes its subject and its parent from there, unless it names its own.
    pub(crate) fn entry(
        &self,
        row: &mut RowReader<'_>,
        enclosing: Option<&Enclosing>,
        settings: &ReadSettings,
    ) -> Option<GroupEntry> {
        if self.when.is_some() && row.text(self.when.as_ref()).is_empty() && !row.is_broken() {
            return None;
        }
        let parent = row.text(self.parent.as_ref());
        let is_root = parent.is_empty() || self.parent_root.contains(&parent);
        let parent = (!is_root).then_some(parent).or_else(|| enclosing.map(|enclosing| enclosing.id.clone()));
        if enclosing.is_some_and(|enclosing| enclosing.id.is_empty()) && is_root {
            row.report_problem("PARENT_REJECTED", "the comment that contains it has no id, or none that can be read");
        }
        let key = match enclosing.filter(|_| row.text(Some(&self.subject)).is_empty()) {
            Some(enclosing) if enclosing.key.object_id.is_empty() => {
                row.report_problem("SUBJECT_MISSING", "neither it nor the comment that contains it names a subject");
                enclosing.key.clone()
            }
            Some(enclosing) => enclosing.key.clone(),
            None => row.key(self.object_type.as_ref(), &self.subject, settings),
        };
        row.check_text(&self.text);
        let text = row.text(Some(&self.text));
        let [create_time, edit_time, delete_time] = self.times.each_ref().map(|time| row.time(time.as_ref()));
        let [ip, platform, device] = self.client.each_ref().map(|part| row.text(part.as_ref()));
        let mentions = row.text(self.mentions.as_ref());
        let mentions = mentions.split(|c: char| c == ',' || c.is_whitespace()).filter(|member| !member.is_empty());
        let mut comment = Comment {
            key,
            external_id: row.text(Some(&self.id)),
            parent_external_id: parent,
            member_id: self.member_id(row, settings),
            text: if self.is_html { html::to_comment(&text) } else { text },
            mentioned_member_ids: mentions.map(str::to_owned).collect(),
            client: Client { ip, platform, device },
            state: row.state(self.state.as_ref(), "state", CommentState::Hidden),
            deleted_by: row.enum_value(self.deleted_by.as_ref(), "deleted_by"),
            create_time,
            edit_time,
            delete_time,
            votes: self.votes(row),
            ..Comment::default()
        };
        for (name, value) in &self.metadata {
            comment.put_metadata(name, &row.text(Some(value)));
        }
        if comment.external_id.is_empty() {
            row.report_problem("ID_EMPTY", "it has no id");
        }
        if comment.create_time.is_none() {
            row.report_problem("TIME_INVALID", "it has no create time");
        }
        Some(row.entry(Record::Comment(comment)))
    }

    fn member_id(&self, row: &mut RowReader<'_>, settings: &ReadSettings) -> String {
        let member = row.text(self.member.as_ref());
        let [email, name] = self.person.each_ref().map(|value| row.text(value.as_ref()));
        let is_person = self.person.iter().any(Option::is_some);
        if !is_person {
            return member;
        }
        let author = SourceMember { username: &member, email: &email, name: &name };
        member_ids::member_id(&settings.source, &settings.salt, author)
    }

    fn votes(&self, row: &mut RowReader<'_>) -> Votes {
        let [up, down] = self.votes.each_ref().map(|votes| row.count(votes.as_ref()));
        let score = row.score(self.score.as_ref());
        let (more_up, more_down) = (score.max(0).unsigned_abs(), score.min(0).unsigned_abs());
        Votes { up: up.saturating_add(more_up), down: down.saturating_add(more_down) }
    }
}
