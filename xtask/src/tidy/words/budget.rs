//! The number of occurrences that each retired word may still have.

use super::{BUDGET, Report, Violation};
use std::collections::BTreeMap;
use std::fmt;

const HEADER: &str = "\
# The number of occurrences that each retired word of docs/glossary.md may still have. A higher count is a
# fault; `cargo xtask tidy --words --update` lowers the numbers to today's counts and never raises one.
";

/// The allowed count by the key of a word, as `prose: who`.
#[derive(Debug, Default)]
pub(super) struct Budget {
    allowed: BTreeMap<String, usize>,
}

impl Budget {
    /// Parses lines of a count and a key.
    pub(super) fn parse(text: &str, faults: &mut Vec<Violation>) -> Self {
        let mut allowed = BTreeMap::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let entry = line.trim().split_once(' ').and_then(|(count, key)| Some((key.trim(), count.parse().ok()?)));
            let Some((key, count)) = entry else {
                faults.push(Violation::new(BUDGET, number + 1, "a line is a count and a word, as `12 prose: who`"));
                continue;
            };
            if allowed.insert(key.to_owned(), count).is_some() {
                faults.push(Violation::new(BUDGET, number + 1, format!("`{key}` has two entries")));
            }
        }
        Self { allowed }
    }

    /// Returns the keys that have an entry.
    #[cfg(test)]
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.allowed.keys().map(String::as_str)
    }

    /// Reports counts above the budget as faults, and those below it in one note.
    pub(super) fn check(&self, counts: &BTreeMap<&str, usize>, report: &mut Report) {
        let mut lower = Vec::new();
        for (key, count) in counts {
            let allowed = self.allowed.get(*key).copied().unwrap_or(0);
            if *count > allowed {
                let what = format!(
                    "{key:?} has {count} occurrence(s), {allowed} are allowed: use the term of the glossary \
                     (`cargo xtask tidy --words` lists the occurrences)"
                );
                report.faults.push(Violation::new(BUDGET, 0, what));
            }
            if *count < allowed {
                lower.push(format!("{key:?} {count} (of {allowed})"));
            }
        }
        for key in self.allowed.keys().filter(|key| !counts.contains_key(key.as_str())) {
            let what = format!("{key:?} is not retired by the glossary: `cargo xtask tidy --words --update` drops it");
            report.faults.push(Violation::new(BUDGET, 0, what));
        }
        if !lower.is_empty() {
            report.notes.push(format!(
                "retired words below their budget, lower it with `cargo xtask tidy --words --update`: {}",
                lower.join(", ")
            ));
        }
    }

    /// Returns the budget that allows today's counts and no more than before.
    pub(super) fn lowered(&self, counts: &BTreeMap<&str, usize>) -> Self {
        let allow = |(key, count): (&&str, &usize)| {
            let before = self.allowed.get(*key).copied().unwrap_or(*count);
            ((*key).to_owned(), before.min(*count))
        };
        Self { allowed: counts.iter().map(allow).collect() }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADER)?;
        self.allowed.iter().try_for_each(|(key, count)| writeln!(f, "{count} {key}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(text: &str) -> Budget {
        let mut faults = Vec::new();
        let budget = Budget::parse(text, &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
        budget
    }

    fn report(text: &str, counts: &[(&'static str, usize)]) -> Report {
        let mut report = Report::default();
        budget(text).check(&counts.iter().copied().collect(), &mut report);
        report
    }

    #[test]
    fn one_occurrence_above_the_budget_is_a_fault() {
        let report = report("3 both: lane\n", &[("both: lane", 4)]);
        assert_eq!((report.faults.len(), report.notes.len()), (1, 0));
        assert!(report.faults[0].what.contains("4 occurrence(s), 3 are allowed"), "{}", report.faults[0].what);
    }

    #[test]
    fn a_word_without_an_entry_has_no_budget() {
        assert_eq!(report("", &[("both: lane", 1), ("both: pit", 0)]).faults.len(), 1);
    }

    #[test]
    fn one_occurrence_below_the_budget_is_a_note_that_says_how_to_lower_it() {
        let report = report("3 both: lane\n", &[("both: lane", 2)]);
        assert_eq!((report.faults.len(), report.notes.len()), (0, 1));
        assert!(report.notes[0].contains("--words --update"), "{}", report.notes[0]);
    }

    #[test]
    fn an_entry_for_a_word_that_is_not_retired_is_a_fault() {
        assert_eq!(report("3 both: lane\n", &[]).faults.len(), 1);
    }

    #[test]
    fn an_update_lowers_adds_and_drops_but_never_raises() {
        let before = budget("3 both: lane\n5 both: pit\n1 both: gone\n");
        let after = before.lowered(&[("both: lane", 4), ("both: pit", 2), ("prose: who", 9)].into_iter().collect());
        let expected = format!("{HEADER}3 both: lane\n2 both: pit\n9 prose: who\n");
        assert_eq!(after.to_string(), expected);
        assert_eq!(budget(&expected).to_string(), expected);
    }

    #[test]
    fn a_line_that_is_no_entry_is_a_fault() {
        let mut faults = Vec::new();
        let _ = Budget::parse("# fine\n3 both: lane\nlane\n4 both: lane\n", &mut faults);
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [3, 4]);
    }
}
