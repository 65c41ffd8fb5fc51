//! The request id, which every response carries in its trailers.

use http::{HeaderMap, HeaderValue};

use crate::REQUEST_ID;

/// Returns the caller's id if it is 1 to 64 visible ASCII characters; otherwise a new one.
pub(super) fn of(headers: &HeaderMap) -> HeaderValue {
    let sent = headers.get(REQUEST_ID);
    let is_usable = |id: &&HeaderValue| (1..=64).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic);
    sent.filter(is_usable).cloned().unwrap_or_else(new_id)
}

fn new_id() -> HeaderValue {
    let mut text = [0; uuid::fmt::Hyphenated::LENGTH];
    let text = uuid::Uuid::now_v7().hyphenated().encode_lower(&mut text);
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static("-"))
}

/// Returns the id as text.
pub(super) fn text(id: &HeaderValue) -> &str {
    id.to_str().unwrap_or_default()
}
