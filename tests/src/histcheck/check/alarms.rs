//! Violations that servers report in their logs. The cache audit of a server compares cached data
//! with rows and drops entries that differ although their updates were applied, so reads hardly
//! ever return such entries. A store that receives other results than those of its statements
//! refuses them. Also, no server panics or writes output that is not a log line.

use super::Findings;
use crate::histcheck::history::Alarm;

/// Texts of log lines that report a violation.
const VIOLATIONS: [&str; 4] = [
    "a cache entry differs from its rows",
    AUDIT_BEFORE_0_1_0,
    "panicked at",
    "the results of a query are not those of its statements",
];
/// The report of the audit in versions before 0.1.0. A rolling upgrade runs such a version together
/// with this one.
const AUDIT_BEFORE_0_1_0: &str = "copies differ from their rows";
/// Maximum number of characters of a log line in a report.
const MAX_CHARACTERS: usize = 1_000;

/// Finds violations that servers report. Other errors in their logs are consequences of the
/// injected faults.
pub(super) fn check(alarms: &[Alarm], findings: &mut Findings) {
    // A process that runs out of memory or stack writes a text that is not a log line.
    let reports_violation =
        |alarm: &&Alarm| VIOLATIONS.iter().any(|text| alarm.line.contains(text)) || !alarm.line.starts_with('{');
    for alarm in alarms.iter().filter(reports_violation) {
        let line: String = alarm.line.chars().filter(|letter| !letter.is_control()).take(MAX_CHARACTERS).collect();
        findings.add(|| format!("at {:.3} s a server logged: {line}", alarm.at as f64 / 1e9), &[]);
    }
}

#[cfg(test)]
mod tests {
    use crate::histcheck::check::check;
    use crate::histcheck::history::{Alarm, History};

    #[test]
    fn a_reported_violation_is_found_and_a_consequence_of_a_fault_is_ignored() {
        let anomalies = |line: &str| {
            let alarms = vec![Alarm { at: 2_500_000_000, line: line.to_owned() }];
            check(&History { alarms, ..History::default() }).anomalies
        };
        let earlier = anomalies("{\"message\":\"copies differ from their rows\"}");
        assert_eq!(earlier.len(), 1);
        let found = anomalies("{\"message\":\"a cache entry differs from its rows and is invalidated\"}");
        assert_eq!((found.len(), found[0].rule), (1, "alarms"));
        assert!(found[0].description.starts_with("at 2.500 s a server logged: {"), "{}", found[0].description);
        assert_eq!(anomalies("thread 'relay' panicked at relay.rs:1").len(), 1);
        assert_eq!(anomalies("{\"level\":\"ERROR\",\"message\":\"the relay is behind\"}"), []);
    }
}
