//! Deadline, bulkhead and breaker of the calls of one service.

use std::future::Future;
use std::time::Duration;

use riposte_core::ports::NoResult;
use riposte_sdk::is_unprocessed;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use tonic::{Code, Status};

use crate::breaker::Breaker;
use crate::observer::CallOutcome;

/// The limits of the calls of one service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The deadline of a call; at most [`Limits::MAX_TIMEOUT`].
    pub timeout: Duration,
    /// The number of calls under way.
    pub in_flight: usize,
    /// The longest wait for one of them to end.
    pub wait: Duration,
}

impl Limits {
    /// The longest deadline.
    pub const MAX_TIMEOUT: Duration = Duration::from_millis(500);
    /// The longest wait.
    pub const MAX_WAIT: Duration = Duration::from_millis(20);
    /// The defaults of the filter.
    pub const FILTER: Self =
        Self { timeout: Duration::from_millis(80), in_flight: 256, wait: Duration::from_millis(20) };
    /// The defaults of the account service.
    pub const ACCOUNTS: Self = Self { timeout: Duration::from_millis(60), ..Self::FILTER };
}

/// Guards the calls of one service.
#[derive(Debug)]
pub(crate) struct Guard {
    limits: Limits,
    permits: Semaphore,
    breaker: Breaker,
}

impl Guard {
    pub(crate) fn new(limits: Limits) -> Self {
        let limits = Limits {
            timeout: limits.timeout.min(Limits::MAX_TIMEOUT),
            wait: limits.wait.min(Limits::MAX_WAIT),
            ..limits
        };
        let permits = Semaphore::new(limits.in_flight.clamp(1, Semaphore::MAX_PERMITS));
        Self { limits, permits, breaker: Breaker::new(Instant::now()) }
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the number of times that the breaker opened.
    pub(crate) fn openings(&self) -> u64 {
        self.breaker.openings()
    }

    /// Makes a call, once. If the service closed the connection before it took the request,
    /// the call is made on the next connection, within the same deadline.
    ///
    /// # Errors
    /// The outcome, if the call failed or was not made.
    pub(crate) async fn call<T, F>(&self, mut call: impl FnMut() -> F) -> Result<T, CallOutcome>
    where
        F: Future<Output = Result<T, Status>>,
    {
        if !self.breaker.admits(Instant::now()) {
            return Err(CallOutcome::BreakerOpen);
        }
        let permit = timeout(self.limits.wait, self.permits.acquire()).await;
        let Ok(Ok(_permit)) = permit else { return Err(CallOutcome::BulkheadFull) };
        let admitted = self.breaker.admit(Instant::now()).ok_or(CallOutcome::BreakerOpen)?;
        let made = async {
            match call().await {
                Err(status) if is_unprocessed(&status) => call().await,
                result => result,
            }
        };
        let result = match timeout(self.limits.timeout, made).await {
            Ok(response) => response.map_err(|status| outcome_of(&status)),
            Err(_elapsed) => Err(CallOutcome::Timeout),
        };
        admitted.ended(result.is_ok(), Instant::now());
        result
    }
}

fn outcome_of(status: &Status) -> CallOutcome {
    match status.code() {
        Code::Unavailable => CallOutcome::Unavailable,
        Code::ResourceExhausted => CallOutcome::ResourceExhausted,
        Code::DeadlineExceeded | Code::Cancelled => CallOutcome::Timeout,
        Code::Ok
        | Code::Unknown
        | Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::OutOfRange
        | Code::Unimplemented
        | Code::Internal
        | Code::DataLoss
        | Code::Unauthenticated => CallOutcome::Failed,
    }
}

/// Returns the outcome of a call with a response.
pub(crate) fn outcome_of_items<T>(results: &[Result<T, NoResult>]) -> CallOutcome {
    if results.iter().all(Result::is_ok) { CallOutcome::Decided } else { CallOutcome::Undecided }
}

#[cfg(test)]
mod tests {
    use super::{Guard, Limits};
    use crate::observer::CallOutcome;
    use std::future::{pending, ready};
    use std::time::Duration;
    use tokio::sync::oneshot;
    use tonic::Status;

    #[tokio::test]
    async fn a_call_ends_at_its_deadline() {
        let guard = Guard::new(Limits { timeout: Duration::from_secs(9), ..Limits::FILTER });
        assert_eq!(guard.limits().timeout, Limits::MAX_TIMEOUT);
        assert_eq!(guard.call(pending::<Result<(), Status>>).await, Err(CallOutcome::Timeout));
    }

    #[tokio::test]
    async fn a_call_waits_a_short_time_for_another_to_end() {
        let mut guard = Guard::new(Limits { in_flight: 1, ..Limits::FILTER });
        assert_eq!(guard.limits().wait, Limits::MAX_WAIT);
        // The first call ends when the second has, and not before.
        guard.limits.timeout = Duration::from_secs(3600);
        let (end, ended) = oneshot::channel();
        let mut ended = Some(ended);
        let first = || {
            let ended = ended.take();
            async { ended.unwrap().await.map_err(|_| Status::unknown("")) }
        };
        let (first, second) = tokio::join!(guard.call(first), async {
            let outcome = guard.call(|| ready(Ok(()))).await;
            end.send(()).unwrap();
            outcome
        });
        assert_eq!((first, second), (Ok(()), Err(CallOutcome::BulkheadFull)));
        assert_eq!(guard.call(|| ready(Ok(()))).await, Ok(()));
    }

    #[tokio::test]
    async fn the_breaker_stops_the_calls_of_a_service_that_fails() {
        let guard = Guard::new(Limits::FILTER);
        for _ in 0..20 {
            let failed = guard.call(|| ready(Err::<(), _>(Status::unavailable("")))).await;
            assert_eq!(failed, Err(CallOutcome::Unavailable));
        }
        let never = || async { unreachable!("no call is made") };
        assert_eq!(guard.call::<(), _>(never).await, Err(CallOutcome::BreakerOpen));
    }
}
