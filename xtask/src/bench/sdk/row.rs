//! The outcome of one SDK.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A measured SDK.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) language: &'static str,
    /// The installed size, in bytes.
    pub(super) bytes: u64,
    pub(super) lines_by_hand: usize,
    /// The time from the start of a program to its first response, in milliseconds.
    pub(super) first_ms: f64,
    pub(super) ways: Vec<CallFigures>,
}

/// One way to call, as the program of an SDK reports it: calls per second of both sides,
/// microseconds of processor time for each call, and the median over the rounds of the client's
/// rate to the stub's.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CallFigures {
    how: String,
    client: f64,
    stub: f64,
    client_us: f64,
    stub_us: f64,
    ratio: f64,
}

impl CallFigures {
    /// Parses a line of a program's output; returns `None` for one without figures.
    pub(super) fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

impl Row {
    /// Returns the row as JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::json!(self)
    }
}

const HEAD: &str = "\
| SDK | installed, MB | lines by hand | start to first answer, ms | calls | client, per second | bare stub, per second | ratio \
| goal | client, CPU µs | bare stub, CPU µs |
|---|--:|--:|--:|---|--:|--:|--:|---|--:|--:|
";

/// Returns the table in Markdown: a line for each way to call, with the SDK's own figures in its
/// first line.
pub(super) fn markdown(rows: &[Row]) -> String {
    let lines =
        rows.iter().flat_map(|row| row.ways.iter().enumerate().map(move |(number, way)| line(row, way, number == 0)));
    HEAD.to_owned() + &lines.collect::<String>()
}

fn line(row: &Row, way: &CallFigures, first: bool) -> String {
    let Row { language, bytes, lines_by_hand, first_ms, .. } = row;
    let own = if first {
        format!("{language} | {:.1} | {lines_by_hand} | {first_ms:.0}", *bytes as f64 / 1e6)
    } else {
        " | | | ".to_owned()
    };
    let CallFigures { how, client, stub, client_us, stub_us, ratio } = way;
    format!("| {own} | {how} | {client:.0} | {stub:.0} | {ratio:.2} × | ≥ 0.9 × | {client_us:.0} | {stub_us:.0} |\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        r#"{"how": "1 in flight", "client": 900, "client_us": 50.4, "stub": 1000.2, "stub_us": 48, "ratio": 0.9}"#;

    #[test]
    fn a_line_of_figures_is_read_and_any_other_is_not() {
        assert!(CallFigures::parse(LINE).is_some_and(|way| way.how == "1 in flight" && way.ratio == 0.9));
        assert!(CallFigures::parse("warming up").is_none() && CallFigures::parse("{}").is_none());
    }

    #[test]
    fn the_table_has_a_line_for_each_way_and_a_cell_for_each_column() {
        let ways = vec![CallFigures::parse(LINE).unwrap(); 2];
        let row = Row { language: "go", bytes: 12_340_000, lines_by_hand: 480, first_ms: 12.3, ways };
        let table = markdown(&[row]);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[2], "| go | 12.3 | 480 | 12 | 1 in flight | 900 | 1000 | 0.90 × | ≥ 0.9 × | 50 | 48 |");
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| line.matches('|').count() == 12), "{table}");
    }
}
