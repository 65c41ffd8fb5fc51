//! Runs one command to its end: its output shown, its time bounded, its process group stopped with it.

use crate::live::{Live, kill_group};
use anyhow::{Result, bail};
use std::io::{BufRead, BufReader, PipeReader};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// No single command of a run may take longer; the whole run is meant to stay under 40 minutes, on two busy cores too.
const LIMIT: Duration = Duration::from_mins(25);

/// Runs `command` and fails unless it succeeds.
pub(crate) fn run(live: &Arc<Live>, command: &mut Command) -> Result<()> {
    succeeded(finish(live, command, None)?, command)
}

/// Runs `command`, shows its standard output and hands each of its lines to `see` as well.
pub(crate) fn run_watched(live: &Arc<Live>, command: &mut Command, see: &mut dyn FnMut(&str)) -> Result<ExitStatus> {
    let (output, writer) = std::io::pipe()?;
    command.stdout(writer);
    let mut show = |line: &str| {
        println!("{line}");
        see(line);
    };
    finish(live, command, Some((output, &mut show)))
}

/// Runs `command`, hands each line of either output to `see` instead of showing it, and fails unless it succeeds.
pub(crate) fn run_told(live: &Arc<Live>, command: &mut Command, see: &mut dyn FnMut(&str)) -> Result<()> {
    let (output, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    succeeded(finish(live, command, Some((output, see)))?, command)
}

/// What `command` writes to its standard output; fails unless it succeeds.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("{} ended with {}: {}", shown(command), output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The command as one would type it, without its environment.
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

/// What a command writes, and who is told each of its lines.
type Told<'a> = (PipeReader, &'a mut dyn FnMut(&str));

fn finish(live: &Arc<Live>, command: &mut Command, output: Option<Told<'_>>) -> Result<ExitStatus> {
    eprintln!("$ {}", shown(command));
    let mut process = live.spawn(command.stdin(Stdio::null()))?;
    if output.is_some() {
        // Our own ends of the pipe, without which it ends with the process.
        command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    }
    let (ended, end) = mpsc::channel::<()>();
    let group = process.group();
    let watchdog = std::thread::spawn(move || {
        let late = matches!(end.recv_timeout(LIMIT), Err(mpsc::RecvTimeoutError::Timeout));
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
        bail!("{} was stopped after {} minutes", shown(command), LIMIT.as_secs() / 60);
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
            run_watched(&Arc::new(Live::default()), &mut command, &mut |line| seen.push(line.to_owned())).unwrap();
        assert_eq!((seen, status.code()), (vec!["one".to_owned(), "two".to_owned()], Some(4)));
    }

    #[test]
    fn both_outputs_are_told_in_their_order() {
        let mut told = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; echo three"]);
        run_told(&Arc::new(Live::default()), &mut command, &mut |line| told.push(line.to_owned())).unwrap();
        assert_eq!(told, ["one", "two", "three"]);
    }
}
