//! A stopped process: its connections stay open, and it does not respond.

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The stopped process, which continues when this value is dropped.
#[derive(Debug)]
pub(super) struct Stopped(Pid);

impl Stopped {
    pub(super) fn begin(pid: i32) -> Result<Self> {
        let pid = Pid::from_raw(pid);
        kill(pid, Signal::SIGSTOP).with_context(|| format!("process {pid} cannot be stopped"))?;
        Ok(Self(pid))
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if let Err(error) = kill(self.0, Signal::SIGCONT) {
            eprintln!("process {} does not continue: {error}", self.0);
        }
    }
}
