//! Trips to Redis, as traces show them and observers are told of them.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

use tracing::Instrument;

use crate::port::Unavailable;

/// The target of every span of a trace: filters let all of them through or none.
const SPANS: &str = "riposte::span";

/// Who is told of trips to Redis. It is called within the span of the trip, and must not wait.
pub trait RedisObserver: fmt::Debug + Send + Sync {
    /// A function of this name was called, which took so long; `failed` if there was no answer in time, or none was hoped for.
    fn trip(&self, function: &str, took: Duration, failed: bool);
}

/// Makes a trip, and tells of it.
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
        span.record("error.type", "away").record("otel.status_code", "ERROR");
    }
    if let Some(trips) = trips {
        // Within its span, which an observer may look at.
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
