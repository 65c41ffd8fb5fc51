//! Errors that servers report about themselves. The cache audit of a server compares cached
//! data with rows and drops entries that differ although their updates were applied, so other reads
//! hardly ever return them. Also, no server panics or writes output that is not a log line.

use super::Found;
use crate::histcheck::history::Alarm;

/// Words of a log line that reports a violation.
const WORDS: [&str; 3] = ["a cache entry differs from its rows", COPIES_DIFFER, "panicked at"];
/// The same report of versions before 0.1.0, which a rolling upgrade runs beside this one.
const COPIES_DIFFER: &str = "copies differ from their rows";
/// Number of characters of a log line that are shown.
const TOLD: usize = 1_000;

/// Finds violations that servers report. Other errors in their logs are consequences of the
/// injected faults.
pub(super) fn check(alarms: &[Alarm], found: &mut Found) {
    // A process that runs out of memory or stack does not write a log line.
    let accuses = |alarm: &&Alarm| WORDS.iter().any(|words| alarm.said.contains(words)) || !alarm.said.starts_with('{');
    for Alarm { at, said } in alarms.iter().filter(accuses) {
        let said = said.chars().filter(|letter| !letter.is_control()).take(TOLD).collect::<String>();
        found.add(|| format!("at {:.3} s a server said: {said}", *at as f64 / 1e9), &[]);
    }
}

#[cfg(test)]
mod tests {
    use crate::histcheck::check::check;
    use crate::histcheck::history::{Alarm, History};

    #[test]
    fn a_server_that_accuses_itself_is_believed_and_one_that_was_struck_is_not() {
        let says = |said: &str| {
            let alarms = vec![Alarm { at: 2_500_000_000, said: said.to_owned() }];
            check(&History { alarms, ..History::default() })
        };
        let earlier = says("{\"message\":\"copies differ from their rows; they are forgotten\"}");
        assert_eq!(earlier.len(), 1);
        let found = says("{\"message\":\"a cache entry differs from its rows and is invalidated\"}");
        assert_eq!((found.len(), found[0].rule), (1, "alarms"));
        assert!(found[0].what.starts_with("at 2.500 s a server said: {"), "{}", found[0].what);
        assert_eq!(says("thread 'relay' panicked at relay.rs:1").len(), 1);
        assert_eq!(says("{\"level\":\"ERROR\",\"message\":\"the relay is behind\"}"), []);
    }
}
