//! Records of JSON exports: faults that reject one record, and the fields as they stand in the
//! file.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::group::GroupEntry;
use super::input::{NOT_UTF8, SourcePosition};
use super::member_ids;
use super::record::{Comment, Key, Problem, Record};

/// Parses the text of one record.
///
/// # Errors
/// The fault for which the record is rejected.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    if text.contains(NOT_UTF8) {
        return Err("it is not UTF-8".to_owned());
    }
    serde_json::from_str(text).map_err(|error| fault(&error))
}

/// Returns the words of an error, without the place within the record: its record has a place in
/// the file.
pub(crate) fn fault(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).map_or_else(|| text.clone(), |words| format!("{words} (after {} bytes)", error.column()))
}

/// Returns the rejection of a record that cannot be parsed, with its text and, if it has one, its
/// id.
pub(crate) fn rejected(text: &str, place: SourcePosition, key: &Key, message: &str) -> GroupEntry {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let id = ["id", "commentHex"].iter().find_map(|name| value.get(name));
    let id = id.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned)).unwrap_or_default();
    let comment = Comment { key: key.clone(), external_id: member_ids::fit_external_id(&id), ..Comment::default() };
    let problem = Problem::at("RECORD_INVALID", place, message);
    let mut entry = GroupEntry::rejected(Record::Comment(comment), problem).at(place);
    entry.keep_original([("record", text)]);
    entry
}

/// Keeps the members of a record that the entry has in another form.
pub(crate) fn keep_original(entry: &mut GroupEntry, text: &str) {
    let Ok(Value::Object(members)) = serde_json::from_str(text) else { return };
    let text = |value: Value| match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => other.to_string(),
    };
    let members: Vec<_> = members.into_iter().map(|(name, value)| (name, text(value))).collect();
    entry.keep_original(members.iter().map(|(name, text)| (name.as_str(), text.as_str())));
}
