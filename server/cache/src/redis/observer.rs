//! Traces round trips to Redis and reports them to observers.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

use tracing::Instrument;

use crate::port::Unavailable;

/// The target of all trace spans, by which a log filter passes all of them or none.
const SPANS: &str = "riposte::span";

/// Observes round trips to Redis, for metrics. The observer is called within the span of the round
/// trip, and must not block.
pub trait RedisObserver: fmt::Debug + Send + Sync {
    /// Called after a call of `function` that took `took`; `failed` is `true` if no response came
    /// in time, or if the call was not attempted.
    fn trip(&self, function: &str, took: Duration, failed: bool);
}

/// Makes the round trip `trip` within a span of its own, and reports it to the observer.
pub(super) async fn watched<T>(
    trips: Option<&dyn RedisObserver>,
    function: &str,
    trip: impl Future<Output = Result<T, Unavailable>>,
) -> Result<T, Unavailable> {
    let span = tracing::debug_span!(
        target: SPANS,
        "redis",
        otel.kind = "client",
        db.system.name = "redis",
        db.operation.name = function,
        "error.type" = tracing::field::Empty,
        otel.status_code = tracing::field::Empty,
    );
    let begin = Instant::now();
    let outcome = trip.instrument(span.clone()).await;
    if outcome.is_err() {
        span.record("error.type", "unavailable").record("otel.status_code", "ERROR");
    }
    if let Some(trips) = trips {
        // The observer is called within the span, so that it can read the current span.
        span.in_scope(|| trips.trip(function, begin.elapsed(), outcome.is_err()));
    }
    outcome
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::sync::Mutex;
    use std::time::Duration;

    use super::{RedisObserver, Unavailable, watched};

    #[derive(Debug, Default)]
    struct Told(Mutex<Vec<(String, bool)>>);

    impl RedisObserver for Told {
        fn trip(&self, function: &str, _: Duration, failed: bool) {
            self.0.lock().unwrap().push((function.to_owned(), failed));
        }
    }

    #[tokio::test]
    async fn every_trip_is_told_with_its_function_and_whether_it_failed() {
        let told = Told::default();
        assert_eq!(watched(Some(&told), "page", ready(Ok(7))).await.ok(), Some(7));
        assert!(watched(Some(&told), "apply", ready(Err::<(), _>(Unavailable))).await.is_err());
        assert!(watched(None, "open", ready(Ok(()))).await.is_ok());
        assert_eq!(*told.0.lock().unwrap(), [("page".to_owned(), false), ("apply".to_owned(), true)]);
    }
}
