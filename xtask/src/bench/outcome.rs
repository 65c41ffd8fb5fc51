//! The outcome of a row.

use super::figures::{Figures, Idle};
use super::goal::{CheckedGoal, goals};
use super::row::Row;
use super::variant::Variant;
use serde_json::{Value, json};

/// A measured row.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) row: Row,
    pub(super) variant: Variant,
    /// The version of the database server, as the server reports it.
    pub(super) version: String,
    /// The medians of the service's side.
    pub(super) ours: Figures,
    /// The baseline: its label and its medians. Of several baselines it is the one with the best
    /// rate.
    pub(super) baseline: Option<(String, Figures)>,
    /// The medians of the service with one table of each kind.
    pub(super) single: Option<Figures>,
    /// The medians of the load that otherwise runs beside the measured one.
    pub(super) alone: Option<Figures>,
    /// The number of rounds that counted.
    pub(super) rounds: usize,
    /// The number of rounds that were discarded because the processor was not fully available.
    pub(super) thrown_away: usize,
}

impl Outcome {
    /// Returns the ratio that the goal refers to, if the row has one.
    pub(super) fn ratio(&self) -> Option<f64> {
        let (_, baseline) = self.baseline.as_ref()?;
        Some(self.row.ratio(&self.ours, baseline))
    }

    /// Returns the CPU of all processes, divided by that of the baseline.
    pub(super) fn cpu_ratio(&self) -> Option<f64> {
        let (_, baseline) = self.baseline.as_ref()?;
        quotient(self.ours.all_cpu_us(), baseline.all_cpu_us())
    }

    /// Returns the CPU of server and database, divided by that of the bare loop and its database.
    pub(super) fn over_bare(&self) -> Option<f64> {
        let (_, baseline) = self.baseline.as_ref()?;
        quotient(self.ours.stored_cpu_us(), baseline.database_cpu_us + baseline.client_cpu_us)
    }

    /// Returns the CPU of server and database, divided by that of the service's other load.
    pub(super) fn over_baseline(&self) -> Option<f64> {
        let (_, baseline) = self.baseline.as_ref()?;
        quotient(self.ours.stored_cpu_us(), baseline.stored_cpu_us())
    }

    /// Returns the CPU of server and database, divided by that with one table of each kind.
    pub(super) fn over_single(&self) -> Option<f64> {
        quotient(self.ours.stored_cpu_us(), self.single.as_ref()?.stored_cpu_us())
    }

    /// Returns the p99 of the writes beside the measured ones, divided by that of the same alone.
    pub(super) fn over_alone(&self) -> Option<f64> {
        quotient(self.ours.bystander_p99_ms, self.alone.as_ref()?.p99_ms)
    }

    /// Returns the goals of the row on this machine, with its figures.
    pub(super) fn goals(&self) -> Vec<CheckedGoal> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        goals(self.row, self.variant, cores).into_iter().filter_map(|goal| goal.check(self)).collect()
    }

    /// Returns the row as JSON: rates per second, latencies in milliseconds, CPU in microseconds
    /// per operation.
    pub(super) fn json(&self) -> Value {
        let baseline = self.baseline.as_ref();
        let of = |figure: fn(&Figures) -> f64| baseline.map(|(_, figures)| round(figure(figures)));
        let goal = |goal: &CheckedGoal| json!({ "goal": goal.to_string(), "passes": goal.passes() });
        json!({
            "name": self.row.name(),
            "variant": self.variant.to_string(),
            "database": self.version,
            "rate": round(self.ours.rate),
            "p50_ms": round(self.ours.p50_ms),
            "p99_ms": round(self.ours.p99_ms),
            "p999_ms": round(self.ours.p999_ms),
            "creates_p99_ms": some(self.ours.creates_p99_ms),
            "likes_p99_ms": some(self.ours.likes_p99_ms),
            "creates_rate": some(self.ours.creates_rate),
            "statements": some(self.ours.statements),
            "baseline_statements": of(|figures| figures.statements).filter(|statements| *statements > 0.0),
            "kept_percent": some(self.ours.kept_percent),
            "baseline": baseline.map(|(label, _)| label),
            "baseline_rate": of(|figures| figures.rate),
            "baseline_server_cpu_us": of(|figures| figures.server_cpu_us),
            "baseline_client_cpu_us": of(|figures| figures.client_cpu_us),
            "baseline_database_cpu_us": of(|figures| figures.database_cpu_us),
            "baseline_cache_cpu_us": of(|figures| figures.cache_cpu_us),
            "ratio": self.ratio().map(round),
            "cpu_ratio": self.cpu_ratio().map(round),
            "single": self.single.as_ref().map(|figures| self.json_of_single(figures)),
            "bystander_p99_ms": some(self.ours.bystander_p99_ms),
            "alone_p99_ms": self.alone.map(|figures| round(figures.p99_ms)),
            "idle": (self.row == Row::Idle).then(|| json_of_idle(&self.ours.idle)),
            "goals": self.goals().iter().map(goal).collect::<Vec<_>>(),
            "server_cpu_us": round(self.ours.server_cpu_us),
            "client_cpu_us": round(self.ours.client_cpu_us),
            "database_cpu_us": round(self.ours.database_cpu_us),
            "cache_cpu_us": round(self.ours.cache_cpu_us),
            "errors": self.ours.errors,
            "rounds": self.rounds,
            "thrown_away": self.thrown_away,
        })
    }

    /// Returns the service with one table of each kind, and the ratio to it.
    fn json_of_single(&self, figures: &Figures) -> Value {
        json!({
            "rate": round(figures.rate),
            "server_cpu_us": round(figures.server_cpu_us),
            "database_cpu_us": round(figures.database_cpu_us),
            "client_cpu_us": round(figures.client_cpu_us),
            "ratio_to_it": self.over_single().map(round),
        })
    }
}

fn json_of_idle(idle: &Idle) -> Value {
    let Idle { settling_s, core_percent, questions, redis_calls } = *idle;
    json!({
        "settling_s": round(settling_s),
        "core_percent": round(core_percent),
        "questions_per_s": round(questions),
        "redis_calls_per_s": round(redis_calls),
    })
}

/// Returns a ratio; `None` if the divisor was not measured.
fn quotient(ours: f64, other: f64) -> Option<f64> {
    (other > 0.0).then(|| ours / other)
}

/// Returns a figure that only some rows have.
fn some(figure: f64) -> Option<f64> {
    (figure > 0.0).then(|| round(figure))
}

/// Rounds to three places: more would suggest a precision that no clock here has.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_for_programs_has_both_rates_and_their_ratio() {
        let figures = |rate| Figures { rate, p99_ms: 1.234_56, ..Figures::default() };
        let outcome = Outcome {
            row: Row::CreateHot,
            variant: Variant::SINGLE,
            version: "10.11".into(),
            ours: figures(30_000.0),
            baseline: Some(("bare, 16 connections".into(), figures(3_000.0))),
            single: None,
            alone: None,
            rounds: 5,
            thrown_away: 0,
        };
        let json = outcome.json();
        assert_eq!((json["rate"].as_f64(), json["baseline_rate"].as_f64()), (Some(30_000.0), Some(3_000.0)));
        assert_eq!((json["ratio"].as_f64(), json["p99_ms"].as_f64()), (Some(10.0), Some(1.235)));
        assert_eq!(json["goals"][0], json!({ "goal": "rate 10.00 × (≥ 8: pass)", "passes": true }));
        assert!(Outcome { baseline: None, ..outcome }.json()["ratio"].is_null());
    }
}
