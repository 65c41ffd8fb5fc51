//! The command line, run as a user runs it.

use std::ffi::OsStr;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

use crate::binary::binary;

/// The output and the exit status of a command.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; -1 if a signal ended the process.
    pub code: i32,
    /// The standard output.
    pub out: String,
    /// The standard error.
    pub err: String,
    /// The time that it took.
    pub took: Duration,
}

/// Returns a command that runs the binary under test with these arguments, without
/// `RIPOSTE_` variables in its environment.
///
/// # Errors
/// If the binary does not exist.
pub fn riposte<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Result<Command> {
    let mut command = Command::new(binary()?);
    let ours = std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("RIPOSTE_"));
    ours.for_each(|name| {
        command.env_remove(name);
    });
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    Ok(command)
}

/// Runs the binary under test to its end.
///
/// # Errors
/// If it cannot be run, or does not end within two minutes.
pub async fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Result<Ran> {
    finish(&mut riposte(arguments)?).await
}

/// Runs a command to its end.
///
/// # Errors
/// As [`run`].
pub async fn finish(command: &mut Command) -> Result<Ran> {
    let begin = Instant::now();
    let ended = tokio::time::timeout(Duration::from_secs(120), command.output()).await;
    let Output { status, stdout, stderr } = ended.context("it did not end within two minutes")??;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Ran { code: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr), took: begin.elapsed() })
}

impl Ran {
    /// Fails, with the output, unless the command ended with `code`.
    ///
    /// # Errors
    /// If the exit code differs.
    pub fn ended(self, code: i32) -> Result<Self> {
        ensure!(self.code == code, "exit code {} instead of {code}:\n{}{}", self.code, self.out, self.err);
        Ok(self)
    }

    /// Fails unless standard output or standard error contains each of the words.
    ///
    /// # Errors
    /// The first missing word.
    pub fn says(self, words: &[&str]) -> Result<Self> {
        for word in words {
            ensure!(self.out.contains(word) || self.err.contains(word), "no {word:?} in:\n{}{}", self.out, self.err);
        }
        Ok(self)
    }
}
