//! Isso's generic JSON: a list of threads `{id, title, comments: [{id, author, email, text,
//! created, …}]}`.
//!
//! `created` is a date with time in UTC, or a number of seconds since 1970 as in Isso's database.
//! Ids need to be unique only within a thread, so the external id is `<thread>#<id>`. Texts are
//! Markdown and stay unchanged. The fields `parent`, `mode`, `modified`, `likes` and `dislikes` are
//! not part of the generic format; they come from Isso's own database, by the query in
//! docs/import.md.

use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::Deserialize;

use super::group::GroupEntry;
use super::input::{self, base_name};
use super::member_ids::{self, SourceMember};
use super::page::PageNames;
use super::read_settings::{ReadSettings, SubjectBy};
use super::record::{Client, Comment, CommentState, Key, Problem, Record, Subject, Votes, put_metadata};
use super::time::{self, TimeReader};

/// The largest size of a file. A file is one JSON document, which is read completely into memory.
const FILE_BYTES_MAX: usize = 512 << 20;

#[derive(Debug, Deserialize)]
struct Thread {
    id: String,
    title: Option<String>,
    #[serde(default)]
    comments: Vec<Row>,
}

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
    #[serde(default)]
    likes: u32,
    #[serde(default)]
    dislikes: u32,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Id {
    Number(i64),
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum JsonTime {
    Seconds(f64),
    Text(String),
}

/// Reads a file and passes its threads and comments to `out`.
///
/// # Errors
/// The file is larger than 512 MiB, or is not a list of this form; the error then names file, line
/// and column.
pub(crate) fn read(path: &Path, settings: &ReadSettings, out: &mut dyn FnMut(GroupEntry)) -> Result<()> {
    let text = input::read_all(path, FILE_BYTES_MAX)?;
    let threads: Vec<Thread> = serde_json::from_str(&text).with_context(|| base_name(path))?;
    drop(text);
    for thread in threads {
        let page = PageNames { id: "", link: &thread.id, number: "" };
        let object_id = page.object_id(SubjectBy::Path).unwrap_or_default();
        let key = Key { object_type: settings.object_type.clone(), object_id };
        let mut subject = Subject { key: key.clone(), ..Subject::default() };
        put_metadata(&mut subject.metadata, "title", thread.title.as_deref().unwrap_or_default());
        put_metadata(&mut subject.metadata, "url", &thread.id);
        if !key.object_id.is_empty() {
            out(GroupEntry::valid(Record::Subject(subject)));
        }
        thread.comments.into_iter().for_each(|row| out(comment(row, &key, settings)));
    }
    Ok(())
}

fn comment(row: Row, key: &Key, settings: &ReadSettings) -> GroupEntry {
    let author = SourceMember {
        username: "",
        email: row.email.as_deref().unwrap_or_default(),
        name: row.author.as_deref().unwrap_or_default(),
    };
    let create_time = row.created.read();
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
        edit_time: row.modified.and_then(|time| time.read().ok()),
        votes: Votes { up: row.likes, down: row.dislikes },
        ..Comment::default()
    };
    put_metadata(&mut comment.metadata, "author_name", author.name);
    comment.text = row.text.unwrap_or_default();
    let problem = match (create_time, key.object_id.as_str()) {
        (_, "") => Some(Problem::new("SUBJECT_MISSING", "its thread has no id")),
        (Err(error), _) => Some(Problem::new("TIME_INVALID", format!("{error:#}"))),
        (Ok(_), _) => None,
    };
    GroupEntry { record: Record::Comment(comment), problem }
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
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), json)?;
        let (source, object_type, salt) = ("isso".to_owned(), "page".to_owned(), "s".to_owned());
        let settings = ReadSettings { source, object_type, salt, subject_by: SubjectBy::Id };
        let mut entries = Vec::new();
        read(file.path(), &settings, &mut |entry| entries.push(entry))?;
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
    fn a_broken_file_is_refused_with_its_line() {
        for json in ["[{\n\"id\": 3}]", "[\n", "{\n}", "[{\n\"id\":\"/\",\"comments\":[{\"id\":1}]}]"] {
            let error = format!("{:#}", entries(json).unwrap_err());
            assert!(error.contains("line "), "{error}");
        }
        assert!(entries(&"[".repeat(1_000_000)).is_err());
    }
}
