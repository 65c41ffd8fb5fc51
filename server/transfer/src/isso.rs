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
use super::not_utf8;
use super::page::{PageNames, PageRules, SubjectBy};
use super::read_notes::ReadNotes;
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
    is_cut: bool,
    place: SourcePosition,
}

/// The thread that is being read.
struct OpenThread {
    container: u64,
    id: String,
    title: String,
    /// The id that cannot be read: its place and its source.
    fault: Option<(SourcePosition, String)>,
    is_title_lost: bool,
    comments: HeldRecords,
}

/// Reads a file and passes its threads and comments to `out`. The comments of one thread wait in
/// `spool` until the thread ends.
///
/// # Errors
/// The file is not JSON or is cut off (with its place), or has no lists of comments; the error of
/// `out`.
pub(crate) fn read(
    input: Input,
    settings: &ReadSettings,
    spool: &Path,
    notes: &mut ReadNotes,
    out: EntrySink<'_>,
) -> Result<()> {
    let paths: [ListPath; 3] = ["*.comments", "*.id", "*.title"].map(json_lists::path);
    let name = input.name().to_owned();
    let is_list = input.head().trim_ascii_start().starts_with(b"[");
    let new = |container| OpenThread {
        container,
        id: String::new(),
        title: String::new(),
        fault: None,
        is_title_lost: false,
        comments: HeldRecords::new(spool),
    };
    let mut open = new(0);
    let found = json_lists::read(input, &paths, &mut |element| {
        if element.container != open.container {
            std::mem::replace(&mut open, new(element.container)).emit(settings, notes, out)?;
        }
        open.add(&element)
    })?;
    let is_empty = is_list && found.containers == 0;
    open.emit(settings, notes, out)?;
    if !is_list || !(is_empty || matches!(found.lists.as_slice(), [true, ..])) {
        bail!("{name} is no file in Isso's generic format: no thread has a list of comments");
    }
    Ok(())
}

impl OpenThread {
    fn add(&mut self, element: &Element<'_>) -> Result<()> {
        match (element.list, element.is_single) {
            (0, false) => {
                let (text, is_cut) = (element.text.to_owned(), element.is_cut);
                return self.comments.add(&HeldComment { text, is_cut, place: element.place });
            }
            (0, true) => return Ok(()),
            _ => {}
        }
        let text = match json_record::parse_exact(element.text) {
            Ok(Value::String(text)) => Some(text),
            Ok(Value::Null) => Some(String::new()),
            Ok(value @ (Value::Bool(_) | Value::Number(_))) => Some(value.to_string()),
            Ok(Value::Array(_) | Value::Object(_)) | Err(_) => None,
        };
        // Of a list or an object in its place each value comes here.
        let text = text.filter(|_| element.is_single);
        match element.list {
            1 => {
                if text.is_none() {
                    self.fault.get_or_insert((element.place, element.text.to_owned()));
                }
                self.id = text.unwrap_or_default();
            }
            _ => {
                self.is_title_lost |= text.is_none();
                self.title = text.unwrap_or_default();
            }
        }
        Ok(())
    }

    fn emit(mut self, settings: &ReadSettings, notes: &mut ReadNotes, out: EntrySink<'_>) -> Result<()> {
        let Self { id, title, comments, fault, is_title_lost, .. } = &mut self;
        if comments.is_empty() && id.is_empty() {
            return Ok(());
        }
        let page = PageNames { id: "", link: id, number: "" };
        let object_id = page.object_id(&by_path(&settings.pages)).unwrap_or_default();
        let key = Key { object_type: settings.object_type.clone(), object_id };
        let mut subject = Subject { key: key.clone(), ..Subject::default() };
        subject.put_metadata("title", title);
        subject.put_metadata("url", id);
        let mut entry = GroupEntry::valid(Record::Subject(subject));
        if let Some((place, raw)) = fault {
            entry = entry.at(*place);
            entry.problem = Some(entry.problem("RECORD_INVALID", "its id is neither a text nor a number"));
            entry.keep_original([("id", raw.as_str())]);
        } else if *is_title_lost {
            // Its comments do not depend on it.
            notes.add_unreadable_title(&key.object_id);
        }
        if !key.object_id.is_empty() {
            out(entry)?;
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
    let held = &HeldComment { text: json_record::marked(&held.text).into_owned(), ..*held };
    let spoiled = not_utf8::fault(&held.text);
    let row: Row = match json_record::parse_complete(&held.text, held.is_cut) {
        Ok(row) => row,
        Err(message) => {
            let mut entry = json_record::rejected(&held.text, held.place, key, &message);
            if let Record::Comment(comment) = &mut entry.record {
                // Its replies name it in this form.
                comment.external_id = member_ids::external_id_in_page(&key.object_id, &comment.external_id);
            }
            return entry;
        }
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
        _ if spoiled.is_some() => Some(Problem::at("RECORD_INVALID", held.place, spoiled.unwrap_or_default())),
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
        let mut notes = ReadNotes::default();
        read(input, &ReadSettings::of("isso"), &std::env::temp_dir(), &mut notes, &mut |entry| {
            entries.push(entry);
            Ok(())
        })?;
        assert_eq!(notes.lines().is_empty(), !json.contains("lost"), "{json}");
        Ok(entries)
    }

    #[test]
    fn a_title_that_cannot_be_read_costs_no_comments() {
        for title in ["{\"lost\": 1}", "[\"lost\"]", "lost"] {
            let json = format!(
                "[{{\"title\": {title}, \"id\": \"/a\", \"comments\": [{{\"id\": 1, \"text\": \"x\", \"created\": 1}}]}}]"
            );
            let entries = entries(&json).unwrap();
            assert_eq!(entries.len(), 2, "{title}");
            assert!(entries.iter().all(|entry| entry.problem.is_none()), "{title}: {entries:?}");
        }
        let entries =
            entries("[{\"id\": {\"a\": \"/a\"}, \"comments\": [{\"id\": 1, \"text\": \"x\", \"created\": 1}]}]")
                .unwrap();
        let reasons: Vec<_> = entries.iter().map(|entry| entry.problem.as_ref().map(|p| p.reason.as_str())).collect();
        assert_eq!(reasons, [Some("SUBJECT_MISSING")]);
    }

    #[test]
    fn half_of_a_character_rejects_its_comment_with_its_id() {
        let json = r#"[{"id": "/a", "title": "x", "comments": [{"id": 1, "text": "a \ud800", "created": 1}, {"id": 2, "text": "b", "created": 1}]}]"#;
        let entries = entries(json).unwrap();
        let problems: Vec<_> = entries.iter().map(|entry| entry.problem.as_ref().map(|p| p.message.as_str())).collect();
        assert!(
            matches!(problems.as_slice(), [None, Some(words), None] if words.contains("half of a character")),
            "{problems:?}"
        );
        assert_eq!(entries[1].record.external_id(), "/a#1");
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
        assert_eq!((entries[1].record.external_id(), entries[1].record.key().object_id.as_str()), ("/#1", "/"));
        assert_eq!(entries[3].record.original()["created"], "never");
        let Record::Comment(unreadable) = &entries[1].record else { panic!("{:?}", entries[1].record) };
        assert_eq!(unreadable.state, CommentState::Hidden, "its state is not known");
    }
}
