//! One layer around every call: measuring and span → request id → whether this process serves calls → readiness → caller → the caller's rate → role → whether its
//! connection reads → deadline → panic guard → pages that are kept → the whole request → room → the handler → the library's own refusals in our words → request
//! id in the trailers.
//!
//! One merged service rather than a stack of boxed ones: each box costs a hot page a measurable share.

use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use http::{HeaderValue, Request, Response};
use hyper::body::Bytes;
use riposte_core::{Caller, CircuitBreaker, Error};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tonic::body::Body;
use tower::{Layer, Service};
use tracing::Instrument;

use super::body::{self, CallBody, HandlerResponse, InFlightGuard};
use super::buffer_body::{self, BodyBuffers};
use super::fault::{self, FaultOutcome, InjectedFaults};
use super::{deadline, peek_body, refusal, tag};
use crate::admission::{self, Admission, ConnectionBuffer, MessageProfile, MethodPolicy, Timeouts};
use crate::audit::{AuditLog, CallAttempt};
use crate::auth::{Authenticator, PeerIdentity, recorded};
use crate::rpc::rpc_error::{ErrorMetadata, RpcError};
use crate::rpc::status::{QUOTA, status};
use crate::rpc::{CallId, CallerDeadline, ResponseCacheLayer};
use crate::telemetry::{CallMetrics, CallTimer};

/// The largest request of health and reflection, in bytes: a name. Anybody may send one, and room for it is made when its head is read.
pub const MAX_ABOUT_US: usize = 1 << 10;
/// The one call of ours whose handler keeps its caller's deadline.
const SUBJECT_WATCH: &str = "/riposte.v1.SubjectService/WatchSubject";
/// The one call of health that goes on.
const HEALTH_WATCH: &str = "/grpc.health.v1.Health/Watch";

/// Whether the store can be used. Closed, every call but health and reflection is refused.
#[derive(Debug, Clone, Default)]
pub struct ReadinessGate(Arc<AtomicBool>);

impl ReadinessGate {
    /// Opens or closes it.
    pub fn set(&self, open: bool) {
        self.0.store(open, Ordering::Release);
    }

    fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Wraps every call of a listener.
#[derive(Debug, Clone)]
pub struct CallLayer {
    /// Whether calls are let in.
    pub gate: ReadinessGate,
    /// Whether any call is served but health and reflection.
    pub takes_calls: bool,
    /// Who may call.
    pub guard: Authenticator,
    /// The names of the services of the contract that the listener has.
    pub services: &'static [&'static str],
    /// The most time that calls get.
    pub times: Timeouts,
    /// The most time that the body of a unary call gets to arrive.
    pub body_time: Duration,
    /// Rooms and rates.
    pub admission: Admission,
    /// The largest request message, told to callers that exceed it.
    pub max_request: usize,
    /// What all calls together may have sent of large messages that have not arrived yet.
    pub bodies: BodyBuffers,
    /// Faults on request; `None` in production.
    pub faults: Option<InjectedFaults>,
    /// Measures each call, and makes its span where traces are sent.
    pub calls: CallMetrics,
    /// Pages that are kept; `None` where no such call is served.
    pub hot: Option<ResponseCacheLayer>,
    /// Where calls of AdminService are recorded that do not come as far as their handlers; `None` where it is not served.
    pub audit: Option<AuditLog>,
}

/// The service that [`CallLayer`] makes.
#[derive(Debug, Clone)]
pub struct CallService<S> {
    inner: S,
    layer: Arc<CallLayer>,
}

impl<S> Layer<S> for CallLayer {
    type Service = CallService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        CallService { inner, layer: Arc::new(self.clone()) }
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<CallBody>, Infallible>> + Send>>;

impl<S> Service<Request<Body>> for CallService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<CallBody>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        // The instance that was polled ready serves this call; its clone waits for the next.
        let ready = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, ready);
        let layer = Arc::clone(&self.layer);
        // Here, where the transport's timer begins: the future may be looked at later.
        let arrived = Instant::now();
        let backlog = request.extensions().get::<PeerIdentity>().and_then(|peer| peer.backlog.clone());
        Box::pin(async move {
            let id = tag::of(request.headers());
            let mut attempt = layer.attempt(request.uri().path(), &id);
            let mut measured = layer.calls.begin(request.uri().path(), request.headers(), &id);
            let span = measured.span().clone();
            let call = Call { request, arrived, id: &id, backlog: backlog.as_ref() };
            let said = layer.within_time(inner, call, &mut measured, attempt.as_mut()).instrument(span).await;
            let said = said.map_err(|refusal| status(refusal, tag::text(&id)));
            if let Some(attempt) = attempt {
                attempt.answered(said.as_ref().err());
            }
            Ok(match said {
                Ok(EncodedResponse::Made(made)) => body::made(*made, id, measured, backlog),
                Ok(EncodedResponse::Kept(message)) => body::kept(message, id, measured, backlog),
                Err(status) => body::made(HandlerResponse::one(status.into_http()), id, measured, None),
            })
        })
    }
}

/// What a call was answered with.
enum EncodedResponse {
    /// By a handler; a stream keeps its room.
    Made(Box<HandlerResponse>),
    /// By a message that is kept.
    Kept(Bytes),
}

/// A call as it arrives.
struct Call<'a> {
    request: Request<Body>,
    arrived: Instant,
    id: &'a HeaderValue,
    /// What its connection has not read yet.
    backlog: Option<&'a ConnectionBuffer>,
}

/// What is known of a call before its message is read.
struct AuthorizedCall<'a> {
    id: &'a HeaderValue,
    /// What its connection has not read yet.
    backlog: Option<&'a ConnectionBuffer>,
    caller: Option<Caller>,
    /// `None` for health, reflection, and what is none of ours.
    terms: Option<MethodPolicy>,
    /// When the call ends, whoever says so.
    until: Instant,
    deadline: CallerDeadline,
}

impl CallLayer {
    /// What is recorded of a call if it does not come as far as its handler.
    fn attempt(&self, path: &str, id: &HeaderValue) -> Option<CallAttempt> {
        Some(CallAttempt::new(self.audit.as_ref()?, recorded(path)?, tag::text(id)))
    }

    /// Lets a call in, and ends it when its time is over.
    async fn within_time<S>(
        &self,
        inner: S,
        Call { mut request, arrived, id, backlog }: Call<'_>,
        measured: &mut CallTimer,
        attempt: Option<&mut CallAttempt>,
    ) -> Result<EncodedResponse, RpcError>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        let about_us = request.uri().path().starts_with("/grpc.");
        if !about_us && !self.takes_calls {
            return Err(refusal::elsewhere(request.uri().path()).into());
        }
        if let Some(attempt) = &attempt {
            request.extensions_mut().insert(attempt.begun());
        }
        if !about_us && !self.gate.is_open() {
            return Err(Error::ShardAway { after: CircuitBreaker::PAUSE }.into());
        }
        let caller = self.let_in(&request, measured, attempt)?;
        let terms = admission::terms(request.uri().path()).filter(|_| self.serves(request.uri().path()));
        // Whoever asks for health is told.
        let backlog = backlog.filter(|_| terms.is_some());
        backlog.map_or(Ok(()), |backlog| self.admission.reads(backlog))?;
        let (asked, most) = (deadline::of(request.headers())?, self.times.of(terms));
        let until = arrived + asked.map_or(most, |asked| asked.min(most));
        if asked.is_some_and(|asked| asked.is_zero()) {
            return Err(Error::DeadlineExceeded.into());
        }
        // Decades away is never.
        let deadline = CallerDeadline(asked.and_then(|asked| arrived.checked_add(asked)));
        let known = AuthorizedCall { id, backlog, caller, terms, until, deadline };
        let call = async {
            let fate = match &self.faults {
                Some(faults) => faults.strike(fault::of(request.headers())).await?,
                None => FaultOutcome::Sent,
            };
            // Nothing that a handler shares is left half-changed by a panic: it holds ports, not state.
            let answer = AssertUnwindSafe(self.answer(inner, request, known)).catch_unwind().await;
            if fate == FaultOutcome::Lost {
                return Err(Error::ShardUnavailable.into());
            }
            answer
                .unwrap_or_else(|panic| Err(Error::internal(format!("a handler panicked: {}", reason(&*panic))).into()))
        };
        tokio::time::timeout_at(until, call).await.unwrap_or_else(|_| Err(Error::DeadlineExceeded.into()))
    }

    /// Who makes a call, if they may; `None` for what anybody may ask.
    fn let_in(
        &self,
        request: &Request<Body>,
        measured: &mut CallTimer,
        attempt: Option<&mut CallAttempt>,
    ) -> Result<Option<Caller>, RpcError> {
        let peer = request.extensions().get::<PeerIdentity>();
        let who = self.guard.who(request.uri().path(), request.headers(), peer)?;
        let Some((caller, access)) = who else { return Ok(None) };
        measured.by(&caller);
        if let Some(attempt) = attempt {
            attempt.by(&caller);
        }
        let quota = || ErrorMetadata::default().with(QUOTA, format!("caller:{}", caller.name()));
        self.admission.caller(&caller).map_err(|error| RpcError::about(error, quota()))?;
        // What is served elsewhere asks for no role here: it does not exist.
        if self.serves(request.uri().path()) {
            access.allows(&caller)?;
        }
        Ok(Some(caller))
    }

    /// Room for a watch of health, which anybody may ask for: a few on each connection. `None` where nobody counts. One too many is told
    /// that there is no such call, by which clients behind a proxy that shares its connection go on without it.
    fn watch_of_health(request: &Request<Body>) -> Result<Option<OwnedSemaphorePermit>, Error> {
        let backlog = request.extensions().get::<PeerIdentity>().and_then(|peer| peer.backlog.as_ref());
        let watch = |backlog: &ConnectionBuffer| {
            backlog.watch().ok_or(Error::NotImplemented("another watch of health on its connection".into()))
        };
        backlog.map(watch).transpose()
    }

    /// Whether the path is of a service that the listener has.
    fn serves(&self, path: &str) -> bool {
        path.trim_start_matches('/').split_once('/').is_some_and(|(service, _)| self.services.contains(&service))
    }

    /// Answers by what is kept, or by the handler.
    async fn answer<S>(
        &self,
        mut inner: S,
        mut request: Request<Body>,
        known: AuthorizedCall<'_>,
    ) -> Result<EncodedResponse, RpcError>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        let AuthorizedCall { id, backlog, caller, terms, until, deadline } = known;
        if let (Some(hot), Some(caller)) = (&self.hot, &caller)
            && hot.serves(request.uri().path())
        {
            let peeked = peek_body::peek(request, ResponseCacheLayer::MAX_REQUEST).await;
            if let Some(message) = peeked.whole()
                && let Some(kept) = hot.answer(caller, message).await
            {
                let message = kept?;
                backlog.map_or(Ok(()), |backlog| self.admission.fits(backlog, message.len()))?;
                return Ok(EncodedResponse::Kept(message));
            }
            request = peeked.into_request();
        }
        let stream = terms.is_some_and(|terms| terms.kind.streams());
        if let Some(terms) = terms.filter(|terms| terms.kind != MessageProfile::Import) {
            let limit = terms.kind.max_message(self.max_request);
            request = buffer_body::gather(request, limit, self.body_time, (&self.bodies, backlog)).await?;
        }
        let watches = if request.uri().path() == HEALTH_WATCH { Self::watch_of_health(&request)? } else { None };
        let room = match terms {
            Some(terms) => Some(self.admission.enter(terms, caller.as_ref(), Some(until)).await?),
            None => None,
        };
        if let Some(caller) = caller {
            request.extensions_mut().insert(caller);
        }
        request.extensions_mut().insert(CallId(tag::text(id).to_owned()));
        request.extensions_mut().insert(deadline);
        let uri = request.uri().clone();
        let Ok(response) = inner.call(request).await;
        let limit = terms.map_or(MAX_ABOUT_US, |terms| terms.kind.max_message(self.max_request));
        if let Some(error) = refusal::of(&response, uri.path(), limit) {
            return Err(error.into());
        }
        // A watched subject ends itself, with what it watched.
        let ends = deadline.0.filter(|_| stream && uri.path() != SUBJECT_WATCH || watches.is_some());
        if stream {
            let held = room.map(InFlightGuard::Room);
            return Ok(EncodedResponse::Made(Box::new(HandlerResponse { response, message: None, held, ends })));
        }
        let made = Box::new(HandlerResponse {
            held: watches.map(InFlightGuard::Watch),
            ends,
            ..HandlerResponse::one(response)
        });
        // Only what had no effect may still be refused.
        if let Some(backlog) = backlog.filter(|_| terms.is_some_and(|terms| terms.kind.only_reads())) {
            self.admission.fits(backlog, made.bytes())?;
        }
        Ok(EncodedResponse::Made(made))
    }
}

fn reason(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
