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

    /// Records that the topic has stored an event of a data source (from 0), this long after its
    /// commit.
    pub fn topic_event(&self, source: usize, delay: Duration) {
        self.0.instruments.topic_delay.record(delay.as_secs_f64(), &[source_label(source)]);
    }

    /// Counts a gap of a data source (from 0) that was reported to the readers of the topic.
    pub fn topic_gap(&self, source: usize) {
        self.0.instruments.topic_gaps.add(1, &[source_label(source)]);
    }

    /// Records whether no event can be sent to the topic for a cause.
    pub fn topic_fault(&self, cause: &'static str, is_present: bool) {
        self.0.instruments.topic_fault.record(is_present.into(), &[KeyValue::new(attribute::CAUSE, cause)]);
    }

    /// Counts a decision of a moderator.
    pub fn decided(&self, action: &'static str, automation: &'static str) {
        let labels = [KeyValue::new(attribute::ACTION, action), KeyValue::new(attribute::AUTOMATION, automation)];
        self.0.instruments.decisions.add(1, &labels);
    }

    /// Counts a text that the policy judged, by object type, step and outcome, and records the
    /// duration.
    pub fn policy_judged(&self, (object_type, step, outcome): (&str, &'static str, &'static str), took: Duration) {
        let labels = [
            KeyValue::new(attribute::OBJECT_TYPE, object_type.to_owned()),
            KeyValue::new(attribute::SOURCE, step),
            KeyValue::new(attribute::OUTCOME, outcome),
        ];
        self.0.instruments.policy_outcomes.add(1, &labels);
        self.0.instruments.policy_duration.record(took.as_secs_f64(), &[]);
    }

    /// Counts a call of the filter.
    pub fn filter_called(&self, outcome: &'static str) {
        self.0.instruments.filter_calls.add(1, &[KeyValue::new(attribute::OUTCOME, outcome)]);
    }

    /// Counts a call of the account service.
    pub fn accounts_called(&self, outcome: &'static str) {
        self.0.instruments.account_calls.add(1, &[KeyValue::new(attribute::OUTCOME, outcome)]);
    }

    /// Records the number of texts of an object type that an outage of a service holds.
    pub fn held_by_outage(&self, object_type: &str, texts: u64) {
        let label = [KeyValue::new(attribute::OBJECT_TYPE, object_type.to_owned())];
        self.0.instruments.held_by_outage.record(texts, &label);
    }

    /// Counts a text in which a word list or a rule found something.
    pub fn policy_rule_hit(&self, object_type: &str, rule: &str) {
        let object_type = KeyValue::new(attribute::OBJECT_TYPE, object_type.to_owned());
        self.0.instruments.policy_rule_hits.add(1, &[object_type, KeyValue::new(attribute::RULE, rule.to_owned())]);
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

    /// Records the number of standings in memory, and the time since they were read.
    pub fn standings(&self, count: usize, age: Duration) {
        self.0.instruments.standings.record(count as u64, &[]);
        self.0.instruments.standings_age.record(age.as_secs_f64(), &[]);
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

    /// Counts a reload after files of callers, keys, certificates, secrets or word lists have
    /// changed. `used` is true if the new contents are now in use. `refused` is the number of files
    /// whose present content is refused, without word lists.
    pub fn reloaded(&self, used: bool, refused: usize) {
        self.0.instruments.files_refused.record(refused as u64, &[]);
        self.0.instruments.reloads.add(1, &[KeyValue::new(attribute::OUTCOME, if used { "used" } else { "refused" })]);
    }

    /// Records the number of word lists whose present files are refused.
    pub fn word_lists_refused(&self, refused: usize) {
        self.0.instruments.word_lists_refused.record(refused as u64, &[]);
    }

    /// Records the version of a word list: hex digits, of which the first 12 fit the value of a
    /// metric exactly.
    pub fn word_list_version(&self, list: &str, version: &str) {
        let digits = version.get(..12).unwrap_or(version);
        let number = u64::from_str_radix(digits, 16).unwrap_or_default();
        self.0.instruments.word_list_version.record(number, &[KeyValue::new(attribute::LIST, list.to_owned())]);
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

    /// Counts a Subscribe stream that was opened.
    pub fn event_stream_opened(&self) {
        self.0.instruments.event_streams.add(1, &[]);
    }

    /// Counts a Subscribe stream that has ended, for any reason.
    pub fn event_stream_ended(&self) {
        self.0.instruments.event_streams.add(-1, &[]);
    }

    /// Counts a Subscribe stream that was ended because its client reads too slowly.
    pub fn event_stream_dropped(&self) {
        self.0.instruments.event_streams_dropped.add(1, &[]);
    }

    /// Counts events that were sent to subscribers.
    pub fn events_sent(&self, count: u64) {
        self.0.instruments.events_sent.add(count, &[]);
    }

    /// Counts a gap that was reported to a subscriber.
    pub fn event_gap(&self) {
        self.0.instruments.event_gaps.add(1, &[]);
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
mod tests;
