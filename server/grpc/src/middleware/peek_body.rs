//! Reads a small request before it is decoded, and passes it on unchanged.

use std::pin::Pin;
use std::task::{Context, Poll};

use http::Request;
use http::request::Parts;
use http_body::{Body as _, Frame};
use http_body_util::BodyExt;
use hyper::body::Bytes;
use tonic::body::Body;

/// A request whose first frames were read; they are replayed to the handler.
pub(super) struct PeekedRequest {
    parts: Parts,
    complete: Option<Bytes>,
    replay: ReplayedBody,
}

/// Reads the body of a request if it arrives complete in one piece of at most `limit` bytes.
pub(super) async fn read(request: Request<Body>, limit: usize) -> PeekedRequest {
    let (parts, mut body) = request.into_parts();
    let first = body.frame().await;
    let data = first.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
    let data = data.filter(|data| data.len() <= limit).cloned();
    // The end of the stream may arrive in a frame of its own.
    let second = if data.is_some() && !body.is_end_stream() { body.frame().await } else { None };
    let complete = data.filter(|_| second.as_ref().is_none_or(is_end));
    PeekedRequest { parts, complete, replay: ReplayedBody { first, second, remaining: body } }
}

impl PeekedRequest {
    /// Returns the bytes of the body, if it was read completely.
    pub(super) fn complete(&self) -> Option<&Bytes> {
        self.complete.as_ref()
    }

    /// Returns the request as it arrived.
    pub(super) fn into_request(self) -> Request<Body> {
        Request::from_parts(self.parts, Body::new(self.replay))
    }
}

fn is_end(frame: &Result<Frame<Bytes>, tonic::Status>) -> bool {
    frame.as_ref().is_ok_and(|frame| frame.data_ref().is_some_and(Bytes::is_empty) || frame.is_trailers())
}

/// The frames that were read, followed by the frames that were not.
struct ReplayedBody {
    first: Option<Result<Frame<Bytes>, tonic::Status>>,
    second: Option<Result<Frame<Bytes>, tonic::Status>>,
    remaining: Body,
}

impl http_body::Body for ReplayedBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        let this = self.get_mut();
        match this.first.take().or_else(|| this.second.take()) {
            Some(frame) => Poll::Ready(Some(frame)),
            None => Pin::new(&mut this.remaining).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.second.is_none() && self.remaining.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http_body::Frame;
    use http_body_util::{BodyExt, StreamBody};
    use hyper::body::Bytes;
    use tonic::body::Body;

    use super::read;

    fn request(pieces: &[&'static str]) -> Request<Body> {
        let frames =
            pieces.iter().map(|piece| Ok::<_, tonic::Status>(Frame::data(Bytes::from_static(piece.as_bytes()))));
        Request::new(Body::new(StreamBody::new(futures::stream::iter(frames.collect::<Vec<_>>()))))
    }

    #[tokio::test]
    async fn a_request_whose_body_was_read_is_passed_on_unchanged() {
        for (pieces, peeked_body) in [
            (&["small"][..], Some("small")),
            (&["small", ""], Some("small")),
            (&["far too large"], None),
            (&["in", "two"], None),
            (&["in", "three", "pieces"], None),
            (&[], None),
        ] {
            let peeked = read(request(pieces), 8).await;
            assert_eq!(peeked.complete().map(|bytes| &bytes[..]), peeked_body.map(str::as_bytes), "{pieces:?}");
            let complete = peeked.into_request().into_body().collect().await.expect("readable").to_bytes();
            assert_eq!(complete, pieces.concat().as_bytes(), "{pieces:?}");
        }
    }
}
