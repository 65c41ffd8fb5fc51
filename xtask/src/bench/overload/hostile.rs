//! The table of hostile clients.

use serde_json::{Value, json};

/// The names of the hostile clients in riposte-bench.
pub(super) const RESETS: &str = "resets";
pub(super) const IDLE: &str = "idle";
/// The number of idle connections.
const CONNECTIONS: &str = "10000";
/// The configuration of the service: it accepts all idle connections.
pub(super) const SETS: &[&str] = &["limits.connections=12000"];

/// Returns the arguments with the number of hostile connections, if it differs from riposte-bench's
/// default.
pub(super) fn connections(what: &str) -> &'static [&'static str] {
    if what == IDLE { &["--hostile", CONNECTIONS] } else { &[] }
}

/// The figures of one kind of hostile client, as riposte-bench reports them.
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) figures: Value,
}

impl Row {
    pub(super) fn json(&self) -> Value {
        json!({ "what": self.what, "figures": self.figures })
    }
}

/// Returns the whole table, or an empty text if there are no rows.
pub(super) fn markdown(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = "| what | resets per second | connections, ended by the service | memory before, most, after | a cached page alone, p99 | \
                     under attack, p99 | lost of all |\n|---|--:|--:|---|--:|---|--:|\n"
        .to_owned();
    for Row { what, figures } in rows {
        let n = |name: &str| figures[name].as_f64().unwrap_or(f64::NAN);
        let (alone, beside) = (n("alone_p99_ms"), n("honest_p99_ms"));
        table += &format!(
            "| {what} | {:.0} | {:.0}, {:.0} | {:.0}, {:.0}, {:.0} MiB | {alone:.1} ms | {beside:.1} ms, {:.1} × | {:.0} of {:.0} |\n",
            n("resets_per_second"),
            n("opened"),
            n("ended"),
            n("before_mib"),
            n("most_mib"),
            n("after_mib"),
            beside / alone,
            n("honest_lost"),
            n("honest_calls"),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Row, markdown};
    use serde_json::json;

    #[test]
    fn a_line_has_memory_and_the_latency_of_honest_clients() {
        let figures = json!({"resets": 1000, "resets_per_second": 50.4, "opened": 20, "ended": 3, "before_mib": 40.2,
            "most_mib": 61.0, "after_mib": 44.9, "alone_p99_ms": 2.0, "honest_p99_ms": 5.0, "honest_calls": 9,
            "honest_lost": 1});
        let table = markdown(&[Row { what: "resets", figures }]);
        let line = table.lines().last().unwrap_or_default();
        assert_eq!(line, "| resets | 50 | 20, 3 | 40, 61, 45 MiB | 2.0 ms | 5.0 ms, 2.5 × | 1 of 9 |");
        assert_eq!(markdown(&[]), "");
    }
}
