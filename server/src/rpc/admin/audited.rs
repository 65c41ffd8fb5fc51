//! Calls of AdminService, with their records around them.

use futures::{FutureExt, Stream, StreamExt};
use riposte_core::Caller;
use riposte_sdk::v1;
use serde_json::Value;
use tonic::{Request, Response, Status, Streaming};

use super::{Answers, import};
use crate::audit::{Begun, Entry, Outcome, Subject};
use crate::rpc::Services;
use crate::rpc::about::{self, About};
use crate::rpc::call::{self, Call};
use crate::rpc::refusal::{Facts, Refusal};

/// The longest text of a request in a record, in characters: that of the longest reason of a moderator. Nothing was checked
/// yet when a call begins.
const LONGEST: usize = 512;

/// Answers one request, between its two records.
///
/// It runs in a task of its own: what was begun is seen to its end, and recorded as it ended, also when the caller goes away.
pub(super) async fn answered<Q, A, F>(
    services: &Services,
    method: &'static str,
    request: Request<Q>,
    handler: impl FnOnce(Services, Caller, Q) -> F + Send + 'static,
) -> Result<Response<A>, Status>
where
    Q: About + Send + 'static,
    A: Send + 'static,
    F: Future<Output = Result<A, Refusal>> + Send + 'static,
{
    let (call, message) = opened(request)?;
    let entry = begin(services, method, &call).await?;
    let services = services.clone();
    let task = tokio::spawn(async move {
        let answer = handler(services, call.caller.clone(), message).await.map_err(|refusal| call.status(refusal));
        let outcome = answer.as_ref().err().map_or_else(Outcome::done, Outcome::refused);
        entry.end(outcome).await.map_err(|error| call.status(error))?;
        answer.map(Response::new)
    });
    // Nobody aborts it, so what it does not end with is a panic, and that is for the layers.
    task.await.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
}

/// Answers with a stream, between the two records of its call: the last of it comes behind the second.
pub(super) async fn streamed<Q, A, F>(
    services: &Services,
    method: &'static str,
    request: Request<Q>,
    start: impl FnOnce(Call, Q) -> F,
) -> Result<Response<Answers<A>>, Status>
where
    Q: About,
    A: Counted + Send + 'static,
    F: Future<Output = Result<Answers<A>, Status>>,
{
    let (call, message) = opened(request)?;
    let entry = begin(services, method, &call).await?;
    match start(call.clone(), message).await {
        Ok(answers) => Ok(Response::new(Box::pin(recorded(answers, entry, call)))),
        Err(status) => {
            entry.end(Outcome::refused(&status)).await.map_err(|error| call.status(error))?;
            Err(status)
        }
    }
}

/// Answers an import, between the two records of its call. The first of them waits for the first item, of which it tells: the call
/// itself names nothing, and does nothing before.
pub(super) fn imported(
    services: &Services,
    request: Request<Streaming<v1::ImportCommentsRequest>>,
) -> Result<Response<Answers<v1::ImportCommentsResponse>>, Status> {
    let (call, mut items) = opened(request)?;
    let mut entry = services.audit.entry(subject("AdminService/ImportComments", &call));
    let services = services.clone();
    let answers = async move {
        let first = items.next().await;
        let item = first.as_ref().and_then(|first| first.as_ref().ok()?.item.as_ref());
        entry.about(told(&item.map(about::item).unwrap_or_default()));
        let answers: Answers<_> = match entry.begin().await {
            Ok(()) => {
                let items = futures::stream::iter(first).chain(items);
                Box::pin(recorded(import::run(services, call.clone(), items), entry, call))
            }
            Err(error) => Box::pin(futures::stream::iter([Err(call.status(error))])),
        };
        answers
    };
    Ok(Response::new(Box::pin(answers.flatten_stream())))
}

/// A call that leaves its records by itself from now on.
fn opened<Q: About>(request: Request<Q>) -> Result<(Call, Q), Status> {
    if let Some(begun) = request.extensions().get::<Begun>() {
        begun.set();
    }
    call::opened(request)
}

async fn begin(services: &Services, method: &'static str, call: &Call) -> Result<Entry, Status> {
    services.audit.begin(subject(method, call)).await.map_err(|error| call.status(error))
}

fn subject(method: &'static str, call: &Call) -> Subject {
    let (caller, call_id) = (call.caller.name().to_owned(), call.tag().to_owned());
    Subject { caller, method, call_id, about: told(call.facts()) }
}

fn told(facts: &Facts) -> Value {
    let cut = |text: &str| text.chars().take(LONGEST).collect::<String>();
    Value::Object(facts.all().map(|(name, value)| (name.to_owned(), Value::String(cut(value)))).collect())
}

/// The answers, and behind the last of them the record of how it ended. A reader that goes away drops it, and the record
/// with it, which then tells that.
fn recorded<A: Counted + Send + 'static>(
    answers: Answers<A>,
    entry: Entry,
    call: Call,
) -> impl Stream<Item = Result<A, Status>> + Send {
    futures::stream::unfold((Some((answers, entry)), call), async |(open, call)| {
        let (mut answers, mut entry) = open?;
        let next = answers.next().await;
        if let Some(Ok(answer)) = next {
            entry.count(answer.kind());
            return Some((Ok(answer), (Some((answers, entry)), call)));
        }
        let failed = next.and_then(Result::err);
        let outcome = failed.as_ref().map_or_else(Outcome::done, Outcome::refused);
        let unrecorded = entry.end(outcome).await.map_err(|error| call.status(error)).err();
        unrecorded.or(failed).map(|status| (Err(status), (None, call)))
    })
}

/// An answer of a stream, as the record of its call counts it.
pub(super) trait Counted {
    /// What it is counted as.
    fn kind(&self) -> &'static str {
        "answers"
    }
}

impl Counted for v1::ExportSubjectResponse {}
impl Counted for v1::VerifyCountsResponse {}
impl Counted for v1::RepairCountsResponse {}
impl Counted for v1::RebuildMemberHistoryResponse {}
impl Counted for v1::RebuildRanksResponse {}
impl Counted for v1::RebuildCacheResponse {}

impl Counted for v1::ImportCommentsResponse {
    fn kind(&self) -> &'static str {
        match self.outcome() {
            v1::ImportOutcome::Created => "created",
            v1::ImportOutcome::Unchanged => "unchanged",
            v1::ImportOutcome::Rejected | v1::ImportOutcome::Unspecified => "rejected",
        }
    }
}
