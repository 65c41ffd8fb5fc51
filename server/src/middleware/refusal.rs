//! Answers that the gRPC library made by itself, put into the words of the contract; and what it would say where nothing is served.

use http::Response;
use riposte_core::Error;
use tonic::Code;
use tonic::body::Body;

use crate::rpc::status::of_library;

/// The most of a path that an answer repeats.
const SHOWN: usize = 128;

/// The error that a bare status of the library stands for; `None` for an answer that is a handler's own.
pub(super) fn of(response: &Response<Body>, path: &str, max_request: usize) -> Option<Error> {
    let status = tonic::Status::from_header_map(response.headers())?;
    if !status.details().is_empty() {
        return None;
    }
    // The router says no word of a path that it has not; the codec names the compression that it cannot read.
    if status.code() == Code::Unimplemented && status.message().is_empty() {
        return Some(Error::NotImplemented(format!("{} at this port", shown(path)).into()));
    }
    of_library(status.code(), max_request)
}

/// The refusal of a process that serves no calls at all.
pub(super) fn elsewhere(path: &str) -> Error {
    let shown = shown(path);
    Error::NotImplemented(
        format!("{shown} at this process, which serves no calls (its server.roles lack \"api\"),").into(),
    )
}

fn shown(path: &str) -> String {
    path.trim_start_matches('/').chars().take(SHOWN).collect()
}
