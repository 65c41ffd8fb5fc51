//! VerifyCounts: every stored count against the rows it counts, one answer per subject.

use riposte_core::page::Verified;
use riposte_core::{Caller, CommentId, Error, ObjectType, SubjectKey};
use riposte_sdk::v1;
use riposte_sdk::v1::subject_scope::Scope;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::Answers;
use super::scope::Walk;
use crate::rpc::Services;
use crate::rpc::answer;
use crate::rpc::call::Call;
use crate::rpc::parse::{self, Violations};
use crate::rpc::refusal::Refusal;

/// Answers that may wait for a slow reader.
const WAITING: usize = 16;

pub(super) async fn verify(
    services: Services,
    call: Call,
    request: v1::VerifyCountsRequest,
) -> Result<Answers<v1::VerifyCountsResponse>, Status> {
    let scope = parsed(&services, &call.caller, request).map_err(|refusal| call.status(refusal))?;
    let (answers, receiver) = mpsc::channel(WAITING);
    if let Read::One(key) = &scope {
        // A subject that does not exist is the whole call's error, not a stream that breaks.
        let first = one(&services, &call.caller, key).await.map_err(|error| call.status(error))?;
        answers.try_send(Ok(first)).map_err(|_| call.status(Error::internal("a new channel is full")))?;
    }
    if let Read::Type(object_type) = scope {
        tokio::spawn(async move {
            if let Err(error) = all(&services, &call.caller, object_type, &answers).await {
                let _ = answers.send(Err(call.status(error))).await;
            }
        });
    }
    Ok(Box::pin(ReceiverStream::new(receiver)))
}

/// What to read.
enum Read {
    One(SubjectKey),
    Type(ObjectType),
}

fn parsed(services: &Services, caller: &Caller, request: v1::VerifyCountsRequest) -> Result<Read, Refusal> {
    let mut v = Violations::default();
    let scope = match request.scope.and_then(|scope| scope.scope) {
        Some(Scope::Key(key)) => v.take(parse::subject_key("scope.key", Some(&key))).map(Read::One),
        Some(Scope::ObjectType(name)) => v.take(ObjectType::parse("scope.object_type", &name)).map(Read::Type),
        None => v.take(Err(riposte_core::Violation::field("scope", "must name a subject or an object type"))),
    };
    let (scope,) = v.all((scope,))?;
    let object_type = match &scope {
        Read::One(key) => key.object_type(),
        Read::Type(object_type) => object_type,
    };
    services.comments.policy(caller, object_type)?;
    Ok(scope)
}

async fn all(
    services: &Services,
    caller: &Caller,
    object_type: ObjectType,
    answers: &mpsc::Sender<Result<v1::VerifyCountsResponse, Status>>,
) -> Result<(), Error> {
    let mut walk = Walk::of(object_type);
    while let Some(subjects) = walk.next(services, caller).await? {
        for subject in subjects {
            let answer = one(services, caller, &subject.key).await?;
            if answers.send(Ok(answer)).await.is_err() {
                return Ok(()); // the reader went away
            }
        }
    }
    Ok(())
}

async fn one(services: &Services, caller: &Caller, key: &SubjectKey) -> Result<v1::VerifyCountsResponse, Error> {
    let Verified { comments, drifts } = services.comments.verify(caller, key).await?;
    let drift = |drift: riposte_core::page::Drift| v1::CountDrift {
        comment_id: drift.comment.map_or(0, CommentId::get),
        name: drift.count.to_owned(),
        stored: drift.stored,
        actual: drift.actual,
    };
    Ok(v1::VerifyCountsResponse {
        subject: Some(answer::subject_key(key)),
        comments_checked: comments,
        drifts: drifts.into_iter().map(drift).collect(),
    })
}
