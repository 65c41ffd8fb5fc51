//! The body of a response: either produced by a handler or served from cached bytes. Both end with
//! the request id.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use http::{HeaderMap, HeaderValue, Response};
use http_body::{Frame, SizeHint};
use hyper::body::Bytes;
use riposte_core::Error;
use riposte_telemetry::CallTimer;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep};
use tonic::body::Body;

use super::tag;
use crate::REQUEST_ID;
use crate::admission::{Admitted, ConnectionBuffer};
use crate::rpc_error::RpcError;
use crate::status::status;

/// The body of a response. It is a type of its own because wrapping and boxing a body once more
/// would cost every call.
#[derive(Debug)]
pub struct CallBody {
    kind: BodyKind,
    /// The limited resources of a stream, until it has ended or its reader is gone.
    _held: Option<InFlightGuard>,
}

/// A limited resource that a stream holds.
#[derive(Debug)]
pub(super) enum InFlightGuard {
    /// The stream's place in its admission pool.
    Pool(#[expect(dead_code, reason = "its drop releases it")] Admitted),
    /// A health watch, of which each connection has a limited number.
    Watch(#[expect(dead_code, reason = "its drop releases it")] OwnedSemaphorePermit),
}

/// A response produced by a handler.
#[derive(Debug)]
struct Making {
    body: Body,
    /// The request id, which goes into the trailers.
    id: Option<HeaderValue>,
    /// The single message of a unary call, or the status that it failed with.
    message: Option<Message>,
    measured: CallTimer,
    /// Counts the bytes that the client has not read.
    backlog: Option<ConnectionBuffer>,
    /// The end of a stream for which the caller gave a deadline.
    ends: Option<Pin<Box<Sleep>>>,
}

#[derive(Debug)]
enum BodyKind {
    /// Produced by a handler; its trailers end the measurement.
    Made(Making),
    /// A cached message, then the trailers of success.
    Cached(Option<Bytes>, Option<HeaderMap>),
}

/// A frame, as a body yields it.
type Message = Result<Frame<Bytes>, tonic::Status>;

/// The response of a handler.
#[derive(Debug)]
pub(super) struct HandlerResponse {
    pub(super) response: Response<Body>,
    /// The single message of a unary call, or the status that it failed with, taken out of the
    /// response: the size of an encoded message is known.
    pub(super) message: Option<Message>,
    /// The limited resource that a stream holds.
    pub(super) held: Option<InFlightGuard>,
    /// The deadline at which a stream that has not ended yet is ended.
    pub(super) ends: Option<Instant>,
}

impl HandlerResponse {
    /// Creates a response of one message, which is encoded now.
    pub(super) fn one(mut response: Response<Body>) -> Self {
        let body = response.body_mut();
        let message = poll_fn(|cx| http_body::Body::poll_frame(Pin::new(&mut *body), cx)).now_or_never();
        Self { message: message.flatten(), response, held: None, ends: None }
    }

    /// Returns the number of bytes of the message.
    pub(super) fn bytes(&self) -> usize {
        self.message.as_ref().and_then(|message| message.as_ref().ok()?.data_ref()).map_or(0, Bytes::len)
    }
}

/// Builds the response of a handler. The request id goes into the trailers, or into the headers of
/// a response without trailers. The message counts towards the send buffer from now on.
pub(super) fn made(
    HandlerResponse { mut response, message, held, ends }: HandlerResponse,
    id: HeaderValue,
    mut measured: CallTimer,
    backlog: Option<ConnectionBuffer>,
) -> Response<CallBody> {
    let mut later = Some(id);
    measured.status(response.headers());
    let has_ended = response.headers().contains_key("grpc-status");
    if has_ended && let Some(id) = later.take() {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response.map(|body| {
        let message = message.map(|message| message.map(|frame| counted(backlog.as_ref(), frame)));
        // A response that has ended with its headers needs no timer.
        let ends = ends.filter(|_| !has_ended).map(|ends| Box::pin(tokio::time::sleep_until(ends)));
        CallBody { kind: BodyKind::Made(Making { body, id: later, message, measured, backlog, ends }), _held: held }
    })
}

impl Making {
    fn frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        if self.ends.as_mut().is_some_and(|ends| ends.as_mut().poll(cx).is_ready()) {
            // The rest of the stream is dropped with its body; nothing follows the trailers.
            self.ends = None;
            self.message = None;
            self.body = Body::empty();
            return Poll::Ready(Some(self.too_late()));
        }
        let Self { body, id, message, measured, backlog, ends: _ } = self;
        let frame = match message.take() {
            Some(message) => Poll::Ready(Some(message)),
            None => {
                // The work of a stream for its next message belongs to the span of its call.
                let frame = measured.span().clone().in_scope(|| http_body::Body::poll_frame(Pin::new(body), cx));
                frame.map_ok(|frame| counted(backlog.as_ref(), frame))
            }
        };
        frame.map_ok(|mut frame| {
            if let Some(trailers) = frame.trailers_mut() {
                measured.status(trailers);
                id.take().map(|id| trailers.insert(REQUEST_ID, id));
            }
            frame
        })
    }

    /// Returns the trailers of a stream whose deadline has passed.
    fn too_late(&mut self) -> Message {
        let error = RpcError::from(Error::DeadlineExceeded);
        let status = status(error, self.id.as_ref().map(tag::text).unwrap_or_default());
        let mut trailers = HeaderMap::new();
        status.add_header(&mut trailers)?;
        self.measured.status(&trailers);
        self.id.take().map(|id| trailers.insert(REQUEST_ID, id));
        Ok(Frame::trailers(trailers))
    }
}

/// Returns the frame. It counts towards the send buffer until its bytes are dropped.
fn counted(backlog: Option<&ConnectionBuffer>, frame: Frame<Bytes>) -> Frame<Bytes> {
    match backlog {
        Some(backlog) => frame.map_data(|bytes| backlog.waiting(bytes)),
        None => frame,
    }
}

/// Builds a complete response from a cached message, which includes its head.
pub(super) fn cached(
    message: Bytes,
    id: HeaderValue,
    mut measured: CallTimer,
    backlog: Option<ConnectionBuffer>,
) -> Response<CallBody> {
    measured.succeeded();
    // The bytes count towards the send buffer although responses share them: they are shared only
    // while cached.
    let message = match backlog {
        Some(backlog) => backlog.waiting(message),
        None => message,
    };
    let mut trailers = HeaderMap::with_capacity(2);
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    trailers.insert(REQUEST_ID, id);
    let mut response = Response::new(CallBody { kind: BodyKind::Cached(Some(message), Some(trailers)), _held: None });
    response.headers_mut().insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

impl http_body::Body for CallBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        match &mut self.get_mut().kind {
            BodyKind::Made(making) => making.frame(cx),
            BodyKind::Cached(message, trailers) => {
                let frame = message.take().map(Frame::data).or_else(|| trailers.take().map(Frame::trailers));
                Poll::Ready(frame.map(Ok))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            BodyKind::Made(making) => making.message.is_none() && making.body.is_end_stream(),
            BodyKind::Cached(message, trailers) => message.is_none() && trailers.is_none(),
        }
    }

    /// Returns no size for a message: a stated length would become a header that gRPC responses do
    /// not have.
    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            BodyKind::Made(making) if making.message.is_none() => making.body.size_hint(),
            BodyKind::Made(_) | BodyKind::Cached(..) => SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, Bytes, Frame, HandlerResponse};

    fn made(frame: Result<Frame<Bytes>, tonic::Status>) -> HandlerResponse {
        let body = http_body_util::StreamBody::new(futures::stream::iter([frame]));
        HandlerResponse::one(http::Response::new(Body::new(body)))
    }

    #[test]
    fn a_response_that_fails_before_its_message_keeps_the_failure() {
        let sound = made(Ok(Frame::data(Bytes::from_static(b"four"))));
        assert!(sound.bytes() == 4 && sound.message.is_some_and(|message| message.is_ok()));
        let failed = made(Err(tonic::Status::data_loss("half of it")));
        assert_eq!(failed.bytes(), 0);
        let code = failed.message.and_then(Result::err).map(|status| status.code());
        assert_eq!(code, Some(tonic::Code::DataLoss), "it would end as an answer without a message and a status");
    }
}
