//! The identity of a line that is no record: without it, the replies of a comment would not be
//! known as such, and a subject that its source hides would be created by its comments alone.

use serde_json::Value;

use crate::json_record::{after_name, text_of};
use crate::record::{Comment, Key, Record, Subject, SubjectState};

/// Returns the record that a line names, with nothing but its identity as far as it can be read. A
/// line of a subject is hidden.
pub(super) fn of_line(text: &str) -> Record {
    let line: Value = serde_json::from_str(text).unwrap_or_default();
    let value = |kind: &str, path: [&str; 2], name: &str| {
        let exact = line.pointer(&format!("/{kind}/{}/{}", path[0], path[1])).map(text_of);
        exact.or_else(|| after_name(text, 3, name)).unwrap_or_default()
    };
    let key = |kind: &str, member: &str| Key {
        object_type: value(kind, [member, "object_type"], "object_type"),
        object_id: value(kind, [member, "object_id"], "object_id"),
    };
    match kind_of(text) {
        Some("subject") => {
            Record::Subject(Subject { key: key("subject", "key"), state: SubjectState::Hidden, ..Subject::default() })
        }
        Some("comment") => {
            let id = line.pointer("/comment/external_id").map(text_of);
            let external_id = id.or_else(|| after_name(text, 2, "external_id")).unwrap_or_default();
            Record::Comment(Comment { key: key("comment", "subject"), external_id, ..Comment::hidden() })
        }
        Some(_) | None => Record::Comment(Comment::hidden()),
    }
}

/// Returns the name of the first member of a line that may not be JSON.
fn kind_of(text: &str) -> Option<&str> {
    let name = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix('"')?;
    name.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_keeps_its_identity() {
        let key = Key { object_type: "t".to_owned(), object_id: "5".to_owned() };
        let subject = Record::Subject(Subject { key: key.clone(), state: SubjectState::Hidden, ..Subject::default() });
        for text in [
            r#"{"subject":{"key":{"object_type":"t","object_id":"5"},"state":"HIDDENN"}}"#,
            r#"{"subject":{"key":{"object_type":"t","object_id":5}}}"#,
            r#"{ "subject" : {"key":{"object_type" : "t","object_id":"5"},"state":[}}"#,
        ] {
            assert_eq!(of_line(text), subject, "{text}");
        }
        let comment = Record::Comment(Comment { key, external_id: "7".to_owned(), ..Comment::hidden() });
        let text = r#"{"comment":{"subject":{"object_type":"t","object_id":"5"},"external_id":"7","text":nope}}"#;
        assert_eq!(of_line(text), comment);
        for text in ["{}", "garbage", "[]", r#"{"like":1}"#] {
            assert_eq!(of_line(text), Record::Comment(Comment::hidden()), "{text}");
        }
    }
}
