//! The body of a response: either produced by a handler or served from cached bytes. Both
//! responses carry the request id.

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
use tonic::Code;
use tonic::body::Body;

use super::request_id;
use crate::REQUEST_ID;
use crate::admission::{Admitted, ConnectionBuffer};
use crate::rpc_error::RpcError;
use crate::status::status;

/// The body of a response. It is a type of its own because wrapping and boxing a body once more
/// would cost every call.
#[derive(Debug)]
pub struct CallBody {
    kind: BodyKind,
    /// The limited resource of a stream, until the stream has ended or its reader has left.
    _guard: Option<InFlightGuard>,
}

/// A limited resource of a stream, released when it is dropped.
#[derive(Debug)]
pub(super) enum InFlightGuard {
    /// The stream's capacity in its admission pool.
    Pool(#[expect(dead_code, reason = "its drop releases it")] Admitted),
    /// A health watch, of which each connection has a limited number.
    Watch(#[expect(dead_code, reason = "its drop releases it")] OwnedSemaphorePermit),
}

/// A response produced by a handler.
#[derive(Debug)]
struct HandlerBody {
    body: Body,
    /// The request id, which goes into the trailers.
    id: Option<HeaderValue>,
    /// The single message of a unary call, or the status that it failed with.
    message: Option<FrameResult>,
    timer: CallTimer,
    /// Counts the bytes that the client has not read.
    buffer: Option<ConnectionBuffer>,
    /// The deadline that the caller set for a stream.
    deadline: Option<Pin<Box<Sleep>>>,
}

#[derive(Debug)]
enum BodyKind {
    /// Produced by a handler; its trailers end the measurement.
    Handler(HandlerBody),
    /// A cached message, then the trailers of success.
    Cached(Option<Bytes>, Option<HeaderMap>),
}

/// A frame or a failure, as a body yields it.
type FrameResult = Result<Frame<Bytes>, tonic::Status>;

/// The response of a handler.
#[derive(Debug)]
pub(super) struct HandlerResponse {
    pub(super) response: Response<Body>,
    /// The single message of a unary call, or the status that it failed with, taken out of the
    /// response: the size of an encoded message is known.
    pub(super) message: Option<FrameResult>,
    /// The limited resource of a stream.
    pub(super) guard: Option<InFlightGuard>,
    /// The deadline at which a stream that has not ended yet is ended.
    pub(super) deadline: Option<Instant>,
}

impl HandlerResponse {
    /// Creates a response of one message, which is encoded now.
    pub(super) fn one(mut response: Response<Body>) -> Self {
        let body = response.body_mut();
        let message = poll_fn(|cx| http_body::Body::poll_frame(Pin::new(&mut *body), cx)).now_or_never();
        Self { message: message.flatten(), response, guard: None, deadline: None }
    }

    /// Checks that the library sends the message. Instead of a message above `limit`, in bytes, it
    /// returns trailers of its own, without details.
    pub(super) fn check_size(&self, limit: usize) -> Result<(), Error> {
        let failure = match &self.message {
            Some(Err(status)) => Some(status.clone()),
            Some(Ok(frame)) => frame.trailers_ref().and_then(tonic::Status::from_header_map),
            None => None,
        };
        let is_of_library = |status: &tonic::Status| status.code() == Code::OutOfRange && status.details().is_empty();
        failure.filter(is_of_library).map_or(Ok(()), |_| Err(Error::MessageTooLarge { limit }))
    }

    /// Returns the number of bytes of the message.
    pub(super) fn bytes(&self) -> usize {
        self.message.as_ref().and_then(|message| message.as_ref().ok()?.data_ref()).map_or(0, Bytes::len)
    }
}

/// Builds the response of a handler. The request id goes into the trailers, or into the headers of
/// a response without trailers. The message counts towards the send buffer from now on.
pub(super) fn from_handler(
    HandlerResponse { mut response, message, guard, deadline }: HandlerResponse,
    id: HeaderValue,
    mut timer: CallTimer,
    buffer: Option<ConnectionBuffer>,
) -> Response<CallBody> {
    let mut trailer_id = Some(id);
    timer.status(response.headers());
    let has_ended = response.headers().contains_key("grpc-status");
    if has_ended && let Some(id) = trailer_id.take() {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response.map(|body| {
        let message = message.map(|message| message.map(|frame| track(buffer.as_ref(), frame)));
        // A response that has ended with its headers needs no timer.
        let deadline = deadline.filter(|_| !has_ended).map(|end| Box::pin(tokio::time::sleep_until(end)));
        CallBody {
            kind: BodyKind::Handler(HandlerBody { body, id: trailer_id, message, timer, buffer, deadline }),
            _guard: guard,
        }
    })
}

impl HandlerBody {
    fn frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<FrameResult>> {
        if self.deadline.as_mut().is_some_and(|deadline| deadline.as_mut().poll(cx).is_ready()) {
            // The remaining frames are dropped with the body; no frame follows the trailers.
            self.deadline = None;
            self.message = None;
            self.body = Body::empty();
            return Poll::Ready(Some(self.deadline_trailers()));
        }
        let Self { body, id, message, timer, buffer, deadline: _ } = self;
        let frame = match message.take() {
            Some(message) => Poll::Ready(Some(message)),
            None => {
                // The work of a stream for its next message belongs to the span of its call.
                let frame = timer.span().clone().in_scope(|| http_body::Body::poll_frame(Pin::new(body), cx));
                frame.map_ok(|frame| track(buffer.as_ref(), frame))
            }
        };
        frame.map_ok(|mut frame| {
            if let Some(trailers) = frame.trailers_mut() {
                timer.status(trailers);
                id.take().map(|id| trailers.insert(REQUEST_ID, id));
            }
            frame
        })
    }

    /// Returns the trailers of a stream whose deadline has passed.
    fn deadline_trailers(&mut self) -> FrameResult {
        let error = RpcError::from(Error::DeadlineExceeded);
        let status = status(error, self.id.as_ref().map(request_id::text).unwrap_or_default());
        let mut trailers = HeaderMap::new();
        status.add_header(&mut trailers)?;
        self.timer.status(&trailers);
        self.id.take().map(|id| trailers.insert(REQUEST_ID, id));
        Ok(Frame::trailers(trailers))
    }
}

/// Returns the frame. It counts towards the send buffer until its bytes are dropped.
fn track(buffer: Option<&ConnectionBuffer>, frame: Frame<Bytes>) -> Frame<Bytes> {
    match buffer {
        Some(buffer) => frame.map_data(|bytes| buffer.track(bytes)),
        None => frame,
    }
}

/// Builds a complete response from a cached message, which includes the head of its gRPC frame.
pub(super) fn from_cache(
    message: Bytes,
    id: HeaderValue,
    mut timer: CallTimer,
    buffer: Option<ConnectionBuffer>,
) -> Response<CallBody> {
    timer.succeeded();
    // The bytes count towards the send buffer although responses share them, because they are
    // shared only while they are cached.
    let message = match buffer {
        Some(buffer) => buffer.track(message),
        None => message,
    };
    let mut trailers = HeaderMap::with_capacity(2);
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    trailers.insert(REQUEST_ID, id);
    let mut response = Response::new(CallBody { kind: BodyKind::Cached(Some(message), Some(trailers)), _guard: None });
    response.headers_mut().insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

impl http_body::Body for CallBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        match &mut self.get_mut().kind {
            BodyKind::Handler(handler) => handler.frame(cx),
            BodyKind::Cached(message, trailers) => {
                let frame = message.take().map(Frame::data).or_else(|| trailers.take().map(Frame::trailers));
                Poll::Ready(frame.map(Ok))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            BodyKind::Handler(handler) => handler.message.is_none() && handler.body.is_end_stream(),
            BodyKind::Cached(message, trailers) => message.is_none() && trailers.is_none(),
        }
    }

    /// Returns no size for a message, because a size would become a header that gRPC responses do
    /// not have.
    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            BodyKind::Handler(handler) if handler.message.is_none() => handler.body.size_hint(),
            BodyKind::Handler(_) | BodyKind::Cached(..) => SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, Bytes, Error, Frame, HandlerResponse};

    fn response(frame: Result<Frame<Bytes>, tonic::Status>) -> HandlerResponse {
        let body = http_body_util::StreamBody::new(futures::stream::iter([frame]));
        HandlerResponse::one(http::Response::new(Body::new(body)))
    }

    #[test]
    fn a_message_that_the_library_did_not_send_is_found_by_its_trailers() {
        let trailers = |status: tonic::Status| {
            let mut trailers = http::HeaderMap::new();
            status.add_header(&mut trailers).map(|()| Frame::trailers(trailers))
        };
        let large = tonic::Status::out_of_range("encoded message length too large");
        for response in [response(trailers(large.clone())), response(Err(large))] {
            assert_eq!(response.check_size(7), Err(Error::MessageTooLarge { limit: 7 }));
        }
        let details = Bytes::from_static(b"of a handler");
        for other in [
            response(Ok(Frame::data(Bytes::from_static(b"four")))),
            response(trailers(tonic::Status::data_loss("another failure"))),
            response(trailers(tonic::Status::with_details(tonic::Code::OutOfRange, "", details))),
        ] {
            assert_eq!(other.check_size(7), Ok(()), "{other:?}");
        }
    }

    #[test]
    fn a_response_that_fails_before_its_message_keeps_the_failure() {
        let complete = response(Ok(Frame::data(Bytes::from_static(b"four"))));
        assert!(complete.bytes() == 4 && complete.message.is_some_and(|message| message.is_ok()));
        let failed = response(Err(tonic::Status::data_loss("half of it")));
        assert_eq!(failed.bytes(), 0);
        let code = failed.message.and_then(Result::err).map(|status| status.code());
        assert_eq!(code, Some(tonic::Code::DataLoss), "without it the response would end without message and status");
    }
}
