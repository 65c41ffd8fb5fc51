//! One layer around every call: request id → readiness → caller → deadline → panic guard → the library's own refusals
//! in our words → request id in the trailers.
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
use http_body_util::BodyExt;
use riposte_core::{Caller, Error};
use tokio::time::Instant;
use tonic::body::Body;
use tower::{Layer, Service};

use super::fault::{self, Faults};
use super::{deadline, refusal, tag};
use crate::rpc::status::status;
use crate::rpc::{CallerDeadline, REQUEST_ID, RequestTag};

/// Whether the store can be used. Closed, every call but health and reflection is refused.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<AtomicBool>);

impl Gate {
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
    pub gate: Gate,
    /// The caller that everybody is, while callers are not told apart.
    pub caller: Caller,
    /// The most time a call gets.
    pub max_time: Duration,
    /// The largest request message, told to callers that exceed it.
    pub max_request: usize,
    /// Faults on request; `None` in production.
    pub faults: Option<Faults>,
}

/// The service that [`CallLayer`] makes.
#[derive(Debug, Clone)]
pub struct CallService<S> {
    inner: S,
    layer: CallLayer,
}

impl<S> Layer<S> for CallLayer {
    type Service = CallService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        CallService { inner, layer: self.clone() }
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl<S> Service<Request<Body>> for CallService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Answer {
        // The instance that was polled ready serves this call; its clone waits for the next.
        let ready = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, ready);
        let layer = self.layer.clone();
        let id = tag::of(request.headers());
        let infrastructure = request.uri().path().starts_with("/grpc.");
        let asked_time = deadline::of(request.headers());
        let time = asked_time.map_or(layer.max_time, |asked| asked.min(layer.max_time));
        // Decades away is never.
        let ends = asked_time.and_then(|asked| Instant::now().checked_add(asked));
        let asked = layer.faults.clone().zip(fault::of(request.headers()));
        request.extensions_mut().insert(layer.caller.clone());
        request.extensions_mut().insert(RequestTag(id.clone()));
        request.extensions_mut().insert(CallerDeadline(ends));
        Box::pin(async move {
            let answer = async {
                if !infrastructure && !layer.gate.is_open() {
                    return Err(Error::ShardUnavailable);
                }
                // Nothing that a handler shares is left half-changed by a panic: it holds ports, not state.
                let call = AssertUnwindSafe(async { inner.call(request).await }).catch_unwind();
                let call = async {
                    if let Some((faults, text)) = asked {
                        faults.strike(Some(text)).await?;
                    }
                    Ok(call.await)
                };
                let Ok(called) = tokio::time::timeout(time, call).await else { return Err(Error::DeadlineExceeded) };
                match called {
                    Err(fault) => Err(fault),
                    Ok(Err(panic)) => Err(Error::internal(format!("a handler panicked: {}", reason(&*panic)))),
                    Ok(Ok(Ok(response))) => match refusal::of(&response, layer.max_request) {
                        Some(error) => Err(error),
                        None => Ok(response),
                    },
                }
            };
            let response = answer.await.unwrap_or_else(|error| status(error, &id).into_http());
            Ok(tagged(response, tag::header(&id)))
        })
    }
}

/// Puts the request id into the trailers, or into the headers of an answer that has no others.
fn tagged(mut response: Response<Body>, id: HeaderValue) -> Response<Body> {
    if response.headers().contains_key("grpc-status") {
        response.headers_mut().insert(REQUEST_ID, id);
        return response;
    }
    response.map(|body| {
        Body::new(body.map_frame(move |mut frame| {
            if let Some(trailers) = frame.trailers_mut() {
                trailers.insert(REQUEST_ID, id.clone());
            }
            frame
        }))
    })
}

fn reason(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
