//! Handlers of audited methods, wrapped in audit records at the start and the end of each call.
//!
//! Reads are recorded too: after an incident, the record shows which data was read and by which
//! caller.

use futures::{Stream, StreamExt};
use riposte_core::Caller;
use serde_json::Value;
use tonic::{Request, Response, Status};

use crate::Services;
use crate::audit::{AuditEntry, AuditedCall, CallOutcome, HandlerStarted};
use crate::call::{self, Call, ResponseStream};
use crate::error_metadata::{AuditDetails, ErrorSubject};
use crate::rpc_error::{ErrorMetadata, RpcError};

/// The longest text of a request in a record, in characters: the length limit of a moderator's
/// reason. Longer texts are cut, because the first record is written before the request is
/// validated.
const MAX_TEXT_CHARS: usize = 512;

/// Handles one request between its two audit records.
///
/// The handler runs in a task of its own, so that a call that has begun is completed, and its
/// outcome recorded, even if the caller disconnects.
pub(crate) async fn unary<Q, A, F>(
    services: &Services,
    method: &'static str,
    request: Request<Q>,
    handler: impl FnOnce(Services, Caller, Q) -> F + Send + 'static,
) -> Result<Response<A>, Status>
where
    Q: ErrorSubject + Send + 'static,
    A: Send + 'static,
    F: Future<Output = Result<A, RpcError>> + Send + 'static,
{
    let (call, message) = open_call(request)?;
    let entry = begin(services, method, &call, message.audit_details()).await?;
    let services = services.clone();
    let task = tokio::spawn(async move {
        let response = handler(services, call.caller.clone(), message).await.map_err(|error| call.status(error));
        let outcome = response.as_ref().err().map_or_else(CallOutcome::ok, CallOutcome::of_error);
        entry.end(outcome).await.map_err(|error| call.status(error))?;
        response.map(Response::new)
    });
    // The task is never aborted, so a join error is a panic; it is passed on to the middleware.
    task.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

/// Handles a request with a stream of responses between the two audit records of its call. The
/// stream ends after the second record is written.
pub(crate) async fn streamed<Q, A, F>(
    services: &Services,
    method: &'static str,
    request: Request<Q>,
    start: impl FnOnce(Call, Q) -> F,
) -> Result<Response<ResponseStream<A>>, Status>
where
    Q: ErrorSubject,
    A: CountItems + Send + 'static,
    F: Future<Output = Result<ResponseStream<A>, Status>>,
{
    let (call, message) = open_call(request)?;
    let entry = begin(services, method, &call, message.audit_details()).await?;
    match start(call.clone(), message).await {
        Ok(responses) => Ok(Response::new(Box::pin(record_outcome(responses, entry, call)))),
        Err(status) => {
            entry.end(CallOutcome::of_error(&status)).await.map_err(|error| call.status(error))?;
            Err(status)
        }
    }
}

/// Opens a call and marks it as started: from now on the handler writes its audit records.
pub(crate) fn open_call<Q: ErrorSubject>(request: Request<Q>) -> Result<(Call, Q), Status> {
    if let Some(started) = request.extensions().get::<HandlerStarted>() {
        started.set();
    }
    call::open(request)
}

async fn begin(
    services: &Services,
    method: &'static str,
    call: &Call,
    details: AuditDetails,
) -> Result<AuditEntry, Status> {
    services.audit.begin(audited_call(method, call, details)).await.map_err(|error| call.status(error))
}

pub(crate) fn audited_call(method: &'static str, call: &Call, details: AuditDetails) -> AuditedCall {
    let (caller, call_id) = (call.caller.name().to_owned(), call.id().to_owned());
    AuditedCall { caller, method, call_id, about: audit_record(call.error_metadata(), details) }
}

/// Returns what a record says about a request: its metadata, and its further details.
pub(crate) fn audit_record(metadata: &ErrorMetadata, details: AuditDetails) -> Value {
    let cut = |text: &str| Value::from(text.chars().take(MAX_TEXT_CHARS).collect::<String>());
    let metadata = metadata.all().map(|(name, value)| (name.to_owned(), cut(value)));
    Value::Object(metadata.chain(details.into_iter().map(|(name, value)| (name.to_owned(), value))).collect())
}

/// Returns the responses, and writes the record of the outcome after the last one. If the reader
/// disconnects, the stream drops `entry`, which then records the disconnection.
pub(crate) fn record_outcome<A: CountItems + Send + 'static>(
    responses: ResponseStream<A>,
    entry: AuditEntry,
    call: Call,
) -> impl Stream<Item = Result<A, Status>> + Send {
    futures::stream::unfold((Some((responses, entry)), call), async |(state, call)| {
        let (mut responses, mut entry) = state?;
        let next = responses.next().await;
        if let Some(Ok(response)) = next {
            entry.count(response.kind());
            return Some((Ok(response), (Some((responses, entry)), call)));
        }
        let failed = next.and_then(Result::err);
        let outcome = failed.as_ref().map_or_else(CallOutcome::ok, CallOutcome::of_error);
        let audit_error = entry.end(outcome).await.map_err(|error| call.status(error)).err();
        audit_error.or(failed).map(|status| (Err(status), (None, call)))
    })
}

/// A response of a stream, as the audit record of its call counts it.
pub(crate) trait CountItems {
    /// Returns the name of the counter.
    fn kind(&self) -> &'static str {
        "answers"
    }
}
