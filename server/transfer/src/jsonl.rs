//! Riposte's own format, `riposte.export.v1`: lines of JSON.
//!
//! The first line may be a header, `{"schema":"riposte.export.v1","scope":{…}}`. Every other line
//! contains one record under the name of its kind: `{"subject":{…}}`, `{"comment":{…}}` or
//! `{"like":{…}}`. A line of a rejects file also has the key `rejected` (see [`rejected`]): correct
//! the record and import the file. Lines of one subject are consecutive, parents before replies,
//! likes last.

mod identity;
mod rejected;

use std::io::Write;

use anyhow::{Context, Result};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::rejected::Rejected;
use super::group::{EntrySink, GroupEntry};
use super::input::{Input, SourcePosition, TOO_LONG};
use super::json_object::{Object, optional_object};
use super::json_record;
use super::marks::NOT_UTF8;
use super::not_utf8;
use super::record::{Comment, Like, LikeEvent, Original, Problem, Record, SUBJECT_REJECTED, Subject};
use super::time;

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
    rejected: Option<JsonProblem<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonProblem<'a> {
    #[serde(flatten)]
    problem: &'a Problem,
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<&'a Original>,
    /// Returns `true` if the record was corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

/// One line as it is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonLine {
    pub(crate) schema: Option<String>,
    #[serde(default, deserialize_with = "optional_object")]
    pub(crate) scope: Option<Scope>,
    #[serde(default, deserialize_with = "optional_object")]
    pub(crate) subject: Option<Subject>,
    #[serde(default, deserialize_with = "optional_object")]
    pub(crate) comment: Option<Comment>,
    #[serde(default, deserialize_with = "optional_object")]
    pub(crate) like: Option<Like>,
    rejected: Option<Value>,
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
    let original = Some(record.original()).filter(|original| !original.is_empty());
    let digest = |problem: &Problem| rejected::digest(&problem.reason, record);
    let rejected = rejected.map(|problem| JsonProblem { problem, original, digest: digest(problem) });
    let mut line = JsonRecord { subject: None, comment: None, like: None, rejected };
    match record {
        Record::Subject(subject) => line.subject = Some(subject),
        Record::Comment(comment) => line.comment = Some(comment),
        Record::Like(like) => line.like = Some(like),
    }
    let is_no_vote = |like: &Like| like.event == Some(LikeEvent::Withdrawn);
    if line.rejected.is_some() && line.like.is_some_and(is_no_vote) {
        // It is withdrawn, or what it was is not known; without a value the line is rejected again.
        let mut line = serde_json::to_value(&line)?;
        line["like"].as_object_mut().map(|like| like.remove("value"));
        serde_json::to_writer(&mut *out, &line)?;
    } else {
        serde_json::to_writer(&mut *out, &line)?;
    }
    Ok(out.write_all(b"\n")?)
}

/// Passes the records of a file to `out`. A line that cannot be read is rejected.
///
/// # Errors
/// The file is no file of this format, has another schema or is cut off (with its place); or the
/// error of `out`.
pub(crate) fn read(mut input: Input, out: EntrySink<'_>) -> Result<()> {
    let mut bytes = Vec::new();
    let mut record = 0;
    loop {
        let place = input.place();
        bytes.clear();
        let mut is_cut = false;
        loop {
            let read = input.read_piece(&mut bytes, &mut is_cut);
            let (length, is_end) = read.map_err(|error| input.error_at(place, &error.to_string()))?;
            if length == 0 && bytes.is_empty() {
                return Ok(());
            }
            if length == 0 || is_end {
                break;
            }
        }
        input.end_record();
        // Files that were joined have marks of their byte order inside.
        let text = std::str::from_utf8(&bytes).context("the input is not UTF-8")?.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            continue;
        }
        record += 1;
        let place = SourcePosition { record, ..place };
        if is_cut {
            out(unreadable(text, place, TOO_LONG))?;
            continue;
        }
        match parse(text) {
            Ok(entry) => entry.into_iter().map(|entry| entry.at(place)).try_for_each(&mut *out)?,
            Err(LineFault::File(message)) => return Err(input.error_at(place, &message)),
            Err(LineFault::Cut(message)) if input.is_finished()? => {
                return Err(input.error_at(place, &format!("{message}: the file is cut off")));
            }
            Err(LineFault::Cut(message) | LineFault::Line(message)) => out(unreadable(text, place, &message))?,
            Err(LineFault::Time(entry, message)) => {
                let problem = Some(Problem::at("TIME_INVALID", place, message));
                out(GroupEntry { problem, ..*entry }.at(place))?;
            }
        }
    }
}

/// The reason why a line is no record.
#[derive(Debug)]
enum LineFault {
    /// It holds for the whole file.
    File(String),
    /// The line ends too early.
    Cut(String),
    Line(String),
    /// A time cannot be read; the record has everything else.
    Time(Box<GroupEntry>, String),
}

/// The members that are times, in all kinds of records.
const TIMES: [&str; 4] = ["create_time", "edit_time", "delete_time", "time"];

/// Parses one line; `None` for a header.
fn parse(text: &str) -> Result<Option<GroupEntry>, LineFault> {
    if text.contains(NOT_UTF8) {
        return Err(cut_or("it is not UTF-8".to_owned(), text));
    }
    let text = &*json_record::marked(text);
    let line = match serde_json::from_str(text) {
        Ok(Object(line)) => line,
        Err(error) => return Err(without_bad_times(text).unwrap_or_else(|| cut_or(json_record::fault(&error), text))),
    };
    record_of(line)
}

/// Returns the fault of a line that is no record. Whether its end is missing is a question to its
/// syntax alone: a member that is not known, or the half of a character, may stand before the cut.
fn cut_or(message: String, text: &str) -> LineFault {
    match serde_json::from_str::<IgnoredAny>(text) {
        Err(error) if error.is_eof() => LineFault::Cut(json_record::fault(&error)),
        Ok(_) | Err(_) => LineFault::Line(message),
    }
}

fn record_of(line: JsonLine) -> Result<Option<GroupEntry>, LineFault> {
    let JsonLine { schema, scope, subject, comment, like, rejected } = line;
    let record = match (schema, subject, comment, like) {
        (Some(schema), None, None, None) if schema == SCHEMA => return Ok(None),
        (Some(schema), ..) if schema != SCHEMA => {
            return Err(LineFault::File(format!("the schema {schema:?} is not known; this is {SCHEMA}")));
        }
        _ if scope.is_some() => return Err(LineFault::Line("scope belongs to the header".to_owned())),
        (None, Some(subject), None, None) => Record::Subject(subject),
        (None, None, Some(comment), None) => Record::Comment(comment),
        (None, None, None, Some(like)) => Record::Like(like),
        _ => return Err(LineFault::Line("a line holds exactly one of subject, comment and like".to_owned())),
    };
    let mut entry = GroupEntry::valid(record);
    if let Some(earlier) = rejected.map(Rejected::of) {
        entry.record.original_mut().clone_from(&earlier.original);
        // The digest is of the record as it was written.
        let mut written = entry.record.clone();
        not_utf8::restore_record(&mut written);
        entry.problem = earlier.problem(&written);
    }
    // The current time would be wrong.
    let is_judged = entry.problem.as_ref().is_some_and(|problem| problem.reason != SUBJECT_REJECTED);
    if matches!(&entry.record, Record::Comment(comment) if comment.create_time.is_none()) && !is_judged {
        return Err(LineFault::Time(Box::new(entry), "it has no create_time".to_owned()));
    }
    Ok(Some(entry))
}

/// Reads a line again without its times that are none.
fn without_bad_times(text: &str) -> Option<LineFault> {
    let mut line: Value = serde_json::from_str(text).ok()?;
    let mut bad = Vec::new();
    for record in line.as_object_mut()?.values_mut().filter_map(Value::as_object_mut) {
        for name in TIMES {
            let is_time = |value: &Value| value.as_str().is_some_and(|text| time::rfc3339(text).is_some());
            if record.get(name).is_some_and(|value| !value.is_null() && !is_time(value)) {
                bad.extend(record.remove(name).map(|value| (name, value)));
            }
        }
    }
    let mut entry = match record_of(serde_json::from_value(line).ok()?) {
        Ok(entry) => entry?,
        Err(LineFault::Time(entry, _)) => *entry,
        Err(LineFault::File(_) | LineFault::Cut(_) | LineFault::Line(_)) => return None,
    };
    let (name, value) = bad.first()?;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let end = time::before_the_last(&text(value));
    let message = format!("{name}: {value} is not an RFC 3339 time{end}");
    let originals: Vec<_> = bad.iter().map(|(name, value)| (*name, text(value))).collect();
    entry.keep_original(originals.iter().map(|(name, text)| (*name, text.as_str())));
    Some(LineFault::Time(Box::new(entry), message))
}

/// Returns a rejected record for a line without one; the line stands in its original fields.
fn unreadable(text: &str, place: SourcePosition, message: &str) -> GroupEntry {
    let problem = Problem::at("RECORD_INVALID", place, message);
    let mut entry = GroupEntry::rejected(identity::of_line(text), problem).at(place);
    entry.keep_original([("line", text)]);
    entry
}

#[cfg(test)]
mod golden;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::tests::Group;
    use crate::record::{CommentState, DeletedBy, Key, LikeValue, Votes};

    fn groups(text: &[u8]) -> Result<Vec<Group>> {
        let mut entries = Vec::new();
        read(Input::from_reader(std::io::Cursor::new(text.to_vec()), "x.jsonl")?, &mut |entry| {
            entries.push(entry);
            Ok(())
        })?;
        Ok(crate::group::tests::groups(&entries))
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
            event: None,
            original: Original::new(),
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
    fn a_vote_that_is_not_known_is_rejected_again_and_never_becomes_a_like() {
        let (mut text, mut like) = (Vec::new(), records().remove(3));
        if let Record::Like(like) = &mut like {
            like.event = Some(LikeEvent::Withdrawn);
        }
        write(&mut text, &like, Some(&Problem::new("VALUE_UNKNOWN", "\"7\" is neither LIKE, DISLIKE nor NONE")))
            .unwrap();
        let groups = groups(&text).unwrap();
        assert_eq!(groups[0].rejects[0].problem.reason, "RECORD_INVALID");
        assert!(groups[0].likes.is_empty());
    }

    const KEY: &str = r#""subject":{"object_type":"t","object_id":"a"}"#;

    #[test]
    fn broken_files_are_refused_with_their_place() {
        let cases = [
            ("{\"schema\":\"other\"}".to_owned(), "x.jsonl: record 1, line 1, byte 0: the schema"),
            (
                format!("\n{{\"comment\":{{{KEY},\"external_id\":"),
                "record 1, line 2, byte 1: it ends where a value is expected",
            ),
            ("{\"comment\":{\"oops\":".to_owned(), "record 1, line 1, byte 0: it ends where a value is expected"),
        ];
        let half = format!("{{\"comment\":{{{KEY},\"text\":\"语").into_bytes();
        let half = (half[..half.len() - 1].to_vec(), "cut off");
        for (text, expected) in cases.map(|(text, expected)| (text.into_bytes(), expected)).into_iter().chain([half]) {
            let error = format!("{:#}", groups(&text).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
        let endless = groups(&[&vec![b'x'; 100 << 20][..], b"\n{}"].concat()).unwrap();
        let [long, next] = endless[0].rejects.as_slice() else { panic!("two lines are rejected") };
        assert!(long.problem.message.contains("16 MiB") && next.problem.message.contains("exactly one"));
    }

    #[test]
    fn a_broken_line_is_rejected_and_the_next_one_is_read() {
        let good = format!("{{\"comment\":{{{KEY},\"external_id\":\"9\",\"create_time\":\"2020-01-01T00:00:00Z\"}}}}");
        let cases: [(Vec<u8>, &str, &str); 10] = [
            (format!("{{\"comment\":{{{KEY},\"external_id\":\"1\",\"txt\":\"\"}}}}").into(), "RECORD_INVALID", "txt"),
            (b"{}".to_vec(), "RECORD_INVALID", "exactly one"),
            (b"{\"comment\":".to_vec(), "RECORD_INVALID", "it ends where a value is expected"),
            (b"[null,null]".to_vec(), "RECORD_INVALID", "there is a list where an object is expected"),
            (br#"{"comment":{"subject":["t","a"],"external_id":"1"}}"#.to_vec(), "RECORD_INVALID", "there is a list"),
            (
                format!(
                    "{{\"comment\":{{{KEY},\"external_id\":\"1\",\"create_time\":\"2020-01-01T00:00:00+25:00\"}}}}"
                )
                .into(),
                "TIME_INVALID",
                "+25:00",
            ),
            (b"{\"comment\":\xff}".to_vec(), "RECORD_INVALID", "not UTF-8"),
            ("[".repeat(100_000).into(), "RECORD_INVALID", "record 1, line 1, byte 0: "),
            (format!("{{\"comment\":{{{KEY},\"external_id\":\"1\"}}}}").into(), "TIME_INVALID", "no create_time"),
            (
                format!("{{\"comment\":{{{KEY},\"external_id\":\"1\",\"create_time\":\"2020-02-30T00:00:00Z\"}}}}")
                    .into(),
                "TIME_INVALID",
                "2020-02-30T00:00:00Z",
            ),
        ];
        for (bad, reason, message) in cases {
            let text = [bad, b"\n".to_vec(), good.clone().into()].concat();
            let groups = groups(&text).unwrap();
            let rejects: Vec<_> = groups.iter().flat_map(|group| &group.rejects).collect();
            let [reject] = rejects.as_slice() else { panic!("{groups:?}") };
            assert_eq!(reject.problem.reason, reason);
            assert!(reject.problem.message.contains(message), "{:?}", reject.problem);
            assert_eq!(groups.iter().map(|group| group.comments.len()).sum::<usize>(), 1);
        }
    }
}
