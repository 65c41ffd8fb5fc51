//! ImportComments: receives a stream of items and returns one response per item, in order.
//!
//! Items that have arrived are imported as a batch, and no item waits for one that has not arrived.
//! An item that cannot be imported is rejected in its response. A fault of the service ends the
//! stream; every item with a response by then is durable. So does the end of the process, after the
//! batch in progress: an import lasts longer than a drain.
//!
//! While a batch is imported, further items are read ahead, so that the next batch has several of
//! each subject where subjects alternate. A client that is still further ahead, or that does not
//! read its responses, is held by flow control: the next batch is taken when the responses of the
//! last one have been passed on.

use futures::{FutureExt, Stream, StreamExt};
use riposte_core::submit::ImportOutcome;
use riposte_core::{CommentId, Error};
use riposte_sdk::v1;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::audited::{CountItems, audit_record, audited_call, open_call, record_outcome};
use crate::call::{Call, ResponseStream};
use crate::import_requests::{BATCH, RequestsAhead};
use crate::rpc_error::RpcError;
use crate::{Services, error_metadata, import_item, status};

/// Handles an import between the two audit records of its call. The first record waits for the
/// first item and describes it. Before that item the call names no object and has no effect.
pub(crate) fn handle(
    services: &Services,
    request: Request<Streaming<v1::ImportCommentsRequest>>,
) -> Result<Response<ResponseStream<v1::ImportCommentsResponse>>, Status> {
    let (call, mut items) = open_call(request)?;
    let mut entry = services.audit.entry(audited_call("AdminService/ImportComments", &call, Vec::new()));
    let services = services.clone();
    let responses = async move {
        let first = items.next().await;
        let item = first.as_ref().and_then(|first| first.as_ref().ok()?.item.as_ref());
        entry.set_about(audit_record(&item.map(error_metadata::item).unwrap_or_default(), Vec::new()));
        let responses: ResponseStream<_> = match entry.begin().await {
            Ok(()) => {
                let items = futures::stream::iter(first).chain(items);
                Box::pin(record_outcome(run(services, call.clone(), items), entry, call))
            }
            Err(error) => Box::pin(futures::stream::iter([Err(call.status(error))])),
        };
        responses
    };
    Ok(Response::new(Box::pin(responses.flatten_stream())))
}

fn run(
    services: Services,
    call: Call,
    requests: impl Stream<Item = Result<v1::ImportCommentsRequest, Status>> + Send + 'static,
) -> ResponseStream<v1::ImportCommentsResponse> {
    let (responses, receiver) = mpsc::channel(BATCH);
    tokio::spawn(async move {
        let mut index = 0;
        let mut ahead = RequestsAhead::read(requests);
        let mut stopping = services.stopping.subscribe();
        loop {
            let batch = tokio::select! {
                biased;
                () = async { drop(stopping.wait_for(|stopping| *stopping).await) } => {
                    let _ = responses.send(Err(call.status(Error::ServerStopping))).await;
                    return;
                }
                batch = ahead.batch() => batch,
            };
            if batch.is_empty() {
                return;
            }
            let mut items = Vec::with_capacity(batch.len());
            let mut decode_error = None;
            let (batch, _bytes): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
            for request in batch {
                match request {
                    Ok(request) => items.push(request.item.unwrap_or_default()),
                    Err(status) => decode_error = Some(status.code()),
                }
            }
            let outcome = import_batch(&services, &call, items, &mut index).await;
            let failed = outcome.is_err();
            for response in outcome.unwrap_or_else(|error| vec![Err(call.status(error))]) {
                if responses.send(response).await.is_err() {
                    // The caller has disconnected. Committed items stay, and a repeat finds them.
                    return;
                }
            }
            if let Some(code) = decode_error.filter(|_| !failed) {
                // The gRPC library could not decode the next message. The error shows the client
                // that the connection is not the cause.
                let error = status::of_library(code, services.limits.max_request);
                let _ = responses.send(Err(call.status(error.unwrap_or(Error::DeadlineExceeded)))).await;
            }
            if failed || decode_error.is_some() {
                return;
            }
        }
    });
    Box::pin(ReceiverStream::new(receiver))
}

type ItemResponse = Result<v1::ImportCommentsResponse, Status>;

async fn import_batch(
    services: &Services,
    call: &Call,
    batch: Vec<v1::ImportItem>,
    index: &mut i64,
) -> Result<Vec<ItemResponse>, Error> {
    let named = |item: &v1::ImportItem| (item.external_id.clone(), error_metadata::subject_of_item(item));
    let names: Vec<_> = batch.iter().map(named).collect();
    let now = services.clock.now();
    let parsed: Vec<_> =
        batch.into_iter().map(|item| import_item::parse(&services.comments, &call.caller, item, now)).collect();
    let valid: Vec<_> = parsed.iter().filter_map(|item| item.as_ref().ok()).cloned().collect();
    let mut outcomes = services.mutations.import(&call.caller, &valid).await?.into_iter();
    let mut responses = Vec::with_capacity(names.len());
    for (item, (external_id, subject)) in parsed.into_iter().zip(names) {
        let outcome = match item {
            Ok(item) => {
                let outcome = outcomes.next().unwrap_or_else(|| Err(Error::internal("an item has no outcome")));
                outcome.map_err(|error| RpcError::about(error, import_item::error_metadata(&item)))
            }
            Err(error) => Err(error),
        };
        let outcome = outcome.map_err(|error| RpcError { metadata: error.metadata.or(subject), ..error });
        responses.push(Ok(response(*index, external_id, outcome)?));
        *index += 1;
    }
    Ok(responses)
}

/// Converts the outcome of one item to its response.
///
/// # Errors
/// An error of the service that the item did not cause.
fn response(
    index: i64,
    external_id: String,
    outcome: Result<ImportOutcome, RpcError>,
) -> Result<v1::ImportCommentsResponse, Error> {
    let base = v1::ImportCommentsResponse { index, external_id, ..v1::ImportCommentsResponse::default() };
    match outcome {
        Ok(ImportOutcome { created, comment, floor, revision }) => {
            let outcome = if created { v1::ImportOutcome::Created } else { v1::ImportOutcome::Unchanged };
            Ok(v1::ImportCommentsResponse {
                outcome: outcome.into(),
                comment_id: comment.map_or(0, CommentId::get),
                floor,
                subject_revision: revision,
                ..base
            })
        }
        Err(error) if status::is_fault(&error.error) => Err(error.error),
        Err(error) => Ok(v1::ImportCommentsResponse {
            outcome: v1::ImportOutcome::Rejected.into(),
            error: Some(status::item_error(&error)),
            ..base
        }),
    }
}

impl CountItems for v1::ImportCommentsResponse {
    fn kind(&self) -> &'static str {
        match self.outcome() {
            v1::ImportOutcome::Created => "created",
            v1::ImportOutcome::Unchanged => "unchanged",
            v1::ImportOutcome::Rejected | v1::ImportOutcome::Unspecified => "rejected",
        }
    }
}
