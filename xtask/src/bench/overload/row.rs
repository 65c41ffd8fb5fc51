//! A line of the table.

use serde_json::{Value, json};

/// The figures of one load, as riposte-bench reports them.
pub(super) struct Row {
    pub(super) what: String,
    pub(super) figures: Value,
}

impl Row {
    pub(super) fn json(&self) -> Value {
        json!({ "what": self.what, "figures": self.figures })
    }

    fn number(&self, name: &str) -> f64 {
        self.figures[name].as_f64().unwrap_or(f64::NAN)
    }
}

/// Returns the whole table.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut table = "| load | knee: callers, per second, p99 | offered | good, of the knee | p99 admitted, of the knee's | refused, \
                     lost | well again after | as at the knee in second | kept pages: lost of all, p99 |\n\
                     |---|---|--:|---|---|---|--:|--:|---|\n"
        .to_owned();
    for row in rows {
        let n = |name| row.number(name);
        let (knee, admitted) = (n("knee_p99_ms"), n("admitted_p99_ms"));
        table += &format!(
            "| {} | {:.0}, {:.0}, {knee:.1} ms | {:.0}/s | {:.0}/s, {:.0} % | {admitted:.1} ms, {:.2} × | {:.0}, {:.0} | {:.0} ms | \
             {} | {:.0} of {:.0}, {:.1} ms |\n",
            row.what,
            n("knee_callers"),
            n("knee_rate"),
            n("offered_rate"),
            n("good_rate"),
            n("goodput") * 100.0,
            admitted / knee,
            n("refused"),
            n("lost"),
            n("back_ms"),
            row.figures["as_knee_s"].as_u64().map_or("none".to_owned(), |second| second.to_string()),
            n("hot_lost"),
            n("hot_calls"),
            n("hot_p99_ms"),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Row, markdown};
    use serde_json::json;

    #[test]
    fn a_line_has_the_shares_of_the_knee() {
        let figures = json!({"knee_callers": 4, "knee_rate": 100.0, "knee_p99_ms": 30.0, "offered_rate": 500.0,
            "good_rate": 95.0, "goodput": 0.95, "admitted_p99_ms": 45.0, "refused": 7, "lost": 0, "back_ms": 100,
            "as_knee_s": 1, "hot_calls": 9, "hot_lost": 0, "hot_p99_ms": 1.5});
        let table = markdown(&[Row { what: "pages, 5 ×".to_owned(), figures }]);
        let line = table.lines().last().unwrap_or_default();
        assert_eq!(
            line,
            "| pages, 5 × | 4, 100, 30.0 ms | 500/s | 95/s, 95 % | 45.0 ms, 1.50 × | 7, 0 | 100 ms | 1 | 0 of 9, 1.5 ms |"
        );
    }
}
