//! Calls that moderate, change or export, with their records around them.

use futures::{Stream, StreamExt};
use riposte_core::Caller;
use riposte_sdk::v1;
use serde_json::Value;
use tonic::{Request, Response, Status};
use tonic_types::StatusExt;

use super::Answers;
use crate::audit::{Entry, Outcome, Subject};
use crate::rpc::Services;
use crate::rpc::about::About;
use crate::rpc::call::{Call, opened};
use crate::rpc::refusal::Refusal;

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
        let outcome = answer.as_ref().err().map_or_else(done, refused);
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
            entry.end(refused(&status)).await.map_err(|error| call.status(error))?;
            Err(status)
        }
    }
}

async fn begin(services: &Services, method: &'static str, call: &Call) -> Result<Entry, Status> {
    let cut = |text: &str| text.chars().take(LONGEST).collect::<String>();
    let about = call.facts().all().map(|(name, value)| (name.to_owned(), Value::String(cut(value)))).collect();
    let caller = call.caller.name().to_owned();
    let subject = Subject { caller, method, call_id: call.tag().to_owned(), about: Value::Object(about) };
    services.audit.begin(subject).await.map_err(|error| call.status(error))
}

fn done() -> Outcome {
    Outcome { code: "OK".to_owned(), ..Outcome::default() }
}

fn refused(status: &Status) -> Outcome {
    // `NotFound` is NOT_FOUND.
    let mut code = String::new();
    for letter in format!("{:?}", status.code()).chars() {
        if letter.is_uppercase() && !code.is_empty() {
            code.push('_');
        }
        code.push(letter.to_ascii_uppercase());
    }
    Outcome { code, reason: status.get_details_error_info().map(|info| info.reason) }
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
        let outcome = failed.as_ref().map_or_else(done, refused);
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
