//! Runs one command to its end, with its output shown, its time bounded and its process group
//! stopped with it.

use crate::live::{Live, kill_group};
use anyhow::{Context, Result, bail, ensure};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, IsTerminal, PipeReader, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// The time limit of a single command. The whole run should stay under 40 minutes, on two busy
/// cores too.
const LIMIT: Duration = Duration::from_mins(25);

/// The number of last lines that are shown of a failed command outside a terminal.
const LAST: usize = 60;

/// Runs `command` and fails unless it succeeds. On a terminal its output is shown as it comes.
/// Elsewhere only the end is shown, and only on failure, because the relevant line is hard to find
/// among thousands.
pub(crate) fn run(live: &Arc<Live>, command: &mut Command) -> Result<()> {
    if watched() {
        return succeeded(finish(live, command, LIMIT, None)?, command);
    }
    let mut last = Last::default();
    let outcome = run_observed(live, command, &mut |line| last.keep(line));
    if outcome.is_err() {
        last.show();
    }
    outcome
}

/// Runs `command`, passes each line of either output to `see` instead of showing it, and fails
/// unless it succeeds.
pub(crate) fn run_observed(live: &Arc<Live>, command: &mut Command, see: &mut dyn FnMut(&str)) -> Result<()> {
    run_observed_within(live, command, LIMIT, see)
}

/// Does the same as [`run_observed`] with another time limit.
pub(crate) fn run_observed_within(
    live: &Arc<Live>,
    command: &mut Command,
    limit: Duration,
    see: &mut dyn FnMut(&str),
) -> Result<()> {
    succeeded(run_piped(live, command, limit, see)?, command)
}

/// Does the same as [`run_observed`], for a command whose failing exit status is not an error.
pub(crate) fn run_to_end(live: &Arc<Live>, command: &mut Command, see: &mut dyn FnMut(&str)) -> Result<ExitStatus> {
    run_piped(live, command, LIMIT, see)
}

fn run_piped(
    live: &Arc<Live>,
    command: &mut Command,
    limit: Duration,
    see: &mut dyn FnMut(&str),
) -> Result<ExitStatus> {
    let (output, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    finish(live, command, limit, Some((output, see)))
}

/// Returns `true` if standard error is a terminal.
pub(crate) fn watched() -> bool {
    std::io::stderr().is_terminal()
}

/// The last lines of a command's output.
#[derive(Debug, Default)]
pub(crate) struct Last(VecDeque<String>);

impl Last {
    /// Stores `line` and drops the oldest.
    pub(crate) fn keep(&mut self, line: &str) {
        if self.0.len() == LAST {
            self.0.pop_front();
        }
        self.0.push_back(line.to_owned());
    }

    /// Writes the stored lines to standard error.
    pub(crate) fn show(&self) {
        self.0.iter().for_each(|line| eprintln!("{line}"));
    }

    /// Returns the stored lines and empties the store.
    pub(crate) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.0).into()
    }
}

/// Returns the standard output of `command`; fails unless it succeeds.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("{} ended with {}: {}", shown(command), output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns what `command` makes of a text: its standard input and output.
pub(crate) fn filtered(command: &mut Command, text: String) -> Result<Vec<u8>> {
    let program = shown(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("{program}: it cannot be run"))?;
    let mut input = child.stdin.take().context("its input was just asked for")?;
    // Most formatters read all input before they write; the thread also serves one that does not.
    let feeding = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    feeding.join().map_err(|_panic| anyhow::anyhow!("{program} could not be fed"))??;
    ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(output.stdout)
}

/// Returns the command as it would be typed, without its environment.
pub(crate) fn shown(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let name = program.rsplit('/').next().unwrap_or(&program).to_owned();
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

fn succeeded(status: ExitStatus, command: &Command) -> Result<()> {
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// The output of a command and the receiver of each of its lines.
type ObservedOutput<'a> = (PipeReader, &'a mut dyn FnMut(&str));

fn finish(
    live: &Arc<Live>,
    command: &mut Command,
    limit: Duration,
    output: Option<ObservedOutput<'_>>,
) -> Result<ExitStatus> {
    eprintln!("$ {}", shown(command));
    let mut process = live.spawn(command.stdin(Stdio::null()))?;
    if output.is_some() {
        // The parent's write ends of the pipe are closed here; otherwise the pipe would not end
        // with the process.
        command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    }
    let (ended, end) = mpsc::channel::<()>();
    let group = process.group();
    let watchdog = std::thread::spawn(move || {
        let late = matches!(end.recv_timeout(limit), Err(mpsc::RecvTimeoutError::Timeout));
        if late {
            kill_group(group);
        }
        late
    });
    if let Some((output, see)) = output {
        for line in BufReader::new(output).split(b'\n') {
            see(&String::from_utf8_lossy(&line?));
        }
    }
    let status = process.wait()?;
    drop(ended);
    if watchdog.join().unwrap_or(false) {
        bail!("{} was stopped after {} minutes", shown(command), limit.as_secs() / 60);
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_an_error_that_names_it() {
        let error = run(&Arc::new(Live::default()), Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(error.to_string(), "sh -c exit 3 ended with exit status: 3");
    }

    #[test]
    fn every_line_is_seen_and_the_status_returned() {
        let mut seen = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two; exit 4"]);
        let status =
            run_to_end(&Arc::new(Live::default()), &mut command, &mut |line| seen.push(line.to_owned())).unwrap();
        assert_eq!((seen, status.code()), (vec!["one".to_owned(), "two".to_owned()], Some(4)));
    }

    #[test]
    fn the_last_lines_are_kept_and_no_more() {
        let mut last = Last::default();
        (0..LAST + 2).for_each(|line| last.keep(&line.to_string()));
        let lines = last.take();
        assert_eq!((lines.len(), lines[0].as_str()), (LAST, "2"));
        assert!(last.take().is_empty());
    }

    #[test]
    fn both_outputs_arrive_in_their_order() {
        let mut lines = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; echo three"]);
        run_observed(&Arc::new(Live::default()), &mut command, &mut |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(lines, ["one", "two", "three"]);
    }
}
