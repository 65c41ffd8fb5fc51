//! Every metric of the process, by name, in one place.
//!
//! Whoever measures holds a [`Metrics`] and calls the method of what it has seen: names, units and labels stay here. To
//! add one: a field with its instrument in [`Metrics::new`], a method, and its line in docs/operate.md. Labels are
//! bounded: data sources, projections and names of counts, never a subject or a member.

use std::sync::Arc;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Gauge, Histogram, Meter, MeterProvider, UpDownCounter};
use opentelemetry_sdk::error::OTelSdkError;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use prometheus::{Registry, TextEncoder};
use riposte_cache::{Tally, Told};

/// What this process has measured. Cloning is cheap, and clones count together.
#[derive(Debug, Clone)]
pub struct Metrics(Arc<Instruments>);

#[derive(Debug)]
struct Instruments {
    registry: Registry,
    meter: Meter,
    /// Collects while it lives.
    _provider: SdkMeterProvider,
    relay_lag: Gauge<f64>,
    projection_lag: Gauge<i64>,
    drift: Counter<u64>,
    last_drift: Gauge<u64>,
    batch: Histogram<u64>,
    waiting: Gauge<u64>,
    refused: Counter<u64>,
    calls_refused: Counter<u64>,
    connections_refused: Counter<u64>,
    reloads: Counter<u64>,
    callers_refused: Counter<u64>,
    audit_failures: Counter<u64>,
    watchers: UpDownCounter<i64>,
    watchers_dropped: Counter<u64>,
    hot_hits: Counter<u64>,
    hot_misses: Counter<u64>,
    hot_readings: Counter<u64>,
    shared_pages: Counter<u64>,
    shared_readings: Counter<u64>,
    hot_pages: Gauge<u64>,
    hot_bytes: Gauge<u64>,
}

impl Metrics {
    /// Nothing measured yet.
    ///
    /// # Errors
    /// Only when the metrics contradict each other, which a test rules out.
    pub fn new() -> Result<Self, OTelSdkError> {
        let registry = Registry::new();
        let exporter = opentelemetry_prometheus::exporter().with_registry(registry.clone());
        let exporter = exporter.without_target_info().scope_info_enabled(false).without_units().build()?;
        let provider = SdkMeterProvider::builder().with_reader(exporter).build();
        let meter = provider.meter("riposte");
        let relay_lag = meter.f64_gauge("riposte_relay_lag_seconds").with_unit("s");
        let projection_lag = meter.i64_gauge("riposte_projection_lag");
        let drift = meter.u64_counter("riposte_counts_drift");
        let last_drift = meter.u64_gauge("riposte_counts_last_drift");
        let sizes = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
        let batch = meter.u64_histogram("riposte_write_batch_size").with_boundaries(sizes.into());
        let waiting = meter.u64_gauge("riposte_writes_waiting");
        let refused = meter.u64_counter("riposte_writes_refused");
        let calls_refused = meter.u64_counter("riposte_calls_refused");
        let connections_refused = meter.u64_counter("riposte_connections_refused");
        let reloads = meter.u64_counter("riposte_reloads");
        let callers_refused = meter.u64_counter("riposte_callers_refused");
        let audit_failures = meter.u64_counter("riposte_audit_failures");
        let watchers = meter.i64_up_down_counter("riposte_watchers");
        let dropped = meter.u64_counter("riposte_watchers_dropped");
        let hot_hits = meter.u64_counter("riposte_hot_hits");
        let hot_misses = meter.u64_counter("riposte_hot_misses");
        let hot_readings = meter.u64_counter("riposte_hot_readings");
        let shared_pages = meter.u64_counter("riposte_shared_pages");
        let shared_readings = meter.u64_counter("riposte_shared_readings");
        let hot_pages = meter.u64_gauge("riposte_hot_pages");
        let hot_bytes = meter.u64_gauge("riposte_hot_bytes");
        Ok(Self(Arc::new(Instruments {
            relay_lag: relay_lag.with_description("Age of the oldest commit without a number").build(),
            projection_lag: projection_lag.with_description("Numbered commits not applied yet").build(),
            drift: drift.with_description("Counts found to differ from their rows").build(),
            last_drift: last_drift.with_description("The same in the last verification or repair").build(),
            batch: batch.with_description("Writes that one transaction committed").build(),
            waiting: waiting.with_description("Writes in the lanes after a commit").build(),
            refused: refused.with_description("Writes refused by a full lane, without effect").build(),
            calls_refused: calls_refused.with_description("Calls refused for want of room or rate").build(),
            connections_refused: connections_refused.with_description("Connections closed by a bound").build(),
            reloads: reloads.with_description("Readings of changed files of callers, keys and certificates").build(),
            callers_refused: callers_refused.with_description("Calls of nobody who is known").build(),
            audit_failures: audit_failures
                .with_description("Records of the audit log that could not be written")
                .build(),
            watchers: watchers.with_description("Open WatchSubject streams").build(),
            watchers_dropped: dropped.with_description("Streams ended because their reader was too slow").build(),
            hot_hits: hot_hits.with_description("First pages answered as they were kept").build(),
            hot_misses: hot_misses.with_description("First pages that waited for a reading").build(),
            hot_readings: hot_readings.with_description("Readings of kept pages").build(),
            shared_pages: shared_pages.with_description("First pages of subjects that are not hot").build(),
            shared_readings: shared_readings.with_description("Readings of those, shared by who asked at once").build(),
            hot_pages: hot_pages.with_description("First pages that are kept").build(),
            hot_bytes: hot_bytes.with_description("Bytes of the first pages that are kept").build(),
            registry,
            meter,
            _provider: provider,
        })))
    }

    /// How long the oldest event of a source, from 0 on, has waited for its number; 0 when none waits.
    pub fn relay_lag(&self, source: usize, seconds: f64) {
        self.0.relay_lag.record(seconds, &[place(source)]);
    }

    /// How many numbered events of a source a projection has not applied yet.
    pub fn projection_lag(&self, source: usize, projection: &'static str, commits: i64) {
        self.0.projection_lag.record(commits, &[place(source), KeyValue::new("projection", projection)]);
    }

    /// Counts what the copies do from now on.
    pub fn copies(&self, tally: Tally) {
        let looks = self.0.meter.u64_observable_counter("riposte_cache");
        let looks = looks.with_description("What was asked of the copies, and what became of it");
        // It is collected for as long as the meter lives; the handle is not needed.
        let _ = looks
            .with_callback(move |observer| {
                for (what, name) in Told::ALL {
                    observer.observe(tally.of(what), &[KeyValue::new("what", name)]);
                }
            })
            .build();
    }

    /// A count that differed from its rows.
    pub fn drifted(&self, count: &'static str) {
        self.0.drift.add(1, &[KeyValue::new("count", count)]);
    }

    /// Changed files of callers, keys or certificates were read: they are in use now, or cannot be used.
    pub fn reloaded(&self, used: bool) {
        self.0.reloads.add(1, &[KeyValue::new("outcome", if used { "used" } else { "refused" })]);
    }

    /// A call was refused because nobody is known by what it shows.
    pub fn caller_refused(&self, why: &'static str) {
        self.0.callers_refused.add(1, &[KeyValue::new("why", why)]);
    }

    /// A record of the audit log could not be written, and its call was refused.
    pub fn audit_failed(&self) {
        self.0.audit_failures.add(1, &[]);
    }

    /// A verification or repair came to its end and found this many drifts.
    pub fn verified(&self, drifts: u64) {
        self.0.last_drift.record(drifts, &[]);
    }

    /// A batch of a source, from 0 on, and kind was committed, or failed; so many writes of them wait for the next.
    pub fn batch(&self, source: usize, kind: &'static str, commands: usize, waiting: usize) {
        let labels = [place(source), KeyValue::new("kind", kind)];
        self.0.batch.record(commands as u64, &labels);
        self.0.waiting.record(waiting as u64, &labels);
    }

    /// A full lane refused a write.
    pub fn refused(&self, source: usize, kind: &'static str) {
        self.0.refused.add(1, &[place(source), KeyValue::new("kind", kind)]);
    }

    /// A call found no room in a pool, or its caller's or member's rate was used up.
    pub fn call_refused(&self, limit: &'static str, class: &'static str) {
        self.0.calls_refused.add(1, &[KeyValue::new("limit", limit), KeyValue::new("class", class)]);
    }

    /// A connection was closed because of a bound: of all, of its identity, or of the time for its first words.
    pub fn connection_refused(&self, limit: &'static str) {
        self.0.connections_refused.add(1, &[KeyValue::new("limit", limit)]);
    }

    /// A watcher came.
    pub fn watcher_came(&self) {
        self.0.watchers.add(1, &[]);
    }

    /// A watcher left, for whatever reason.
    pub fn watcher_left(&self) {
        self.0.watchers.add(-1, &[]);
    }

    /// A watcher was sent away because it was too slow.
    pub fn watcher_dropped(&self) {
        self.0.watchers_dropped.add(1, &[]);
    }

    /// First pages of hot subjects: those answered as they were kept, those that waited for a reading, and the readings.
    pub fn hot_reads(&self, hits: u64, misses: u64, readings: u64) {
        self.0.hot_hits.add(hits, &[]);
        self.0.hot_misses.add(misses, &[]);
        self.0.hot_readings.add(readings, &[]);
    }

    /// First pages of subjects that are not hot, and their readings.
    pub fn shared_pages(&self, pages: u64, readings: u64) {
        self.0.shared_pages.add(pages, &[]);
        self.0.shared_readings.add(readings, &[]);
    }

    /// So many first pages are kept, in so many bytes.
    pub fn hot_pages(&self, pages: usize, bytes: usize) {
        self.0.hot_pages.record(pages as u64, &[]);
        self.0.hot_bytes.record(bytes as u64, &[]);
    }

    /// All of it as Prometheus scrapes it.
    ///
    /// # Errors
    /// Only for names that Prometheus does not take, which a test rules out.
    pub fn text(&self) -> Result<String, prometheus::Error> {
        TextEncoder::new().encode_to_string(&self.0.registry.gather())
    }
}

/// The label of a data source: people count them from 1, as the log and the migrations do.
fn place(source: usize) -> KeyValue {
    KeyValue::new("source", (source + 1).to_string())
}

#[cfg(test)]
mod tests {
    use super::{Metrics, Tally};

    #[test]
    fn every_metric_is_told_under_its_documented_name() {
        let metrics = Metrics::new().expect("sound");
        metrics.relay_lag(0, 0.25);
        metrics.projection_lag(1, "history", 7);
        metrics.drifted("root_count");
        metrics.verified(1);
        metrics.batch(0, "likes", 12, 3);
        metrics.refused(0, "comments");
        metrics.call_refused("reads", "best_effort");
        metrics.connection_refused("total");
        metrics.reloaded(false);
        metrics.caller_refused("jwt_expired");
        metrics.audit_failed();
        metrics.watcher_came();
        metrics.watcher_came();
        metrics.watcher_left();
        metrics.watcher_dropped();
        metrics.copies(Tally::default());
        metrics.hot_reads(97, 3, 2);
        metrics.shared_pages(9, 5);
        metrics.hot_pages(4, 4096);
        let text = metrics.text().expect("names are sound");
        for line in [
            "riposte_relay_lag_seconds{source=\"1\"} 0.25",
            "riposte_projection_lag{projection=\"history\",source=\"2\"} 7",
            "riposte_counts_drift_total{count=\"root_count\"} 1",
            "riposte_counts_last_drift 1",
            "riposte_write_batch_size_bucket{kind=\"likes\",source=\"1\",le=\"16\"} 1",
            "riposte_writes_waiting{kind=\"likes\",source=\"1\"} 3",
            "riposte_writes_refused_total{kind=\"comments\",source=\"1\"} 1",
            "riposte_calls_refused_total{class=\"best_effort\",limit=\"reads\"} 1",
            "riposte_connections_refused_total{limit=\"total\"} 1",
            "riposte_reloads_total{outcome=\"refused\"} 1",
            "riposte_callers_refused_total{why=\"jwt_expired\"} 1",
            "riposte_audit_failures_total 1",
            "riposte_watchers 1",
            "riposte_watchers_dropped_total 1",
            "riposte_cache_total{what=\"hit\"} 0",
            "riposte_hot_hits_total 97",
            "riposte_hot_misses_total 3",
            "riposte_hot_readings_total 2",
            "riposte_shared_pages_total 9",
            "riposte_shared_readings_total 5",
            "riposte_hot_pages 4",
            "riposte_hot_bytes 4096",
        ] {
            assert!(text.lines().any(|told| told == line), "{line} is not in\n{text}");
            let name = line.split(['{', ' ']).next().unwrap_or_default().trim_end_matches("_bucket");
            let documented = include_str!("../../../docs/operate.md");
            assert!(documented.contains(&format!("`{name}")), "docs/operate.md does not explain {name}");
        }
    }
}
