//! WatchSubject.

use futures::StreamExt;
use futures::future::ready;
use futures::stream::{once, unfold};
use riposte_core::event::{ChangeKind, CommentChange};
use riposte_core::{CommentId, Error, SubjectKey, Violation};
use riposte_sdk::v1;
use riposte_sdk::v1::watch_subject_response::Event;
use tokio::time::{Instant, sleep_until};
use tonic::Status;

use crate::Services;
use crate::call::{Call, ResponseStream};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use riposte_core::ports::{SubjectLoads, SubjectWatch, WatchItem};

pub(crate) async fn handle(
    services: Services,
    call: Call,
    request: v1::WatchSubjectRequest,
) -> Result<ResponseStream<v1::WatchSubjectResponse>, Status> {
    let (key, after) = parse(&services, &call, &request).map_err(|error| call.status(error))?;
    let loads = SubjectLoads {
        cached: Box::pin(services.comments.watchable(&call.caller, &key)),
        primary: Box::pin(services.primary.watchable(&call.caller, &key)),
    };
    let watcher = services.watches.join(&key, after, loads).await.map_err(|error| call.status(error))?;
    let opened = response(Event::Opened(v1::WatchOpened { revision: watcher.seen() }));
    let changes = unfold((watcher, call), async |(mut watcher, call)| {
        let item = next(&mut *watcher, call.deadline).await?;
        let response = item.map(|item| response(event(item))).map_err(|error| call.status(error));
        Some((response, (watcher, call)))
    });
    Ok(Box::pin(once(ready(Ok(opened))).chain(changes)))
}

fn parse(services: &Services, call: &Call, request: &v1::WatchSubjectRequest) -> Result<(SubjectKey, i64), RpcError> {
    let mut v = Violations::default();
    let subject = v.subject(&services.comments, &call.caller, "subject", request.subject.as_ref())?;
    let after = request.after_revision;
    let after = if after >= 0 { Ok(after) } else { Err(Violation::field("after_revision", "must not be negative")) };
    let after = v.take(after);
    let ((key, _), after) = v.all((subject, after))?;
    Ok((key, after))
}

/// Returns the next item of the watch. At the caller's own deadline it returns an error: the
/// middleware leaves this deadline to the handler, which reports the watched subject.
async fn next(watcher: &mut dyn SubjectWatch, deadline: Option<Instant>) -> Option<Result<WatchItem, Error>> {
    let Some(deadline) = deadline else { return watcher.next().await };
    tokio::select! {
        item = watcher.next() => item,
        () = sleep_until(deadline) => watcher.end(Error::DeadlineExceeded),
    }
}

fn response(event: Event) -> v1::WatchSubjectResponse {
    v1::WatchSubjectResponse { event: Some(event) }
}

fn event(item: WatchItem) -> Event {
    match item {
        WatchItem::Change { revision, changes } => Event::Change(v1::SubjectChange {
            revision,
            comments: changes.public().iter().filter_map(comment).collect(),
            subject_changed: changes.subject,
        }),
        WatchItem::Gap { first, last } => Event::Gap(v1::RevisionGap { first_revision: first, last_revision: last }),
    }
}

/// Converts a change of a comment; `None` for a like, which belongs to no revision, and for what
/// changes nothing in sight.
fn comment(change: &CommentChange) -> Option<v1::CommentChange> {
    let CommentChange { id, root, kind } = change;
    let kind = match kind {
        ChangeKind::Created => v1::CommentChangeKind::Created,
        ChangeKind::Edited => v1::CommentChangeKind::Edited,
        ChangeKind::StateChanged => v1::CommentChangeKind::StateChanged,
        ChangeKind::PinChanged => v1::CommentChangeKind::PinChanged,
        ChangeKind::Recounted => v1::CommentChangeKind::Recounted,
        ChangeKind::Liked | ChangeKind::Noted => return None,
    };
    Some(v1::CommentChange { comment_id: id.get(), root_id: root.map_or(0, CommentId::get), kind: kind.into() })
}
