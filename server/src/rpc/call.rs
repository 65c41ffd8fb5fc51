//! The common part of every handler: the caller, the metadata of the call, and the conversion of
//! its error to a status.

use std::future::Future;
use std::pin::Pin;

use futures::Stream;
use riposte_core::{Caller, Error};
use riposte_sync::track_fallback;
use tokio::time::Instant;
use tonic::{Request, Response, Status};

use super::error_metadata::ErrorSubject;
use super::rpc_error::{ErrorMetadata, RpcError};
use super::status::status;
use super::{CallId, CallerDeadline};

/// A stream of responses.
pub(crate) type ResponseStream<A> = Pin<Box<dyn Stream<Item = Result<A, Status>> + Send>>;

/// A running call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The caller.
    pub(crate) caller: Caller,
    /// The caller's deadline; `None` if the caller set none. The middleware ends every call in
    /// time, but not the stream of a call.
    pub(crate) deadline: Option<Instant>,
    tag: String,
    facts: ErrorMetadata,
}

impl Call {
    /// Returns the id of the call.
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    /// Returns the metadata of its request.
    pub(crate) fn facts(&self) -> &ErrorMetadata {
        &self.facts
    }

    /// Returns the status for an error of this call.
    pub(crate) fn status(&self, refusal: impl Into<RpcError>) -> Status {
        status(refusal.into().or_about(self.facts.clone()), &self.tag)
    }
}

/// Splits a request into the call and its message. The middleware puts the caller and the call's id
/// into the extensions; a call without a caller is refused.
pub(crate) fn opened<Q: ErrorSubject>(request: Request<Q>) -> Result<(Call, Q), Status> {
    let (_, mut extensions, message) = request.into_parts();
    let CallId(tag) = extensions.remove().unwrap_or_default();
    let CallerDeadline(deadline) = extensions.remove().unwrap_or_default();
    let facts = message.facts();
    match extensions.remove() {
        Some(caller) => Ok((Call { caller, deadline, tag, facts }, message)),
        None => Err(status(Error::CallerUnknown, &tag)),
    }
}

/// Passes a request and its caller to `handler`, and converts its error to a status.
pub(crate) async fn serve<Q, A, F>(
    request: Request<Q>,
    handler: impl FnOnce(Caller, Q) -> F,
) -> Result<Response<A>, Status>
where
    Q: ErrorSubject,
    F: Future<Output = Result<A, RpcError>>,
{
    let (call, message) = opened(request)?;
    let answer = track_fallback(handler(call.caller.clone(), message)).await;
    answer.map(Response::new).map_err(|refusal| call.status(refusal))
}
