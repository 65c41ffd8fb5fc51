//! Isso's generic JSON: a list of threads `{id, title, comments: [{id, author, email, text,
//! created, …}]}`.
//!
//! `created` is a date with time in UTC, or a number of seconds since 1970 as in Isso's database.
//! Ids need to be unique only within a thread, so the external id is `<thread>#<id>`. Texts are
//! Markdown and stay unchanged. The fields `parent`, `mode`, `modified`, `likes` and `dislikes` are
//! not part of the generic format; they come from Isso's own database, by the query in
//! docs/import.md.

use std::path::Path;

use anyhow::{Result, bail};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::group::{EntrySink, GroupEntry};
use super::held::HeldRecords;
use super::input::{Input, SourcePosition};
use super::json_lists::{self, Element, ListPath};
use super::json_record;
use super::member_ids::{self, SourceMember};
use super::page::{PageNames, PageRules, SubjectBy};
use super::read_settings::ReadSettings;
use super::record::{Client, Comment, CommentState, Key, Problem, Record, Subject, Votes};
use super::time::{self, TimeReader};

#[derive(Debug, Deserialize)]
struct Row {
    id: Id,
    parent: Option<Id>,
    author: Option<String>,
    email: Option<String>,
    remote_addr: Option<String>,
    text: Option<String>,
    created: JsonTime,
    modified: Option<JsonTime>,
    /// 1: accepted; 2: waits for moderation; 4: deleted.
    mode: Option<u8>,
    likes: Option<u32>,
    dislikes: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "an id is neither a text nor a whole number")]
enum Id {
    Number(i64),
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a time is neither a text nor a number of seconds")]
enum JsonTime {
    Seconds(f64),
    Text(String),
}

/// A comment that waits for the id of its thread.
#[derive(Debug, Serialize, Deserialize)]
struct HeldComment {
    text: String,
    place: SourcePosition,
}

/// The thread that is being read.
struct OpenThread {
    container: u64,
    id: String,
    title: String,
    comments: HeldRecords,
}

/// Reads a file and passes its threads and comments to `out`. The comments of one thread wait in
/// `spool` until the thread ends.
///
/// # Errors
/// The file is not JSON or is cut off (with its place), or has no lists of comments; the error of
/// `out`.
pub(crate) fn read(input: Input, settings: &ReadSettings, spool: &Path, out: EntrySink<'_>) -> Result<()> {
    let paths: [ListPath; 3] = ["*.comments", "*.id", "*.title"].map(json_lists::path);
    let name = input.name().to_owned();
    let is_list = input.head().trim_ascii_start().starts_with(b"[");
    let new = |container| OpenThread {
        container,
        id: String::new(),
        title: String::new(),
        comments: HeldRecords::new(spool),
    };
    let mut open = new(0);
    let found = json_lists::read(input, &paths, &mut |element| {
        if element.container != open.container {
            std::mem::replace(&mut open, new(element.container)).emit(settings, out)?;
        }
        open.add(&element)
    })?;
    let is_empty = is_list && found.containers == 0;
    open.emit(settings, out)?;
    if !is_list || !(is_empty || matches!(found.lists.as_slice(), [true, ..])) {
        bail!("{name} is no file in Isso's generic format: no thread has a list of comments");
    }
    Ok(())
}

impl OpenThread {
    fn add(&mut self, element: &Element<'_>) -> Result<()> {
        let text = || match serde_json::from_str(element.text) {
            Ok(Value::String(text)) => text,
            Ok(Value::Number(number)) => number.to_string(),
            Ok(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | Err(_) => String::new(),
        };
        match (element.list, element.is_single) {
            (0, false) => self.comments.add(&HeldComment { text: element.text.to_owned(), place: element.place }),
            (0, true) => Ok(()),
            (1, _) => {
                self.id = text();
                Ok(())
            }
            (_, _) => {
                self.title = text();
                Ok(())
            }
        }
    }

    fn emit(mut self, settings: &ReadSettings, out: EntrySink<'_>) -> Result<()> {
        let Self { id, title, comments, .. } = &mut self;
        if comments.is_empty() && id.is_empty() {
            return Ok(());
        }
        let page = PageNames { id: "", link: id, number: "" };
        let object_id = page.object_id(&by_path(&settings.pages)).unwrap_or_default();
        let key = Key { object_type: settings.object_type.clone(), object_id };
        let mut subject = Subject { key: key.clone(), ..Subject::default() };
        subject.put_metadata("title", title);
        subject.put_metadata("url", id);
        if !key.object_id.is_empty() {
            out(GroupEntry::valid(Record::Subject(subject)))?;
        }
        comments.drain(&mut |held: HeldComment| out(comment(&held, &key, settings)))
    }
}

/// Returns the rules for pages that have no id but their address.
pub(crate) fn by_path(rules: &PageRules) -> PageRules {
    let by = if rules.by == SubjectBy::Url { SubjectBy::Url } else { SubjectBy::Path };
    PageRules { by, ..rules.clone() }
}

fn comment(held: &HeldComment, key: &Key, settings: &ReadSettings) -> GroupEntry {
    let row: Row = match json_record::parse(&held.text) {
        Ok(row) => row,
        Err(message) => return json_record::rejected(&held.text, held.place, key, &message),
    };
    let author = SourceMember {
        username: "",
        email: row.email.as_deref().unwrap_or_default(),
        name: row.author.as_deref().unwrap_or_default(),
    };
    let create_time = row.created.read();
    let edit_time = row.modified.map(|time| time.read()).transpose();
    let mut comment = Comment {
        key: key.clone(),
        external_id: member_ids::external_id_in_page(&key.object_id, &row.id.text()),
        parent_external_id: row.parent.map(|id| member_ids::external_id_in_page(&key.object_id, &id.text())),
        member_id: member_ids::member_id(&settings.source, &settings.salt, author),
        client: Client { ip: row.remote_addr.clone().unwrap_or_default(), ..Client::default() },
        state: match row.mode {
            None | Some(1) => CommentState::Active,
            Some(4) => CommentState::Deleted,
            Some(_) => CommentState::Hidden,
        },
        create_time: create_time.as_ref().ok().copied(),
        edit_time: edit_time.as_ref().ok().copied().flatten(),
        votes: Votes { up: row.likes.unwrap_or_default(), down: row.dislikes.unwrap_or_default() },
        ..Comment::default()
    };
    comment.put_metadata("author_name", author.name);
    comment.text = row.text.unwrap_or_default();
    let problem = match (create_time.err().or(edit_time.err()), key.object_id.as_str()) {
        (_, "") => Some(Problem::at("SUBJECT_MISSING", held.place, "its thread has no id")),
        (Some(error), _) => Some(Problem::at("TIME_INVALID", held.place, format!("{error:#}"))),
        (None, _) => None,
    };
    let mut entry = GroupEntry { record: Record::Comment(comment), problem, place: Some(held.place) };
    json_record::keep_original(&mut entry, &held.text);
    entry
}

impl Id {
    fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

impl JsonTime {
    fn read(&self) -> Result<Timestamp> {
        match self {
            Self::Seconds(seconds) => time::from_float_seconds(*seconds),
            Self::Text(text) => TimeReader::utc().read(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(json: &str) -> Result<Vec<GroupEntry>> {
        let input = Input::from_reader(std::io::Cursor::new(json.as_bytes().to_vec()), "x.json")?;
        let mut entries = Vec::new();
        read(input, &ReadSettings::of("isso"), &std::env::temp_dir(), &mut |entry| {
            entries.push(entry);
            Ok(())
        })?;
        Ok(entries)
    }

    #[test]
    fn threads_and_comments_are_read() {
        let entries = entries(
            r#"[{"comments": [{"email": "", "remote_addr": "0.0.0.0", "website": "http://w", "created": "2005-02-24 04:03:37",
                 "author": "texas holdem", "id": 0, "text": "Great men can't be ruled."},
                {"id": 1, "parent": 0, "created": 1400000000.5, "mode": 2, "likes": 3, "dislikes": 1, "text": "x\n"}],
                "id": "/posts/0001/", "title": "Test+post"}]"#,
        );
        let entries = entries.unwrap();
        let [Record::Subject(subject), Record::Comment(first), Record::Comment(reply)] =
            [&entries[0].record, &entries[1].record, &entries[2].record]
        else {
            panic!("{entries:?}")
        };
        assert_eq!((subject.key.object_id.as_str(), subject.metadata["title"].as_str()), ("/posts/0001/", "Test+post"));
        assert_eq!(
            (first.external_id.as_str(), first.create_time.unwrap().as_second()),
            ("/posts/0001/#0", 1_109_217_817)
        );
        assert!(first.member_id.starts_with("isso:n:"));
        assert_eq!((reply.parent_external_id.as_deref(), reply.state), (Some("/posts/0001/#0"), CommentState::Hidden));
        assert_eq!(
            (reply.votes, reply.create_time.unwrap().as_millisecond()),
            (Votes { up: 3, down: 1 }, 1_400_000_000_500)
        );
    }

    #[test]
    fn a_broken_file_is_refused_and_a_broken_comment_rejected() {
        for json in ["[{\n\"id\": 3}]", "[\n", "{\n}", "[{\"rid\": 1}]", "[{\"id\":\"/\",\"comments\":[{\"id\":1}"] {
            assert!(entries(json).is_err(), "{json}");
        }
        assert!(entries(&"[".repeat(1_000_000)).is_err());
        assert!(entries("[]").unwrap().is_empty());
        let json =
            "[{\n\"id\":\"/\",\"comments\":[{\"id\":1},\n{\"id\":2,\"created\":1},{\"id\":3,\"created\":\"never\"}]}]";
        let entries = entries(json).unwrap();
        let problems: Vec<_> = entries.iter().map(|entry| entry.problem.as_ref().map(|p| p.reason.as_str())).collect();
        assert_eq!(problems, [None, Some("RECORD_INVALID"), None, Some("TIME_INVALID")]);
        assert!(entries[1].problem.as_ref().unwrap().message.contains("record 1, line 2, "));
        assert_eq!((entries[1].record.external_id(), entries[1].record.key().object_id.as_str()), ("1", "/"));
        assert_eq!(entries[3].record.original().unwrap()["created"], "never");
    }
}
