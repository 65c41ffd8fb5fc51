//! Disks that fail: system calls of a running server are answered with an error, by strace.

use crate::live::{Live, Process};
use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::path::Path;
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

/// How long it may take until a call fails: whoever is asked under a load flushes all the time.
const FAILS_WITHIN: Duration = Duration::from_secs(30);
/// How long strace may take to let go.
const LETS_GO_WITHIN: Duration = Duration::from_secs(5);
/// What strace writes behind a call that it made fail.
const INJECTED: &[u8] = b"(INJECTED)";

impl DiskFault {
    /// How long it fails, from the first call that failed on. A server dies of a flush that failed, at once as a rule.
    fn lasts(self) -> Duration {
        match self {
            Self::Sync => Duration::from_secs(20),
            Self::Full => Duration::from_millis(1_500),
        }
    }

    /// The system calls, and what they answer. Connections are written to by others.
    fn calls(self) -> (&'static str, &'static str) {
        match self {
            Self::Sync => ("fsync,fdatasync", "EIO"),
            Self::Full => ("pwrite64,write,fallocate", "ENOSPC"),
        }
    }
}

/// Whether system calls of others can be made to fail here.
pub(crate) fn can_fail(live: &Arc<Live>) -> Result<()> {
    let mut sleeps = live.spawn(Command::new("sleep").arg("60").stdin(Stdio::null()))?;
    let mut strace = Command::new("timeout");
    strace.args(["--signal=INT", "0.5", "strace", "--quiet=all", "--output=/dev/null"]);
    strace.args(["--trace=fsync", "--inject=fsync:error=EIO"]).arg(format!("--attach={}", sleeps.group()));
    let output = strace.stdin(Stdio::null()).output().context("timeout")?;
    let is_alive = sleeps.child().try_wait()?.is_none();
    // 124: it had to be told to let go, so it held on until then.
    let held = is_alive && output.status.code() == Some(124);
    ensure!(held, "strace: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}

/// Lets calls of a server fail until it has died of it, or for a moment. One that makes no such call is an error: then no fault has
/// struck.
pub(super) fn fail(live: &Arc<Live>, server: &mut Process, fault: DiskFault) -> Result<()> {
    let (calls, error) = fault.calls();
    let seen = live.folder()?;
    let seen = seen.path().join("calls");
    let mut strace = Command::new("strace");
    strace.args(["--quiet=all", "--follow-forks", "--output"]).arg(&seen);
    strace.arg(format!("--trace={calls}")).arg(format!("--inject={calls}:error={error}"));
    strace.arg(format!("--attach={}", server.group())).stdin(Stdio::null());
    let mut strace = live.spawn(&mut strace).context("strace")?;
    let (begun, mut struck) = (Instant::now(), None);
    while server.child().try_wait()?.is_none() {
        if struck.is_none() && has_failed(&seen) {
            struck = Some(Instant::now());
        }
        match struck {
            Some(struck) if struck.elapsed() >= fault.lasts() => break,
            None if begun.elapsed() >= FAILS_WITHIN => bail!("it made no call that could fail"),
            Some(_) | None => {}
        }
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
    ensure!(has_failed(&seen), "no call failed");
    if fault == DiskFault::Sync && server.child().try_wait()?.is_none() {
        eprintln!("a database server has outlived flushes that failed");
    }
    Ok(())
}

/// Whether a call was made to fail, as strace says.
fn has_failed(seen: &Path) -> bool {
    std::fs::read(seen).is_ok_and(|said| said.windows(INJECTED.len()).any(|window| window == INJECTED))
}
