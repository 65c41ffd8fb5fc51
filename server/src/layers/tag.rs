//! The request id that every answer carries in its trailers.

use http::{HeaderMap, HeaderValue};

use crate::rpc::REQUEST_ID;

/// The id the caller gave, if it is 1 to 64 visible ASCII characters; otherwise a new one.
pub(super) fn of(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let usable = given.filter(|id| (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic()));
    usable.map_or_else(|| uuid::Uuid::now_v7().to_string(), str::to_owned)
}

/// The id as a header, where it can be one.
pub(super) fn header(id: &str) -> HeaderValue {
    HeaderValue::from_str(id).unwrap_or_else(|_| HeaderValue::from_static("-"))
}
