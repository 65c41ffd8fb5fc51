//! What is measured, and by whom it is asked.
//!
//! Whoever measures holds a [`Metrics`] and calls the method of what it has seen. Names, units and descriptions stand in
//! server/telemetry/metrics.yaml, and the instruments are made from it. Attributes are bounded: data sources, methods, callers,
//! projections and names of counts, never a subject or a member.

use std::sync::{Arc, Weak};
use std::time::Duration;

use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry::{KeyValue, StringValue};
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::metrics::{MeterProviderBuilder, SdkMeterProvider};
use prometheus::{Registry, TextEncoder};
use riposte_cache::{CacheEvent, CacheStats};
use riposte_core::ports::Clock;
use riposte_store::{DataSources, PoolState, SqlStore};
use tracing::Span;

use super::calls::CallMetrics;
use super::exemplars::ExemplarHistogram;
use super::instruments::{self, Instruments, attribute};
use super::openmetrics;
use super::push::ExportStats;
use crate::clock::SystemClock;

/// What this process has measured. Cloning is cheap, and clones count together.
#[derive(Debug, Clone)]
pub struct Metrics(Arc<Kept>);

#[derive(Debug)]
struct Kept {
    instruments: Instruments,
    /// What is scraped; empty where nothing is.
    registry: Registry,
    meter: Meter,
    /// Collects while it lives.
    provider: SdkMeterProvider,
}

impl Metrics {
    /// Nothing measured yet, and to be scraped.
    ///
    /// # Errors
    /// Only when the metrics contradict each other, which a test rules out.
    pub fn new() -> Result<Self, OTelSdkError> {
        Self::with(MeterProviderBuilder::default(), true)
    }

    /// The same, for the readers that `builder` has, and for scrapes where they are wanted.
    pub(super) fn with(builder: MeterProviderBuilder, scrape: bool) -> Result<Self, OTelSdkError> {
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
        instruments.build_info.record(1, &[KeyValue::new(attribute::VERSION, super::VERSION)]);
        instruments.start_time.record(SystemClock.now().0 as f64 / 1e3, &[]);
        instruments.ready.record(0, &[]);
        // What alerts look at from the first one on begins at nothing: a series that begins at one has not risen.
        instruments.audit_failures.add(0, &[]);
        instruments.reloads.add(0, &[KeyValue::new(attribute::OUTCOME, "refused")]);
        Ok(Self(Arc::new(Kept { instruments, registry, meter, provider })))
    }

    /// What measures calls of these methods, and counts all others as one.
    #[must_use]
    pub fn calls(&self, methods: Vec<String>) -> CallMetrics {
        CallMetrics::new(&self.0.instruments, methods)
    }

    /// Whether calls are let in.
    pub fn ready(&self, ready: bool) {
        self.0.instruments.ready.record(ready.into(), &[]);
    }

    /// Counts what is exported from now on.
    pub(super) fn exports(&self, exports: ExportStats) {
        // It is asked for as long as the meter lives; the handle is not needed.
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

    /// Counts the connections of a store, from now on until it is gone.
    pub fn connections(&self, store: &SqlStore) {
        let counted = Arc::downgrade(store.sources());
        let _ = instruments::connections(&self.0.meter)
            .with_callback(move |observer| {
                for (name, pool) in pools(&counted) {
                    for (state, count) in [("used", pool.used), ("idle", pool.idle)] {
                        let state = KeyValue::new(attribute::DB_CLIENT_CONNECTION_STATE, state);
                        observer.observe(count, &[name.clone(), state]);
                    }
                }
            })
            .build();
        let limited = Arc::downgrade(store.sources());
        let _ = instruments::connections_max(&self.0.meter)
            .with_callback(move |observer| {
                pools(&limited).into_iter().for_each(|(name, pool)| observer.observe(pool.max, &[name]));
            })
            .build();
    }

    /// How long the oldest event of a source, from 0 on, has waited for its number; 0 when none waits.
    pub fn relay_lag(&self, source: usize, seconds: f64) {
        self.0.instruments.relay_lag.record(seconds, &[place(source)]);
    }

    /// How many numbered events of a source a projection has not applied yet.
    pub fn projection_lag(&self, source: usize, projection: &'static str, commits: i64) {
        self.0
            .instruments
            .projection_lag
            .record(commits, &[place(source), KeyValue::new(attribute::PROJECTION, projection)]);
    }

    /// Whether nobody brings the copies of a source, from 0 on, up to date.
    pub fn unmended(&self, source: usize, is: bool) {
        self.0.instruments.unmended.record(is.into(), &[place(source)]);
    }

    /// Counts what the copies do from now on.
    pub fn copies(&self, tally: CacheStats) {
        // It is asked for as long as the meter lives; the handle is not needed.
        let _ = instruments::cache(&self.0.meter)
            .with_callback(move |observer| {
                for (what, name) in CacheEvent::ALL {
                    observer.observe(tally.of(what), &[KeyValue::new(attribute::WHAT, name)]);
                }
            })
            .build();
    }

    /// A count that differed from its rows.
    pub fn drifted(&self, count: &'static str) {
        self.0.instruments.drift.add(1, &[KeyValue::new(attribute::COUNT, count)]);
    }

    /// The certificate of the listeners is valid from one moment until another, in seconds since 1970.
    pub fn certificate(&self, from: u64, until: u64) {
        self.0.instruments.certificate_start.record(from as f64, &[]);
        self.0.instruments.certificate_expiry.record(until as f64, &[]);
    }

    /// Changed files of callers, keys, certificates or a secret were read: they are in use now, or cannot be used. Of so many of these
    /// what lies there cannot.
    pub fn reloaded(&self, used: bool, refused: usize) {
        self.0.instruments.files_refused.record(refused as u64, &[]);
        self.0.instruments.reloads.add(1, &[KeyValue::new(attribute::OUTCOME, if used { "used" } else { "refused" })]);
    }

    /// A call was refused because nobody is known by what it shows.
    pub fn caller_refused(&self, why: &'static str) {
        self.0.instruments.callers_refused.add(1, &[KeyValue::new(attribute::WHY, why)]);
    }

    /// A record of the audit log could not be written, and its call was refused.
    pub fn audit_failed(&self) {
        self.0.instruments.audit_failures.add(1, &[]);
    }

    /// A verification or repair came to its end and found this many drifts.
    pub fn verified(&self, drifts: u64) {
        self.0.instruments.last_drift.record(drifts, &[]);
    }

    /// A batch of a source, from 0 on, and kind was committed, or failed; so many writes of them wait for the next.
    pub fn batch(&self, source: usize, kind: &'static str, commands: usize, waiting: usize) {
        let labels = [place(source), KeyValue::new(attribute::KIND, kind)];
        self.0.instruments.batch.record(commands as u64, &labels);
        self.0.instruments.waiting.record(waiting as u64, &labels);
    }

    /// A full lane refused a write.
    pub fn refused(&self, source: usize, kind: &'static str) {
        self.0.instruments.refused.add(1, &[place(source), KeyValue::new(attribute::KIND, kind)]);
    }

    /// A call found no room in a pool, or its caller's or member's rate was used up.
    pub fn call_refused(&self, limit: &'static str, class: &'static str) {
        let labels = [KeyValue::new(attribute::LIMIT, limit), KeyValue::new(attribute::CLASS, class)];
        self.0.instruments.calls_refused.add(1, &labels);
    }

    /// A connection was closed because of a bound: of all, of its identity, of the time for its first words, or of what it does
    /// not read.
    pub fn connection_refused(&self, limit: &'static str) {
        self.0.instruments.connections_refused.add(1, &[KeyValue::new(attribute::LIMIT, limit)]);
    }

    /// A watcher came.
    pub fn watcher_came(&self) {
        self.0.instruments.watchers.add(1, &[]);
    }

    /// A watcher left, for whatever reason.
    pub fn watcher_left(&self) {
        self.0.instruments.watchers.add(-1, &[]);
    }

    /// A watcher was sent away because it was too slow.
    pub fn watcher_dropped(&self) {
        self.0.instruments.watchers_dropped.add(1, &[]);
    }

    /// First pages of hot subjects: those answered as they were kept, those that waited for a reading, and the readings.
    pub fn hot_reads(&self, hits: u64, misses: u64, readings: u64) {
        self.0.instruments.hot_hits.add(hits, &[]);
        self.0.instruments.hot_misses.add(misses, &[]);
        self.0.instruments.hot_readings.add(readings, &[]);
    }

    /// First pages of subjects that are not hot, and their readings.
    pub fn shared_pages(&self, pages: u64, readings: u64) {
        self.0.instruments.shared_pages.add(pages, &[]);
        self.0.instruments.shared_readings.add(readings, &[]);
    }

    /// So many first pages are kept, in so many bytes.
    pub fn hot_pages(&self, pages: usize, bytes: usize) {
        self.0.instruments.hot_pages.record(pages as u64, &[]);
        self.0.instruments.hot_bytes.record(bytes as u64, &[]);
    }

    /// Sends what was measured, if anything is sent, and measures nothing more.
    pub(super) fn shut(&self, timeout: Duration) -> OTelSdkResult {
        self.0.provider.shutdown_with_timeout(timeout)
    }

    /// All of it as Prometheus scrapes it.
    ///
    /// # Errors
    /// Only for names that Prometheus does not take, which a test rules out.
    pub fn text(&self) -> Result<String, prometheus::Error> {
        TextEncoder::new().encode_to_string(&self.0.registry.gather())
    }

    /// The same as OpenMetrics, where buckets of durations name the last sampled span that fell into them.
    #[must_use]
    pub fn open_metrics(&self) -> String {
        // These first: whatever an exemplar is kept of was counted before.
        let exemplars = self.0.instruments.traced().map(ExemplarHistogram::exemplars);
        openmetrics::text(&self.0.registry.gather(), &exemplars)
    }
}

impl riposte_store::TransactionObserver for Metrics {
    fn transaction(&self, system: &'static str, name: &'static str, took: Duration, failed: Option<&'static str>) {
        self.operation(system, name.into(), took, failed);
    }

    fn connection(&self, source: usize, pool: &'static str, took: Duration, begun: bool) {
        let Instruments { connection_wait, connection_failures, .. } = &self.0.instruments;
        let name = pool_name(source, pool);
        if begun {
            connection_wait.record(took.as_secs_f64(), &[name]);
        } else {
            connection_failures.add(1, &[name]);
        }
    }
}

impl riposte_cache::RedisObserver for Metrics {
    fn trip(&self, function: &str, took: Duration, failed: bool) {
        self.operation("redis", function.to_owned().into(), took, failed.then_some("away"));
    }
}

impl Metrics {
    fn operation(&self, system: &'static str, name: StringValue, took: Duration, failed: Option<&'static str>) {
        let name = KeyValue::new(attribute::DB_OPERATION_NAME, name);
        let whole = [
            KeyValue::new(attribute::DB_SYSTEM_NAME, system),
            name,
            KeyValue::new(attribute::ERROR_TYPE, failed.unwrap_or_default()),
        ];
        let told = if failed.is_some() { &whole[..] } else { &whole[..2] };
        self.0.instruments.operation_duration.record(took, told, &Span::current());
    }
}

/// The pools of all data sources, as they are now.
fn pools(sources: &Weak<DataSources>) -> Vec<(KeyValue, PoolState)> {
    let Some(sources) = sources.upgrade() else { return Vec::new() };
    let all = sources.all().iter().enumerate();
    all.flat_map(|(n, source)| source.pools().map(|pool| (pool_name(n, pool.name), pool))).collect()
}

/// The attribute of a pool of a data source, from 0 on.
fn pool_name(source: usize, pool: &str) -> KeyValue {
    KeyValue::new(attribute::DB_CLIENT_CONNECTION_POOL_NAME, format!("{}/{pool}", source + 1))
}

/// The label of a data source: people count them from 1, as the log and the migrations do.
fn place(source: usize) -> KeyValue {
    KeyValue::new(attribute::SOURCE, (source + 1).to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use riposte_cache::RedisObserver;
    use riposte_store::TransactionObserver;

    use super::{CacheStats, ExportStats, Metrics};
    use crate::telemetry::instruments::SCRAPED;

    fn seen() -> Metrics {
        let metrics = Metrics::new().expect("sound");
        metrics.relay_lag(0, 0.25);
        metrics.projection_lag(1, "history", 7);
        metrics.drifted("root_count");
        metrics.verified(1);
        metrics.batch(0, "likes", 12, 3);
        metrics.refused(0, "comments");
        metrics.call_refused("reads", "best_effort");
        metrics.connection_refused("total");
        metrics.reloaded(false, 1);
        metrics.certificate(1_700_000_000, 1_800_000_000);
        metrics.caller_refused("jwt_expired");
        metrics.audit_failed();
        metrics.watcher_came();
        metrics.watcher_came();
        metrics.watcher_left();
        metrics.watcher_dropped();
        metrics.unmended(0, true);
        metrics.copies(CacheStats::default());
        metrics.hot_reads(97, 3, 2);
        metrics.shared_pages(9, 5);
        metrics.hot_pages(4, 4096);
        metrics.ready(true);
        metrics.exports(ExportStats::default());
        metrics.transaction("mysql", "commit comments", Duration::from_millis(4), None);
        metrics.connection(1, "write", Duration::from_millis(1), true);
        metrics.connection(0, "read", Duration::from_secs(2), false);
        metrics.trip("page", Duration::from_millis(100), true);
        metrics
    }

    #[test]
    fn what_alerts_wait_for_is_told_before_it_happens() {
        let text = Metrics::new().expect("sound").text().expect("names are sound");
        for line in ["riposte_audit_failures_total 0", "riposte_reloads_total{outcome=\"refused\"} 0"] {
            assert!(text.lines().any(|told| told == line), "{line} is missing in\n{text}");
        }
    }

    #[test]
    fn every_metric_is_told_under_its_name() {
        let text = seen().text().expect("names are sound");
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
            "riposte_copies_unmended{source=\"1\"} 1",
            "riposte_cache_total{what=\"hit\"} 0",
            "riposte_hot_hits_total 97",
            "riposte_hot_misses_total 3",
            "riposte_hot_readings_total 2",
            "riposte_shared_pages_total 9",
            "riposte_shared_readings_total 5",
            "riposte_hot_pages 4",
            "riposte_hot_bytes 4096",
            "riposte_ready 1",
            "riposte_build_info{version=\"0.1.0\"} 1",
            "riposte_telemetry_exports_total{outcome=\"ok\",signal=\"traces\"} 0",
            "riposte_connection_failures_total{db_client_connection_pool_name=\"1/read\"} 1",
            "db_client_connection_wait_time_seconds_count{db_client_connection_pool_name=\"2/write\"} 1",
            "db_client_operation_duration_seconds_count{db_operation_name=\"commit comments\",db_system_name=\"mysql\"} 1",
            "db_client_operation_duration_seconds_count{db_operation_name=\"page\",db_system_name=\"redis\",error_type=\"away\"} 1",
        ] {
            assert!(text.lines().any(|told| told == line), "{line} is not in\n{text}");
        }
    }

    #[tokio::test]
    async fn what_is_told_is_what_is_registered() {
        let metrics = seen();
        let headers = http::HeaderMap::new();
        let id = http::HeaderValue::from_static("id");
        let mut call = metrics.calls(Vec::new()).begin("/riposte.v1.LikeService/SetLike", &headers, &id);
        call.by(&riposte_core::Caller::unrestricted("web"));
        call.succeeded();
        let config = riposte_store::StoreConfig::sqlite(None);
        let store = riposte_store::SqlStore::open(&config, std::sync::Arc::new(super::SystemClock)).expect("a folder");
        metrics.connections(&store);
        let text = metrics.text().expect("names are sound");
        let told = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
        assert_eq!(told.collect::<BTreeSet<_>>(), SCRAPED.iter().copied().collect::<BTreeSet<_>>());
        store.close().await;
    }

    #[test]
    fn what_is_not_to_be_scraped_is_not_kept_for_it() {
        let metrics = Metrics::with(super::MeterProviderBuilder::default(), false).expect("sound");
        metrics.refused(0, "likes");
        assert_eq!(metrics.text().expect("empty"), "");
    }
}
