//! Riposte's own format, `riposte.export.v1`: lines of JSON.
//!
//! The first line may be a header, `{"schema":"riposte.export.v1","scope":{…}}`. Every other line
//! contains one record under the name of its kind: `{"subject":{…}}`, `{"comment":{…}}` or
//! `{"like":{…}}`. A line of a rejects file also has the key `rejected`, which is ignored here:
//! correct the record and import the file. Lines of one subject are consecutive, parents before
//! replies, likes last.

use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::group::{Group, GroupEntry, GroupSink};
use super::input::{self, base_name};
use super::record::{Comment, Like, Problem, Record, Subject};

/// The name of the format in its header.
pub(crate) const SCHEMA: &str = "riposte.export.v1";

/// The declared scope of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Scope {
    pub(crate) object_type: String,
    /// `None` stands for all subjects of the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) object_id: Option<String>,
}

#[derive(Debug, Serialize)]
struct Header<'a> {
    schema: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'a Scope>,
}

#[derive(Debug, Serialize)]
struct JsonRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a Subject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a Comment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<&'a Like>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<&'a Problem>,
}

/// One line as it is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonLine {
    pub(crate) schema: Option<String>,
    pub(crate) scope: Option<Scope>,
    pub(crate) subject: Option<Subject>,
    pub(crate) comment: Option<Comment>,
    pub(crate) like: Option<Like>,
    #[expect(dead_code, reason = "a known key, so that a rejects file is valid input")]
    rejected: Option<IgnoredAny>,
}

/// Writes the header line.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn write_header(out: &mut impl Write, scope: Option<&Scope>) -> Result<()> {
    serde_json::to_writer(&mut *out, &Header { schema: SCHEMA, scope })?;
    Ok(out.write_all(b"\n")?)
}

/// Writes one record as a line.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn write(out: &mut impl Write, record: &Record, rejected: Option<&Problem>) -> Result<()> {
    let mut line = JsonRecord { subject: None, comment: None, like: None, rejected };
    match record {
        Record::Subject(subject) => line.subject = Some(subject),
        Record::Comment(comment) => line.comment = Some(comment),
        Record::Like(like) => line.like = Some(like),
    }
    serde_json::to_writer(&mut *out, &line)?;
    Ok(out.write_all(b"\n")?)
}

/// Returns the number of lines that are not blank.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn count(path: &Path) -> Result<u64> {
    let mut lines = 0;
    each_line(path, &mut |_, _| {
        lines += 1;
        Ok(())
    })?;
    Ok(lines)
}

/// Passes each group of consecutive lines of one subject to `sink`; at most one group is in memory.
///
/// # Errors
/// The first line that is not of this format, with file and line; or the error of `sink`.
pub(crate) fn read(path: &Path, sink: GroupSink<'_>) -> Result<()> {
    let mut group: Option<Group> = None;
    each_line(path, &mut |number, text| {
        let entry = parse(text).map_err(|error| anyhow!("{}:{number}: {error:#}", base_name(path)))?;
        let Some(entry) = entry else { return Ok(()) };
        if group.as_ref().is_none_or(|group| group.key != *entry.record.key()) {
            let next = Group::new(entry.record.key().clone());
            if let Some(complete) = group.replace(next) {
                sink(complete)?;
            }
        }
        if let Some(group) = &mut group {
            group.add(entry);
        }
        Ok(())
    })?;
    group.map_or(Ok(()), sink)
}

/// Parses one line; `None` for a header.
///
/// # Errors
/// The line is not JSON, has an unknown key, contains no record or more than one.
pub(crate) fn parse(text: &str) -> Result<Option<GroupEntry>> {
    let line: JsonLine = serde_json::from_str(text)?;
    let JsonLine { schema, scope, subject, comment, like, rejected: _ } = line;
    Ok(Some(match (schema, subject, comment, like) {
        (Some(schema), None, None, None) if schema == SCHEMA => return Ok(None),
        (Some(schema), ..) if schema != SCHEMA => bail!("the schema {schema:?} is not known; this is {SCHEMA}"),
        _ if scope.is_some() => bail!("scope belongs to the header"),
        (None, Some(subject), None, None) => GroupEntry::valid(Record::Subject(subject)),
        (None, None, Some(comment), None) => require_time(comment),
        (None, None, None, Some(like)) => GroupEntry::valid(Record::Like(like)),
        _ => bail!("a line holds exactly one of subject, comment and like"),
    }))
}

/// Rejects a comment without a time: an earlier import rejected it for that reason, and it has not
/// been corrected. The current time would be wrong.
fn require_time(comment: Comment) -> GroupEntry {
    match comment.create_time {
        Some(_) => GroupEntry::valid(Record::Comment(comment)),
        None => GroupEntry::rejected(Record::Comment(comment), Problem::new("TIME_INVALID", "it has no create_time")),
    }
}

/// Calls `each` with the number and text of every line that is not blank.
///
/// # Errors
/// The file cannot be read, a line is not UTF-8 or too long (with file and line); or the error of
/// `each`.
pub(crate) fn each_line(path: &Path, each: &mut dyn FnMut(u64, &str) -> Result<()>) -> Result<()> {
    let (mut input, meter) = input::open(path)?;
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let location = || format!("{}:{number}", base_name(path));
        if input.read_until(b'\n', &mut bytes).with_context(location)? == 0 {
            break;
        }
        meter.reset();
        let text = std::str::from_utf8(&bytes).map_err(|_| anyhow!("not UTF-8")).with_context(location)?;
        if !text.trim().is_empty() {
            each(number, text.trim())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod golden;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{CommentState, DeletedBy, Key, LikeValue, Votes};

    fn groups(text: &[u8]) -> Result<Vec<Group>> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), text)?;
        let mut groups = Vec::new();
        read(file.path(), &mut |group| {
            groups.push(group);
            Ok(())
        })?;
        Ok(groups)
    }

    fn records() -> Vec<Record> {
        let key = Key { object_type: "page".to_owned(), object_id: "/a".to_owned() };
        let comment = Comment {
            key: key.clone(),
            source: Some("isso".to_owned()),
            external_id: "1".to_owned(),
            member_id: "m".to_owned(),
            text: "a\n\"b\" \u{1f600}".to_owned(),
            create_time: "2013-10-10T19:20:29.123Z".parse().ok(),
            votes: Votes { up: 1, down: 0 },
            ..Comment::default()
        };
        let reply = Comment {
            external_id: "2".to_owned(),
            parent_external_id: Some("1".to_owned()),
            state: CommentState::Deleted,
            deleted_by: Some(DeletedBy::SubjectOwner),
            delete_time: comment.create_time,
            ..comment.clone()
        };
        let like = Like {
            key: key.clone(),
            source: None,
            comment_external_id: "1".to_owned(),
            member_id: "n".to_owned(),
            value: LikeValue::Dislike,
            time: comment.create_time,
            synthetic: true,
        };
        let subject = Subject { key, owner_id: "o".to_owned(), ..Subject::default() };
        vec![Record::Subject(subject), Record::Comment(comment), Record::Comment(reply), Record::Like(like)]
    }

    #[test]
    fn written_records_are_read_back_unchanged_even_from_a_rejects_file() {
        for problem in [None, Some(Problem::new("TEXT_EMPTY", "it has no text"))] {
            let mut text = Vec::new();
            write_header(&mut text, Some(&Scope { object_type: "page".to_owned(), object_id: None })).unwrap();
            for record in records() {
                write(&mut text, &record, problem.as_ref()).unwrap();
            }
            let groups = groups(&text).unwrap();
            let [Record::Subject(subject), Record::Comment(first), Record::Comment(reply), Record::Like(like)] =
                <[Record; 4]>::try_from(records()).unwrap()
            else {
                panic!("the records are these four")
            };
            assert_eq!(groups.len(), 1);
            assert_eq!(groups[0].subject.as_ref(), Some(&subject));
            assert_eq!(groups[0].comments, [first, reply]);
            assert_eq!(groups[0].likes, [like]);
        }
    }

    #[test]
    fn consecutive_lines_of_a_subject_are_one_group() {
        let line = |page: &str, id: &str| {
            format!(
                "{{\"comment\":{{\"subject\":{{\"object_type\":\"t\",\"object_id\":\"{page}\"}},\"external_id\":\"{id}\",\
                 \"create_time\":\"2020-01-01T00:00:00Z\"}}}}\n\n"
            )
        };
        let text = [line("a", "1"), line("a", "2"), line("b", "3"), line("a", "4")].concat();
        let sizes: Vec<_> = groups(text.as_bytes()).unwrap().iter().map(|group| group.comments.len()).collect();
        assert_eq!(sizes, [2, 1, 1]);
    }

    #[test]
    fn broken_lines_are_refused_with_file_and_line() {
        let key = r#""subject":{"object_type":"t","object_id":"a"}"#;
        let cases = [
            ("{\"schema\":\"other\"}".to_owned(), ":1: the schema"),
            (format!("{{\"comment\":{{{key},\"external_id\":\"1\",\"txt\":\"\"}}}}"), "txt"),
            (format!("\n{{\"comment\":{{{key},\"external_id\":\"1\",\"create_time\":\"never\"}}}}"), ":2: "),
            ("{}".to_owned(), "exactly one"),
            ("{\"comment\":".to_owned(), ":1: EOF"),
            ("[".repeat(100_000), ":1: "),
        ];
        for (text, expected) in cases {
            let error = format!("{:#}", groups(text.as_bytes()).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
        assert!(format!("{:#}", groups(b"{}\xff").unwrap_err()).contains(":1: not UTF-8"));
        assert!(format!("{:#}", groups(&vec![b'x'; 100 << 20]).unwrap_err()).contains("16 MiB"));
        let unchanged = groups(format!("{{\"comment\":{{{key},\"external_id\":\"1\"}}}}").as_bytes()).unwrap();
        assert_eq!(unchanged[0].rejects[0].problem.reason, "TIME_INVALID");
    }
}
