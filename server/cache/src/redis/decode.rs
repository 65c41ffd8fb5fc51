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
pub(super) fn shared_bytes(value: &Value) -> Option<&Bytes> {
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
    shared_bytes(value).map(|bytes| &bytes[..])
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

pub(super) fn comment(value: &Value, id: Option<CommentId>) -> Option<CachedComment> {
    value::decode_comment(bytes(value)?, id)
}

/// Returns the result of a lookup, from a list that begins with `hit`, `absent` or `miss`.
pub(super) fn lookup<T>(value: &Value, hit: impl FnOnce(&[Value]) -> Option<T>) -> EntryLookup<Option<T>> {
    let items = list(value);
    match items.first().and_then(text) {
        Some("absent") => EntryLookup::Hit(None),
        Some("hit") => hit(&items[1..]).map_or(EntryLookup::Miss, |found| EntryLookup::Hit(Some(found))),
        Some(_) | None => EntryLookup::Miss,
    }
}

/// Returns the outcome of a request for a fill lease; `None` if the response is invalid.
pub(super) fn lease_outcome(value: &Value, scope: FillScope, token: u64) -> Option<LeaseOutcome> {
    let items = list(value);
    Some(match text(items.first()?)? {
        "cold" => LeaseOutcome::Cold,
        "busy" => LeaseOutcome::Busy,
        "unknown" => LeaseOutcome::Unknown { token },
        _ => {
            let [_, subject, granted_at] = items else { return None };
            let subject = SubjectId::new(i64::from_str_radix(text(subject)?, 16).ok()?)?;
            let granted_at = RelayCursor(integer(granted_at)?);
            LeaseOutcome::Granted(FillLease { subject, scope, token, granted_at })
        }
    })
}

pub(super) fn fill_outcome(value: &Value) -> FillOutcome {
    match text(value) {
        Some("kept") => FillOutcome::Stored,
        Some("behind") => FillOutcome::Behind,
        Some(_) | None => FillOutcome::Refused,
    }
}

/// Decodes a member's values, which are one letter each; a blank stands for an unknown comment.
pub(super) fn states(items: &[Value]) -> Option<Vec<Option<LikeValue>>> {
    let value = |letter: &u8| match letter {
        b' ' => Some(None),
        b'0' => Some(Some(LikeValue::None)),
        b'1' => Some(Some(LikeValue::Like)),
        // The first character of -1.
        b'-' => Some(Some(LikeValue::Dislike)),
        _ => None,
    };
    bytes(items.first()?)?.iter().map(value).collect()
}
