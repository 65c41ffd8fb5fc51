//! Fault injection on request, for tests of clients. Only `riposte dev` honours the header
//! `riposte-fault: code=UNAVAILABLE;n=2;lose=1;delay_ms=200`.
//!
//! `code` is the name of a canonical code. The call is rejected with it, without effect, `n` times
//! (default 1), and the next call with the same header succeeds. With `lose=N`, the call is
//! executed and its response is lost: the client receives UNAVAILABLE, N times, after the
//! errors if there are any. `delay_ms` delays every such call; alone it only delays. The text of
//! the header distinguishes the attempts of one call from those of another, so a test that runs in
//! parallel with others makes it unique with a `key`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use riposte_core::Error;

/// The header that requests faults.
const HEADER: &str = "riposte-fault";
/// The longest delay.
const MAX_DELAY: Duration = Duration::from_secs(60);
/// The maximum number of headers that are counted at a time. More of them mean that a client does
/// not repeat its calls until they succeed; all counts are then cleared.
const MAX_COUNTED: usize = 10_000;

/// The number of injected faults by header. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct InjectedFaults {
    counts: Arc<Mutex<HashMap<String, u32>>>,
}

/// The faults that a header requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FaultRequest {
    code: Option<String>,
    times: u32,
    lose: u32,
    delay: Duration,
}

/// The outcome for the response of a call that was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultOutcome {
    /// The response is sent.
    Sent,
    /// The response is lost, and the caller does not know if the call was executed.
    Lost,
}

impl InjectedFaults {
    /// Delays the call as its header requests, and returns the outcome for its response.
    ///
    /// # Errors
    /// The fault that the header requests, until it has been returned the requested number of
    /// times.
    pub(super) async fn inject(&self, headers: Option<String>) -> Result<FaultOutcome, Error> {
        let Some(text) = headers else { return Ok(FaultOutcome::Sent) };
        let request = parse(&text)?;
        tokio::time::sleep(request.delay).await;
        let errors = if request.code.is_some() { request.times } else { 0 };
        if errors + request.lose == 0 {
            return Ok(FaultOutcome::Sent);
        }
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MAX_COUNTED {
            counts.clear();
        }
        let count = counts.entry(text.clone()).or_default();
        let before = *count;
        *count += 1;
        match request.code {
            Some(code) if before < errors => Err(error(&code)),
            _ if before - errors < request.lose => Ok(FaultOutcome::Lost),
            _ => {
                counts.remove(&text);
                Ok(FaultOutcome::Sent)
            }
        }
    }
}

/// Returns the header of a call, if it has one.
pub(super) fn of(headers: &HeaderMap) -> Option<String> {
    headers.get(HEADER).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn parse(text: &str) -> Result<FaultRequest, Error> {
    let invalid = || Error::invalid(HEADER, "must read as in code=UNAVAILABLE;n=2;lose=1;delay_ms=200;key=mine");
    let mut request = FaultRequest { times: 1, ..FaultRequest::default() };
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('=').ok_or_else(invalid)? {
            ("code", code) => request.code = Some(code.to_owned()),
            ("n", n) => request.times = n.parse::<u16>().map_err(|_| invalid())?.into(),
            ("lose", n) => request.lose = n.parse::<u16>().map_err(|_| invalid())?.into(),
            ("delay_ms", ms) => {
                request.delay = Duration::from_millis(ms.parse().map_err(|_| invalid())?).min(MAX_DELAY)
            }
            ("key", _) => {}
            _ => return Err(invalid()),
        }
    }
    Ok(request)
}

/// Returns the error with the given code. A code that the service never returns makes the header
/// invalid.
fn error(code: &str) -> Error {
    match code {
        "UNAVAILABLE" => Error::ShardUnavailable,
        "RESOURCE_EXHAUSTED" => Error::Overloaded { after: Duration::from_millis(50) },
        "DEADLINE_EXCEEDED" => Error::DeadlineExceeded,
        "INTERNAL" => Error::internal("a requested fault"),
        "ABORTED" => Error::EtagMismatch { current: String::new() },
        "NOT_FOUND" => Error::CommentNotFound,
        "PERMISSION_DENIED" => Error::CallerNotAllowed,
        "UNAUTHENTICATED" => Error::CallerUnknown,
        "FAILED_PRECONDITION" => Error::SubjectReadOnly,
        "ALREADY_EXISTS" => Error::SubjectAlreadyExists,
        "UNIMPLEMENTED" => Error::NotImplemented("a requested fault".into()),
        _ => Error::invalid(HEADER, format!("{code:?} is no code that this service returns")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Error, FaultOutcome, InjectedFaults, parse};

    #[tokio::test]
    async fn a_fault_is_injected_the_requested_number_of_times_and_then_the_call_succeeds() {
        let faults = InjectedFaults::default();
        let header = || Some("code=UNAVAILABLE;n=2".to_owned());
        for _ in 0..2 {
            assert_eq!(faults.inject(header()).await, Err(Error::ShardUnavailable));
            assert_eq!(faults.inject(header()).await, Err(Error::ShardUnavailable));
            assert_eq!(faults.inject(header()).await, Ok(FaultOutcome::Sent));
        }
        assert_eq!(faults.inject(None).await, Ok(FaultOutcome::Sent));
    }

    #[tokio::test]
    async fn responses_are_lost_after_the_injected_errors() {
        let faults = InjectedFaults::default();
        let header = || Some("code=UNAVAILABLE;lose=2".to_owned());
        for _ in 0..2 {
            assert_eq!(faults.inject(header()).await, Err(Error::ShardUnavailable));
            assert_eq!(faults.inject(header()).await, Ok(FaultOutcome::Lost));
            assert_eq!(faults.inject(header()).await, Ok(FaultOutcome::Lost));
            assert_eq!(faults.inject(header()).await, Ok(FaultOutcome::Sent));
        }
    }

    #[test]
    fn an_invalid_fault_header_is_an_error() {
        assert!(
            parse("code=UNAVAILABLE;n=2;delay_ms=200").is_ok_and(|request| request.delay == Duration::from_millis(200))
        );
        for bad in ["n=x", "colour=red", "UNAVAILABLE", "delay_ms=-1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
