//! The layer around every call, in this order: HTTP method and content type → measurement and
//! span → request id → the process serves calls → readiness → caller → rate limit of the
//! caller → role → capacity of the send buffer → deadline → panic guard → response cache →
//! complete request → admission → handler → translation of the library's own errors → request id
//! in the trailers.
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
use super::{deadline, not_grpc, peek_body, rejection, request_id};
use crate::admission::{Admission, ConnectionBuffer, MessageProfile, MethodPolicy, Timeouts};
use crate::audit::{AuditLog, CallAttempt};
use crate::auth::{Authenticator, PeerIdentity};
use crate::generated::methods::method;
use crate::rpc_error::{ErrorMetadata, RpcError};
use crate::status::{QUOTA, status};
use crate::{CallId, CallerDeadline, MessageLimits, ResponseCacheLayer};

/// The largest request of the health and reflection services, in bytes: it contains a name. Health
/// checks need no credentials, so any client can send one, and memory for a message is reserved
/// when its head is read.
pub const MAX_HEALTH_REQUEST: usize = 1 << 10;
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
    pub serves_calls: bool,
    /// Authenticates callers.
    pub authenticator: Authenticator,
    /// The names of the contract's services that the listener serves.
    pub services: &'static [&'static str],
    /// The maximum durations of calls.
    pub timeouts: Timeouts,
    /// The time limit for the arrival of a unary call's body.
    pub body_time: Duration,
    /// Admission pools and rate limits.
    pub admission: Admission,
    /// The largest messages, in bytes; an error of a larger one reports them.
    pub limits: MessageLimits,
    /// The budget for large messages in transfer, shared by all calls.
    pub body_buffers: BodyBuffers,
    /// Fault injection on request; `None` in production.
    pub faults: Option<InjectedFaults>,
    /// Measures each call, and creates its span if traces are exported.
    pub calls: CallMetrics,
    /// The response cache; `None` for a listener that serves no calls from it.
    pub response_cache: Option<ResponseCacheLayer>,
    /// The audit log for calls that are rejected before they reach their handlers; `None` for a
    /// listener without audited calls.
    pub audit: Option<AuditLog>,
}

/// The service that [`CallLayer`] creates.
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
        let arrival = Instant::now();
        let buffer = request.extensions().get::<PeerIdentity>().and_then(|peer| peer.buffer.clone());
        Box::pin(async move {
            let id = request_id::of(request.headers());
            if let Some(response) = not_grpc::response(&request) {
                let timer = layer.calls.begin(request.uri().path(), request.headers(), &id);
                not_grpc::drain(request.into_body(), layer.body_time).await;
                return Ok(body::from_handler(HandlerResponse::one(response), id, timer, None));
            }
            let mut attempt = layer.attempt(request.uri().path(), &id);
            let mut timer = layer.calls.begin(request.uri().path(), request.headers(), &id);
            let span = timer.span().clone();
            let call = Call { request, arrival, id: &id, buffer: buffer.as_ref() };
            let response = layer.within_time(inner, call, &mut timer, attempt.as_mut()).instrument(span).await;
            let response = response.map_err(|error| status(error, request_id::text(&id)));
            if let Some(attempt) = attempt {
                attempt.complete(response.as_ref().err());
            }
            Ok(match response {
                Ok(EncodedResponse::Handler(response)) => body::from_handler(*response, id, timer, buffer),
                Ok(EncodedResponse::Cached(message)) => body::from_cache(message, id, timer, buffer),
                Err(status) => body::from_handler(HandlerResponse::one(status.into_http()), id, timer, None),
            })
        })
    }
}

/// The response of a call.
enum EncodedResponse {
    /// The response of a handler; a stream keeps its capacity in the admission pool.
    Handler(Box<HandlerResponse>),
    /// A cached message.
    Cached(Bytes),
}

/// A call as it arrives.
struct Call<'a> {
    request: Request<Body>,
    arrival: Instant,
    id: &'a HeaderValue,
    /// The send buffer of the connection.
    buffer: Option<&'a ConnectionBuffer>,
}

/// An authorized call, before its message is read.
struct AuthorizedCall<'a> {
    id: &'a HeaderValue,
    /// The send buffer of the connection.
    buffer: Option<&'a ConnectionBuffer>,
    caller: Option<Caller>,
    /// `None` for health, reflection, and methods that are not in the contract.
    policy: Option<MethodPolicy>,
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
        Some(CallAttempt::new(self.audit.as_ref()?, audited.name, request_id::text(id)))
    }

    /// Admits a call, and ends it when its deadline passes.
    async fn within_time<S>(
        &self,
        inner: S,
        Call { mut request, arrival, id, buffer }: Call<'_>,
        timer: &mut CallTimer,
        attempt: Option<&mut CallAttempt>,
    ) -> Result<EncodedResponse, RpcError>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        let is_health_or_reflection = request.uri().path().starts_with("/grpc.");
        if !is_health_or_reflection && !self.serves_calls {
            return Err(rejection::no_calls_served(request.uri().path()).into());
        }
        if let Some(attempt) = &attempt {
            request.extensions_mut().insert(attempt.handler_started());
        }
        if !is_health_or_reflection && !self.gate.is_open() {
            return Err(Error::ShardCircuitOpen { after: CircuitBreaker::PAUSE }.into());
        }
        let caller = self.authorize(&request, timer, attempt)?;
        let policy = method(request.uri().path()).map(|method| method.policy);
        let policy = policy.filter(|_| self.serves(request.uri().path()));
        // Health checks are served even on a connection that does not read its responses.
        let buffer = buffer.filter(|_| policy.is_some());
        buffer.map_or(Ok(()), |buffer| self.admission.check_buffer(buffer))?;
        let (requested, max) = (deadline::of(request.headers())?, self.timeouts.of(policy));
        let until = arrival + requested.map_or(max, |requested| requested.min(max));
        if requested.is_some_and(|requested| requested.is_zero()) {
            return Err(Error::DeadlineExceeded.into());
        }
        // A deadline beyond the range of the clock is treated as none.
        let deadline = CallerDeadline(requested.and_then(|requested| arrival.checked_add(requested)));
        let authorized = AuthorizedCall { id, buffer, caller, policy, until, deadline };
        let call = async {
            let outcome = match &self.faults {
                Some(faults) => faults.inject(fault::of(request.headers())).await?,
                None => FaultOutcome::Sent,
            };
            // Catching the panic is safe: a handler has ports and no state of its own, so a panic
            // leaves no shared value half-changed.
            let response = AssertUnwindSafe(self.respond(inner, request, authorized)).catch_unwind().await;
            if outcome == FaultOutcome::Lost {
                return Err(Error::ShardUnavailable.into());
            }
            response.unwrap_or_else(|panic| {
                Err(Error::internal(format!("a handler panicked: {}", panic_message(&*panic))).into())
            })
        };
        tokio::time::timeout_at(until, call).await.unwrap_or_else(|_| Err(Error::DeadlineExceeded.into()))
    }

    /// Returns the caller, if it is authorized; `None` for methods that need no credentials.
    fn authorize(
        &self,
        request: &Request<Body>,
        timer: &mut CallTimer,
        attempt: Option<&mut CallAttempt>,
    ) -> Result<Option<Caller>, RpcError> {
        let peer = request.extensions().get::<PeerIdentity>();
        let identified = self.authenticator.identify(request.uri().path(), request.headers(), peer)?;
        let Some((caller, access)) = identified else { return Ok(None) };
        timer.by(caller.shared_name());
        if let Some(attempt) = attempt {
            attempt.set_caller(&caller);
        }
        let quota = || ErrorMetadata::default().with(QUOTA, format!("caller:{}", caller.name()));
        self.admission.count_caller(&caller).map_err(|error| RpcError::about(error, quota()))?;
        // A service of another listener requires no role here, because this listener does not serve
        // it.
        if self.serves(request.uri().path()) {
            access.allows(&caller)?;
        }
        Ok(Some(caller))
    }

    /// Returns a permit for one of the few health watches of a connection, which need no
    /// credentials. `None` if the connection has no buffer that counts its watches. A watch beyond
    /// the limit is rejected as an unimplemented method: clients behind a proxy with one connection
    /// for all of them then continue without a watch.
    fn health_watch_permit(request: &Request<Body>) -> Result<Option<OwnedSemaphorePermit>, Error> {
        let buffer = request.extensions().get::<PeerIdentity>().and_then(|peer| peer.buffer.as_ref());
        let permit = |buffer: &ConnectionBuffer| {
            buffer
                .acquire_health_watch()
                .ok_or(Error::NotImplemented("another watch of health on its connection".into()))
        };
        buffer.map(permit).transpose()
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
        let AuthorizedCall { id, buffer, caller, policy, until, deadline } = authorized;
        if let (Some(cache), Some(caller)) = (&self.response_cache, &caller)
            && cache.serves(request.uri().path())
        {
            let peeked = peek_body::read(request, ResponseCacheLayer::MAX_REQUEST).await;
            if let Some(message) = peeked.complete()
                && let Some(cached) = cache.respond(caller, message).await
            {
                let message = cached?;
                buffer.map_or(Ok(()), |buffer| self.admission.check_fit(buffer, message.len()))?;
                return Ok(EncodedResponse::Cached(message));
            }
            request = peeked.into_request();
        }
        let is_stream = policy.is_some_and(|policy| policy.profile.streams());
        if let Some(policy) = policy.filter(|policy| policy.profile != MessageProfile::Import) {
            let limit = policy.profile.max_message(self.limits.max_request);
            request = buffer_body::buffer(request, limit, self.body_time, (&self.body_buffers, buffer)).await?;
        }
        let health_watch =
            if request.uri().path() == HEALTH_WATCH { Self::health_watch_permit(&request)? } else { None };
        let permit = match policy {
            Some(policy) => Some(self.admission.enter(policy, caller.as_ref(), Some(until)).await?),
            None => None,
        };
        if let Some(caller) = caller {
            request.extensions_mut().insert(caller);
        }
        request.extensions_mut().insert(CallId(request_id::text(id).to_owned()));
        request.extensions_mut().insert(deadline);
        let uri = request.uri().clone();
        let Ok(response) = inner.call(request).await;
        let limit = policy.map_or(MAX_HEALTH_REQUEST, |policy| policy.profile.max_message(self.limits.max_request));
        if let Some(error) = rejection::of(&response, uri.path(), limit) {
            return Err(error.into());
        }
        // The handler of WatchSubject ends its own stream, and reports the watched subject in the
        // error.
        let stream_deadline = deadline.0.filter(|_| is_stream && uri.path() != SUBJECT_WATCH || health_watch.is_some());
        if is_stream {
            let guard = permit.map(InFlightGuard::Pool);
            return Ok(EncodedResponse::Handler(Box::new(HandlerResponse {
                response,
                message: None,
                guard,
                deadline: stream_deadline,
            })));
        }
        let handler_response = Box::new(HandlerResponse {
            guard: health_watch.map(InFlightGuard::Watch),
            deadline: stream_deadline,
            ..HandlerResponse::one(response)
        });
        // Only a call without effect may still be rejected.
        if policy.is_some_and(|policy| policy.profile.only_reads()) {
            handler_response.check_size(self.limits.max_response)?;
            buffer.map_or(Ok(()), |buffer| self.admission.check_fit(buffer, handler_response.bytes()))?;
        }
        Ok(EncodedResponse::Handler(handler_response))
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let message = panic.downcast_ref::<&str>().copied();
    message.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
