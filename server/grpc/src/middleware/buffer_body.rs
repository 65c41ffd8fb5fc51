//! Buffers the message of a unary call before the call enters its admission pool. A client that
//! sends slowly therefore occupies no capacity, and a message that is too large is rejected by its
//! head, before it is decoded and mostly before it is read.

use std::sync::Arc;
use std::time::Duration;

use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use riposte_core::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::body::Body;

use crate::admission::ConnectionBuffer;

/// The length of the head of a gRPC message: a compression flag (1 byte) and the message length (4
/// bytes, big-endian).
const HEAD: usize = 5;

/// The bytes of each message that are not counted. They fit into the flow-control window of the
/// connection.
const UNCOUNTED: usize = 8 << 10;
/// The limit on bytes of all messages in transfer to the process, beyond the uncounted bytes of
/// each.
const MAX_BYTES: usize = 64 << 20;
/// The retry delay returned when a large message finds no capacity.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// A budget for messages that have received to arrive. It bounds the memory that a client can fill
/// by beginning many large messages without ending them. Each connection also has a limit of its
/// own, so that it cannot use up the budget. Clones share the budget.
#[derive(Debug, Clone)]
pub struct BodyBuffers(Arc<Semaphore>);

/// The part of the budget that one message uses.
#[derive(Debug, Default)]
struct BudgetShare {
    bytes: usize,
    permits: [Option<OwnedSemaphorePermit>; 2],
}

impl Default for BodyBuffers {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_BYTES)))
    }
}

impl BodyBuffers {
    /// Extends the share of a message to `length` bytes in total.
    fn grow(&self, share: &mut BudgetShare, length: usize, connection: Option<&ConnectionBuffer>) -> Result<(), Error> {
        let more = length.saturating_sub(UNCOUNTED.max(share.bytes));
        if more == 0 {
            return Ok(());
        }
        let of_connection = connection.map(ConnectionBuffer::request_bytes);
        for (permit, semaphore) in share.permits.iter_mut().zip([of_connection, Some(&self.0)]) {
            let Some(semaphore) = semaphore else { continue };
            let bytes = u32::try_from(more).unwrap_or(u32::MAX);
            let new = Arc::clone(semaphore).try_acquire_many_owned(bytes);
            let new = new.map_err(|_| Error::Overloaded { after: RETRY_AFTER })?;
            match permit {
                Some(permit) => permit.merge(new),
                None => *permit = Some(new),
            }
        }
        share.bytes = length;
        Ok(())
    }
}

/// Returns the request with its complete body, which arrives over this connection.
///
/// # Errors
/// [`Error::MessageTooLarge`] beyond `limit` bytes; [`Error::Invalid`] for more bytes than the head
/// states; [`Error::Overloaded`] while too many bytes are in transfer; [`Error::DeadlineExceeded`]
/// if the body does not arrive in `time`.
pub(super) async fn buffer(
    request: Request<Body>,
    limit: usize,
    time: Duration,
    (bodies, connection): (&BodyBuffers, Option<&ConnectionBuffer>),
) -> Result<Request<Body>, Error> {
    let (parts, body) = request.into_parts();
    let message = tokio::time::timeout(time, read(body, limit, bodies, connection)).await;
    let message = message.unwrap_or(Err(Error::DeadlineExceeded))?;
    Ok(Request::from_parts(parts, Body::new(Full::new(message))))
}

async fn read(
    mut body: Body,
    limit: usize,
    bodies: &BodyBuffers,
    connection: Option<&ConnectionBuffer>,
) -> Result<Bytes, Error> {
    // A message usually arrives in one piece, which is not copied. If it arrives in several pieces,
    // each of them is copied once.
    let (mut first, mut joined, mut share) = (Bytes::new(), Vec::new(), BudgetShare::default());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Error::invalid("(message)", "did not arrive completely"))?;
        let Ok(data) = frame.into_data() else { continue };
        if first.is_empty() && joined.is_empty() {
            first = data;
        } else {
            if joined.is_empty() {
                joined = Vec::from(std::mem::take(&mut first));
            }
            joined.extend_from_slice(&data);
        }
        let received = if joined.is_empty() { &first[..] } else { &joined[..] };
        if let Some(length) = length(received) {
            if length > limit {
                return Err(Error::MessageTooLarge { limit });
            }
            if received.len() > HEAD + length {
                return Err(Error::invalid("(message)", "is longer than its head states"));
            }
        }
        bodies.grow(&mut share, received.len(), connection)?;
    }
    Ok(if joined.is_empty() { first } else { joined.into() })
}

/// Returns the length stated by the head, once the head has arrived.
fn length(received: &[u8]) -> Option<usize> {
    let [_, length @ ..] = *received.first_chunk::<HEAD>()?;
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

    use super::{BodyBuffers, BudgetShare, MAX_BYTES, UNCOUNTED, buffer};
    use crate::admission::SendBuffer;

    const TIME: Duration = Duration::from_millis(20);

    /// Returns the result for a request that arrives in these pieces and then ends or stays open.
    async fn buffered(pieces: &[&'static [u8]], ends: bool) -> Result<Vec<u8>, Error> {
        let frames = pieces.iter().map(|piece| Ok::<_, tonic::Status>(Frame::data(Bytes::from_static(piece))));
        let frames = futures::stream::iter(frames.collect::<Vec<_>>());
        let body = if ends { frames.boxed() } else { frames.chain(futures::stream::pending()).boxed() };
        let request =
            buffer(Request::new(Body::new(StreamBody::new(body))), 4, TIME, (&BodyBuffers::default(), None)).await?;
        Ok(request.into_body().collect().await.expect("a complete body").to_bytes().to_vec())
    }

    #[tokio::test]
    async fn a_message_is_the_same_in_any_number_of_pieces() {
        for pieces in [&[&[0, 0, 0, 0, 4, 1, 2, 3, 4][..]][..], &[&[0, 0], &[0, 0, 4, 1], &[2, 3, 4]], &[]] {
            assert_eq!(buffered(pieces, true).await, Ok(pieces.concat()));
        }
    }

    #[tokio::test]
    async fn a_large_message_is_rejected_by_its_head_and_a_slow_one_in_time() {
        let large = Err(Error::MessageTooLarge { limit: 4 });
        assert_eq!(buffered(&[&[0, 0, 0, 0, 5]], false).await, large);
        assert_eq!(buffered(&[&[0, 0, 0], &[0, 5]], false).await, large);
        let long = buffered(&[&[0, 0, 0, 0, 1], &[0; 5]], false).await;
        assert!(
            long.as_ref().is_err_and(|error| matches!(error, Error::Invalid(_))),
            "longer than its head states: {long:?}"
        );
        assert_eq!(buffered(&[&[0, 0, 0, 0, 4, 1]], false).await, Err(Error::DeadlineExceeded));
    }

    #[test]
    fn incomplete_messages_have_no_more_than_the_budget_and_no_connection_has_all_of_it() {
        let (bodies, buffer) = (BodyBuffers::default(), SendBuffer::new(1 << 20, TIME));
        let (greedy, other) = (buffer.connection(), buffer.connection());
        let mut held = Vec::new();
        let rejection = loop {
            let mut share = BudgetShare::default();
            match bodies.grow(&mut share, UNCOUNTED + (256 << 10), Some(&greedy)) {
                Ok(()) => held.push(share),
                Err(error) => break error,
            }
        };
        assert!(
            matches!(rejection, Error::Overloaded { .. }) && (1..=MAX_BYTES / (256 << 10) / 8).contains(&held.len())
        );
        let mut share = BudgetShare::default();
        for length in [UNCOUNTED, 100 << 10, 200 << 10] {
            assert!(bodies.grow(&mut share, length, Some(&other)).is_ok(), "another connection has a limit of its own");
        }
        assert_eq!(bodies.0.available_permits(), MAX_BYTES - held.len() * (256 << 10) - (200 << 10) + UNCOUNTED);
        drop((held, share));
        assert_eq!(bodies.0.available_permits(), MAX_BYTES);
    }
}
