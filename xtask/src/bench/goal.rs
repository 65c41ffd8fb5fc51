//! The goals of the rows, and the figures that they bound.

use super::outcome::Outcome;
use super::row::Row;
use super::variant::{Tables, Variant};
use std::fmt;

/// A bound of one figure of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    name: &'static str,
    unit: &'static str,
    bound: Bound,
    figure: fn(&Outcome) -> Option<f64>,
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
    /// The figure is only reported.
    Reported,
}

/// A goal with the figure that an outcome has for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckedGoal {
    goal: Goal,
    figure: f64,
}

/// The cores with which server, load and database have one each: only then is a ratio of rates a
/// goal of the hot rows, because on fewer cores the load takes from both sides what it needs.
const CORE_EACH: usize = 3;

/// Returns the goals of a row on a machine with `cores`. MySQL is only reported.
pub(super) fn goals(row: Row, variant: Variant, cores: usize) -> Vec<Goal> {
    if variant.is_mysql() {
        return Vec::new();
    }
    match row {
        Row::CreateHot | Row::LikeHot => hot(variant, cores),
        Row::CreateSpread | Row::LikeSpread | Row::LayoutCreate | Row::LayoutLike => spread(row, variant),
        Row::CreateHot2 => vec![rate(Bound::AtLeast(0.95)), BYSTANDER],
        Row::LikeHot10k => vec![p99(30.0), Goal { name: "p99.9", figure: |of| Some(of.ours.p999_ms), ..p99(100.0) }],
        Row::Create1m | Row::DeepStable | Row::DeepRanked | Row::LargeStable => vec![time(1.2)],
        Row::CreatePre => vec![OVER_VISIBLE, rate(Bound::Reported)],
        Row::PageHot => vec![rate(Bound::AtLeast(0.97))],
        Row::PageHotPre => vec![p99(200.0), rate(Bound::Reported)],
        Row::PageRedis => vec![Goal { name: "by CPU", ..rate(Bound::AtLeast(1.2)) }],
        Row::PageDb => vec![rate(Bound::AtLeast(0.8))],
        Row::StatesHit | Row::StatesMiss => vec![time(1.5)],
        Row::Subjects100 | Row::Comments200 if variant.tables == Tables::Many => vec![over_single(2.0), p99(20.0)],
        Row::Subjects100 | Row::Comments200 => vec![p99(20.0)],
        Row::Storm => vec![p99(200.0)],
        Row::Mixed => vec![
            p99(200.0),
            Goal { name: "p99 of likes", figure: |of| Some(of.ours.likes_p99_ms), ..p99(100.0) },
            Goal {
                name: "from memory",
                unit: "%",
                bound: Bound::AtLeast(99.0),
                figure: |of| Some(of.ours.kept_percent),
            },
        ],
        Row::Idle => IDLE.to_vec(),
        Row::EventsIdle => vec![p50(60.0), p99(300.0)],
        Row::EventsLoad => vec![changes(5_000.0), p50(60.0), p99(300.0)],
        Row::Events1 | Row::EventsResume => vec![events(Bound::AtLeast(20_000.0))],
        Row::Events200 => vec![changes(5_000.0), events(Bound::Reported)],
        Row::Events100 | Row::Events1000 => vec![events(Bound::Reported)],
        Row::TopicIdle => vec![p99(500.0)],
        Row::TopicLoad => vec![changes(5_000.0), p99(500.0)],
        Row::CreateFeed => CREATE_FEED.to_vec(),
    }
}

fn hot(variant: Variant, cores: usize) -> Vec<Goal> {
    if variant.tables == Tables::One {
        let factor = if variant.sync_binlog { 10.0 } else { 8.0 };
        return vec![rate(Bound::AtLeast(factor)), p99(30.0)];
    }
    let bound = if cores < CORE_EACH { Bound::Reported } else { Bound::AtLeast(8.0) };
    vec![
        over_single(1.1),
        Goal { name: "CPU of all over the bare loop", figure: Outcome::cpu_ratio, ..time(0.3) },
        rate(bound),
    ]
}

fn spread(row: Row, variant: Variant) -> Vec<Goal> {
    let creates = matches!(row, Row::CreateSpread | Row::LayoutCreate);
    match variant.tables {
        Tables::One => vec![rate(Bound::AtLeast(if creates { 2.0 } else { 3.0 }))],
        Tables::Default if row.is_layout() => vec![over_single(1.6)],
        Tables::Default => vec![over_single(1.6), over_bare(if creates { 0.6 } else { 0.9 })],
        Tables::Many if creates => vec![over_single(3.0), MICROS],
        Tables::Many => vec![over_single(3.0)],
    }
}

const fn rate(bound: Bound) -> Goal {
    Goal { name: "rate", unit: "×", bound, figure: Outcome::ratio }
}

const fn time(limit: f64) -> Goal {
    Goal { name: "time", unit: "×", bound: Bound::AtMost(limit), figure: Outcome::ratio }
}

const fn p99(limit: f64) -> Goal {
    Goal { name: "p99", unit: "ms", bound: Bound::AtMost(limit), figure: |of| Some(of.ours.p99_ms) }
}

const fn p50(limit: f64) -> Goal {
    Goal { name: "p50", figure: |of| Some(of.ours.p50_ms), ..p99(limit) }
}

/// The load of a row of events. A loaded machine may reach less than what was asked for, so a
/// twentieth may be missing.
const fn changes(wanted: f64) -> Goal {
    let bound = Bound::AtLeast(wanted * 0.95);
    Goal { name: "creates", unit: "/s", bound, figure: |of| Some(of.ours.creates_rate) }
}

const fn events(bound: Bound) -> Goal {
    Goal { name: "events", unit: "/s", bound, figure: |of| Some(of.ours.rate) }
}

const fn over_single(limit: f64) -> Goal {
    Goal { name: "server + database over 1/1", figure: Outcome::over_single, ..time(limit) }
}

const fn over_bare(limit: f64) -> Goal {
    Goal { name: "server + database over the bare loop", figure: Outcome::over_bare, ..time(limit) }
}

const OVER_VISIBLE: Goal =
    Goal { name: "server + database over create_hot", figure: Outcome::over_baseline, ..time(1.4) };

/// 450 µs of server and database on a machine on which one table of each kind takes 205.
const MICROS: Goal = Goal {
    name: "server + database if 1/1 takes 205 µs",
    unit: "µs",
    bound: Bound::AtMost(450.0),
    figure: |of| Some(of.over_single()? * 205.0),
};

const BYSTANDER: Goal = Goal { name: "p99 of other subjects over alone", figure: Outcome::over_alone, ..time(2.0) };

const CREATE_FEED: [Goal; 2] = [
    Goal { name: "statements per create", unit: "", bound: Bound::Reported, figure: |of| Some(of.ours.statements) },
    Goal {
        name: "with one subscriber",
        unit: "",
        bound: Bound::Reported,
        figure: |of| Some(of.baseline.as_ref()?.1.statements),
    },
];

const IDLE: [Goal; 3] = [
    Goal { name: "server", unit: "% of a core", figure: |of| Some(of.ours.idle.core_percent), ..time(0.2) },
    Goal { name: "statements", unit: "/s", figure: |of| Some(of.ours.idle.questions), ..time(5.0) },
    Goal { name: "Redis", unit: "/s", figure: |of| Some(of.ours.idle.redis_calls), ..time(10.0) },
];

impl Goal {
    /// Returns the goal with the figure of an outcome; `None` if the outcome lacks the other side.
    pub(super) fn check(self, outcome: &Outcome) -> Option<CheckedGoal> {
        Some(CheckedGoal { goal: self, figure: (self.figure)(outcome)? })
    }
}

impl CheckedGoal {
    /// Returns whether the figure is within its bound; `None` if it is only reported.
    pub(super) fn passes(&self) -> Option<bool> {
        match self.goal.bound {
            Bound::AtLeast(limit) => Some(self.figure >= limit),
            Bound::AtMost(limit) => Some(self.figure <= limit),
            Bound::Reported => None,
        }
    }
}

impl fmt::Display for CheckedGoal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { goal: Goal { name, unit, bound, .. }, figure } = self;
        write!(f, "{name} {figure:.2} {unit}")?;
        let word = if self.passes() == Some(true) { "pass" } else { "MISS" };
        match bound {
            Bound::AtLeast(limit) => write!(f, " (≥ {limit}: {word})"),
            Bound::AtMost(limit) => write!(f, " (≤ {limit}: {word})"),
            Bound::Reported => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::figures::{Figures, Idle};
    use clap::ValueEnum;

    fn outcome(row: Row, variant: Variant, ours: Figures) -> Outcome {
        Outcome {
            row,
            variant,
            version: "10.11".into(),
            ours,
            baseline: None,
            single: None,
            alone: None,
            rounds: 1,
            thrown_away: 0,
        }
    }

    fn cpu(server_cpu_us: f64, database_cpu_us: f64, client_cpu_us: f64) -> Figures {
        Figures { server_cpu_us, database_cpu_us, client_cpu_us, rate: 100.0, ..Figures::default() }
    }

    fn texts(outcome: &Outcome, cores: usize) -> Vec<String> {
        let goals = goals(outcome.row, outcome.variant, cores);
        goals.into_iter().filter_map(|goal| Some(goal.check(outcome)?.to_string())).collect()
    }

    #[test]
    fn a_spread_row_is_compared_with_one_table_and_with_the_bare_loop() {
        let mut spread = outcome(Row::CreateSpread, Variant::PLAIN, cpu(200.0, 100.0, 70.0));
        assert_eq!(texts(&spread, 2), [""; 0]);
        spread.single = Some(cpu(100.0, 105.0, 70.0));
        spread.baseline = Some(("bare, 16 conn.".into(), cpu(0.0, 400.0, 100.0)));
        let expected = [
            "server + database over 1/1 1.46 × (≤ 1.6: pass)",
            "server + database over the bare loop 0.60 × (≤ 0.6: pass)",
        ];
        assert_eq!(texts(&spread, 2), expected);
        spread.variant.tables = Tables::Many;
        spread.ours.database_cpu_us = 260.0;
        let expected = [
            "server + database over 1/1 2.24 × (≤ 3: pass)",
            "server + database if 1/1 takes 205 µs 460.00 µs (≤ 450: MISS)",
        ];
        assert_eq!(texts(&spread, 2), expected);
    }

    #[test]
    fn the_rate_of_a_hot_row_is_a_goal_where_each_party_has_a_core() {
        let hot = Outcome {
            single: Some(cpu(50.0, 50.0, 50.0)),
            baseline: Some(("bare, 1 conn.".into(), Figures { rate: 25.0, ..cpu(0.0, 600.0, 100.0) })),
            ..outcome(Row::LikeHot, Variant::PLAIN, cpu(60.0, 60.0, 60.0))
        };
        let cpu =
            ["server + database over 1/1 1.20 × (≤ 1.1: MISS)", "CPU of all over the bare loop 0.26 × (≤ 0.3: pass)"];
        assert_eq!(texts(&hot, 2), [cpu[0], cpu[1], "rate 4.00 ×"]);
        assert_eq!(texts(&hot, 3), [cpu[0], cpu[1], "rate 4.00 × (≥ 8: MISS)"]);
    }

    #[test]
    fn an_idle_service_and_a_bystander_have_goals_of_their_own() {
        let idle = Idle { settling_s: 9.0, core_percent: 0.1, questions: 6.0, redis_calls: 10.0 };
        let idle = outcome(Row::Idle, Variant::PLAIN, Figures { idle, ..Figures::default() });
        let expected =
            ["server 0.10 % of a core (≤ 0.2: pass)", "statements 6.00 /s (≤ 5: MISS)", "Redis 10.00 /s (≤ 10: pass)"];
        assert_eq!(texts(&idle, 2), expected);
        let two = Outcome {
            baseline: Some(("one process".into(), cpu(1.0, 1.0, 1.0))),
            alone: Some(Figures { p99_ms: 10.0, ..Figures::default() }),
            ..outcome(Row::CreateHot2, Variant::PLAIN, Figures { bystander_p99_ms: 25.0, ..cpu(1.0, 1.0, 1.0) })
        };
        assert_eq!(
            texts(&two, 2),
            ["rate 1.00 × (≥ 0.95: pass)", "p99 of other subjects over alone 2.50 × (≤ 2: MISS)"]
        );
    }

    #[test]
    fn every_row_has_a_goal_and_mysql_has_none() {
        for row in Row::value_variants() {
            assert!(!goals(*row, Variant::PLAIN, 4).is_empty(), "{row:?}");
            let mysql = Variant { database: crate::bench::variant::Database::MySql, ..Variant::PLAIN };
            assert!(goals(*row, mysql, 4).is_empty());
        }
    }
}
