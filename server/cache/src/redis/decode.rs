//! Decodes the responses of functions to the protocol's types. Data that cannot be decoded is a
//! miss, never a guess.

use fred::types::Value;
use prost::Message;
use prost::bytes::Bytes;
use riposte_core::{CommentId, LikeValue, Subject, SubjectId};

use super::stored::StoredSubject;
use super::value;
use crate::port::{CachedComment, EntryLookup, FillLease, FillOutcome, FillScope, LeaseOutcome, RelayCursor};

/// Returns the bytes of a value, which are cheap to clone; `None` if it has none.
pub(super) fn owned(value: &Value) -> Option<&Bytes> {
    match value {
        Value::String(text) => Some(text.inner()),
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

/// Returns the bytes of a value; `None` if it has none.
pub(super) fn bytes(value: &Value) -> Option<&[u8]> {
    owned(value).map(|bytes| &bytes[..])
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
    StoredSubject::decode(bytes(value)?).ok()?.subject()
}

pub(super) fn item(value: &Value, id: Option<CommentId>) -> Option<CachedComment> {
    value::item(bytes(value)?, id)
}

/// Returns the result of a lookup, from a list that begins with `hit`, `absent` or `miss`.
pub(super) fn lookup<T>(value: &Value, hit: impl FnOnce(&[Value]) -> Option<T>) -> EntryLookup<Option<T>> {
    let words = list(value);
    match words.first().and_then(text) {
        Some("absent") => EntryLookup::Hit(None),
        Some("hit") => hit(&words[1..]).map_or(EntryLookup::Miss, |found| EntryLookup::Hit(Some(found))),
        Some(_) | None => EntryLookup::Miss,
    }
}

pub(super) fn opened(value: &Value, kind: FillScope, token: u64) -> Option<LeaseOutcome> {
    let words = list(value);
    Some(match text(words.first()?)? {
        "cold" => LeaseOutcome::Cold,
        "busy" => LeaseOutcome::Busy,
        "unknown" => LeaseOutcome::Unknown { token },
        _ => {
            let [_, subject, given] = words else { return None };
            let subject = SubjectId::new(i64::from_str_radix(text(subject)?, 16).ok()?)?;
            LeaseOutcome::Ticket(FillLease { subject, kind, token, given: RelayCursor(integer(given)?) })
        }
    })
}

pub(super) fn filled(value: &Value) -> FillOutcome {
    match text(value) {
        Some("kept") => FillOutcome::Kept,
        Some("behind") => FillOutcome::Behind,
        Some(_) | None => FillOutcome::Refused,
    }
}

/// Returns a member's values from one letter each; a blank stands for an unknown comment.
pub(super) fn states(words: &[Value]) -> Option<Vec<Option<LikeValue>>> {
    let value = |letter: &u8| match letter {
        b' ' => Some(None),
        b'0' => Some(Some(LikeValue::None)),
        b'1' => Some(Some(LikeValue::Like)),
        // The first letter of -1.
        b'-' => Some(Some(LikeValue::Dislike)),
        _ => None,
    };
    bytes(words.first()?)?.iter().map(value).collect()
}
