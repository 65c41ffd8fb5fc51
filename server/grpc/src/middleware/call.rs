//! The layer around every call, in this order: measurement and span → request id → the process
//! serves calls → readiness → caller → rate limit of the caller → role → the connection reads its
//! responses → deadline → panic guard → response cache → complete request → admission → handler →
//! translation of the library's own errors → request id in the trailers.
//!
//! It is one merged service rather than a stack of boxed ones: each box costs a cached page a
//! measurable share.

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
use riposte_core::{Caller, Error};
use riposte_sync::CircuitBreaker;
use riposte_telemetry::{CallMetrics, CallTimer};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tonic::body::Body;
use tower::{Layer, Service};
use tracing::Instrument;

use super::body::{self, CallBody, HandlerResponse, InFlightGuard};
use super::buffer_body::{self, BodyBuffers};
use super::fault::{self, FaultOutcome, InjectedFaults};
use super::{deadline, peek_body, rejection, tag};
use crate::admission::{Admission, ConnectionBuffer, MessageProfile, MethodPolicy, Timeouts};
use crate::audit::{AuditLog, CallAttempt};
use crate::auth::{Authenticator, PeerIdentity};
use crate::generated::methods::method;
use crate::rpc_error::{ErrorMetadata, RpcError};
use crate::status::{QUOTA, status};
use crate::{CallId, CallerDeadline, ResponseCacheLayer};

/// The largest request of the health and reflection services, in bytes: it contains a name. Health
/// checks need no credentials, so any client can send one, and memory for a message is reserved
/// when its head is read.
pub const MAX_ABOUT_US: usize = 1 << 10;
/// The only method of the contract whose handler applies the caller's deadline itself.
const SUBJECT_WATCH: &str = "/riposte.v1.SubjectService/WatchSubject";
/// The only streaming method of the health service.
const HEALTH_WATCH: &str = "/grpc.health.v1.Health/Watch";

/// The readiness of the store. While the gate is closed, every call except health and reflection is
/// rejected.
#[derive(Debug, Clone, Default)]
pub struct ReadinessGate(Arc<AtomicBool>);

impl ReadinessGate {
    /// Opens or closes the gate.
    pub fn set(&self, open: bool) {
        self.0.store(open, Ordering::Release);
    }

    fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The layer that wraps every call of a listener.
#[derive(Debug, Clone)]
pub struct CallLayer {
    /// The readiness gate.
    pub gate: ReadinessGate,
    /// True if the process serves calls other than health and reflection.
    pub takes_calls: bool,
    /// Authenticates callers.
    pub guard: Authenticator,
    /// The names of the contract's services that the listener serves.
    pub services: &'static [&'static str],
    /// The maximum durations of calls.
    pub times: Timeouts,
    /// The time limit for the arrival of a unary call's body.
    pub body_time: Duration,
    /// Admission pools and rate limits.
    pub admission: Admission,
    /// The largest request message, in bytes; an error of a larger one reports it.
    pub max_request: usize,
    /// The budget for large messages in transfer, shared by all calls.
    pub bodies: BodyBuffers,
    /// Fault injection on request; `None` in production.
    pub faults: Option<InjectedFaults>,
    /// Measures each call, and creates its span if traces are exported.
    pub calls: CallMetrics,
    /// The response cache; `None` for a listener that serves no calls from it.
    pub response_cache: Option<ResponseCacheLayer>,
    /// The audit log for AdminService calls that are refused before they reach their handlers;
    /// `None` for a listener that does not serve AdminService.
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

type CallFuture = Pin<Box<dyn Future<Output = Result<Response<CallBody>, Infallible>> + Send>>;

impl<S> Service<Request<Body>> for CallService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<CallBody>;
    type Error = Infallible;
    type Future = CallFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> CallFuture {
        // The instance that was polled ready serves this call; its clone waits for the next one.
        let ready = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, ready);
        let layer = Arc::clone(&self.layer);
        // The time of arrival is recorded here, where the transport starts its timer: the future
        // may be polled later.
        let arrived = Instant::now();
        let backlog = request.extensions().get::<PeerIdentity>().and_then(|peer| peer.backlog.clone());
        Box::pin(async move {
            let id = tag::of(request.headers());
            let mut attempt = layer.attempt(request.uri().path(), &id);
            let mut measured = layer.calls.begin(request.uri().path(), request.headers(), &id);
            let span = measured.span().clone();
            let call = Call { request, arrived, id: &id, backlog: backlog.as_ref() };
            let response = layer.within_time(inner, call, &mut measured, attempt.as_mut()).instrument(span).await;
            let response = response.map_err(|error| status(error, tag::text(&id)));
            if let Some(attempt) = attempt {
                attempt.completed(response.as_ref().err());
            }
            Ok(match response {
                Ok(EncodedResponse::Made(made)) => body::made(*made, id, measured, backlog),
                Ok(EncodedResponse::Cached(message)) => body::cached(message, id, measured, backlog),
                Err(status) => body::made(HandlerResponse::one(status.into_http()), id, measured, None),
            })
        })
    }
}

/// The response of a call.
enum EncodedResponse {
    /// The response of a handler; a stream holds its place in the admission pool.
    Made(Box<HandlerResponse>),
    /// A cached message.
    Cached(Bytes),
}

/// A call as it arrives.
struct Call<'a> {
    request: Request<Body>,
    arrived: Instant,
    id: &'a HeaderValue,
    /// The responses that the connection has not read yet.
    backlog: Option<&'a ConnectionBuffer>,
}

/// An authorized call, before its message is read.
struct AuthorizedCall<'a> {
    id: &'a HeaderValue,
    /// The responses that the connection has not read yet.
    backlog: Option<&'a ConnectionBuffer>,
    caller: Option<Caller>,
    /// `None` for health, reflection, and methods that are not in the contract.
    terms: Option<MethodPolicy>,
    /// The end of the call: the caller's deadline or the maximum of the method, whichever is
    /// earlier.
    until: Instant,
    deadline: CallerDeadline,
}

impl CallLayer {
    /// Returns the audit record for a call that does not reach its handler; `None` if the call is
    /// not audited.
    fn attempt(&self, path: &str, id: &HeaderValue) -> Option<CallAttempt> {
        let audited = method(path).filter(|method| method.audited)?;
        Some(CallAttempt::new(self.audit.as_ref()?, audited.name, tag::text(id)))
    }

    /// Admits a call, and ends it when its deadline passes.
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
            return Err(rejection::elsewhere(request.uri().path()).into());
        }
        if let Some(attempt) = &attempt {
            request.extensions_mut().insert(attempt.begun());
        }
        if !about_us && !self.gate.is_open() {
            return Err(Error::ShardAway { after: CircuitBreaker::PAUSE }.into());
        }
        let caller = self.authorize(&request, measured, attempt)?;
        let terms = method(request.uri().path()).map(|method| method.policy);
        let terms = terms.filter(|_| self.serves(request.uri().path()));
        // Health checks are served even on a connection that does not read its responses.
        let backlog = backlog.filter(|_| terms.is_some());
        backlog.map_or(Ok(()), |backlog| self.admission.reads(backlog))?;
        let (requested, most) = (deadline::of(request.headers())?, self.times.of(terms));
        let until = arrived + requested.map_or(most, |requested| requested.min(most));
        if requested.is_some_and(|requested| requested.is_zero()) {
            return Err(Error::DeadlineExceeded.into());
        }
        // A deadline beyond the range of the clock is treated as none.
        let deadline = CallerDeadline(requested.and_then(|requested| arrived.checked_add(requested)));
        let authorized = AuthorizedCall { id, backlog, caller, terms, until, deadline };
        let call = async {
            let outcome = match &self.faults {
                Some(faults) => faults.inject(fault::of(request.headers())).await?,
                None => FaultOutcome::Sent,
            };
            // Catching the panic is sound: a handler holds ports and no state, so a panic leaves
            // nothing shared half-changed.
            let response = AssertUnwindSafe(self.respond(inner, request, authorized)).catch_unwind().await;
            if outcome == FaultOutcome::Lost {
                return Err(Error::ShardUnavailable.into());
            }
            response
                .unwrap_or_else(|panic| Err(Error::internal(format!("a handler panicked: {}", reason(&*panic))).into()))
        };
        tokio::time::timeout_at(until, call).await.unwrap_or_else(|_| Err(Error::DeadlineExceeded.into()))
    }

    /// Returns the caller, if it is authorized; `None` for methods that need no credentials.
    fn authorize(
        &self,
        request: &Request<Body>,
        measured: &mut CallTimer,
        attempt: Option<&mut CallAttempt>,
    ) -> Result<Option<Caller>, RpcError> {
        let peer = request.extensions().get::<PeerIdentity>();
        let known = self.guard.identify(request.uri().path(), request.headers(), peer)?;
        let Some((caller, access)) = known else { return Ok(None) };
        measured.by(caller.shared_name());
        if let Some(attempt) = attempt {
            attempt.by(&caller);
        }
        let quota = || ErrorMetadata::default().with(QUOTA, format!("caller:{}", caller.name()));
        self.admission.caller(&caller).map_err(|error| RpcError::about(error, quota()))?;
        // A service of another listener requires no role here, because this listener does not serve
        // it.
        if self.serves(request.uri().path()) {
            access.allows(&caller)?;
        }
        Ok(Some(caller))
    }

    /// Reserves one of the few health watches of a connection; a health watch needs no credentials.
    /// Returns `None` if the connection has no buffer that counts its watches. A watch beyond the
    /// limit is refused as an unimplemented method: clients behind a proxy that shares its
    /// connection then continue without the watch.
    fn watch_of_health(request: &Request<Body>) -> Result<Option<OwnedSemaphorePermit>, Error> {
        let backlog = request.extensions().get::<PeerIdentity>().and_then(|peer| peer.backlog.as_ref());
        let watch = |backlog: &ConnectionBuffer| {
            backlog.watch().ok_or(Error::NotImplemented("another watch of health on its connection".into()))
        };
        backlog.map(watch).transpose()
    }

    /// Returns true if the path belongs to a service of this listener.
    fn serves(&self, path: &str) -> bool {
        path.trim_start_matches('/').split_once('/').is_some_and(|(service, _)| self.services.contains(&service))
    }

    /// Serves a call from the response cache, or calls the handler.
    async fn respond<S>(
        &self,
        mut inner: S,
        mut request: Request<Body>,
        authorized: AuthorizedCall<'_>,
    ) -> Result<EncodedResponse, RpcError>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        let AuthorizedCall { id, backlog, caller, terms, until, deadline } = authorized;
        if let (Some(cache), Some(caller)) = (&self.response_cache, &caller)
            && cache.serves(request.uri().path())
        {
            let peeked = peek_body::read(request, ResponseCacheLayer::MAX_REQUEST).await;
            if let Some(message) = peeked.complete()
                && let Some(cached) = cache.respond(caller, message).await
            {
                let message = cached?;
                backlog.map_or(Ok(()), |backlog| self.admission.fits(backlog, message.len()))?;
                return Ok(EncodedResponse::Cached(message));
            }
            request = peeked.into_request();
        }
        let stream = terms.is_some_and(|terms| terms.kind.streams());
        if let Some(terms) = terms.filter(|terms| terms.kind != MessageProfile::Import) {
            let limit = terms.kind.max_message(self.max_request);
            request = buffer_body::buffer(request, limit, self.body_time, (&self.bodies, backlog)).await?;
        }
        let watches = if request.uri().path() == HEALTH_WATCH { Self::watch_of_health(&request)? } else { None };
        let permit = match terms {
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
        if let Some(error) = rejection::of(&response, uri.path(), limit) {
            return Err(error.into());
        }
        // The handler of WatchSubject ends its own stream, and reports the watched subject in the
        // error.
        let ends = deadline.0.filter(|_| stream && uri.path() != SUBJECT_WATCH || watches.is_some());
        if stream {
            let held = permit.map(InFlightGuard::Pool);
            return Ok(EncodedResponse::Made(Box::new(HandlerResponse { response, message: None, held, ends })));
        }
        let made = Box::new(HandlerResponse {
            held: watches.map(InFlightGuard::Watch),
            ends,
            ..HandlerResponse::one(response)
        });
        // Only a call without effect may still be refused.
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
