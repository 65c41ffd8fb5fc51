//! Answers that the gRPC library made by itself, put into the words of the contract.

use http::Response;
use riposte_core::Error;
use tonic::Code;
use tonic::body::Body;

/// The error that a bare status of the library stands for; `None` for an answer that is a handler's own.
pub(super) fn of(response: &Response<Body>, max_request: usize) -> Option<Error> {
    let status = tonic::Status::from_header_map(response.headers())?;
    if status.code() == Code::Ok || !status.details().is_empty() {
        return None;
    }
    match status.code() {
        Code::OutOfRange | Code::ResourceExhausted => Some(Error::MessageTooLarge { limit: max_request }),
        Code::Unimplemented => Some(Error::NotImplemented("this method")),
        Code::Cancelled | Code::DeadlineExceeded => Some(Error::DeadlineExceeded),
        Code::Internal | Code::InvalidArgument | Code::Unknown => {
            Some(Error::invalid("(message)", "is not a message of this method"))
        }
        Code::Ok
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::Unavailable
        | Code::DataLoss
        | Code::Unauthenticated => None,
    }
}
