//! The results of a run, counted and reported once at the end.

use std::time::Duration;

/// The outcome of one step.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// The number of checks and tests that passed; a step that is one check counts as one.
    pub(super) passed: usize,
    pub(super) failed: usize,
    /// The skipped checks, each with its reason. Each is a line of the summary, so no skip is
    /// invisible.
    pub(super) skipped: Vec<String>,
    /// One line: the checked items, or the failures.
    pub(super) note: String,
}

impl Report {
    /// Returns the report of one check that passed.
    pub(super) fn success(note: impl Into<String>) -> Self {
        Self { passed: 1, note: note.into(), ..Self::default() }
    }

    /// Returns the report of one check that failed.
    pub(super) fn failure(note: impl Into<String>) -> Self {
        Self { failed: 1, note: note.into(), ..Self::default() }
    }

    /// Adds a skipped check.
    pub(super) fn but_skipped(mut self, reason: impl Into<String>) -> Self {
        self.skipped.push(reason.into());
        self
    }
}

/// All outcomes of a run.
#[derive(Debug, Default)]
pub(super) struct Summary {
    steps: Vec<(&'static str, Duration, Report)>,
}

impl Summary {
    pub(super) fn add(&mut self, step: &'static str, took: Duration, report: Report) {
        eprintln!("{}", line(step, took, &report));
        self.steps.push((step, took, report));
    }

    /// Returns `true` if a step ran and failed.
    pub(super) fn failed(&self, step: &str) -> bool {
        self.steps.iter().any(|(name, _, report)| *name == step && report.failed > 0)
    }

    /// Returns `true` if nothing failed.
    pub(super) fn passed(&self) -> bool {
        self.steps.iter().all(|(_, _, report)| report.failed == 0)
    }

    pub(super) fn show(&self) {
        println!("\n{}", self.text());
    }

    fn text(&self) -> String {
        let mut lines = vec![format!("{:<8} {:<7} {:>8}  {:>6}  note", "step", "result", "time", "passed")];
        for (step, took, report) in &self.steps {
            lines.push(line(step, *took, report));
            lines.extend(report.skipped.iter().map(|reason| format!("{:<8} SKIPPED {:>18}{reason}", "", "")));
        }
        let total: Duration = self.steps.iter().map(|(_, took, _)| *took).sum();
        let sum = |count: fn(&Report) -> usize| self.steps.iter().map(|(_, _, report)| count(report)).sum::<usize>();
        lines.push(format!("in {} min {:02} s", total.as_secs() / 60, total.as_secs() % 60));
        lines.push(format!(
            "{} passed, {} failed, {} skipped",
            sum(|report| report.passed),
            sum(|report| report.failed),
            sum(|report| report.skipped.len())
        ));
        lines.join("\n")
    }
}

fn line(step: &str, took: Duration, report: &Report) -> String {
    let result = if report.failed > 0 { "FAILED" } else { "ok" };
    let note = report.note.lines().next().unwrap_or_default();
    let line = format!("{step:<8} {result:<7} {:>6.1} s  {:>6}  {note}", took.as_secs_f64(), report.passed);
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_and_names_every_skip_and_ends_with_the_totals() {
        let mut summary = Summary::default();
        summary.add("fmt", Duration::from_millis(300), Report::success(""));
        summary.add("deny", Duration::from_secs(62), Report::success("bans").but_skipped("no advisory database"));
        assert!(summary.passed() && !summary.failed("fmt"));
        summary.add("test", Duration::ZERO, Report { passed: 40, failed: 2, ..Report::default() });
        let text = summary.text();
        assert!(text.contains("SKIPPED") && text.contains("no advisory database"), "{text}");
        assert!(text.ends_with("in 1 min 02 s\n42 passed, 2 failed, 1 skipped"), "{text}");
        assert!(!summary.passed() && summary.failed("test"));
    }
}
