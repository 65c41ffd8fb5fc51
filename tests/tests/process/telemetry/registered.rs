//! All telemetry that is sent is named in the registry.

use anyhow::{Result, ensure};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;

use super::receiver::Receiver;

const METRICS: &str = include_str!("../../../../server/telemetry/metrics.yaml");
const SPANS: &str = include_str!("../../../../server/telemetry/spans.yaml");
const ATTRIBUTES: &str = include_str!("../../../../server/telemetry/attributes.yaml");

/// Returns `true` if a file of the registry has an entry of this name.
fn has(registry: &str, name: &str) -> bool {
    let entry = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ").trim_start_matches('{');
        let rest = line.strip_prefix("name: ")?;
        Some(rest.split(',').next()?.trim() == name)
    };
    registry.lines().filter_map(entry).any(|same| same)
}

/// Returns the attributes of all points of a metric.
fn attributes(metric: &Metric) -> Vec<KeyValue> {
    match &metric.data {
        Some(Data::Gauge(of)) => of.data_points.iter().flat_map(|point| point.attributes.clone()).collect(),
        Some(Data::Sum(of)) => of.data_points.iter().flat_map(|point| point.attributes.clone()).collect(),
        Some(Data::Histogram(of)) => of.data_points.iter().flat_map(|point| point.attributes.clone()).collect(),
        Some(Data::ExponentialHistogram(_) | Data::Summary(_)) | None => Vec::new(),
    }
}

/// Checks that every sent name of a metric, a span and an attribute is registered, and that each
/// signal was sent.
pub(super) fn all(receiver: &Receiver) -> Result<()> {
    let (metrics, spans) = (receiver.metrics(), receiver.spans());
    ensure!(!metrics.is_empty() && !receiver.logs().is_empty(), "metrics and logs were sent");
    for metric in &metrics {
        ensure!(has(METRICS, &metric.name), "the metric {} is not registered", metric.name);
    }
    for span in &spans {
        let known = has(SPANS, &span.name) || span.name.starts_with("riposte.v1.");
        ensure!(known, "the span {} is not registered", span.name);
    }
    let of_spans = spans.iter().flat_map(|span| span.attributes.clone());
    for KeyValue { key, .. } in metrics.iter().flat_map(attributes).chain(of_spans) {
        ensure!(has(ATTRIBUTES, &key), "the attribute {key} is not registered");
    }
    Ok(())
}
