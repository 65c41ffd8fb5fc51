//! The time from the start of a program to its first response.

use crate::live::Live;
use anyhow::{Result, ensure};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

/// Returns the median, over `times` starts, of the milliseconds from a program's start to the first
/// line of its output. One more start comes first, so that the machine has the files cached.
pub(super) fn first_response_ms(live: &Arc<Live>, times: usize, program: impl Fn() -> Result<Command>) -> Result<f64> {
    let mut taken = Vec::new();
    for number in 0..=times {
        let mut command = program()?;
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let start = Instant::now();
        let mut process = live.spawn(&mut command)?;
        let mut line = String::new();
        if let Some(output) = process.child().stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let milliseconds = start.elapsed().as_secs_f64() * 1000.0;
        let status = process.wait()?;
        ensure!(status.success() && !line.is_empty(), "the first call failed: {status}");
        if number > 0 {
            taken.push(milliseconds);
        }
    }
    taken.sort_by(f64::total_cmp);
    Ok(taken.get(taken.len() / 2).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> impl Fn() -> Result<Command> {
        move || {
            let mut command = Command::new("sh");
            command.args(["-c", text]);
            Ok(command)
        }
    }

    #[test]
    fn a_start_lasts_until_the_first_line_and_not_to_the_end() {
        let live = Arc::new(Live::default());
        assert!(first_response_ms(&live, 1, program("echo answered; sleep 0.01")).unwrap() > 0.0);
    }

    #[test]
    fn a_program_that_fails_or_writes_nothing_is_an_error() {
        let live = Arc::new(Live::default());
        assert!(first_response_ms(&live, 1, program("echo answered; exit 1")).is_err());
        assert!(first_response_ms(&live, 1, program("true")).is_err());
    }
}
