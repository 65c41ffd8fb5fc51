use super::balance::{Balancer, Peer};
use super::error::Error;
use super::frame;
use super::options::Options;
use super::request_ids::RequestIds;
use super::retry::{self, Rule, Throttle};
use super::unprocessed::is_unprocessed;
use http_body_util::{BodyExt, Full};
use prost::bytes::Bytes;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::metadata::{Ascii, MetadataKey, MetadataMap, MetadataValue};
use tonic::{Code, Status, TimeoutExpired};

/// The trailer of an error response to a call that had no effect.
const NOT_EXECUTED: &str = "riposte-not-executed";
/// The longest wait between two readiness checks, in milliseconds: the first value and the limit.
const READY_MS: (u64, u64) = (20, 500);
/// The repeats, without a wait, of a call that was not processed; they are no retries. A server
/// that closes each connection must not be called in a busy loop.
const UNPROCESSED_REPEATS: u32 = 3;

type Request = http::Request<Body>;
type Response = http::Response<Body>;

/// The transport under the generated clients. It adds the token, the deadline, the request id and
/// the retries, so that every call has them, whichever client makes it.
#[derive(Debug, Clone)]
pub struct Connection {
    balancer: Arc<Balancer>,
    throttle: Arc<Throttle>,
    metadata: Arc<MetadataMap>,
    pub(super) shared: Arc<Shared>,
}

/// The state that the connections of one client share.
#[derive(Debug)]
pub(super) struct Shared {
    authorization: Option<http::HeaderValue>,
    pub(super) request_ids: RequestIds,
}

impl Connection {
    pub(super) fn open(options: &Options, target: &str) -> Result<Self, Error> {
        let header = |token: &String| http::HeaderValue::from_str(&format!("Bearer {token}"));
        let token = options.token.as_ref().map(header).transpose();
        let mut authorization = token.map_err(|_invalid| Error::local("the token is not printable ASCII"))?;
        if let Some(value) = &mut authorization {
            value.set_sensitive(true);
        }
        let place = options.place(target)?;
        if authorization.is_some() && place.tls.is_none() {
            tracing::warn!(target, "the token goes over plaintext, as insecure_token allows");
        }
        let shared = Arc::new(Shared { authorization, request_ids: RequestIds::default() });
        let (balancer, metadata) = (Arc::new(Balancer::new(place)), Arc::default());
        Ok(Self { balancer, throttle: Arc::default(), metadata, shared })
    }

    /// Creates a connection of the same client to another target.
    pub(super) fn beside(&self, options: &Options, target: &str) -> Result<Self, Error> {
        let balancer = Arc::new(Balancer::new(options.place(target)?));
        Ok(Self { balancer, throttle: Arc::default(), ..self.clone() })
    }

    pub(super) fn with_metadata(&self, key: MetadataKey<Ascii>, value: MetadataValue<Ascii>) -> Self {
        let mut metadata = MetadataMap::clone(&self.metadata);
        metadata.insert(key, value);
        Self { metadata: Arc::new(metadata), ..self.clone() }
    }

    pub(super) async fn wait_ready(&self, timeout: Duration) -> Result<(), Error> {
        let deadline = Instant::now() + timeout;
        let mut attempt = 1;
        loop {
            let connecting = tokio::time::timeout_at(deadline, async {
                let peer = self.balancer.pick().await?;
                peer.endpoint.connect().await.map(drop).map_err(|error| status(error, &peer))
            });
            let failure = match connecting.await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(failure)) => failure.message().to_owned(),
                Err(_late) => "no answer".to_owned(),
            };
            let again = Instant::now() + retry::jittered(READY_MS, attempt);
            if again >= deadline {
                let message = format!("not ready within {} ms: {failure}", timeout.as_millis());
                return Err(Status::deadline_exceeded(message).into());
            }
            tokio::time::sleep_until(again).await;
            attempt += 1;
        }
    }

    async fn run(self, request: Request) -> Result<Response, Status> {
        let (mut head, body) = request.into_parts();
        if let Some(value) = &self.shared.authorization {
            head.headers.insert(http::header::AUTHORIZATION, value.clone());
        }
        head.headers.extend(MetadataMap::clone(&self.metadata).into_headers());
        let Some(rule) = retry::rule(head.uri.path()) else {
            return self.send(http::Request::from_parts(head, body)).await;
        };
        let limit = requested_timeout(&head.headers).unwrap_or(Duration::from_millis(rule.deadline_ms));
        let deadline = Instant::now() + limit;
        let late = |_elapsed| Status::deadline_exceeded(format!("no answer within {} ms", limit.as_millis()));
        tokio::time::timeout_at(deadline, self.unary(head, body, rule, deadline)).await.map_err(late)?
    }

    /// Makes a unary call and returns the first response, or the last one after retries. The
    /// response is read to its end, because only its trailers show whether the call succeeded, and
    /// so that the deadline covers all of it.
    async fn unary(
        &self,
        mut head: http::request::Parts,
        body: Body,
        rule: Rule,
        deadline: Instant,
    ) -> Result<Response, Status> {
        let mut message = body.collect().await?.to_bytes();
        let mut repeatable = true;
        if let Some(field) = rule.request_id {
            match frame::with_text(&message, field, || self.shared.request_ids.next()) {
                Some(filled) => message = filled,
                None => repeatable = false,
            }
        }
        let mut attempt = 1;
        // True if an earlier attempt may have had its effect: then the status of a later attempt is
        // not the outcome of the call.
        let mut unclear = false;
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).as_millis().clamp(1, 99_999_999);
            if let Ok(value) = http::HeaderValue::from_str(&format!("{left}m")) {
                head.headers.insert("grpc-timeout", value);
            }
            let response = self.attempt(head.clone(), message.clone(), unclear).await;
            let failure = match &response {
                Ok((_, status)) => status.as_ref(),
                Err(status) => Some(status),
            };
            let wait = self.throttle.wait(rule, attempt, failure).filter(|_| repeatable);
            let Some(wait) = wait else { return response.map(|(response, _)| response) };
            unclear |= failure.is_some_and(|status| !status.metadata().contains_key(NOT_EXECUTED));
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    /// Makes one attempt and returns the complete response, and its status if that is an error.
    async fn attempt(
        &self,
        head: http::request::Parts,
        message: Bytes,
        unclear: bool,
    ) -> Result<(Response, Option<Status>), Status> {
        let mut repeats = 0;
        let (peer, response) = loop {
            let request = http::Request::from_parts(head.clone(), Body::new(Full::new(message.clone())));
            let peer = self.balancer.pick().await?;
            match send_to(&peer, request).await {
                Ok(response) => break (peer, response),
                Err(error) if repeats < UNPROCESSED_REPEATS && is_unprocessed(&error) => repeats += 1,
                Err(error) => return Err(self.failed(error, &peer)),
            }
        };
        let (mut head, body) = response.into_parts();
        let body = body.collect().await.map_err(broken).inspect_err(|_| self.balancer.eject(&peer))?;
        let mut trailers = body.trailers().cloned();
        if unclear {
            head.headers.remove(NOT_EXECUTED);
            trailers.iter_mut().for_each(|trailers| drop(trailers.remove(NOT_EXECUTED)));
        }
        let status = Status::from_header_map(trailers.as_ref().unwrap_or(&head.headers));
        let failure = status.filter(|status| status.code() != Code::Ok);
        let complete = Full::new(body.to_bytes()).with_trailers(std::future::ready(trailers.map(Ok)));
        Ok((http::Response::from_parts(head, Body::new(complete)), failure))
    }

    /// Makes one attempt of a streaming call.
    async fn send(&self, request: Request) -> Result<Response, Status> {
        let peer = self.balancer.pick().await?;
        send_to(&peer, request).await.map_err(|error| self.failed(error, &peer))
    }

    /// Returns the status of an attempt without a response.
    fn failed(&self, error: tonic::transport::Error, peer: &Peer) -> Status {
        let status = status(error, peer);
        if status.code() == Code::Unavailable {
            self.balancer.eject(peer);
        }
        status
    }
}

impl Service<Request> for Connection {
    type Response = Response;
    type Error = Status;
    type Future = BoxFuture<Response, Status>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        // Each attempt waits for the channel by itself, within the call's deadline.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        Box::pin(self.clone().run(request))
    }
}

/// Sends a request to an address.
async fn send_to(peer: &Peer, request: Request) -> Result<Response, tonic::transport::Error> {
    let (mut channel, begun) = (peer.channel.clone(), Instant::now());
    poll_fn(|context| channel.poll_ready(context)).await?;
    let response = channel.call(request).await?;
    peer.admit(begun);
    Ok(response)
}

/// Converts a transport error to a status whose message names the address and the innermost cause.
fn status(error: tonic::transport::Error, peer: &Peer) -> Status {
    let first: &(dyn std::error::Error + 'static) = &error;
    let mut causes = std::iter::successors(Some(first), |error| error.source());
    // tonic reports its own timeout as CANCELLED.
    if causes.any(|cause| cause.is::<TimeoutExpired>()) {
        return Status::deadline_exceeded("no answer within the deadline");
    }
    let innermost = std::iter::successors(Some(first), |error| error.source()).last();
    let message =
        format!("no connection to {}: {}", peer.address(), innermost.map(ToString::to_string).unwrap_or_default());
    let status = broken(Status::from_error(Box::new(error)));
    Status::with_metadata(status.code(), message, status.metadata().clone())
}

/// Maps a connection that broke during a call to UNAVAILABLE. tonic reports it as UNKNOWN,
/// CANCELLED or INTERNAL, depending on how it broke; in gRPC, and for the decision on a retry, all
/// of these are UNAVAILABLE.
fn broken(status: Status) -> Status {
    if matches!(status.code(), Code::Unknown | Code::Cancelled | Code::Internal) {
        return Status::unavailable(status.message());
    }
    status
}

/// Returns the deadline that a caller has set on the request, in the format of gRPC: up to eight
/// digits and a unit.
fn requested_timeout(headers: &http::HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let nanos: u64 = match unit {
        "H" => 3_600_000_000_000,
        "M" => 60_000_000_000,
        "S" => 1_000_000_000,
        "m" => 1_000_000,
        "u" => 1_000,
        "n" => 1,
        _ => return None,
    };
    Some(Duration::from_nanos(digits.parse::<u64>().ok()?.saturating_mul(nanos)))
}
