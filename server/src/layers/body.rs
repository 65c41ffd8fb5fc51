//! The body of an answer: one that a handler makes, or one whose bytes are kept. Both end with the request id.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use http::{HeaderMap, HeaderValue, Response};
use http_body::{Frame, SizeHint};
use hyper::body::Bytes;
use tonic::body::Body;

use crate::admission::{Backlog, Entered};
use crate::rpc::REQUEST_ID;
use crate::telemetry::Measured;

/// The body of an answer. A type of its own: to wrap and box a body once more costs every call.
#[derive(Debug)]
pub struct CallBody {
    kind: Kind,
    /// The room of a stream, until it has ended or its reader is gone.
    _room: Option<Entered>,
}

/// An answer that a handler makes.
#[derive(Debug)]
struct Making {
    body: Body,
    /// Goes into the trailers.
    id: Option<HeaderValue>,
    /// The message of a call that has but one.
    message: Option<Frame<Bytes>>,
    measured: Measured,
    /// Counts what is not read.
    backlog: Option<Backlog>,
}

#[derive(Debug)]
enum Kind {
    /// As a handler makes it; its trailers end what is measured.
    Made(Making),
    /// A message that is kept, then the trailers of success.
    Kept(Option<Bytes>, Option<HeaderMap>),
}

/// The answer of a handler: the id goes into its trailers, or into the headers of an answer that has no others. One that is no
/// stream, and so keeps no room, is encoded at once: its bytes count from now on, whenever they are read.
pub(super) fn made(
    mut response: Response<Body>,
    id: HeaderValue,
    room: Option<Entered>,
    mut measured: Measured,
    backlog: Option<Backlog>,
) -> Response<CallBody> {
    let mut later = Some(id);
    measured.answered(response.headers());
    if response.headers().contains_key("grpc-status")
        && let Some(id) = later.take()
    {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response.map(|body| {
        let mut making = Making { body, id: later, message: None, measured, backlog };
        if room.is_none()
            && let Some(Some(Ok(message))) = std::future::poll_fn(|cx| making.frame(cx)).now_or_never()
        {
            making.message = Some(message);
        }
        CallBody { kind: Kind::Made(making), _room: room }
    })
}

impl Making {
    fn frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        let Self { body, id, measured, backlog, .. } = self;
        // What a stream does for its next message belongs to its call.
        let frame = measured.span().clone().in_scope(|| http_body::Body::poll_frame(Pin::new(body), cx));
        frame.map_ok(|mut frame| {
            if let Some(trailers) = frame.trailers_mut() {
                measured.answered(trailers);
                id.take().map(|id| trailers.insert(REQUEST_ID, id));
            }
            match backlog {
                Some(backlog) => frame.map_data(|bytes| backlog.waiting(bytes)),
                None => frame,
            }
        })
    }
}

/// A message that is kept, with its head, as the whole answer.
pub(super) fn kept(message: Bytes, id: HeaderValue, mut measured: Measured) -> Response<CallBody> {
    measured.succeeded();
    let mut trailers = HeaderMap::with_capacity(2);
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    trailers.insert(REQUEST_ID, id);
    let mut response = Response::new(CallBody { kind: Kind::Kept(Some(message), Some(trailers)), _room: None });
    response.headers_mut().insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

impl http_body::Body for CallBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        match &mut self.get_mut().kind {
            Kind::Made(making) => match making.message.take() {
                Some(message) => Poll::Ready(Some(Ok(message))),
                None => making.frame(cx),
            },
            Kind::Kept(message, trailers) => {
                let frame = message.take().map(Frame::data).or_else(|| trailers.take().map(Frame::trailers));
                Poll::Ready(frame.map(Ok))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Made(making) => making.message.is_none() && making.body.is_end_stream(),
            Kind::Kept(message, trailers) => message.is_none() && trailers.is_none(),
        }
    }

    /// Nothing is said of a message: a stated length would become a header that answers of gRPC do not have.
    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Made(making) if making.message.is_none() => making.body.size_hint(),
            Kind::Made(_) | Kind::Kept(..) => SizeHint::default(),
        }
    }
}
