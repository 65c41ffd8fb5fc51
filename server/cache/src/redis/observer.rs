//! Traces round trips to Redis and reports them to observers.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

use tracing::Instrument;

use crate::port::Unavailable;

/// The target of all trace spans; one rule of a log filter selects all of them by it.
const SPAN_TARGET: &str = "riposte::span";

/// Observes round trips to Redis, for metrics. The observer is called within the span of the round
/// trip, and must not block.
pub trait RedisObserver: fmt::Debug + Send + Sync {
    /// Called after a call of `function` that took `duration`. `failed` is `true` if no response
    /// came in time, or if the call was not attempted.
    fn round_trip(&self, function: &'static str, duration: Duration, failed: bool);
}

/// Awaits a round trip within a span of its own, and reports it to the observer.
pub(super) async fn observe<T>(
    observer: Option<&dyn RedisObserver>,
    function: &'static str,
    round_trip: impl Future<Output = Result<T, Unavailable>>,
) -> Result<T, Unavailable> {
    let span = tracing::debug_span!(
        target: SPAN_TARGET,
        "redis",
        otel.kind = "client",
        db.system.name = "redis",
        db.operation.name = function,
        "error.type" = tracing::field::Empty,
        otel.status_code = tracing::field::Empty,
    );
    let begin = Instant::now();
    let outcome = round_trip.instrument(span.clone()).await;
    if outcome.is_err() {
        span.record("error.type", "unavailable").record("otel.status_code", "ERROR");
    }
    if let Some(observer) = observer {
        // The observer is called within the span, so that it can read the current span.
        span.in_scope(|| observer.round_trip(function, begin.elapsed(), outcome.is_err()));
    }
    outcome
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::sync::Mutex;
    use std::time::Duration;

    use super::{RedisObserver, Unavailable, observe};

    #[derive(Debug, Default)]
    struct RecordedCalls(Mutex<Vec<(&'static str, bool)>>);

    impl RedisObserver for RecordedCalls {
        fn round_trip(&self, function: &'static str, _: Duration, failed: bool) {
            self.0.lock().unwrap().push((function, failed));
        }
    }

    #[tokio::test]
    async fn every_round_trip_is_reported_with_its_function_and_its_failure() {
        let reported = RecordedCalls::default();
        assert_eq!(observe(Some(&reported), "page", ready(Ok(7))).await.ok(), Some(7));
        assert!(observe(Some(&reported), "apply", ready(Err::<(), _>(Unavailable))).await.is_err());
        assert!(observe(None, "open", ready(Ok(()))).await.is_ok());
        assert_eq!(*reported.0.lock().unwrap(), [("page", false), ("apply", true)]);
    }
}
