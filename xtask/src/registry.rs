//! The registry of the server's telemetry: server/telemetry/*.yaml. Instruments and the reference
//! page are generated from it; dashboards and alerts are checked against it.

use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const FOLDER: &str = "server/telemetry";

/// The contents of all three files.
#[derive(Debug)]
pub(crate) struct Registry {
    pub(crate) metrics: Metrics,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) spans: Vec<TraceSpan>,
}

/// The contents of metrics.yaml.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Metrics {
    /// Upper bounds of histograms, by the name of the set.
    pub(crate) buckets: BTreeMap<String, Vec<f64>>,
    pub(crate) groups: Vec<Group>,
}

/// Metrics of one part of the service.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) metrics: Vec<Metric>,
}

/// One metric.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Metric {
    pub(crate) field: String,
    pub(crate) name: String,
    pub(crate) instrument: Instrument,
    pub(crate) value: String,
    #[serde(default)]
    pub(crate) unit: String,
    pub(crate) buckets: Option<String>,
    /// Its samples have exemplars, which name spans, if `true`.
    #[serde(default)]
    pub(crate) exemplars: bool,
    pub(crate) description: String,
    pub(crate) attributes: Vec<String>,
}

/// The instrument of a metric. Observable ones are read when metrics are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Instrument {
    Counter,
    UpDownCounter,
    Gauge,
    Histogram,
    ObservableCounter,
    ObservableGauge,
}

/// One attribute.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) description: String,
}

/// One kind of span.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceSpan {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) description: String,
    pub(crate) attributes: Vec<String>,
}

impl Registry {
    /// Reads and checks all three files.
    pub(crate) fn read(repo: &Repo) -> Result<Self> {
        let registry = Self {
            metrics: part(repo, "metrics")?,
            attributes: part(repo, "attributes")?,
            spans: part(repo, "spans")?,
        };
        registry.sound()?;
        Ok(registry)
    }

    /// Returns every metric, in the order of the file.
    pub(crate) fn metrics(&self) -> impl Iterator<Item = &Metric> {
        self.metrics.groups.iter().flat_map(|group| &group.metrics)
    }

    /// Returns every series name of a scrape, including the buckets, sums and counts of histograms.
    pub(crate) fn series(&self) -> BTreeSet<String> {
        self.metrics().flat_map(Metric::series).collect()
    }

    /// Returns the series whose samples have exemplars.
    pub(crate) fn exemplars(&self) -> BTreeSet<String> {
        let traced = self.metrics().filter(|metric| metric.exemplars);
        traced.map(|metric| format!("{}_bucket", metric.scraped())).collect()
    }

    /// Checks that names are unique and that every reference resolves.
    fn sound(&self) -> Result<()> {
        let known: BTreeSet<&str> = self.attributes.iter().map(|of| of.name.as_str()).collect();
        ensure!(known.len() == self.attributes.len(), "an attribute is registered twice");
        let (mut names, mut fields) = (BTreeSet::new(), BTreeSet::new());
        for metric in self.metrics() {
            let Metric { field, name, instrument, unit, value, buckets, exemplars, .. } = metric;
            ensure!(names.insert(name) && fields.insert(field), "{name} is registered twice");
            ensure!(buckets.is_some() == (*instrument == Instrument::Histogram), "{name}: buckets go with a histogram");
            let duration = *instrument == Instrument::Histogram && unit == "s" && value == "f64";
            ensure!(!exemplars || duration, "{name}: exemplars go with a histogram of seconds");
            if let Some(set) = buckets {
                ensure!(self.metrics.buckets.contains_key(set), "{name}: there are no buckets {set}");
            }
        }
        let of_metrics = self.metrics().map(|of| (&of.name, &of.attributes));
        for (name, attributes) in of_metrics.chain(self.spans.iter().map(|of| (&of.name, &of.attributes))) {
            for attribute in attributes {
                ensure!(known.contains(attribute.as_str()), "{name}: there is no attribute {attribute}");
            }
        }
        Ok(())
    }
}

impl Metric {
    /// Returns the unit for exporters. It is empty for a name that ends in `_seconds` and so
    /// contains it.
    pub(crate) fn shown_unit(&self) -> &str {
        if self.name.ends_with("_seconds") { "" } else { &self.unit }
    }

    /// Returns the name in a scrape, without the suffixes of histograms.
    pub(crate) fn scraped(&self) -> String {
        let unit = if self.shown_unit() == "s" { "_seconds" } else { "" };
        let counts = matches!(self.instrument, Instrument::Counter | Instrument::ObservableCounter);
        format!("{}{unit}{}", self.name.replace('.', "_"), if counts { "_total" } else { "" })
    }

    fn series(&self) -> Vec<String> {
        let name = self.scraped();
        if self.instrument == Instrument::Histogram {
            ["bucket", "sum", "count"].iter().map(|end| format!("{name}_{end}")).collect()
        } else {
            vec![name]
        }
    }
}

fn part<T: DeserializeOwned>(repo: &Repo, name: &str) -> Result<T> {
    let path = format!("{FOLDER}/{name}.yaml");
    let text = fs::read_to_string(repo.at(&path)).with_context(|| format!("cannot read {path}"))?;
    yaml_serde::from_str(&text).with_context(|| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str, instrument: Instrument, unit: &str) -> Metric {
        Metric {
            field: "a".to_owned(),
            name: name.to_owned(),
            instrument,
            value: "u64".to_owned(),
            unit: unit.to_owned(),
            buckets: (instrument == Instrument::Histogram).then(|| "duration".to_owned()),
            exemplars: false,
            description: String::new(),
            attributes: vec![],
        }
    }

    #[test]
    fn series_are_named_as_a_scrape_names_them() {
        let series = |name: &str, instrument, unit: &str| metric(name, instrument, unit).series();
        assert_eq!(series("riposte_hits", Instrument::Counter, ""), ["riposte_hits_total"]);
        assert_eq!(series("riposte_lag_seconds", Instrument::Gauge, "s"), ["riposte_lag_seconds"]);
        assert_eq!(
            series("a.call.duration", Instrument::Histogram, "s"),
            ["a_call_duration_seconds_bucket", "a_call_duration_seconds_sum", "a_call_duration_seconds_count"]
        );
    }

    #[test]
    fn what_is_twice_or_refers_to_nothing_is_refused() {
        let group = |metrics| Group { title: String::new(), metrics };
        let registry = |metrics| Registry {
            metrics: Metrics { buckets: BTreeMap::new(), groups: vec![group(metrics)] },
            attributes: vec![],
            spans: vec![],
        };
        let gauge = || metric("a", Instrument::Gauge, "");
        assert!(registry(vec![gauge()]).sound().is_ok());
        assert!(registry(vec![gauge(), gauge()]).sound().is_err());
        assert!(registry(vec![metric("a", Instrument::Histogram, "s")]).sound().is_err(), "no such buckets");
        assert!(registry(vec![Metric { exemplars: true, ..gauge() }]).sound().is_err(), "a gauge has no buckets");
        assert!(registry(vec![Metric { attributes: vec!["b".to_owned()], ..gauge() }]).sound().is_err());
    }
}
