//! Maven, which fetches plugins and libraries when it runs.

use crate::live::Live;
use crate::run::{Last, run_observed};
use anyhow::Result;
use std::process::Command;
use std::sync::Arc;

/// The parts of Maven's messages that say that a registry cannot be reached, or could not be at the
/// last attempt. An artefact that the registry does not have is another fault.
const UNREACHABLE: [&str; 3] = ["Could not transfer artifact", "Failure to transfer", "Cannot access "];

/// Runs a command that calls Maven. Returns the reason of a skip: without a network, artefacts that
/// this machine lacks cannot be fetched.
///
/// # Errors
/// Fails if the command fails for any other reason, with the end of its output shown.
pub(crate) fn run_or_offline(live: &Arc<Live>, command: &mut Command) -> Result<Option<String>> {
    let (mut last, mut reason) = (Last::default(), None);
    let outcome = run_observed(live, command, &mut |line| {
        reason = reason.take().or_else(|| says_offline(line));
        last.keep(line);
    });
    match (outcome, reason) {
        (Ok(()), _) => Ok(None),
        (Err(_), Some(reason)) => Ok(Some(reason)),
        (Err(error), None) => {
            last.show();
            Err(error)
        }
    }
}

fn says_offline(line: &str) -> Option<String> {
    let found = UNREACHABLE.iter().any(|text| line.contains(text));
    found.then(|| format!("Maven's registry cannot be reached: {}", line.chars().take(200).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::says_offline;

    #[test]
    fn a_registry_that_cannot_be_reached_is_no_fault_and_an_unknown_artefact_is_one() {
        let offline = "[ERROR] Could not transfer artifact a:b:pom:1 from/to central: Unknown host";
        assert!(says_offline(offline).is_some_and(|reason| reason.contains("a:b:pom:1")));
        assert!(says_offline("Failure to transfer a:b:jar:1 from central was cached").is_some());
        assert!(says_offline("[ERROR] Could not find artifact a:b:jar:1 in central").is_none());
        assert!(says_offline("[ERROR] COMPILATION ERROR").is_none());
    }
}
