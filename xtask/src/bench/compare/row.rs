//! A compared row: its figures, its line in the table and its result.

use super::interval::Median;
use crate::bench::figures::Figures;
use crate::bench::row::Row as Load;
use crate::bench::variant::Variant;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// The ratio above which the lower end of the interval fails the gate: 3 % more CPU.
const LIMIT: f64 = 1.03;

/// The figures of one round, in which each server is measured twice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    pub(super) new: [Figures; 2],
    pub(super) old: [Figures; 2],
}

/// A row of one variant.
#[derive(Debug)]
pub(super) struct Row {
    load: Load,
    variant: Variant,
    /// The version of the database server, as the server reports it.
    pub(super) version: String,
    /// The ratio of each round, new to old.
    ratios: Vec<f64>,
    ratio: Median,
    new: Figures,
    old: Figures,
}

impl Round {
    /// Returns the ratio of the new server's CPU per operation to the old server's.
    fn ratio(&self) -> Result<f64> {
        let cpu = |runs: &[Figures; 2]| runs.iter().map(|run| run.server_cpu_us).sum::<f64>();
        let (new, old) = (cpu(&self.new), cpu(&self.old));
        ensure!(new > 0.0 && old > 0.0, "a turn was too short to count any server CPU");
        Ok(new / old)
    }
}

impl Row {
    pub(super) fn new((load, variant): (Load, Variant), version: String, rounds: &[Round]) -> Result<Self> {
        let ratios = rounds.iter().map(Round::ratio).collect::<Result<Vec<f64>>>()?;
        let ratio = Median::of(&ratios).context("no rounds")?;
        let medians = |runs: fn(&Round) -> [Figures; 2]| {
            Figures::median(&rounds.iter().flat_map(runs).collect::<Vec<_>>()).context("no rounds")
        };
        let (new, old) = (medians(|round| round.new)?, medians(|round| round.old)?);
        Ok(Self { load, variant, version, ratios, ratio, new, old })
    }

    /// Returns the reason why the row fails the gate, or `None` if it passes.
    pub(super) fn fault(&self) -> Option<String> {
        let (low, high) = self.ratio.interval?;
        (low > LIMIT).then(|| {
            format!(
                "{} ({}) takes {:.3} × the server CPU per operation of the older server; the lower end of its 95 % \
                 interval, {low:.3} to {high:.3}, is above {LIMIT}",
                self.load.name(),
                self.variant,
                self.ratio.value
            )
        })
    }

    /// Returns the row as JSON. CPU is in microseconds per operation.
    pub(super) fn json(&self) -> Value {
        let side = |of: &Figures| {
            json!({ "server_cpu_us": of.server_cpu_us, "database_cpu_us": of.database_cpu_us, "rate": of.rate,
                "p99_ms": of.p99_ms, "errors": of.errors })
        };
        json!({
            "name": self.load.name(),
            "variant": self.variant.to_string(),
            "database": self.version,
            "new": side(&self.new),
            "old": side(&self.old),
            "ratio": self.ratio.value,
            "interval": self.ratio.interval.map(|(low, high)| [low, high]),
            "ratios": self.ratios,
            "passes": self.fault().is_none(),
        })
    }
}

/// Returns the table in Markdown.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut table =
        "| row | circumstances | server CPU µs: new | old | new / old | 95 % interval | \
                     with the database: new, old, old / new | per second: new, old | failed calls: new, old | gate: lower end ≤ 1.03 |\n|---|---|--:|--:|--:|---|---|---|---|---|\n"
            .to_owned();
    for row in rows {
        let Row { load, variant, ratio, new, old, .. } = row;
        let interval = ratio.interval.map_or("–".to_owned(), |(low, high)| format!("{low:.3} to {high:.3}"));
        let gate = match (ratio.interval, row.fault()) {
            (None, _) => "too few rounds",
            (Some(_), None) => "passes",
            (Some(_), Some(_)) => "FAILS",
        };
        table += &format!(
            "| {} | {variant} | {:.1} | {:.1} | {:.3} | {interval} | {:.1}, {:.1}, {:.2} × | {:.0}, {:.0} | \
             {:.0}, {:.0} | {gate} |\n",
            load.name(),
            new.server_cpu_us,
            old.server_cpu_us,
            ratio.value,
            new.stored_cpu_us(),
            old.stored_cpu_us(),
            old.stored_cpu_us() / new.stored_cpu_us(),
            new.rate,
            old.rate,
            new.errors,
            old.errors,
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ratios: &[f64]) -> Row {
        let cpu = |server_cpu_us| Figures { server_cpu_us, rate: 9.0, errors: 1.0, ..Figures::default() };
        // The drift of the machine within a round cancels out.
        let round =
            |ratio: &f64| Round { new: [cpu(100.0 * ratio), cpu(160.0 * ratio)], old: [cpu(120.0), cpu(140.0)] };
        let rounds: Vec<Round> = ratios.iter().map(round).collect();
        Row::new((Load::LikeHot, Variant::SINGLE), "10.11".into(), &rounds).unwrap()
    }

    #[test]
    fn a_row_fails_if_its_whole_interval_lies_above_three_percent() {
        let slow = row(&[1.0, 1.04, 1.04, 1.05, 1.05, 1.05, 1.06, 1.06, 1.2]);
        let fault = slow.fault().unwrap();
        assert!(fault.starts_with("like_hot (MariaDB, sync_binlog=0, 1/1/1 tables) takes 1.050 × "), "{fault}");
        assert_eq!(slow.json()["passes"], false);
    }

    #[test]
    fn a_row_passes_while_its_interval_reaches_down_to_three_percent() {
        let unsure = row(&[1.0, 1.02, 1.04, 1.05, 1.05, 1.05, 1.06, 1.06, 1.2]);
        assert_eq!((unsure.fault(), unsure.json()["passes"].as_bool()), (None, Some(true)));
    }

    #[test]
    fn the_table_has_both_servers_the_ratio_and_the_interval() {
        let table = markdown(&[row(&[1.0; 9]), row(&[0.5])]);
        let lines: Vec<&str> = table.lines().skip(2).collect();
        let place = "| like_hot | MariaDB, sync_binlog=0, 1/1/1 tables";
        let expected = format!(
            "{place} | 130.0 | 130.0 | 1.000 | 1.000 to 1.000 | 130.0, 130.0, 1.00 × | 9, 9 | 18, 18 | passes |"
        );
        assert_eq!(lines[0], expected);
        assert!(lines[1].contains(" | 0.500 | – | ") && lines[1].ends_with(" | too few rounds |"), "{}", lines[1]);
        assert!(table.lines().all(|line| line.matches('|').count() == 11), "{table}");
    }

    #[test]
    fn a_turn_without_cpu_is_an_error() {
        let nothing = Round { new: [Figures::default(); 2], old: [Figures::default(); 2] };
        assert!(Row::new((Load::LikeHot, Variant::PLAIN), String::new(), &[nothing]).is_err());
    }
}
