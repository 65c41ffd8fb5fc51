//! The message of a unary call, read whole before the call takes room: who sends slowly holds nobody up, and what is too large is
//! refused by its head, undecoded and mostly unread.

use std::sync::Arc;
use std::time::Duration;

use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use riposte_core::Error;
use tokio::sync::{Semaphore, SemaphorePermit};
use tonic::body::Body;

/// The head of a gRPC message: whether it is compressed (1 byte), its length (4, big-endian).
const HEAD: usize = 5;

/// Messages up to so many bytes arrive without being counted: a connection's own window holds as much.
const SMALL: usize = 8 << 10;
/// Bytes of all larger messages that may be on their way to a listener.
const MOST: usize = 64 << 20;
/// When to come again who found no room for a large message.
const AGAIN: Duration = Duration::from_secs(1);

/// Room for messages that have begun to arrive: who begins many large ones and ends none fills no memory. Clones are the same.
#[derive(Debug, Clone)]
pub struct Bodies(Arc<Semaphore>);

impl Default for Bodies {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST)))
    }
}

impl Bodies {
    /// Room for a message of so many bytes, until it was taken over.
    fn room(&self, length: usize) -> Result<Option<SemaphorePermit<'_>>, Error> {
        if length <= SMALL {
            return Ok(None);
        }
        let bytes = u32::try_from(length).unwrap_or(u32::MAX);
        self.0.try_acquire_many(bytes).map(Some).map_err(|_| Error::Overloaded { after: AGAIN })
    }
}

/// The request with all of its body.
///
/// # Errors
/// [`Error::MessageTooLarge`] beyond `limit` bytes; [`Error::Overloaded`] where too many large ones are on their way;
/// [`Error::DeadlineExceeded`] where it does not arrive in `time`.
pub(super) async fn gather(
    request: Request<Body>,
    limit: usize,
    time: Duration,
    bodies: &Bodies,
) -> Result<Request<Body>, Error> {
    let (parts, body) = request.into_parts();
    let whole = tokio::time::timeout(time, read(body, limit, bodies)).await;
    let whole = whole.unwrap_or(Err(Error::DeadlineExceeded))?;
    Ok(Request::from_parts(parts, Body::new(Full::new(whole))))
}

async fn read(mut body: Body, limit: usize, bodies: &Bodies) -> Result<Bytes, Error> {
    // One piece, as a rule, which is not copied; many small ones are, each of them once.
    let (mut first, mut joined, mut room) = (Bytes::new(), Vec::new(), None);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Error::invalid("(message)", "did not arrive whole"))?;
        let Ok(data) = frame.into_data() else { continue };
        if first.is_empty() && joined.is_empty() {
            first = data;
        } else {
            if joined.is_empty() {
                joined = Vec::from(std::mem::take(&mut first));
            }
            joined.extend_from_slice(&data);
        }
        let begun = if joined.is_empty() { &first[..] } else { &joined[..] };
        let length = length(begun);
        if length.is_some_and(|length| length > limit) || begun.len() > HEAD + limit {
            return Err(Error::MessageTooLarge { limit });
        }
        // What comes whole at once waits for nobody.
        if let Some(length) = length.filter(|length| room.is_none() && begun.len() < HEAD + length) {
            room = Some(bodies.room(length)?);
        }
    }
    Ok(if joined.is_empty() { first } else { joined.into() })
}

/// The length that the head tells, once it is there.
fn length(begun: &[u8]) -> Option<usize> {
    let [_, length @ ..] = *begun.first_chunk::<HEAD>()?;
    Some(u32::from_be_bytes(length) as usize)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::StreamExt;
    use http::Request;
    use http_body::Frame;
    use http_body_util::{BodyExt, StreamBody};
    use hyper::body::Bytes;
    use riposte_core::Error;
    use tonic::body::Body;

    use super::{Bodies, MOST, SMALL, gather};

    const TIME: Duration = Duration::from_millis(20);

    /// What becomes of a request that comes in these pieces, and then ends or not.
    async fn gathered(pieces: &[&'static [u8]], ends: bool) -> Result<Vec<u8>, Error> {
        let frames = pieces.iter().map(|piece| Ok::<_, tonic::Status>(Frame::data(Bytes::from_static(piece))));
        let frames = futures::stream::iter(frames.collect::<Vec<_>>());
        let body = if ends { frames.boxed() } else { frames.chain(futures::stream::pending()).boxed() };
        let request = gather(Request::new(Body::new(StreamBody::new(body))), 4, TIME, &Bodies::default()).await?;
        Ok(request.into_body().collect().await.expect("it is whole").to_bytes().to_vec())
    }

    #[tokio::test]
    async fn a_message_comes_in_any_pieces_and_is_the_same() {
        for pieces in [&[&[0, 0, 0, 0, 4, 1, 2, 3, 4][..]][..], &[&[0, 0], &[0, 0, 4, 1], &[2, 3, 4]], &[]] {
            assert_eq!(gathered(pieces, true).await, Ok(pieces.concat()));
        }
    }

    #[tokio::test]
    async fn what_is_too_large_is_refused_by_its_head_and_what_is_slow_in_time() {
        let large = Err(Error::MessageTooLarge { limit: 4 });
        assert_eq!(gathered(&[&[0, 0, 0, 0, 5]], false).await, large);
        assert_eq!(gathered(&[&[0, 0, 0], &[0, 5]], false).await, large);
        assert_eq!(gathered(&[&[0, 0, 0, 0, 1], &[0; 5]], false).await, large, "longer than it says");
        assert_eq!(gathered(&[&[0, 0, 0, 0, 4, 1]], false).await, Err(Error::DeadlineExceeded));
    }

    #[test]
    fn large_messages_that_do_not_end_have_no_more_than_their_room() {
        let bodies = Bodies::default();
        let held: Vec<_> = (0..4).map(|_| bodies.room(MOST / 4).expect("room")).collect();
        assert!(matches!(bodies.room(SMALL + 1), Err(Error::Overloaded { .. })));
        assert!(bodies.room(SMALL).is_ok_and(|room| room.is_none()), "a small one is not counted");
        drop(held);
        assert!(bodies.room(SMALL + 1).is_ok());
    }
}
