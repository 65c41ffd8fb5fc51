//! The exported metrics, by name and value.

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
    metrics.standings(3, Duration::from_secs(1));
    metrics.clock_was_ahead(1);
    metrics.drifted("root_count");
    metrics.verified(1);
    metrics.batch(0, "likes", 12, 3);
    metrics.refused(0, "comments");
    metrics.call_refused("reads", "best_effort");
    metrics.connection_refused("total");
    metrics.reloaded(false, 1);
    metrics.word_lists_refused(1);
    metrics.word_list_version("spam", "0123456789abcdef");
    metrics.certificate(1_700_000_000, 1_800_000_000);
    metrics.authentication_failed("jwt_expired");
    metrics.audit_failed();
    metrics.watch_opened();
    metrics.watch_opened();
    metrics.watch_ended();
    metrics.watch_dropped();
    metrics.event_stream_opened();
    metrics.event_stream_opened();
    metrics.event_stream_ended();
    metrics.event_stream_dropped();
    metrics.events_sent(3);
    metrics.event_gap();
    metrics.cache_stale(0, true);
    metrics.cache_events(|| [("hit", 0)]);
    metrics.connections(|| vec![ConnectionPool { source: 0, name: "read", used: 1, idle: 2, max: 8 }]);
    metrics.response_cache_reads(97, 3, 2);
    metrics.coalesced_pages(9, 5);
    metrics.response_cache_size(4, 4096);
    metrics.policy_judged(("video", "list", "hold"), Duration::from_micros(3));
    metrics.policy_rule_hit("video", "spam");
    metrics.filter_called("decided");
    metrics.accounts_called("decided");
    metrics.held_by_outage("video", 5);
    metrics.topic_event(0, Duration::from_millis(3));
    metrics.topic_gap(1);
    metrics.topic_fault("brokers", true);
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
        "riposte_event_streams 1",
        "riposte_event_streams_dropped_total 1",
        "riposte_events_sent_total 3",
        "riposte_event_gaps_total 1",
        "riposte_cache_stale{source=\"1\"} 1",
        "riposte_cache_events_total{event=\"hit\"} 0",
        "riposte_response_cache_hits_total 97",
        "riposte_response_cache_misses_total 3",
        "riposte_response_cache_loads_total 2",
        "riposte_coalesced_pages_total 9",
        "riposte_coalesced_loads_total 5",
        "riposte_response_cache_pages 4",
        "riposte_response_cache_bytes 4096",
        "riposte_policy_outcomes_total{object_type=\"video\",outcome=\"hold\",source=\"list\"} 1",
        "riposte_policy_seconds_count 1",
        "riposte_policy_rule_hits_total{object_type=\"video\",rule=\"spam\"} 1",
        "riposte_filter_calls_total{outcome=\"decided\"} 1",
        "riposte_account_calls_total{outcome=\"decided\"} 1",
        "riposte_held_by_outage{object_type=\"video\"} 5",
        "riposte_topic_delay_seconds_count{source=\"1\"} 1",
        "riposte_topic_gaps_total{source=\"2\"} 1",
        "riposte_topic_fault{cause=\"brokers\"} 1",
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
