//! The metrics of the process, and their readers.
//!
//! A component that measures has a [`Metrics`] and calls one method for each event.
//! server/telemetry/metrics.yaml defines names, units and descriptions; the instruments are
//! generated from it. The values of an attribute come from a bounded set, such as data sources,
//! methods, callers, event consumers or names of counts. They never name a subject or a member.

use std::sync::Arc;
use std::time::Duration;

use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry::{KeyValue, StringValue};
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::metrics::{MeterProviderBuilder, SdkMeterProvider};
use prometheus::{Registry, TextEncoder};
use tracing::Span;

use super::calls::CallMetrics;
use super::clock;
use super::exemplars::ExemplarHistogram;
use super::exports::ExportStats;
use super::instruments::{self, Instruments, attribute};
use super::openmetrics;

/// The present state of the connection pool of a data source.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionPool {
    /// The data source (from 0).
    pub source: usize,
    /// The name of the pool.
    pub name: &'static str,
    /// The number of connections in use.
    pub used: u64,
    /// The number of idle connections.
    pub idle: u64,
    /// The largest number of connections that the pool may open.
    pub max: u64,
}

/// The metrics of this process. Cloning is cheap, and all clones share their values.
#[derive(Debug, Clone)]
pub struct Metrics(Arc<MetricReaders>);

#[derive(Debug)]
struct MetricReaders {
    instruments: Instruments,
    /// The registry for scrapes; empty if scraping is disabled.
    registry: Registry,
    meter: Meter,
    /// The provider, which collects as long as it exists.
    provider: SdkMeterProvider,
}

impl Metrics {
    /// Creates metrics without measurements, for scrapes.
    ///
    /// # Errors
    /// Only if the exporter for scrapes cannot be registered, which a test excludes.
    pub fn new() -> Result<Self, OTelSdkError> {
        Self::with_readers(MeterProviderBuilder::default(), true)
    }

    /// Creates metrics without measurements, for the readers of `builder` and, if `scrape` is true,
    /// for scrapes.
    pub(super) fn with_readers(builder: MeterProviderBuilder, scrape: bool) -> Result<Self, OTelSdkError> {
        let registry = Registry::new();
        let builder = if scrape {
            let exporter = opentelemetry_prometheus::exporter().with_registry(registry.clone());
            builder.with_reader(exporter.without_target_info().scope_info_enabled(false).build()?)
        } else {
            builder
        };
        let provider = builder.build();
        let meter = provider.meter("riposte");
        let instruments = Instruments::of(&meter, scrape);
        instruments.build_info.record(1, &[KeyValue::new(attribute::VERSION, crate::version::VERSION)]);
        instruments.start_time.record(clock::since_1970().as_secs_f64(), &[]);
        instruments.ready.record(0, &[]);
        // Counters whose first event raises an alert start at zero: an alert on an increase does
        // not notice a series that starts at one.
        instruments.audit_failures.add(0, &[]);
        instruments.reloads.add(0, &[KeyValue::new(attribute::OUTCOME, "refused")]);
        Ok(Self(Arc::new(MetricReaders { instruments, registry, meter, provider })))
    }

    /// Returns the metrics of calls of these methods. Calls of all other methods share one label.
    #[must_use]
    pub fn calls(&self, methods: Vec<String>) -> CallMetrics {
        CallMetrics::new(&self.0.instruments, methods)
    }

    /// Records whether the process accepts calls.
    pub fn ready(&self, ready: bool) {
        self.0.instruments.ready.record(ready.into(), &[]);
    }

    /// Reports the counts of `exports` at each collection.
    pub(super) fn exports(&self, exports: ExportStats) {
        // The callback is called as long as the meter exists; the handle is not needed.
        let _ = instruments::exports(&self.0.meter)
            .with_callback(move |observer| {
                for (signal, outcome, count) in exports.all() {
                    let attributes =
                        [KeyValue::new(attribute::SIGNAL, signal), KeyValue::new(attribute::OUTCOME, outcome)];
                    observer.observe(count, &attributes);
                }
            })
            .build();
    }

    /// Reports the connections of the pools, which `pools` returns at each collection.
    pub fn connections(&self, pools: impl Fn() -> Vec<ConnectionPool> + Send + Sync + 'static) {
        let pools_of_counts = Arc::new(pools);
        let pools_of_limits = Arc::clone(&pools_of_counts);
        let _ = instruments::connections(&self.0.meter)
            .with_callback(move |observer| {
                for ConnectionPool { source, name, used, idle, .. } in pools_of_counts() {
                    for (state, count) in [("used", used), ("idle", idle)] {
                        let state = KeyValue::new(attribute::DB_CLIENT_CONNECTION_STATE, state);
                        observer.observe(count, &[pool_name(source, name), state]);
                    }
                }
            })
            .build();
        let _ = instruments::connections_max(&self.0.meter)
            .with_callback(move |observer| {
                pools_of_limits()
                    .into_iter()
                    .for_each(|pool| observer.observe(pool.max, &[pool_name(pool.source, pool.name)]));
            })
            .build();
    }

    /// Records the duration of a database transaction or of a round trip to Redis. `failed` is the
    /// class of its error. The method must be called within the span of the operation, which may
    /// become an exemplar.
    pub fn operation(&self, system: &'static str, name: StringValue, duration: Duration, failed: Option<&'static str>) {
        let name = KeyValue::new(attribute::DB_OPERATION_NAME, name);
        let labels = [
            KeyValue::new(attribute::DB_SYSTEM_NAME, system),
            name,
            KeyValue::new(attribute::ERROR_TYPE, failed.unwrap_or_default()),
        ];
        let labels = if failed.is_some() { &labels[..] } else { &labels[..2] };
        self.0.instruments.operation_duration.record(duration, labels, &Span::current());
    }

    /// Records that a transaction waited `duration` for a connection from a pool of a data source
    /// (from 0). `begun` is false if it got none.
    pub fn connection_wait(&self, source: usize, pool: &str, duration: Duration, begun: bool) {
        let Instruments { connection_wait, connection_failures, .. } = &self.0.instruments;
        let name = pool_name(source, pool);
        if begun {
            connection_wait.record(duration.as_secs_f64(), &[name]);
        } else {
            connection_failures.add(1, &[name]);
        }
    }

    /// Records the time for which the oldest event of a data source (from 0) has waited for its
    /// sequence number; 0 if none waits.
    pub fn relay_lag(&self, source: usize, seconds: f64) {
        self.0.instruments.relay_lag.record(seconds, &[source_label(source)]);
    }

    /// Records the number of sequenced commits of a data source (from 0) that an event consumer has
    /// not applied yet.
    pub fn consumer_lag(&self, source: usize, consumer: &str, commits: i64) {
        self.0.instruments.consumer_lag.record(commits, &[source_label(source), consumer_label(consumer)]);
    }

    /// Records whether an event consumer fails on an event of a data source (from 0).
    pub fn consumer_stuck(&self, source: usize, consumer: &str, is_stuck: bool) {
        self.0.instruments.consumer_stuck.record(is_stuck.into(), &[source_label(source), consumer_label(consumer)]);
    }

    /// Counts a decision of a moderator.
    pub fn decided(&self, action: &'static str, automation: &'static str) {
        let labels = [KeyValue::new(attribute::ACTION, action), KeyValue::new(attribute::AUTOMATION, automation)];
        self.0.instruments.decisions.add(1, &labels);
    }

    /// Counts a report of a comment that was stored.
    pub fn reported(&self, claims_illegal: bool) {
        self.0.instruments.reports.add(1, &[KeyValue::new(attribute::CLAIMS_ILLEGAL, claims_illegal)]);
    }

    /// Records the number of open reviews of an object type, and since when the first one is
    /// overdue.
    pub fn reviews(&self, object_type: &str, open: u64, overdue: Duration) {
        let label = [KeyValue::new(attribute::OBJECT_TYPE, object_type.to_owned())];
        self.0.instruments.review_open.record(open, &label);
        self.0.instruments.review_overdue.record(overdue.as_secs_f64(), &label);
    }

    /// Counts a lease of a review that ended without a verdict; `is_stuck` is true if that happened
    /// to its comment too often.
    pub fn lease_expired(&self, object_type: &str, is_stuck: bool) {
        let label = [KeyValue::new(attribute::OBJECT_TYPE, object_type.to_owned())];
        self.0.instruments.review_expired_leases.add(1, &label);
        self.0.instruments.review_stuck.add(is_stuck.into(), &label);
    }

    /// Records the number of leases of processes of a version before moderation.
    pub fn old_writers(&self, leases: usize) {
        self.0.instruments.old_writers.record(leases as u64, &[]);
    }

    /// Counts commits of a data source (from 0) whose events were deleted before an event consumer
    /// had applied them.
    pub fn consumer_overtaken(&self, source: usize, consumer: &str, commits: u64) {
        self.0.instruments.consumer_overtaken.add(commits, &[source_label(source), consumer_label(consumer)]);
    }

    /// Records whether the cached data of a data source (from 0) is stale: no relay repairs it.
    pub fn cache_stale(&self, source: usize, stale: bool) {
        self.0.instruments.cache_stale.record(stale.into(), &[source_label(source)]);
    }

    /// Reports the counts of cache events, by name, which `counts` returns at each collection.
    pub fn cache_events<E>(&self, counts: impl Fn() -> E + Send + Sync + 'static)
    where
        E: IntoIterator<Item = (&'static str, u64)>,
    {
        // The callback is called as long as the meter exists; the handle is not needed.
        let _ = instruments::cache_events(&self.0.meter)
            .with_callback(move |observer| {
                counts().into_iter().for_each(|(name, count)| {
                    observer.observe(count, &[KeyValue::new(attribute::EVENT, name)]);
                });
            })
            .build();
    }

    /// Counts a stored count that differed from the number of its rows.
    pub fn drifted(&self, count: &'static str) {
        self.0.instruments.drift.add(1, &[KeyValue::new(attribute::COUNT, count)]);
    }

    /// Records the validity period of the listeners' certificate, in seconds since 1970.
    pub fn certificate(&self, from: u64, until: u64) {
        self.0.instruments.certificate_start.record(from as f64, &[]);
        self.0.instruments.certificate_expiry.record(until as f64, &[]);
    }

    /// Counts a reload after files of callers, keys, certificates or secrets have changed. `used`
    /// is true if the new contents are now in use. `refused` is the number of files whose present
    /// content is refused.
    pub fn reloaded(&self, used: bool, refused: usize) {
        self.0.instruments.files_refused.record(refused as u64, &[]);
        self.0.instruments.reloads.add(1, &[KeyValue::new(attribute::OUTCOME, if used { "used" } else { "refused" })]);
    }

    /// Counts a call that was refused because its credentials identify no caller.
    pub fn authentication_failed(&self, reason: &'static str) {
        self.0.instruments.authentication_failures.add(1, &[KeyValue::new(attribute::REASON, reason)]);
    }

    /// Counts a call that was refused because its audit record could not be written.
    pub fn audit_failed(&self) {
        self.0.instruments.audit_failures.add(1, &[]);
    }

    /// Records the number of wrong counts that a verification or repair of all subjects has found.
    pub fn verified(&self, drifts: u64) {
        self.0.instruments.last_drift.record(drifts, &[]);
    }

    /// Records a batch of a data source (from 0) and batch type, committed or failed, and the
    /// number of commands that wait for the next batch.
    pub fn batch(&self, source: usize, kind: &'static str, commands: usize, waiting: usize) {
        let labels = [source_label(source), KeyValue::new(attribute::KIND, kind)];
        self.0.instruments.batch.record(commands as u64, &labels);
        self.0.instruments.waiting.record(waiting as u64, &labels);
    }

    /// Counts a command that was refused because its write queue was full.
    pub fn refused(&self, source: usize, kind: &'static str) {
        self.0.instruments.refused.add(1, &[source_label(source), KeyValue::new(attribute::KIND, kind)]);
    }

    /// Counts that the ids of a data source (from 0) were found to be ahead of the clock.
    pub fn clock_was_ahead(&self, source: usize) {
        self.0.instruments.clock_ahead.add(1, &[source_label(source)]);
    }

    /// Counts a call that was refused because an admission pool was full, or because the rate limit
    /// of its caller or member was reached.
    pub fn call_refused(&self, limit: &'static str, class: &'static str) {
        let labels = [KeyValue::new(attribute::LIMIT, limit), KeyValue::new(attribute::CLASS, class)];
        self.0.instruments.calls_refused.add(1, &labels);
    }

    /// Counts a connection that was closed because of a limit: the limit on all connections, on the
    /// connections of one identity, on the time until the first bytes, on control frames, or on
    /// response data that clients have not read.
    pub fn connection_refused(&self, limit: &'static str) {
        self.0.instruments.connections_refused.add(1, &[KeyValue::new(attribute::LIMIT, limit)]);
    }

    /// Counts a WatchSubject stream that was opened.
    pub fn watch_opened(&self) {
        self.0.instruments.watch_streams.add(1, &[]);
    }

    /// Counts a WatchSubject stream that has ended, for any reason.
    pub fn watch_ended(&self) {
        self.0.instruments.watch_streams.add(-1, &[]);
    }

    /// Counts a WatchSubject stream that was ended because its client reads too slowly.
    pub fn watch_dropped(&self) {
        self.0.instruments.watch_streams_dropped.add(1, &[]);
    }

    /// Counts requests of first pages of hot subjects: `hits` were served from the response cache,
    /// and `misses` waited for `loads`.
    pub fn response_cache_reads(&self, hits: u64, misses: u64, loads: u64) {
        self.0.instruments.response_cache_hits.add(hits, &[]);
        self.0.instruments.response_cache_misses.add(misses, &[]);
        self.0.instruments.response_cache_loads.add(loads, &[]);
    }

    /// Counts requests of first pages of subjects that are not hot, and the coalesced loads that
    /// served them.
    pub fn coalesced_pages(&self, pages: u64, loads: u64) {
        self.0.instruments.coalesced_pages.add(pages, &[]);
        self.0.instruments.coalesced_loads.add(loads, &[]);
    }

    /// Records the number of first pages in the response cache, and their total size in bytes.
    pub fn response_cache_size(&self, pages: usize, bytes: usize) {
        self.0.instruments.response_cache_pages.record(pages as u64, &[]);
        self.0.instruments.response_cache_bytes.record(bytes as u64, &[]);
    }

    /// Exports the last measurements, if exports are enabled, and ends the collection.
    pub(super) fn shutdown(&self, timeout: Duration) -> OTelSdkResult {
        self.0.provider.shutdown_with_timeout(timeout)
    }

    /// Returns all metrics in the Prometheus text format.
    ///
    /// # Errors
    /// Only for names that Prometheus does not accept, which a test excludes.
    pub fn text(&self) -> Result<String, prometheus::Error> {
        TextEncoder::new().encode_to_string(&self.0.registry.gather())
    }

    /// Returns all metrics in the OpenMetrics format. Each bucket of a duration has the last
    /// sampled span in it as its exemplar.
    #[must_use]
    pub fn open_metrics(&self) -> String {
        // The exemplars are read first, so that the counts include every measurement that is an
        // exemplar.
        let exemplars = self.0.instruments.traced().map(ExemplarHistogram::exemplars);
        openmetrics::text(&self.0.registry.gather(), &exemplars)
    }
}

/// Returns the attribute of a pool of a data source (from 0).
fn pool_name(source: usize, pool: &str) -> KeyValue {
    KeyValue::new(attribute::DB_CLIENT_CONNECTION_POOL_NAME, format!("{}/{pool}", source + 1))
}

/// Returns the label of a data source (from 0). Labels count from 1, as do the log and the
/// migrations.
fn source_label(source: usize) -> KeyValue {
    KeyValue::new(attribute::SOURCE, (source + 1).to_string())
}

/// Returns the label of an event consumer.
fn consumer_label(consumer: &str) -> KeyValue {
    KeyValue::new(attribute::CONSUMER, consumer.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::{ConnectionPool, ExportStats, Metrics};
    use crate::instruments::SCRAPED;

    fn recorded() -> Metrics {
        let metrics = Metrics::new().expect("sound");
        metrics.relay_lag(0, 0.25);
        metrics.consumer_lag(1, "member_history", 7);
        metrics.consumer_stuck(1, "rank_index", true);
        metrics.consumer_overtaken(0, "rank_index", 3);
        metrics.decided("approve", "none");
        metrics.reported(true);
        metrics.reviews("video", 3, Duration::from_secs(90));
        metrics.lease_expired("video", true);
        metrics.old_writers(2);
        metrics.clock_was_ahead(1);
        metrics.drifted("root_count");
        metrics.verified(1);
        metrics.batch(0, "likes", 12, 3);
        metrics.refused(0, "comments");
        metrics.call_refused("reads", "best_effort");
        metrics.connection_refused("total");
        metrics.reloaded(false, 1);
        metrics.certificate(1_700_000_000, 1_800_000_000);
        metrics.authentication_failed("jwt_expired");
        metrics.audit_failed();
        metrics.watch_opened();
        metrics.watch_opened();
        metrics.watch_ended();
        metrics.watch_dropped();
        metrics.cache_stale(0, true);
        metrics.cache_events(|| [("hit", 0)]);
        metrics.connections(|| vec![ConnectionPool { source: 0, name: "read", used: 1, idle: 2, max: 8 }]);
        metrics.response_cache_reads(97, 3, 2);
        metrics.coalesced_pages(9, 5);
        metrics.response_cache_size(4, 4096);
        metrics.ready(true);
        metrics.exports(ExportStats::default());
        metrics.operation("mysql", "commit comments".into(), Duration::from_millis(4), None);
        metrics.connection_wait(1, "write", Duration::from_millis(1), true);
        metrics.connection_wait(0, "read", Duration::from_secs(2), false);
        metrics.operation("redis", "page".into(), Duration::from_millis(100), Some("unavailable"));
        metrics
    }

    #[test]
    fn counters_of_alerts_start_with_a_sample_of_zero() {
        let text = Metrics::new().expect("sound").text().expect("names are sound");
        for line in ["riposte_audit_failures_total 0", "riposte_reloads_total{outcome=\"refused\"} 0"] {
            assert!(text.lines().any(|written| written == line), "{line} is missing in\n{text}");
        }
    }

    #[test]
    fn every_metric_is_exported_under_its_name() {
        let text = recorded().text().expect("names are sound");
        for line in [
            "riposte_relay_lag_seconds{source=\"1\"} 0.25",
            "riposte_consumer_lag{consumer=\"member_history\",source=\"2\"} 7",
            "riposte_consumer_stuck{consumer=\"rank_index\",source=\"2\"} 1",
            "riposte_consumer_overtaken_total{consumer=\"rank_index\",source=\"1\"} 3",
            "riposte_counts_drift_total{count=\"root_count\"} 1",
            "riposte_counts_last_drift 1",
            "riposte_decisions_total{action=\"approve\",automation=\"none\"} 1",
            "riposte_reports_total{claims_illegal=\"true\"} 1",
            "riposte_review_expired_leases_total{object_type=\"video\"} 1",
            "riposte_review_stuck_total{object_type=\"video\"} 1",
            "riposte_old_writers 2",
            "riposte_review_open{object_type=\"video\"} 3",
            "riposte_review_oldest_overdue_seconds{object_type=\"video\"} 90",
            "riposte_write_batch_size_bucket{kind=\"likes\",source=\"1\",le=\"16\"} 1",
            "riposte_writes_waiting{kind=\"likes\",source=\"1\"} 3",
            "riposte_writes_refused_total{kind=\"comments\",source=\"1\"} 1",
            "riposte_calls_refused_total{class=\"best_effort\",limit=\"reads\"} 1",
            "riposte_connections_refused_total{limit=\"total\"} 1",
            "riposte_reloads_total{outcome=\"refused\"} 1",
            "riposte_authentication_failures_total{reason=\"jwt_expired\"} 1",
            "riposte_audit_failures_total 1",
            "riposte_watch_streams 1",
            "riposte_watch_streams_dropped_total 1",
            "riposte_cache_stale{source=\"1\"} 1",
            "riposte_cache_events_total{event=\"hit\"} 0",
            "riposte_response_cache_hits_total 97",
            "riposte_response_cache_misses_total 3",
            "riposte_response_cache_loads_total 2",
            "riposte_coalesced_pages_total 9",
            "riposte_coalesced_loads_total 5",
            "riposte_response_cache_pages 4",
            "riposte_response_cache_bytes 4096",
            "riposte_ready 1",
            "riposte_build_info{version=\"0.1.0\"} 1",
            "riposte_telemetry_exports_total{outcome=\"ok\",signal=\"traces\"} 0",
            "db_client_connection_count{db_client_connection_pool_name=\"1/read\",db_client_connection_state=\"idle\"} 2",
            "db_client_connection_max{db_client_connection_pool_name=\"1/read\"} 8",
            "riposte_connection_failures_total{db_client_connection_pool_name=\"1/read\"} 1",
            "db_client_connection_wait_time_seconds_count{db_client_connection_pool_name=\"2/write\"} 1",
            "db_client_operation_duration_seconds_count{db_operation_name=\"commit comments\",db_system_name=\"mysql\"} 1",
            "db_client_operation_duration_seconds_count{db_operation_name=\"page\",db_system_name=\"redis\",error_type=\"unavailable\"} 1",
        ] {
            assert!(text.lines().any(|written| written == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn the_exported_metrics_are_the_registered_ones() {
        let metrics = recorded();
        let headers = http::HeaderMap::new();
        let id = http::HeaderValue::from_static("id");
        let mut call = metrics.calls(Vec::new()).begin("/riposte.v1.LikeService/SetLike", &headers, &id);
        call.by("web".into());
        call.succeeded();
        let text = metrics.text().expect("names are sound");
        let exported = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
        assert_eq!(exported.collect::<BTreeSet<_>>(), SCRAPED.iter().copied().collect::<BTreeSet<_>>());
    }

    #[test]
    fn without_a_scrape_no_metric_is_stored_for_it() {
        let metrics = Metrics::with_readers(super::MeterProviderBuilder::default(), false).expect("sound");
        metrics.refused(0, "likes");
        assert_eq!(metrics.text().expect("empty"), "");
    }
}
