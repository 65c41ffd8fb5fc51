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
        return Some(path_not_served(path, |clause| format!("this port{clause}")));
    }
    of_library(status.code(), max_request)
}

/// Returns the error of a process that serves no calls.
pub(super) fn no_calls_served(path: &str) -> Error {
    path_not_served(path, |clause| {
        format!("this process{clause}, which serves no calls (its server.roles lack \"api\"),")
    })
}

/// Returns the error for a path. `place` is given a clause that explains a path that names no
/// service and method.
fn path_not_served(path: &str, place: impl FnOnce(&str) -> String) -> Error {
    let named: String = path.strip_prefix('/').unwrap_or(path).chars().take(MAX_PATH_CHARS).collect();
    match named.split_once('/') {
        Some((service, method)) if !service.is_empty() && !method.is_empty() => {
            Error::PathNotServed { place: place(""), method: named }
        }
        _ => Error::PathNotServed { method: format!("/{named}"), place: place(NOT_A_METHOD) },
    }
}

/// The explanation of a path that names no method.
const NOT_A_METHOD: &str = " (it does not name a service and a method, as /riposte.v1.CommentService/GetComment does)";

#[cfg(test)]
mod tests {
    use super::{Body, Code, NOT_A_METHOD, Response, no_calls_served, of};

    fn message(path: &str) -> String {
        let response: Response<Body> = tonic::Status::new(Code::Unimplemented, "").into_http();
        of(&response, path, 1).expect("a status of the library").to_string()
    }

    #[test]
    fn the_error_of_an_unknown_path_is_a_whole_sentence() {
        assert_eq!(message("/a.B/C"), "a.B/C at this port is not served");
        for (path, shown) in [("/", "/"), ("", "/"), ("/a.B", "/a.B"), ("/a.B/", "/a.B/"), ("//C", "//C")] {
            assert_eq!(message(path), format!("the path \"{shown}\" at this port{NOT_A_METHOD} is not served"));
            let worker = no_calls_served(path).to_string();
            let role = ", which serves no calls (its server.roles lack \"api\"), is not served";
            assert_eq!(worker, format!("the path \"{shown}\" at this process{NOT_A_METHOD}{role}"));
        }
    }
}
