//! OpenMetrics 1.0: the text format of Prometheus with units, exemplars and an end marker. No crate
//! writes it from an existing registry: `prometheus` supports only the older text format, and
//! `prometheus-client` accepts exemplars only from its own histograms.

use prometheus::proto::{Histogram, LabelPair, Metric, MetricFamily, MetricType};

use super::exemplars::{Buckets, Exemplar, Exemplars, Labels};

/// The units that a metric name can end with.
const UNITS: [&str; 2] = ["seconds", "bytes"];
/// The suffix of the name of a counter's sample; the name of its family does not have it.
const TOTAL: &str = "_total";

/// Returns the text of all families, with the exemplars of those that have some.
pub(super) fn text(families: &[MetricFamily], exemplars: &[Exemplars]) -> String {
    let mut text = String::new();
    for family in families {
        write_header(&mut text, family);
        let name = family.name();
        let exemplars = exemplars.iter().find(|exemplars| exemplars.name == name);
        for metric in family.get_metric() {
            let labels = metric.get_label();
            match family.get_field_type() {
                MetricType::COUNTER => {
                    let name = [family_name(name), TOTAL].concat();
                    write_sample(&mut text, (&name, labels, None), metric.get_counter().get_value(), None);
                }
                MetricType::GAUGE => {
                    write_sample(&mut text, (name, labels, None), metric.get_gauge().get_value(), None)
                }
                MetricType::HISTOGRAM => {
                    let buckets = exemplars.and_then(|exemplars| exemplars.series.get(&labels_of(metric)));
                    write_histogram(&mut text, (name, labels), metric.get_histogram(), buckets);
                }
                // The SDK has no such instruments.
                MetricType::SUMMARY | MetricType::UNTYPED => {}
            }
        }
    }
    text + "# EOF\n"
}

/// Writes the type, the unit and the help text of a family.
fn write_header(text: &mut String, family: &MetricFamily) {
    let (kind, name) = match family.get_field_type() {
        MetricType::COUNTER => ("counter", family_name(family.name())),
        MetricType::GAUGE => ("gauge", family.name()),
        MetricType::HISTOGRAM => ("histogram", family.name()),
        MetricType::SUMMARY | MetricType::UNTYPED => return,
    };
    *text += &format!("# TYPE {name} {kind}\n");
    let unit = UNITS.iter().find(|unit| name.strip_suffix(*unit).is_some_and(|rest| rest.ends_with('_')));
    if let Some(unit) = unit {
        *text += &format!("# UNIT {name} {unit}\n");
    }
    *text += &format!("# HELP {name} {}\n", escaped(family.help()));
}

/// Writes the buckets of a series, then its count and sum.
fn write_histogram(
    text: &mut String,
    (name, labels): (&str, &[LabelPair]),
    histogram: &Histogram,
    exemplars: Option<&Buckets>,
) {
    let bucket_name = format!("{name}_bucket");
    // A bound is written as a number with a decimal point.
    let bounds =
        histogram.get_bucket().iter().map(|bucket| (format!("{:?}", bucket.upper_bound()), bucket.cumulative_count()));
    for (number, (bound, count)) in bounds.chain([("+Inf".to_owned(), histogram.get_sample_count())]).enumerate() {
        let exemplar = exemplars.and_then(|buckets| buckets.get(number)?.as_ref());
        write_sample(text, (&bucket_name, labels, Some(&bound)), count as f64, exemplar);
    }
    write_sample(text, (&format!("{name}_count"), labels, None), histogram.get_sample_count() as f64, None);
    write_sample(text, (&format!("{name}_sum"), labels, None), histogram.get_sample_sum(), None);
}

/// Writes one line: a series, with its bound if it is a bucket.
fn write_sample(
    text: &mut String,
    (name, labels, bound): (&str, &[LabelPair], Option<&str>),
    value: f64,
    exemplar: Option<&Exemplar>,
) {
    let labels = labels.iter().map(|label| (label.name(), label.value())).chain(bound.map(|bound| ("le", bound)));
    let labels: Vec<String> = labels.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    *text += &format!("{name}{labels} {value}{}\n", exemplar.map(exemplar_text).unwrap_or_default());
}

/// Returns the text of an exemplar. The names and values of its labels have 63 characters together;
/// the limit is 128.
fn exemplar_text(Exemplar { trace, span, value, time_millis }: &Exemplar) -> String {
    let (seconds, millis) = (time_millis / 1_000, time_millis % 1_000);
    format!(" # {{trace_id=\"{trace}\",span_id=\"{span}\"}} {value} {seconds}.{millis:03}")
}

/// Returns the name of the family of a counter.
fn family_name(name: &str) -> &str {
    name.strip_suffix(TOTAL).unwrap_or(name)
}

fn labels_of(metric: &Metric) -> Labels {
    metric.get_label().iter().map(|label| (label.name().to_owned(), label.value().to_owned())).collect()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use opentelemetry::KeyValue;
    use opentelemetry::metrics::MeterProvider;
    use opentelemetry_sdk::metrics::SdkMeterProvider;
    use prometheus::Registry;

    use super::super::exemplars::{Exemplar, Exemplars, Labels};
    use super::text;

    #[test]
    fn a_scrape_follows_the_format() {
        let registry = Registry::new();
        let exporter = opentelemetry_prometheus::exporter().with_registry(registry.clone()).without_target_info();
        let provider = SdkMeterProvider::builder()
            .with_reader(exporter.scope_info_enabled(false).build().expect("a registry of its own"))
            .build();
        let meter = provider.meter("test");
        meter.u64_counter("hits").with_description("Hits, \"all\"").build().add(3, &[KeyValue::new("a.b", "c\"\\\nd")]);
        meter.f64_gauge("age_seconds").with_description("Age").build().record(-0.5, &[]);
        let bounds = vec![0.25, 10.0];
        let histogram = meter.f64_histogram("call").with_unit("s").with_description("Calls").with_boundaries(bounds);
        let histogram = histogram.build();
        let method = [KeyValue::new("rpc.method", "x")];
        [0.125, 0.25, 12.0].iter().for_each(|value| histogram.record(*value, &method));
        let exemplar = Exemplar { trace: 0xabc.into(), span: 0xd.into(), value: 0.25, time_millis: 1_700_000_000_007 };
        let labels = Labels::from([("rpc_method".to_owned(), "x".to_owned())]);
        let series = HashMap::from([(labels, vec![Some(exemplar), None, None].into())]);
        let expected = r#"# TYPE age_seconds gauge
# UNIT age_seconds seconds
# HELP age_seconds Age
age_seconds -0.5
# TYPE call_seconds histogram
# UNIT call_seconds seconds
# HELP call_seconds Calls
call_seconds_bucket{rpc_method="x",le="0.25"} 2 # {trace_id="00000000000000000000000000000abc",span_id="000000000000000d"} 0.25 1700000000.007
call_seconds_bucket{rpc_method="x",le="10.0"} 2
call_seconds_bucket{rpc_method="x",le="+Inf"} 3
call_seconds_count{rpc_method="x"} 3
call_seconds_sum{rpc_method="x"} 12.375
# TYPE hits counter
# HELP hits Hits, \"all\"
hits_total{a_b="c\"\\\nd"} 3
# EOF
"#;
        assert_eq!(text(&registry.gather(), &[Exemplars { name: "call_seconds", series }]), expected);
    }

    #[test]
    fn without_metrics_the_text_is_the_end_marker() {
        assert_eq!(text(&[], &[]), "# EOF\n");
    }
}
