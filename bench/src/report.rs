//! The figures of a measurement.

use crate::cpu::Meter;
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The measured part of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeasuredTime {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
}

/// The figures of one measurement, printed as one line.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The number of successful operations within the measured time.
    operations: u64,
    /// The number of failed operations; they count in no other figure.
    errors: u64,
    /// Length of the measured time, in seconds.
    seconds: f64,
    /// Operations per second.
    rate: f64,
    /// The 50th, 99th and 99.9th percentiles of the latency, in milliseconds.
    p50_ms: f64,
    p99_ms: f64,
    p999_ms: f64,
    /// The 99th percentile of the concurrent operations of other kinds, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    aside_p99_ms: BTreeMap<&'static str, f64>,
    /// The operations of other kinds per second, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    aside_rate: BTreeMap<&'static str, f64>,
    /// The statements that the database received per operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    statements: Option<f64>,
    /// The percentage of pages that were served from the response cache, by the service's count.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_percent: Option<f64>,
    /// CPU of this process per operation, in microseconds.
    client_cpu_us: f64,
    /// CPU of the watched processes per operation, by name, in microseconds.
    watched_cpu_us: BTreeMap<String, f64>,
}

/// The latencies of some operations.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    // A list of all values and not a histogram: a measurement has under a million, and percentiles
    // are then exact.
    nanos: Vec<u64>,
    errors: u64,
    first_error: Option<String>,
    aside: BTreeMap<&'static str, Samples>,
}

impl Samples {
    /// Counts one operation.
    pub(crate) fn take(&mut self, latency: Duration, outcome: Result<()>) {
        match outcome {
            Ok(()) => self.nanos.push(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX)),
            Err(error) => {
                self.errors += 1;
                self.first_error.get_or_insert_with(|| format!("{error:#}"));
            }
        }
    }

    /// Returns the samples of the concurrent operations of another kind.
    pub(crate) fn aside(&mut self, kind: &'static str) -> &mut Self {
        self.aside.entry(kind).or_default()
    }

    /// Adds the operations of another caller.
    pub(crate) fn add(&mut self, other: Self) {
        for (kind, aside) in other.aside {
            self.aside(kind).add(aside);
        }
        self.nanos.extend(other.nanos);
        self.errors += other.errors;
        self.first_error = self.first_error.take().or(other.first_error);
    }

    /// Returns the figures; an error if no operation succeeded.
    pub(crate) fn report(mut self, window: MeasuredTime, meter: &Meter) -> Result<Report> {
        for aside in self.aside.values_mut() {
            aside.nanos.sort_unstable();
            self.errors += aside.errors;
            self.first_error = self.first_error.take().or(aside.first_error.take());
        }
        let error = self.first_error.unwrap_or_else(|| "none was answered in time".to_owned());
        if self.nanos.is_empty() {
            bail!("no operation succeeded: {error}");
        }
        if self.errors > 0 {
            eprintln!("{} operations failed, the first with: {error}", self.errors);
        }
        self.nanos.sort_unstable();
        let operations = self.nanos.len() as u64;
        let seconds = (window.until - window.from).as_secs_f64();
        Ok(Report {
            operations,
            errors: self.errors,
            seconds,
            rate: operations as f64 / seconds,
            p50_ms: percentile(&self.nanos, 50.0),
            p99_ms: percentile(&self.nanos, 99.0),
            p999_ms: percentile(&self.nanos, 99.9),
            aside_rate: self.aside.iter().map(|(kind, aside)| (*kind, aside.nanos.len() as f64 / seconds)).collect(),
            statements: None,
            aside_p99_ms: self.aside.iter().map(|(kind, aside)| (*kind, percentile(&aside.nanos, 99.0))).collect(),
            kept_percent: None,
            client_cpu_us: meter.own(operations),
            watched_cpu_us: meter.watched(operations),
        })
    }
}

impl Report {
    /// Returns the operations per second.
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// Returns the operations of another kind per second.
    pub(crate) fn rate_aside(&self, kind: &str) -> f64 {
        self.aside_rate.get(kind).copied().unwrap_or_default()
    }

    /// Adds the statements that the database received within the measured time.
    pub(crate) fn with_statements(self, statements: u64) -> Self {
        Self { statements: Some(statements as f64 / self.operations.max(1) as f64), ..self }
    }

    /// Adds the percentage of pages that were served from the response cache.
    pub(crate) fn with_cached(self, percent: Option<f64>) -> Self {
        Self { kept_percent: percent, ..self }
    }
}

/// Returns the smallest latency that `percent` of the samples do not exceed, in milliseconds.
fn percentile(sorted: &[u64], percent: f64) -> f64 {
    let rank = (sorted.len() as f64 * percent / 100.0).ceil() as usize;
    sorted.get(rank.max(1) - 1).map_or(0.0, |nanos| *nanos as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_latency_that_occurred() {
        let sorted: Vec<u64> = (1..=1000).map(|ms| ms * 1_000_000).collect();
        assert_eq!((percentile(&sorted, 50.0), percentile(&sorted, 99.0)), (500.0, 990.0));
        assert_eq!((percentile(&sorted, 99.9), percentile(&sorted[..1], 99.9)), (999.0, 1.0));
    }

    #[test]
    fn failures_are_counted_separately_and_the_first_is_reported() {
        let mut samples = Samples::default();
        samples.take(Duration::from_millis(1), Ok(()));
        let mut others = Samples::default();
        others.take(Duration::from_millis(2), Err(anyhow::anyhow!("full")));
        samples.add(others);
        assert_eq!((samples.nanos.len(), samples.errors, samples.first_error.as_deref()), (1, 1, Some("full")));
    }
}
