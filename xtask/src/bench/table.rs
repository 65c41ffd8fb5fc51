//! The table for people.

use super::figures::Figures;
use super::outcome::Outcome;
use super::row::Row;

/// Returns one measurement in one line.
pub(super) fn brief(figures: &Figures) -> String {
    let Figures { rate, p50_ms, p99_ms, server_cpu_us, client_cpu_us, database_cpu_us, cache_cpu_us, errors, .. } =
        figures;
    let errors = if *errors > 0.0 { format!(", {errors} FAILED") } else { String::new() };
    format!(
        "{rate:>8.0}/s, p50 {p50_ms:>7.2} ms, p99 {p99_ms:>7.2} ms, CPU µs: server {server_cpu_us:.1}, \
         client {client_cpu_us:.1}, database {database_cpu_us:.1}, cache {cache_cpu_us:.1}{errors}"
    )
}

const HEAD: [&str; 17] = [
    "row",
    "circumstances",
    "per second",
    "p50 ms",
    "p99 ms",
    "p99.9 ms",
    "compared with",
    "its rate",
    "ratio",
    "CPU µs: server + database + cache + load",
    "the same of the other",
    "CPU ratio",
    "the same with 1/1 tables",
    "server + database over 1/1",
    "goals",
    "failed",
    "rounds",
];

/// Returns the table with aligned columns.
pub(super) fn terminal(outcomes: &[Outcome]) -> String {
    let rows: Vec<[String; 17]> = std::iter::once(HEAD.map(str::to_owned)).chain(outcomes.iter().map(cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |row: &[String; 17]| {
        let padded = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Returns the table in Markdown.
pub(super) fn markdown(outcomes: &[Outcome]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head = line(&HEAD.map(str::to_owned));
    let rule = "|---|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|\n";
    outcomes.iter().fold(head + rule, |table, outcome| table + &line(&cells(outcome)))
}

fn cells(outcome: &Outcome) -> [String; 17] {
    let none = || "–".to_owned();
    let ratio = |ratio: Option<f64>| ratio.map_or_else(none, |ratio| format!("{ratio:.2} ×"));
    let other = outcome.baseline.as_ref();
    let cpu = |of: &Figures| {
        let parts = [of.server_cpu_us, of.database_cpu_us, of.cache_cpu_us, of.client_cpu_us];
        parts.map(|part| format!("{part:.1}")).join(" + ")
    };
    let thrown = if outcome.row.depends_on_the_processor() {
        format!("{}, {} thrown away", outcome.rounds, outcome.thrown_away)
    } else {
        outcome.rounds.to_string()
    };
    [
        outcome.row.name().to_owned(),
        circumstances(outcome),
        format!("{:.0}", outcome.ours.rate),
        format!("{:.2}", outcome.ours.p50_ms),
        p99(outcome),
        format!("{:.2}", outcome.ours.p999_ms),
        other.map_or_else(none, |(label, _)| label.clone()),
        other.map_or_else(none, |(_, figures)| format!("{:.0}", figures.rate)),
        ratio(outcome.ratio()),
        cpu(&outcome.ours),
        other.map_or_else(none, |(_, figures)| cpu(figures)),
        ratio(outcome.cpu_ratio()),
        outcome.single.as_ref().map_or_else(none, cpu),
        ratio(outcome.over_single()),
        outcome.goals().iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        format!("{:.0}", outcome.ours.errors),
        thrown,
    ]
}

/// Returns the variant, with the figures that only this row has.
fn circumstances(outcome: &Outcome) -> String {
    let Outcome { row, variant, ours, .. } = outcome;
    if *row == Row::Idle {
        format!("{variant}, settled after {:.0} s", ours.idle.settling_s)
    } else if ours.creates_rate > 0.0 {
        format!("{variant}, {:.0} creates per second", ours.creates_rate)
    } else if ours.kept_percent > 0.0 {
        format!("{variant}, {:.2} % of the pages from memory", ours.kept_percent)
    } else {
        variant.to_string()
    }
}

/// Returns the 99th percentile, with those of the operations beside the measured ones.
fn p99(outcome: &Outcome) -> String {
    let Figures { p99_ms, likes_p99_ms, creates_p99_ms, bystander_p99_ms, .. } = outcome.ours;
    match (&outcome.alone, likes_p99_ms > 0.0) {
        (Some(alone), _) => {
            format!("{p99_ms:.2}, other subjects {bystander_p99_ms:.2}, these alone {:.2}", alone.p99_ms)
        }
        (None, true) => format!("{p99_ms:.2}, likes {likes_p99_ms:.2}, creates {creates_p99_ms:.2}"),
        (None, false) => format!("{p99_ms:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::variant::Variant;

    #[test]
    fn both_tables_have_a_cell_for_every_column() {
        let outcome = Outcome {
            row: Row::LikeHot10k,
            variant: Variant::PLAIN,
            version: "10.11".into(),
            ours: Figures { rate: 10_000.0, p99_ms: 12.0, ..Figures::default() },
            baseline: None,
            single: None,
            alone: None,
            rounds: 5,
            thrown_away: 2,
        };
        let (plain, marked) = (terminal(std::slice::from_ref(&outcome)), markdown(&[outcome]));
        assert!(plain.lines().nth(1).is_some_and(|line| line.ends_with("5, 2 thrown away")), "{plain}");
        let columns = |line: &str| line.matches(" | ").count();
        assert!(marked.lines().filter(|line| !line.starts_with("|--")).all(|line| columns(line) == 16), "{marked}");
    }
}
