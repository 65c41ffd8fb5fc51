//! The figures that riposte-bench reports, and their medians over several rounds.

use anyhow::{Context, Result};
use serde_json::Value;

/// The figures of one measurement, or medians of several.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Figures {
    /// Operations per second.
    pub(super) rate: f64,
    /// Latencies in milliseconds.
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) p999_ms: f64,
    /// The 99th percentile of the writes that ran concurrently with reads, in milliseconds; 0 if
    /// none did.
    pub(super) creates_p99_ms: f64,
    pub(super) likes_p99_ms: f64,
    /// The same of the writes to other subjects than the measured one.
    pub(super) bystander_p99_ms: f64,
    /// The percentage of pages that were served as they were cached; 0 if it was not counted.
    pub(super) kept_percent: f64,
    /// The creates per second that ran concurrently with the measured operations; 0 if none did.
    pub(super) creates_rate: f64,
    /// The statements that the database received per operation; 0 if they were not counted.
    pub(super) statements: f64,
    /// CPU per operation in microseconds, of all serving processes; 0 if none serves.
    pub(super) server_cpu_us: f64,
    pub(super) client_cpu_us: f64,
    pub(super) database_cpu_us: f64,
    pub(super) cache_cpu_us: f64,
    /// The cost of a service that nothing calls; 0 if it was not measured.
    pub(super) idle: Idle,
    /// Failed operations of all rounds together.
    pub(super) errors: f64,
}

/// The cost of a service that nothing calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Idle {
    /// The seconds until the polling had settled.
    pub(super) settling_s: f64,
    /// The processor time of the serving processes, in percent of one core.
    pub(super) core_percent: f64,
    /// Statements on the data source per second.
    pub(super) questions: f64,
    /// Calls to Redis per second.
    pub(super) redis_calls: f64,
}

/// The names under which riposte-bench reports the CPU of the processes.
pub(super) const SERVER: &str = "server";
pub(super) const DATABASE: &str = "database";
pub(super) const CACHE: &str = "cache";

impl Figures {
    /// Parses the line that riposte-bench writes.
    pub(super) fn parse(output: &Value) -> Result<Self> {
        let number = |name: &str| output[name].as_f64().with_context(|| format!("no {name} in {output}"));
        let watched = |name: &str| output["watched_cpu_us"][name].as_f64().unwrap_or_default();
        Ok(Self {
            rate: number("rate")?,
            p50_ms: number("p50_ms")?,
            p99_ms: number("p99_ms")?,
            p999_ms: number("p999_ms")?,
            creates_p99_ms: output["aside_p99_ms"]["creates"].as_f64().unwrap_or_default(),
            likes_p99_ms: output["aside_p99_ms"]["likes"].as_f64().unwrap_or_default(),
            bystander_p99_ms: output["aside_p99_ms"]["bystander"].as_f64().unwrap_or_default(),
            kept_percent: output["kept_percent"].as_f64().unwrap_or_default(),
            creates_rate: output["aside_rate"]["creates"].as_f64().unwrap_or_default(),
            statements: output["statements"].as_f64().unwrap_or_default(),
            server_cpu_us: watched(SERVER),
            client_cpu_us: number("client_cpu_us")?,
            database_cpu_us: watched(DATABASE),
            cache_cpu_us: watched(CACHE),
            idle: Idle::parse(&output["idle"]),
            errors: number("errors")?,
        })
    }

    /// Returns the cost of serving where queries to Redis and constant responses are the only work:
    /// the client of Redis is then the server. The rate is the one that a single core would reach.
    pub(super) fn added(redis: &Self, constant: &Self) -> Self {
        let server_cpu_us = redis.client_cpu_us + constant.server_cpu_us;
        let cache_cpu_us = redis.cache_cpu_us;
        let rate = 1e6 / (server_cpu_us + cache_cpu_us);
        Self { rate, server_cpu_us, cache_cpu_us, client_cpu_us: constant.client_cpu_us, ..Self::default() }
    }

    /// Returns the CPU per operation of all processes that serve from the cache.
    pub(super) fn served_cpu_us(&self) -> f64 {
        self.server_cpu_us + self.cache_cpu_us
    }

    /// Returns the CPU per operation of the serving processes and the database.
    pub(super) fn stored_cpu_us(&self) -> f64 {
        self.server_cpu_us + self.database_cpu_us
    }

    /// Returns the CPU per operation of all processes, with the load.
    pub(super) fn all_cpu_us(&self) -> f64 {
        self.stored_cpu_us() + self.cache_cpu_us + self.client_cpu_us
    }

    /// Returns the median of each figure separately; `None` if there are no rounds.
    pub(super) fn median(rounds: &[Self]) -> Option<Self> {
        let of = |figure: fn(&Self) -> f64| median(rounds.iter().map(figure).collect());
        Some(Self {
            rate: of(|figures| figures.rate)?,
            p50_ms: of(|figures| figures.p50_ms)?,
            p99_ms: of(|figures| figures.p99_ms)?,
            p999_ms: of(|figures| figures.p999_ms)?,
            creates_p99_ms: of(|figures| figures.creates_p99_ms)?,
            likes_p99_ms: of(|figures| figures.likes_p99_ms)?,
            bystander_p99_ms: of(|figures| figures.bystander_p99_ms)?,
            kept_percent: of(|figures| figures.kept_percent)?,
            creates_rate: of(|figures| figures.creates_rate)?,
            statements: of(|figures| figures.statements)?,
            server_cpu_us: of(|figures| figures.server_cpu_us)?,
            client_cpu_us: of(|figures| figures.client_cpu_us)?,
            database_cpu_us: of(|figures| figures.database_cpu_us)?,
            cache_cpu_us: of(|figures| figures.cache_cpu_us)?,
            idle: Idle {
                settling_s: of(|figures| figures.idle.settling_s)?,
                core_percent: of(|figures| figures.idle.core_percent)?,
                questions: of(|figures| figures.idle.questions)?,
                redis_calls: of(|figures| figures.idle.redis_calls)?,
            },
            errors: rounds.iter().map(|figures| figures.errors).sum(),
        })
    }
}

impl Idle {
    fn parse(output: &Value) -> Self {
        let number = |name: &str| output[name].as_f64().unwrap_or_default();
        Self {
            settling_s: number("settling_s"),
            core_percent: number("server_core_percent"),
            questions: number("questions_per_s"),
            redis_calls: number("redis_calls_per_s"),
        }
    }
}

/// Returns the middle value; for an even number of values, the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_median_is_not_moved_by_one_bad_round() {
        assert_eq!(median(vec![3.0, 1.0, 900.0]), Some(3.0));
        assert_eq!(median(vec![1.0, 2.0]), Some(1.5));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn a_line_of_the_load_generator_is_read() {
        let mut output = json!({"operations": 9, "errors": 1, "seconds": 3.0, "rate": 3.0, "p50_ms": 1.0, "p99_ms": 2.0,
            "p999_ms": 4.0, "client_cpu_us": 5.0, "watched_cpu_us": {"database": 7.0}});
        let figures = Figures::parse(&output).unwrap();
        assert_eq!((figures.database_cpu_us, figures.server_cpu_us, figures.errors), (7.0, 0.0, 1.0));
        assert_eq!(Figures::median(&[figures, figures]).unwrap(), Figures { errors: 2.0, ..figures });
        output["idle"] = json!({"settling_s": 15.0, "server_core_percent": 0.2, "questions_per_s": 4.0});
        assert_eq!(Figures::parse(&output).unwrap().idle.core_percent, 0.2);
        output["rate"] = Value::Null;
        assert!(Figures::parse(&output).is_err());
    }
}
