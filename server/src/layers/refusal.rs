//! Answers that the gRPC library made by itself, put into the words of the contract.

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
        let shown: String = path.trim_start_matches('/').chars().take(SHOWN).collect();
        return Some(Error::NotImplemented(format!("{shown} at this port").into()));
    }
    of_library(status.code(), max_request)
}
