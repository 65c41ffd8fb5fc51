//! The command line, run as a user runs it.

use std::ffi::OsStr;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

use crate::server::binary;

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code; -1 where a signal ended it.
    pub code: i32,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
    /// How long it took.
    pub took: Duration,
}

/// The binary under test with arguments, and with nothing of ours in its environment.
///
/// # Errors
/// When there is no binary.
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
/// When it cannot be run, or does not end within two minutes.
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
    /// Fails unless it ended with `code`, and shows what it said.
    ///
    /// # Errors
    /// When it did not.
    pub fn ended(self, code: i32) -> Result<Self> {
        ensure!(self.code == code, "exit code {} instead of {code}:\n{}{}", self.code, self.out, self.err);
        Ok(self)
    }

    /// Fails unless standard output or standard error holds each of the words.
    ///
    /// # Errors
    /// The first that neither holds.
    pub fn says(self, words: &[&str]) -> Result<Self> {
        for word in words {
            ensure!(self.out.contains(word) || self.err.contains(word), "no {word:?} in:\n{}{}", self.out, self.err);
        }
        Ok(self)
    }
}
