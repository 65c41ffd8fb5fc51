//! Disk faults: strace makes system calls of a running server return an error.

use crate::live::{Live, Process};
use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The kind of a disk fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskFault {
    /// Flushes fail: EIO.
    Sync,
    /// Writes fail: ENOSPC.
    Full,
}

/// The time within which a call must fail: a server under load flushes all the time.
const FAILS_WITHIN: Duration = Duration::from_secs(30);
/// The time within which strace must detach.
const LETS_GO_WITHIN: Duration = Duration::from_secs(5);
/// The mark that strace writes after a call with an injected error.
const INJECTED: &[u8] = b"(INJECTED)";

impl DiskFault {
    /// Returns the duration of the fault, from the first failed call on. A failed flush ends a
    /// server, usually at once.
    fn lasts(self) -> Duration {
        match self {
            Self::Sync => Duration::from_secs(20),
            Self::Full => Duration::from_millis(1_500),
        }
    }

    /// Returns the system calls and their injected error. Connections use other calls.
    fn calls(self) -> (&'static str, &'static str) {
        match self {
            Self::Sync => ("fsync,fdatasync", "EIO"),
            Self::Full => ("pwrite64,write,fallocate", "ENOSPC"),
        }
    }
}

/// Fails if errors cannot be injected into the system calls of other processes here.
pub(crate) fn can_fail(live: &Arc<Live>) -> Result<()> {
    let mut sleeps = live.spawn(Command::new("sleep").arg("60").stdin(Stdio::null()))?;
    let mut strace = Command::new("timeout");
    strace.args(["--signal=INT", "0.5", "strace", "--quiet=all", "--output=/dev/null"]);
    strace.args(["--trace=fsync", "--inject=fsync:error=EIO"]).arg(format!("--attach={}", sleeps.group()));
    let output = strace.stdin(Stdio::null()).output().context("timeout")?;
    let is_alive = sleeps.child().try_wait()?.is_none();
    // 124: timeout had to signal strace, so strace was attached until then.
    let held = is_alive && output.status.code() == Some(124);
    ensure!(held, "strace: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}

/// Injects errors into calls of a server until the server has ended, or for a moment. It fails if
/// the server makes no such call, because then no fault was injected.
pub(super) fn fail(live: &Arc<Live>, server: &mut Process, fault: DiskFault) -> Result<()> {
    let (calls, error) = fault.calls();
    let seen = live.folder()?;
    let seen = seen.path().join("calls");
    let mut strace = Command::new("strace");
    strace.args(["--quiet=all", "--follow-forks", "--output"]).arg(&seen);
    strace.arg(format!("--trace={calls}")).arg(format!("--inject={calls}:error={error}"));
    strace.arg(format!("--attach={}", server.group())).stdin(Stdio::null());
    let mut strace = live.spawn(&mut strace).context("strace")?;
    let (begun, mut injected) = (Instant::now(), None);
    while server.child().try_wait()?.is_none() {
        if injected.is_none() && has_failed(&seen) {
            injected = Some(Instant::now());
        }
        match injected {
            Some(injected) if injected.elapsed() >= fault.lasts() => break,
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
    // The signal makes strace detach; it has no effect if the server has ended.
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

/// Returns `true` if strace's output has an injected error.
fn has_failed(seen: &Path) -> bool {
    std::fs::read(seen).is_ok_and(|log| log.windows(INJECTED.len()).any(|window| window == INJECTED))
}
