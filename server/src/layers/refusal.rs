//! Answers that the gRPC library made by itself, put into the words of the contract.

use http::Response;
use riposte_core::Error;
use tonic::body::Body;

use crate::rpc::status::of_library;

/// The error that a bare status of the library stands for; `None` for an answer that is a handler's own.
pub(super) fn of(response: &Response<Body>, max_request: usize) -> Option<Error> {
    let status = tonic::Status::from_header_map(response.headers())?;
    if status.details().is_empty() { of_library(status.code(), max_request) } else { None }
}
