//! From the answers of functions to the protocol's terms. What cannot be read is a miss, never a guess.

use fred::types::Value;
use prost::Message;
use riposte_core::{CommentId, LikeValue, Subject, SubjectId};

use super::message::SubjectRow;
use super::value;
use crate::port::{Cursor, Filled, Item, Kind, Lookup, Opened, Ticket};

/// The bytes of a value; `None` where there are none.
pub(super) fn bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::String(text) => Some(text.as_bytes()),
        Value::Bytes(bytes) => Some(bytes),
        Value::Boolean(_)
        | Value::Integer(_)
        | Value::Double(_)
        | Value::Null
        | Value::Queued
        | Value::Map(_)
        | Value::Array(_) => None,
    }
}

pub(super) fn text(value: &Value) -> Option<&str> {
    std::str::from_utf8(bytes(value)?).ok()
}

pub(super) fn list(value: &Value) -> &[Value] {
    if let Value::Array(list) = value { list } else { &[] }
}

pub(super) fn integer(value: &Value) -> Option<i64> {
    if let Value::Integer(number) = value { Some(*number) } else { text(value)?.parse().ok() }
}

pub(super) fn subject(value: &Value) -> Option<Subject> {
    SubjectRow::decode(bytes(value)?).ok()?.subject()
}

pub(super) fn item(value: &Value, id: Option<CommentId>) -> Option<Item> {
    value::item(bytes(value)?, id)
}

/// Whether it is known, of a list that begins with `hit`, `absent` or `miss`.
pub(super) fn lookup<T>(value: &Value, hit: impl FnOnce(&[Value]) -> Option<T>) -> Lookup<Option<T>> {
    let words = list(value);
    match words.first().and_then(text) {
        Some("absent") => Lookup::Hit(None),
        Some("hit") => hit(&words[1..]).map_or(Lookup::Miss, |found| Lookup::Hit(Some(found))),
        Some(_) | None => Lookup::Miss,
    }
}

pub(super) fn opened(value: &Value, kind: Kind, token: u64) -> Option<Opened> {
    let words = list(value);
    Some(match text(words.first()?)? {
        "cold" => Opened::Cold,
        "busy" => Opened::Busy,
        "unknown" => Opened::Unknown { token },
        _ => {
            let [_, subject, given] = words else { return None };
            let subject = SubjectId::new(i64::from_str_radix(text(subject)?, 16).ok()?)?;
            Opened::Ticket(Ticket { subject, kind, token, given: Cursor(integer(given)?) })
        }
    })
}

pub(super) fn filled(value: &Value) -> Filled {
    match text(value) {
        Some("kept") => Filled::Kept,
        Some("behind") => Filled::Behind,
        Some(_) | None => Filled::Refused,
    }
}

/// A member's values; empty words are comments of which nothing is known.
pub(super) fn states(words: &[Value]) -> Option<Vec<Option<LikeValue>>> {
    let value = |word: &Value| match text(word) {
        Some("") => Some(None),
        Some(code) => LikeValue::from_code(code.parse().ok()?).map(Some),
        None => None,
    };
    list(words.first()?).iter().map(value).collect()
}
