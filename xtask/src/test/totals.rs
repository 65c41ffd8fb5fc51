//! A parser for the output of the test harness and of cargo, which counts the tests and stores the
//! output of failures.

use crate::run::Last;

/// The number of lines that are stored of each failed test, from its beginning and from its end.
const HEAD: usize = 20;
const TAIL: usize = 40;

/// The counts and the failures.
#[derive(Debug, Default)]
pub(super) struct TestTotals {
    pub(super) binaries: usize,
    pub(super) passed: usize,
    pub(super) failed: Vec<String>,
    pub(super) skipped: Vec<String>,
    /// The output of failed tests, and the end of the output of a binary that crashed.
    pub(super) faults: Vec<String>,
    /// The running test binary.
    running: Option<String>,
    /// The last lines of its output.
    last: Last,
    /// The output about its failures, while that section lasts.
    failures: Option<Vec<String>>,
}

impl TestTotals {
    /// Parses a line. Returns the message about a binary that has ended, if there is one.
    pub(super) fn see(&mut self, line: &str) -> Option<String> {
        self.last.keep(line);
        let trimmed = line.trim_start();
        if let Some(name) = trimmed.strip_prefix("Running ").or_else(|| trimmed.strip_prefix("Doc-tests ")) {
            self.end();
            self.running = Some(binary(name));
        } else if let Some(counts) = line.strip_prefix("test result: ") {
            return Some(self.result(counts));
        } else if let Some(failures) = &mut self.failures {
            failures.push(line.to_owned());
        } else if line == "failures:" {
            self.failures = Some(Vec::new());
        } else if let Some(test) = line.strip_prefix("test ") {
            if let Some(name) = test.strip_suffix(" ... FAILED") {
                self.failed.push(name.trim_end().to_owned());
            } else if let Some((name, reason)) = test.split_once(" ... ignored") {
                self.skipped.push(format!("{}{reason}", name.trim_end()));
                // An ignored test is not among the passed ones, from which the skipped ones are
                // subtracted.
                self.passed += 1;
            }
        } else if let Some(reason) = trimmed.strip_prefix("SKIPPED") {
            self.skipped.push(reason.trim_start_matches([':', ' ']).to_owned());
        }
        None
    }

    /// Ends the running binary. A binary without a result has crashed.
    pub(super) fn end(&mut self) {
        let last = self.last.take();
        if let Some(name) = self.running.take() {
            self.faults.push(format!("{name} has ended without a result; the last it said:"));
            self.faults.extend(last);
        }
    }

    fn result(&mut self, counts: &str) -> String {
        self.binaries += 1;
        let number = |what: &str| {
            let part = counts.split([';', '.']).find(|part| part.trim_end().ends_with(what))?;
            part.split_whitespace().next()?.parse::<usize>().ok()
        };
        let passed = number("passed").unwrap_or(0);
        self.passed += passed;
        for test in self.failures.take().unwrap_or_default().split(|line| line.starts_with("---- ")) {
            let left_out = test.len().saturating_sub(HEAD + TAIL);
            self.faults.extend(test.iter().take(HEAD).cloned());
            if left_out > 0 {
                self.faults.push(format!("[{left_out} lines]"));
            }
            self.faults.extend(test.iter().skip(HEAD.max(test.len().saturating_sub(TAIL))).cloned());
        }
        let took = counts.rsplit("finished in ").next().unwrap_or_default();
        format!("{:<28} {passed:>4} passed in {took}", self.running.take().unwrap_or_default())
    }
}

/// Returns the name of a test binary in cargo's `tests/api.rs
/// (target/release/deps/api-0123456789abcdef)`.
fn binary(ended: &str) -> String {
    let file = ended.rsplit('/').next().unwrap_or(ended).trim_end_matches(')');
    file.rsplit_once('-').map_or(file, |(name, _)| name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(lines: &str) -> (TestTotals, Vec<String>) {
        let mut totals = TestTotals::default();
        let ended = lines.lines().filter_map(|line| totals.see(line)).collect();
        totals.end();
        (totals, ended)
    }

    #[test]
    fn the_output_of_the_harness_is_counted() {
        let (totals, ended) = seen(
            "     Running tests/api.rs (target/release/deps/api-0123456789abcdef)\n\
             test a::b ... ok\ntest c    ... FAILED\ntest d ... ignored, needs a disk\nSKIPPED: no data\n\
             test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s",
        );
        assert_eq!((totals.binaries, totals.passed), (1, 4));
        assert_eq!(totals.failed, ["c"]);
        assert_eq!(totals.skipped, ["d, needs a disk", "no data"]);
        assert!(ended[0].starts_with("api ") && ended[0].ends_with("3 passed in 0.1s"), "{ended:?}");
        assert!(totals.faults.is_empty(), "{:?}", totals.faults);
    }

    #[test]
    fn the_output_of_a_failure_is_kept_with_its_head_and_its_tail() {
        let lines: String = (0..100).map(|line| format!("line {line}\n")).collect();
        let (totals, _) = seen(&format!(
            "Running a\ntest c ... FAILED\nsuccesses:\nquiet\nfailures:\n\n---- c stdout ----\n{lines}\
             failures:\n    c\n\ntest result: FAILED. 0 passed; 1 failed; finished in 0.1s"
        ));
        let has = |line: &str| totals.faults.iter().any(|fault| fault == line);
        assert!(has("line 0") && has("line 99") && !has("line 50") && !has("quiet"), "{:?}", totals.faults);
    }

    #[test]
    fn a_binary_that_crashes_is_reported_with_its_last_lines() {
        let (totals, _) =
            seen("Running tests/a.rs (deps/a-01)\ntest b ... ok\nfatal\nRunning tests/c.rs (deps/c-02)\n");
        assert!(totals.faults[0].starts_with("a has ended") && totals.faults.contains(&"fatal".to_owned()));
        assert!(totals.faults.iter().any(|line| line.starts_with("c has ended")));
    }
}
