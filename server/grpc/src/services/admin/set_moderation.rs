//! SetModeration: turns moderation off or on, and then passes over everything that was ever open
//! or decided.

use riposte_core::act::CommentAct;
use riposte_core::decision::Automation;
use riposte_core::moderation_control::{PassProgress, SwitchOrder};
use riposte_core::ports::{ReviewPosition, SWITCH_DELAY};
use riposte_core::{Caller, Error, Violation};
use riposte_sdk::v1;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::Services;
use crate::call::{Call, ResponseStream};
use crate::moderation::count_decision;
use crate::parse::{self, Violations};
use crate::rpc_error::RpcError;

/// The number of responses that are buffered for a reader.
const RESPONSE_BUFFER: usize = 16;

type Responses = mpsc::Sender<Result<v1::SetModerationResponse, Status>>;

/// Sets the switch before it returns the stream; the pass runs in a task, which ends when its
/// reader has disconnected or the process stops.
pub(crate) async fn handle(
    services: Services,
    call: Call,
    request: v1::SetModerationRequest,
) -> Result<ResponseStream<v1::SetModerationResponse>, Status> {
    let order = parse_order(&request).map_err(|error| call.status(error))?;
    services.moderation.set(&call.caller, order.off).await.map_err(|error| call.status(error))?;
    let (responses, receiver) = mpsc::channel(RESPONSE_BUFFER);
    tokio::spawn(async move {
        let done = tokio::select! {
            biased;
            () = services.stopped() => Err(Error::ServerStopping),
            done = pass(&services, &call.caller, &order, &responses) => done,
        };
        if let Err(error) = done {
            drop(responses.send(Err(call.status(error))).await);
        }
    });
    Ok(Box::pin(ReceiverStream::new(receiver)))
}

fn parse_order(request: &v1::SetModerationRequest) -> Result<SwitchOrder, RpcError> {
    let v1::SetModerationRequest { off, pending_action, moderator_id, request_id } = request;
    let mut v = Violations::default();
    let pending = v.take(parse_pending("pending_action", *off, *pending_action));
    let operator = v.take(parse::moderator("moderator_id", moderator_id));
    let request_id = v.take(parse::request_id(request_id));
    // Each decision of a pass is made at most once: a pass is safe to repeat without an id.
    let (pending, operator, _) = v.all((pending, operator, request_id))?;
    Ok(SwitchOrder { off: *off, pending, operator })
}

fn parse_pending(field: &str, off: bool, action: i32) -> Result<Option<CommentAct>, Violation> {
    let action = v1::PendingAction::try_from(action);
    let act = match action.map_err(|_| Violation::field(field, "is not a known value"))? {
        v1::PendingAction::Unspecified => return Ok(None),
        v1::PendingAction::Approve => CommentAct::Approve,
        v1::PendingAction::Reject => CommentAct::Reject,
    };
    if off { Ok(Some(act)) } else { Err(Violation::field(field, "goes with off only")) }
}

async fn pass(services: &Services, caller: &Caller, order: &SwitchOrder, responses: &Responses) -> Result<(), Error> {
    let (mut progress, mut after) = (PassProgress::default(), Some(ReviewPosition::default()));
    send(responses, &progress, 0).await?;
    if order.off {
        // Comments that other processes hold until then are in this pass.
        sleep(SWITCH_DELAY).await;
    }
    let mut settled = 0;
    while let Some(position) = after {
        after = services.moderation.advance(caller, order, &mut progress, position).await?;
        settled += progress.settled.len();
        for act in progress.settled.drain(..) {
            count_decision(services, act, Automation::None);
        }
        send(responses, &progress, settled).await?;
    }
    Ok(())
}

/// Sends the sums so far; fails if the reader has disconnected.
async fn send(responses: &Responses, progress: &PassProgress, settled: usize) -> Result<(), Error> {
    let sum = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let response = v1::SetModerationResponse {
        comments_checked: sum(progress.reviews),
        settled_count: i64::try_from(settled).unwrap_or(i64::MAX),
        pending_count: sum(progress.pending),
        rejected_count: sum(progress.rejected),
        repaired_count: sum(progress.repaired),
    };
    responses.send(Ok(response)).await.map_err(|_| Error::DeadlineExceeded)
}
