//! A process that stands still: its connections stay open, and nothing is answered.

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// It goes on when this is dropped.
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
            eprintln!("process {} does not go on: {error}", self.0);
        }
    }
}
