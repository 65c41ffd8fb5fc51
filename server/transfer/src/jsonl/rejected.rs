//! The rejection of an earlier import in a line of a rejects file.
//!
//! Most rules judge a record by itself, and judge it again when its line is imported. What only the
//! reader of the source could see is no longer in the record: the type of an order note, a second
//! text under one id, a cell that is no number. A line with such a reason is rejected again until
//! the fields that the reason is about have changed, which a digest of them shows, or until its
//! `rejected` is removed.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::member_ids;
use crate::record::{Original, Problem, Record, SUBJECT_REJECTED};

/// The bytes of a digest.
const DIGEST_BYTES: usize = 8;

/// The member `rejected` of a line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Rejected {
    reason: String,
    message: String,
    pub(super) original: Original,
    digest: Option<String>,
}

impl Rejected {
    /// Returns the rejection; an empty one for a value of another form.
    pub(super) fn of(value: Value) -> Self {
        serde_json::from_value(value).unwrap_or_default()
    }

    /// Returns the problem that the record has still. That of a record which was rejected with its
    /// subject ends when a valid record describes the subject.
    pub(super) fn problem(&self, record: &Record) -> Option<Problem> {
        let digest = digest(&self.reason, record);
        let is_unchanged = digest.is_some() && (self.digest.is_none() || self.digest == digest);
        let waits = self.reason == SUBJECT_REJECTED;
        (is_unchanged || waits).then(|| Problem::new(&self.reason, self.message.clone()))
    }
}

/// Returns the digest of the fields that a correction changes; `None` for a reason that is judged
/// again by the record itself.
pub(super) fn digest(reason: &str, record: &Record) -> Option<String> {
    let fields = match (reason, record) {
        // Nothing in the record makes a comment of it.
        ("NOT_A_COMMENT", _) => Value::Null,
        ("ID_EMPTY" | "DUPLICATE_ID", record) => json!([record.key(), record.external_id()]),
        ("SUBJECT_MISSING", record) => json!(record.key()),
        ("TIME_INVALID", record) => {
            let mut fields = written(record);
            fields.as_object_mut()?.retain(|name, _| name.ends_with("time"));
            fields
        }
        ("COUNT_INVALID", Record::Comment(comment)) => json!(comment.votes),
        ("RECORD_INVALID" | "VALUE_UNKNOWN", record) => written(record),
        _ => return None,
    };
    Some(member_ids::digest(&fields.to_string(), DIGEST_BYTES))
}

/// Returns the fields of a record as its line has them.
fn written(record: &Record) -> Value {
    match record {
        Record::Subject(subject) => json!(subject),
        Record::Comment(comment) => json!(comment),
        Record::Like(like) => json!(like),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::GroupEntry;
    use crate::input::Input;
    use crate::jsonl;
    use crate::record::{Comment, CommentState, Key, Subject};

    fn comment() -> Comment {
        Comment {
            key: Key { object_type: "page".to_owned(), object_id: "/a".to_owned() },
            source: Some("w".to_owned()),
            external_id: "7".to_owned(),
            member_id: "m".to_owned(),
            text: "an order note".to_owned(),
            create_time: "2020-01-01T00:00:00.123456Z".parse().ok(),
            original: Original::from([("comment_type".to_owned(), "order_note".to_owned())]),
            ..Comment::default()
        }
    }

    fn line(record: Record, reason: &str) -> String {
        let mut text = Vec::new();
        jsonl::write(&mut text, &record, Some(&Problem::new(reason, "why"))).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn read(text: &str) -> GroupEntry {
        let input = Input::from_reader(std::io::Cursor::new(text.as_bytes().to_vec()), "r.jsonl").unwrap();
        let mut entries = Vec::new();
        jsonl::read(input, &mut |entry| {
            entries.push(entry);
            Ok(())
        })
        .unwrap();
        entries.remove(0)
    }

    fn reason(text: &str) -> Option<String> {
        read(text).problem.map(|problem| problem.reason)
    }

    #[test]
    fn an_unchanged_line_is_rejected_again_for_what_only_its_source_showed() {
        let reasons = [
            "NOT_A_COMMENT",
            "ID_EMPTY",
            "DUPLICATE_ID",
            "SUBJECT_MISSING",
            "TIME_INVALID",
            "COUNT_INVALID",
            "RECORD_INVALID",
            "VALUE_UNKNOWN",
        ];
        for reason in reasons {
            let text = line(Record::Comment(comment()), reason);
            let again = read(&text);
            assert_eq!(again.problem, Some(Problem::new(reason, "why")), "{text}");
            assert_eq!(again.record.original()["comment_type"], "order_note");
            assert_eq!(line(again.record, reason), text, "and once more");
            let mut value: Value = serde_json::from_str(&text).unwrap();
            value["rejected"].as_object_mut().unwrap().remove("digest");
            assert_eq!(super::tests::reason(&value.to_string()).as_deref(), Some(reason), "a file without digests");
            value.as_object_mut().unwrap().remove("rejected");
            assert_eq!(super::tests::reason(&value.to_string()), None, "without its reason it is meant as it is");
        }
        let subject = Subject { key: comment().key, ..Subject::default() };
        assert_eq!(reason(&line(Record::Subject(subject), "TIME_INVALID")).as_deref(), Some("TIME_INVALID"));
    }

    #[test]
    fn a_corrected_line_is_judged_anew() {
        let corrections: [(&str, &str, &str); 7] = [
            ("ID_EMPTY", "\"external_id\":\"7\"", "\"external_id\":\"8\""),
            ("DUPLICATE_ID", "\"external_id\":\"7\"", "\"external_id\":\"8\""),
            ("SUBJECT_MISSING", "\"/a\"", "\"/b\""),
            ("TIME_INVALID", "2020-01-01", "2021-01-01"),
            ("COUNT_INVALID", "\"member_id\"", "\"votes\":{\"up\":2},\"member_id\""),
            ("RECORD_INVALID", "an order note", "a comment"),
            ("VALUE_UNKNOWN", "\"state\":\"ACTIVE\"", "\"state\":\"HIDDEN\""),
        ];
        for (reason, before, after) in corrections {
            let text = line(Record::Comment(comment()), reason);
            assert!(text.contains(before), "{text}");
            assert_eq!(super::tests::reason(&text.replace(before, after)), None, "{reason}");
            let elsewhere = text.replace("\"m\"", "\"n\"");
            let is_complete = matches!(reason, "RECORD_INVALID" | "VALUE_UNKNOWN");
            assert_eq!(super::tests::reason(&elsewhere).is_none(), is_complete, "{reason} is about another field");
        }
        let note = line(Record::Comment(comment()), "NOT_A_COMMENT").replace("an order note", "another");
        assert_eq!(reason(&note).as_deref(), Some("NOT_A_COMMENT"), "no text makes a comment of it");
    }

    #[test]
    fn rules_that_judge_the_record_judge_it_again() {
        for judged in ["TEXT_EMPTY", "PARENT_MISSING", "VALUE_INVALID", "SOME_OF_THE_SERVER"] {
            let text = line(Record::Comment(comment()), judged);
            assert!(!text.contains("digest"));
            assert_eq!(reason(&text), None, "{judged}");
        }
        let waits = line(Record::Comment(comment()), SUBJECT_REJECTED);
        assert_eq!(reason(&waits).as_deref(), Some(SUBJECT_REJECTED));
        let timeless = Comment { create_time: None, state: CommentState::Hidden, ..comment() };
        assert_eq!(reason(&line(Record::Comment(timeless), SUBJECT_REJECTED)).as_deref(), Some("TIME_INVALID"));
    }
}
