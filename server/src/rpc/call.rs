//! What every handler has in common: who calls, what the call is about, and how its refusal leaves.

use std::future::Future;

use riposte_cache::noting;
use riposte_core::{Caller, Error};
use tokio::time::Instant;
use tonic::{Request, Response, Status};

use super::error_metadata::ErrorSubject;
use super::rpc_error::{ErrorMetadata, RpcError};
use super::status::status;
use super::{CallId, CallerDeadline};

/// A call under way.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// Who calls.
    pub(crate) caller: Caller,
    /// When its caller wants it to end; `None` for never. The layers end every call in time, but not its stream.
    pub(crate) deadline: Option<Instant>,
    tag: String,
    facts: ErrorMetadata,
}

impl Call {
    /// Its id.
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    /// What its request names.
    pub(crate) fn facts(&self) -> &ErrorMetadata {
        &self.facts
    }

    /// The status of a refusal of this call.
    pub(crate) fn status(&self, refusal: impl Into<RpcError>) -> Status {
        status(refusal.into().or_about(self.facts.clone()), &self.tag)
    }
}

/// A call and its message. The layers put the caller and the call's id into the extensions; a call without a caller is
/// refused.
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

/// Hands a request and its caller to `handler`, and makes a status of its refusal.
pub(crate) async fn serve<Q, A, F>(
    request: Request<Q>,
    handler: impl FnOnce(Caller, Q) -> F,
) -> Result<Response<A>, Status>
where
    Q: ErrorSubject,
    F: Future<Output = Result<A, RpcError>>,
{
    let (call, message) = opened(request)?;
    let answer = noting(handler(call.caller.clone(), message)).await;
    answer.map(Response::new).map_err(|refusal| call.status(refusal))
}
