//! What servers say of themselves (I7): their audit compares copies with rows, and forgets those that differ though they were
//! told, so that hardly anybody else sees them; and nothing in a server panics, or says anything that is no line of its log.

use super::Found;
use crate::histcheck::history::Alarm;

/// The words of a log by which a server accuses itself.
const WORDS: [&str; 2] = ["copies differ from their rows", "panicked at"];
/// As much of what was said is told.
const TOLD: usize = 1_000;

/// Finds what servers say is wrong with them. Other errors in their logs are of the faults that strike.
pub(super) fn check(alarms: &[Alarm], found: &mut Found) {
    // A process that is out of memory, or whose stack is too small, has no log any more.
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
        let found = says("{\"message\":\"copies differ from their rows; they are forgotten\"}");
        assert_eq!((found.len(), found[0].rule), (1, "alarms"));
        assert!(found[0].what.starts_with("at 2.500 s a server said: {"), "{}", found[0].what);
        assert_eq!(says("thread 'relay' panicked at relay.rs:1").len(), 1);
        assert_eq!(says("{\"level\":\"ERROR\",\"message\":\"the relay is behind\"}"), []);
    }
}
