//! Reports the outcomes of the store, of the cache and of outside services as metrics. These crates
//! define what they report, `riposte-telemetry` defines the instruments, and this module
//! translates.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{CacheEvent, CacheStats, RedisObserver};
use riposte_clients::{CallObserver, CallOutcome};
use riposte_store::{SqlStore, TransactionObserver};
use riposte_telemetry::{ConnectionPool, Metrics};

/// The number of leases that end without a verdict after which the review of a comment is stuck.
const STUCK_LEASES: i32 = 5;

/// Counts the calls of the filter.
#[derive(Debug, Clone)]
pub(crate) struct FilterCalls(pub(crate) Metrics);

impl CallObserver for FilterCalls {
    fn called(&self, outcome: CallOutcome) {
        self.0.filter_called(outcome.name());
    }
}

/// Counts the calls of the account service.
#[derive(Debug, Clone)]
pub(crate) struct AccountCalls(pub(crate) Metrics);

impl CallObserver for AccountCalls {
    fn called(&self, outcome: CallOutcome) {
        self.0.accounts_called(outcome.name());
    }
}

/// Records transactions, waits for connections and round trips to Redis.
#[derive(Debug, Clone)]
pub(crate) struct MetricsObserver(pub(crate) Metrics);

impl TransactionObserver for MetricsObserver {
    fn transaction(&self, system: &'static str, name: &'static str, duration: Duration, failed: Option<&'static str>) {
        self.0.operation(system, name.into(), duration, failed);
    }

    fn connection(&self, source: usize, pool: &'static str, duration: Duration, begun: bool) {
        self.0.connection_wait(source, pool, duration, begun);
    }

    fn clock_was_ahead(&self, source: usize) {
        self.0.clock_was_ahead(source);
    }

    fn lease_expired(&self, object_type: &str, leases: i32) {
        self.0.lease_expired(object_type, leases >= STUCK_LEASES);
    }
}

impl RedisObserver for MetricsObserver {
    fn round_trip(&self, function: &'static str, duration: Duration, failed: bool) {
        self.0.operation("redis", function.into(), duration, failed.then_some("unavailable"));
    }
}

/// Reports the outcomes of a store and its open connections, until the store is dropped.
pub(crate) fn observe_store(store: &SqlStore, metrics: &Metrics) {
    store.observe(Arc::new(MetricsObserver(metrics.clone())));
    let sources = Arc::downgrade(store.sources());
    metrics.connections(move || {
        let Some(sources) = sources.upgrade() else { return Vec::new() };
        let all = sources.all().iter().enumerate();
        all.flat_map(|(source, source_pools)| {
            source_pools.pools().map(|pool| ConnectionPool {
                source,
                name: pool.name,
                used: pool.used,
                idle: pool.idle,
                max: pool.max,
            })
        })
        .collect()
    });
}

/// Reports the counters of a cache.
pub(crate) fn observe_cache(stats: &CacheStats, metrics: &Metrics) {
    let stats = stats.clone();
    metrics.cache_events(move || CacheEvent::ALL.map(|(event, name)| (name, stats.of(event))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use riposte_store::StoreConfig;

    fn has(metrics: &Metrics, line: &str) -> bool {
        metrics.text().unwrap().lines().any(|written| written == line)
    }

    #[test]
    fn outcomes_of_store_and_redis_are_recorded() {
        let metrics = Metrics::new().unwrap();
        let observer = MetricsObserver(metrics.clone());
        observer.transaction("mysql", "commit comments", Duration::from_millis(4), None);
        observer.connection(1, "write", Duration::from_millis(1), true);
        observer.connection(0, "read", Duration::from_secs(2), false);
        observer.clock_was_ahead(1);
        observer.lease_expired("film", STUCK_LEASES - 1);
        observer.lease_expired("film", STUCK_LEASES);
        observer.round_trip("page", Duration::from_millis(100), true);
        observe_cache(&CacheStats::default(), &metrics);
        FilterCalls(metrics.clone()).called(CallOutcome::BreakerOpen);
        AccountCalls(metrics.clone()).called(CallOutcome::Timeout);
        for line in [
            "riposte_connection_failures_total{db_client_connection_pool_name=\"1/read\"} 1",
            "db_client_connection_wait_time_seconds_count{db_client_connection_pool_name=\"2/write\"} 1",
            "db_client_operation_duration_seconds_count{db_operation_name=\"commit comments\",db_system_name=\"mysql\"} 1",
            "db_client_operation_duration_seconds_count{db_operation_name=\"page\",db_system_name=\"redis\",error_type=\"unavailable\"} 1",
            "riposte_clock_ahead_total{source=\"2\"} 1",
            "riposte_review_expired_leases_total{object_type=\"film\"} 2",
            "riposte_review_stuck_total{object_type=\"film\"} 1",
            "riposte_cache_events_total{event=\"hit\"} 0",
            "riposte_filter_calls_total{outcome=\"breaker_open\"} 1",
            "riposte_account_calls_total{outcome=\"timeout\"} 1",
        ] {
            assert!(has(&metrics, line), "{line} is not in\n{}", metrics.text().unwrap());
        }
    }

    #[tokio::test]
    async fn connections_are_counted_until_the_store_is_dropped() {
        let metrics = Metrics::new().unwrap();
        let store = SqlStore::open(&StoreConfig::sqlite(None), Arc::new(SystemClock)).expect("a folder");
        observe_store(&store, &metrics);
        let series = |name: &str| metrics.text().unwrap().lines().filter(|line| line.starts_with(name)).count();
        assert!(series("db_client_connection_max{") > 0);
        assert_eq!(series("db_client_connection_count{"), 2 * series("db_client_connection_max{"));
        store.close().await;
    }
}
