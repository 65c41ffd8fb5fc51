//! Exemplars: the last sampled span of each bucket of a histogram, so that a slow percentile leads
//! to a trace. The SDK has fields for them and never fills them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry::metrics::Histogram;
use opentelemetry::trace::{SpanId, TraceId};
use opentelemetry::{KeyValue, Value};
use tracing::Span;

use super::{clock, spans};

/// The maximum number of series per histogram with exemplars, which is the number of series that
/// the SDK counts separately.
const SERIES: usize = 2_000;

/// The labels of a series, in the notation of a scrape.
pub(super) type Labels = BTreeMap<String, String>;

/// One measurement, and the span that it was made in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exemplar {
    pub(super) trace: TraceId,
    pub(super) span: SpanId,
    /// Seconds.
    pub(super) value: f64,
    /// Milliseconds since 1970.
    pub(super) time_millis: u128,
}

/// The exemplars of a series: one element per bound, and one for values beyond the last bound.
pub(super) type Buckets = Box<[Option<Exemplar>]>;

/// All exemplars of one histogram.
#[derive(Debug)]
pub(super) struct Exemplars {
    /// Its name, in the notation of a scrape.
    pub(super) name: &'static str,
    pub(super) series: HashMap<Labels, Buckets>,
}

/// A histogram of durations that keeps exemplars. Cloning is cheap, and all clones share their
/// counts.
#[derive(Debug, Clone)]
pub(super) struct ExemplarHistogram {
    name: &'static str,
    bounds: &'static [f64],
    histogram: Histogram<f64>,
    /// `None` if exemplars are not requested.
    stored: Option<Arc<Mutex<HashMap<Labels, Buckets>>>>,
}

impl ExemplarHistogram {
    /// Creates a histogram without exemplars. `bounds` are those of the histogram.
    pub(super) fn new(
        name: &'static str,
        bounds: &'static [f64],
        histogram: Histogram<f64>,
        with_exemplars: bool,
    ) -> Self {
        Self { name, bounds, histogram, stored: with_exemplars.then(Arc::default) }
    }

    /// Records the duration of the operation that `span` represents. An exemplar is stored
    /// only for a sampled span.
    pub(super) fn record(&self, duration: Duration, attributes: &[KeyValue], span: &Span) {
        let value = duration.as_secs_f64();
        self.histogram.record(value, attributes);
        let Some(stored) = &self.stored else { return };
        let Some(context) = spans::sampled(span) else { return };
        let time_millis = clock::since_1970().as_millis();
        let exemplar = Exemplar { trace: context.trace_id(), span: context.span_id(), value, time_millis };
        let labels = labels(attributes);
        let mut stored = stored.lock().unwrap_or_else(PoisonError::into_inner);
        if stored.len() < SERIES || stored.contains_key(&labels) {
            let buckets = stored.entry(labels).or_insert_with(|| vec![None; self.bounds.len() + 1].into());
            // A value equal to a bound belongs to the bucket below the bound.
            buckets[self.bounds.partition_point(|bound| *bound < value)] = Some(exemplar);
        }
    }

    /// Returns the present exemplars.
    pub(super) fn exemplars(&self) -> Exemplars {
        let stored = self.stored.as_ref().map(|stored| stored.lock().unwrap_or_else(PoisonError::into_inner).clone());
        Exemplars { name: self.name, series: stored.unwrap_or_default() }
    }
}

fn labels(attributes: &[KeyValue]) -> Labels {
    let text = |value: &Value| value.as_str().into_owned();
    attributes.iter().map(|attribute| (attribute.key.as_str().replace('.', "_"), text(&attribute.value))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use opentelemetry::KeyValue;
    use opentelemetry::metrics::MeterProvider;
    use opentelemetry::trace::TracerProvider;
    use opentelemetry_sdk::metrics::SdkMeterProvider;
    use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
    use tracing::{Span, subscriber};
    use tracing_subscriber::layer::SubscriberExt;

    use super::{ExemplarHistogram, Labels, SERIES};
    use crate::spans;

    const BOUNDS: &[f64] = &[0.1, 1.0];

    fn histogram() -> ExemplarHistogram {
        let histogram = SdkMeterProvider::default().meter("test").f64_histogram("a").build();
        ExemplarHistogram::new("a", BOUNDS, histogram, true)
    }

    /// Runs `inside` with a subscriber that traces calls with `sampler`.
    fn tracing(sampler: Sampler, inside: impl FnOnce()) {
        let provider = SdkTracerProvider::builder().with_sampler(sampler).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        subscriber::with_default(tracing_subscriber::registry().with(layer), inside);
    }

    fn span() -> Span {
        tracing::debug_span!(target: "riposte::span", "call")
    }

    #[test]
    fn a_bucket_stores_the_last_sampled_span() {
        let histogram = histogram();
        let status = [KeyValue::new("rpc.response.status_code", "OK")];
        tracing(Sampler::AlwaysOn, || {
            let spans = [span(), span(), span(), span()];
            let duration = [20, 100, 101, 5_000].map(Duration::from_millis);
            spans.iter().zip(duration).for_each(|(span, duration)| histogram.record(duration, &status, span));
            let series = histogram.exemplars().series;
            let (labels, buckets) = series.iter().next().expect("one series");
            assert_eq!(*labels, Labels::from([("rpc_response_status_code".to_owned(), "OK".to_owned())]));
            let last =
                [&spans[1], &spans[2], &spans[3]].map(|span| spans::sampled(span).map(|context| context.span_id()));
            assert_eq!(
                buckets.iter().map(|exemplar| exemplar.as_ref().map(|exemplar| exemplar.span)).collect::<Vec<_>>(),
                last
            );
        });
    }

    #[test]
    fn a_span_that_is_not_sampled_is_not_stored() {
        let histogram = histogram();
        histogram.record(Duration::from_millis(1), &[], &Span::none());
        tracing(Sampler::AlwaysOff, || histogram.record(Duration::from_millis(1), &[], &span()));
        assert!(histogram.exemplars().series.is_empty());
    }

    #[test]
    fn the_number_of_series_with_exemplars_is_limited() {
        let histogram = histogram();
        tracing(Sampler::AlwaysOn, || {
            let span = span();
            for number in 0..SERIES as i64 + 10 {
                histogram.record(Duration::ZERO, &[KeyValue::new("number", number)], &span);
            }
            histogram.record(Duration::from_secs(2), &[KeyValue::new("number", 0)], &span);
        });
        let series = histogram.exemplars().series;
        assert_eq!(series.len(), SERIES);
        assert_eq!(series.values().flatten().flatten().count(), SERIES + 1, "existing series still store exemplars");
    }
}
