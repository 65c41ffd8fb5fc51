//! Work on one subject, or on all subjects of a type or of all types one after the other, that tells how far it has come.

use riposte_core::page::SubjectCursor;
use riposte_core::{Caller, Error, ObjectType, SubjectKey, Violation};
use riposte_sdk::v1;
use riposte_sdk::v1::subject_scope::Scope;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::ResponseStream;
use crate::rpc::Services;
use crate::rpc::call::Call;
use crate::rpc::page_token::{TokenContext, TokenCursor};
use crate::rpc::parse::{self, Violations};
use crate::rpc::rpc_error::RpcError;

/// Answers that may wait for a slow reader.
const WAITING: usize = 16;

/// What is done with each subject.
#[tonic::async_trait]
pub(super) trait SubjectTask: Send + 'static {
    /// What is told of it.
    type Answer: Send + 'static;

    /// Does it with one subject.
    async fn visit(&mut self, at: &SweepItem<'_, Self::Answer>) -> Result<(), Error>;

    /// All subjects are done.
    fn end(self, services: &Services);
}

/// One subject of the walk.
pub(super) struct SweepItem<'a, A> {
    /// What handlers stand on.
    pub(super) services: &'a Services,
    /// Who calls.
    pub(super) caller: &'a Caller,
    /// The subject.
    pub(super) key: &'a SubjectKey,
    /// Goes on behind the subject; empty behind the last one, and where only one was asked for.
    pub(super) resume_token: &'a str,
    answers: &'a mpsc::Sender<Result<A, Status>>,
}

impl<A> SweepItem<'_, A> {
    /// Tells the reader.
    ///
    /// # Errors
    /// [`Error::DeadlineExceeded`] if there is none any more: the work may end.
    pub(super) async fn tell(&self, answer: A) -> Result<(), Error> {
        self.answers.send(Ok(answer)).await.map_err(|_| Error::DeadlineExceeded)
    }
}

/// What a request names.
pub(super) struct SweepScope {
    /// The method, to which its tokens are bound.
    pub(super) method: &'static str,
    /// The subjects.
    pub(super) scope: Option<v1::SubjectScope>,
    /// Where a walk goes on.
    pub(super) resume_token: String,
}

/// What to walk over.
enum Walk {
    One(SubjectKey),
    /// Those of a type, or all.
    Many {
        object_type: Option<ObjectType>,
        context: TokenContext,
        after: SubjectCursor,
    },
}

/// Starts the work, in a task that ends when nobody reads its answers.
pub(super) async fn run<W: SubjectTask>(
    services: Services,
    call: Call,
    named: SweepScope,
    mut work: W,
) -> Result<ResponseStream<W::Answer>, Status> {
    let walk = parsed(&services, &call.caller, named).map_err(|refusal| call.status(refusal))?;
    if let Walk::One(key) = &walk {
        // A subject that does not exist is the whole call's error, not a stream that breaks.
        let found = services.comments.subjects(&call.caller, std::slice::from_ref(key), 0).await;
        let found = found.map_err(|error| call.status(error))?.pop().flatten();
        found.filter(|subject| subject.version > 0).ok_or_else(|| call.status(Error::SubjectNotFound))?;
    }
    let (answers, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        match walk_over(&services, &call.caller, walk, &mut work, &answers).await {
            Ok(()) => work.end(&services),
            Err(error) => drop(answers.send(Err(call.status(error))).await),
        }
    });
    Ok(Box::pin(ReceiverStream::new(receiver)))
}

fn parsed(services: &Services, caller: &Caller, named: SweepScope) -> Result<Walk, RpcError> {
    let SweepScope { method, scope, resume_token } = named;
    let mut v = Violations::default();
    let behind = |v: &mut Violations, context: TokenContext| {
        let pick = |cursor| if let TokenCursor::Subject(at) = cursor { Some(at) } else { None };
        let open = |token: &str| services.tokens.open(&context, token);
        let after = parse::page_token(v, ("resume_token", &resume_token), open, pick);
        (context, after.map(Option::unwrap_or_default))
    };
    let walk = match scope.and_then(|scope| scope.scope) {
        Some(Scope::Key(key)) => {
            if !resume_token.is_empty() {
                v.take::<(), _>(Err(Violation::field(
                    "resume_token",
                    "goes with an object type, or with all subjects",
                )));
            }
            v.take(parse::subject_key("scope.key", Some(&key))).map(Walk::One)
        }
        Some(Scope::ObjectType(name)) => {
            let object_type = v.take(ObjectType::parse("scope.object_type", &name)).map(Some);
            let (context, after) = behind(&mut v, TokenContext::new(caller, method).argument(&name));
            object_type.zip(after).map(|(object_type, after)| Walk::Many { object_type, context, after })
        }
        Some(Scope::All(v1::AllSubjects {})) => {
            // No object type has an empty name.
            let (context, after) = behind(&mut v, TokenContext::new(caller, method).argument(""));
            after.map(|after| Walk::Many { object_type: None, context, after })
        }
        None => v.take(Err(Violation::field("scope", "must name a subject, an object type or all"))),
    };
    let (walk,) = v.all((walk,))?;
    let object_type = match &walk {
        Walk::One(key) => Some(key.object_type()),
        Walk::Many { object_type, .. } => object_type.as_ref(),
    };
    services.comments.may_walk(caller, object_type)?;
    Ok(walk)
}

async fn walk_over<W: SubjectTask>(
    services: &Services,
    caller: &Caller,
    walk: Walk,
    work: &mut W,
    answers: &mpsc::Sender<Result<W::Answer, Status>>,
) -> Result<(), Error> {
    let (object_type, context, mut after) = match walk {
        Walk::One(key) => {
            return work.visit(&SweepItem { services, caller, key: &key, resume_token: "", answers }).await;
        }
        Walk::Many { object_type, context, after } => (object_type, context, after),
    };
    loop {
        // One at a time: the store tells the place behind each, and what is done with it costs far more.
        let (found, next) = services.comments.list_subjects(caller, object_type.as_ref(), after, 1).await?;
        let resume_token = &services.seal(&context, next.map(TokenCursor::Subject))?;
        for subject in found {
            work.visit(&SweepItem { services, caller, key: &subject.key, resume_token, answers }).await?;
        }
        let Some(next) = next else { return Ok(()) };
        after = next;
    }
}
