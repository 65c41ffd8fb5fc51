//! Translates the statuses that the gRPC library creates by itself into errors of the contract, and
//! provides the error of a process that serves no calls.

use http::Response;
use riposte_core::Error;
use tonic::Code;
use tonic::body::Body;

use crate::status::of_library;

/// The number of characters of a path that an error repeats.
const MAX_PATH_CHARS: usize = 128;

/// Returns the error for a status that the library created; `None` for the response of a handler.
pub(super) fn of(response: &Response<Body>, path: &str, max_request: usize) -> Option<Error> {
    let status = tonic::Status::from_header_map(response.headers())?;
    if !status.details().is_empty() {
        return None;
    }
    // For an unknown path the router returns an empty message. The codec returns a message that
    // names the unsupported compression.
    if status.code() == Code::Unimplemented && status.message().is_empty() {
        return Some(Error::NotImplemented(format!("{} at this port", path_text(path)).into()));
    }
    of_library(status.code(), max_request)
}

/// Returns the error of a process that serves no calls.
pub(super) fn no_calls_served(path: &str) -> Error {
    let path = path_text(path);
    Error::NotImplemented(
        format!("{path} at this process, which serves no calls (its server.roles lack \"api\"),").into(),
    )
}

fn path_text(path: &str) -> String {
    path.trim_start_matches('/').chars().take(MAX_PATH_CHARS).collect()
}
