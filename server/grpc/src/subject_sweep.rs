//! Runs a task on one subject, or on all subjects of a type or of all types in sequence, and
//! reports progress in a stream.

use riposte_core::page::SubjectCursor;
use riposte_core::ports::RebuildProgress;
use riposte_core::{Caller, CommentId, Error, ObjectType, SubjectId, SubjectKey, Violation};
use riposte_sdk::v1;
use riposte_sdk::v1::subject_scope::Scope;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::Services;
use crate::call::{Call, ResponseStream};
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::{self, Violations};
use crate::rpc_error::RpcError;

/// The number of responses that are buffered for a reader.
const RESPONSE_BUFFER: usize = 16;

/// The number of comments that a rebuild checks between two responses.
pub(crate) const CHUNK: usize = 500;

/// A task that is run on each subject.
#[tonic::async_trait]
pub(crate) trait SubjectTask: Send + 'static {
    /// The response type of the task.
    type Response: Send + 'static;

    /// Runs the task on one subject.
    async fn run(&mut self, item: &SweepItem<'_, Self::Response>) -> Result<(), Error>;

    /// Ends the task after the last subject.
    fn end(self, services: &Services);
}

/// One subject of the sweep.
pub(crate) struct SweepItem<'a, A> {
    /// The components of the handlers.
    pub(crate) services: &'a Services,
    /// The caller.
    pub(crate) caller: &'a Caller,
    /// The subject.
    pub(crate) key: &'a SubjectKey,
    /// The token that resumes after the subject; empty after the last one, and if the request names
    /// only one.
    pub(crate) resume_token: &'a str,
    responses: &'a mpsc::Sender<Result<A, Status>>,
}

impl<A> SweepItem<'_, A> {
    /// Sends a response to the reader.
    ///
    /// # Errors
    /// [`Error::DeadlineExceeded`] if the reader has disconnected; the task then ends.
    pub(crate) async fn send(&self, response: A) -> Result<(), Error> {
        self.responses.send(Ok(response)).await.map_err(|_| Error::DeadlineExceeded)
    }
}

/// The scope that a request names.
pub(crate) struct SweepScope {
    /// The method, to which its tokens are bound.
    pub(crate) method: &'static str,
    /// The subjects.
    pub(crate) scope: Option<v1::SubjectScope>,
    /// The token that resumes a sweep.
    pub(crate) resume_token: String,
    /// The request id, which a sweep only checks: a sweep is safe to repeat without one.
    pub(crate) request_id: String,
}

/// The subjects of a sweep.
enum SweepRange {
    One(SubjectKey),
    /// The subjects of a type, or all subjects.
    Many {
        object_type: Option<ObjectType>,
        /// The method, which messages of the log name.
        method: &'static str,
        context: TokenContext,
        after: SubjectCursor,
    },
}

/// Starts the sweep in a task, which ends when its reader has disconnected or the process stops.
pub(crate) async fn run<W: SubjectTask>(
    services: Services,
    call: Call,
    scope: SweepScope,
    mut task: W,
) -> Result<ResponseStream<W::Response>, Status> {
    let range = parse_range(&services, &call.caller, scope).map_err(|error| call.status(error))?;
    if let SweepRange::One(key) = &range {
        // A missing subject is an error of the call, not of a stream that has begun.
        let found = services.comments.subjects(&call.caller, std::slice::from_ref(key), 0).await;
        let found = found.map_err(|error| call.status(error))?.pop().flatten();
        found.filter(|subject| subject.version > 0).ok_or_else(|| call.status(Error::SubjectNotFound))?;
    }
    let (responses, receiver) = mpsc::channel(RESPONSE_BUFFER);
    tokio::spawn(async move {
        // The end of the process ends a sweep between two responses; a write that has begun is
        // completed by its own task.
        let done = tokio::select! {
            biased;
            () = services.stopped() => Err(Error::ServerStopping),
            done = sweep(&services, &call.caller, range, &mut task, &responses) => done,
        };
        match done {
            Ok(()) => task.end(&services),
            Err(error) => drop(responses.send(Err(call.status(error))).await),
        }
    });
    Ok(Box::pin(ReceiverStream::new(receiver)))
}

fn parse_range(services: &Services, caller: &Caller, scope: SweepScope) -> Result<SweepRange, RpcError> {
    let SweepScope { method, scope, resume_token, request_id } = scope;
    let mut v = Violations::default();
    v.take(parse::request_id(&request_id));
    let resume_position = |v: &mut Violations, context: TokenContext| {
        let position = |cursor| if let TokenCursor::Subject(position) = cursor { Some(position) } else { None };
        let open = |token: &str| services.tokens.open(&context, token);
        let after = parse::page_token(v, ("resume_token", &resume_token), open, position);
        (context, after.map(Option::unwrap_or_default))
    };
    let range = match scope.and_then(|scope| scope.scope) {
        Some(Scope::Key(key)) => {
            if !resume_token.is_empty() {
                v.take::<(), _>(Err(Violation::field(
                    "resume_token",
                    "goes with an object type, or with all subjects",
                )));
            }
            v.take(parse::subject_key("scope.key", Some(&key))).map(SweepRange::One)
        }
        Some(Scope::ObjectType(name)) => {
            let object_type = v.take(ObjectType::parse("scope.object_type", &name)).map(Some);
            let (context, after) = resume_position(&mut v, TokenContext::new(caller, method).argument(&name));
            object_type.zip(after).map(|(object_type, after)| SweepRange::Many { object_type, method, context, after })
        }
        Some(Scope::All(v1::AllSubjects {})) => {
            // No object type has an empty name.
            let (context, after) = resume_position(&mut v, TokenContext::new(caller, method).argument(""));
            after.map(|after| SweepRange::Many { object_type: None, method, context, after })
        }
        None => v.take(Err(Violation::field("scope", "must name a subject, an object type or all"))),
    };
    let (range,) = v.all((range,))?;
    let object_type = match &range {
        SweepRange::One(key) => Some(key.object_type()),
        SweepRange::Many { object_type, .. } => object_type.as_ref(),
    };
    services.comments.check_may_list(caller, object_type)?;
    Ok(range)
}

async fn sweep<W: SubjectTask>(
    services: &Services,
    caller: &Caller,
    range: SweepRange,
    task: &mut W,
    responses: &mpsc::Sender<Result<W::Response, Status>>,
) -> Result<(), Error> {
    let (object_type, method, context, mut after) = match range {
        SweepRange::One(key) => {
            return task.run(&SweepItem { services, caller, key: &key, resume_token: "", responses }).await;
        }
        SweepRange::Many { object_type, method, context, after } => (object_type, method, context, after),
    };
    let mut failed = 0;
    loop {
        // Subjects are listed one at a time: the store then returns the cursor after each, and the
        // task on a subject costs far more than the query.
        let (found, next) = services.comments.subject_keys(caller, object_type.as_ref(), after, 1).await?;
        let resume_token = &services.seal(&context, next.map(TokenCursor::Subject))?;
        for (id, key) in found {
            let item = SweepItem { services, caller, key: &key, resume_token, responses };
            match task.run(&item).await {
                Ok(()) => {}
                // The other subjects must not depend on one with a row that cannot be read.
                Err(Error::Internal(detail)) => {
                    failed += 1;
                    log_failure(method, id, &detail);
                }
                Err(error) => return Err(error),
            }
        }
        match next {
            Some(next) => after = next,
            None if failed == 0 => return Ok(()),
            None => return Err(Error::internal(format!("the sweep has failed for {failed} subjects"))),
        }
    }
}

fn log_failure(method: &str, subject: SubjectId, detail: &str) {
    tracing::error!(method, subject = subject.get(), detail, "the sweep failed for this subject and goes on");
}

/// Processes the comments of one subject in chunks and sends the totals after each: `add` counts a
/// chunk, `end` the subject.
pub(crate) async fn in_chunks<A: Clone, F: Future<Output = Result<RebuildProgress, Error>>>(
    item: &SweepItem<'_, A>,
    response: &mut A,
    rebuild: impl Fn(Option<CommentId>) -> F,
    add: impl Fn(&mut A, &RebuildProgress),
    end: impl Fn(&mut A),
) -> Result<(), Error> {
    let mut after = None;
    loop {
        let progress = rebuild(after).await?;
        add(response, &progress);
        if progress.next.is_none() {
            end(response);
        }
        item.send(response.clone()).await?;
        after = progress.next;
        if after.is_none() {
            return Ok(());
        }
    }
}
