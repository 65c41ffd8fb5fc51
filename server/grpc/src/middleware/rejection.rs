//! Translates the statuses that the gRPC library creates by itself into errors of the contract, and
//! provides the error for calls to a process that serves none.

use http::Response;
use riposte_core::Error;
use tonic::Code;
use tonic::body::Body;

use crate::status::of_library;

/// The number of characters of a path that an error repeats.
const SHOWN: usize = 128;

/// Returns the error that a bare status of the library stands for; `None` for a handler's own
/// response.
pub(super) fn of(response: &Response<Body>, path: &str, max_request: usize) -> Option<Error> {
    let status = tonic::Status::from_header_map(response.headers())?;
    if !status.details().is_empty() {
        return None;
    }
    // The router returns an empty message for an unknown path; the codec names the compression that
    // it cannot read.
    if status.code() == Code::Unimplemented && status.message().is_empty() {
        return Some(Error::NotImplemented(format!("{} at this port", shown(path)).into()));
    }
    of_library(status.code(), max_request)
}

/// Returns the error of a process that serves no calls.
pub(super) fn elsewhere(path: &str) -> Error {
    let shown = shown(path);
    Error::NotImplemented(
        format!("{shown} at this process, which serves no calls (its server.roles lack \"api\"),").into(),
    )
}

fn shown(path: &str) -> String {
    path.trim_start_matches('/').chars().take(SHOWN).collect()
}
