//! Disks that fail: system calls of a running server are answered with an error, by strace.

use crate::live::{Live, Process};
use crate::run::output_of;
use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How a disk fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskFault {
    /// What was written is not flushed: EIO.
    Sync,
    /// Nothing more is taken: ENOSPC.
    Full,
}

/// How long it fails: a server that does not die of it goes on with what it was told.
const LASTS: Duration = Duration::from_millis(1_500);
/// How long strace may take to let go.
const LETS_GO_WITHIN: Duration = Duration::from_secs(5);

impl DiskFault {
    /// The system calls, and what they answer. Connections are written to by others.
    fn calls(self) -> (&'static str, &'static str) {
        match self {
            Self::Sync => ("fsync,fdatasync", "EIO"),
            Self::Full => ("pwrite64,write,fallocate", "ENOSPC"),
        }
    }
}

/// Whether system calls of others can be made to fail here.
pub(crate) fn can_fail() -> bool {
    output_of(Command::new("strace").args(["--quiet=all", "--output=/dev/null", "--trace=none", "true"])).is_ok()
}

/// Lets calls of a server fail until it has died of it, or for a moment.
pub(super) fn fail(live: &Arc<Live>, server: &mut Process, fault: DiskFault) -> Result<()> {
    let (calls, error) = fault.calls();
    let mut strace = Command::new("strace");
    strace.args(["--quiet=all", "--follow-forks", "--output=/dev/null"]);
    strace.arg(format!("--trace={calls}")).arg(format!("--inject={calls}:error={error}"));
    strace.arg(format!("--attach={}", server.group())).stdin(Stdio::null());
    let mut strace = live.spawn(&mut strace).context("strace")?;
    let begun = Instant::now();
    while begun.elapsed() < LASTS && server.child().try_wait()?.is_none() {
        if let Some(status) = strace.child().try_wait()?
            && server.child().try_wait()?.is_none()
        {
            bail!("strace ended with {status} before the server did");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // It lets go of the server, or has nobody left to hold.
    let _ = killpg(Pid::from_raw(strace.group()), Signal::SIGINT);
    let end = Instant::now() + LETS_GO_WITHIN;
    while strace.child().try_wait()?.is_none() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}
