//! The resident memory of another process.

use anyhow::{Context, Result};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

/// The interval between two measurements.
const EVERY: Duration = Duration::from_millis(20);
/// Bytes of a page of memory, on every Linux of x86 and most of ARM.
const PAGE: u64 = 4_096;

/// A measurement that runs as long as this value lives.
#[derive(Debug)]
pub(super) struct Memory {
    pid: i32,
    before: u64,
    most: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Memory {
    pub(super) fn watch(pid: i32) -> Result<Self> {
        let before = now(pid)?;
        let most = Arc::new(AtomicU64::new(before));
        let seen = Arc::clone(&most);
        let task = tokio::spawn(async move {
            // The end of the process is reported at the end of the measurement.
            while let Ok(bytes) = now(pid) {
                seen.fetch_max(bytes, Ordering::Relaxed);
                tokio::time::sleep(EVERY).await;
            }
        });
        Ok(Self { pid, before, most, task })
    }

    /// Returns the memory before the measurement, the maximum since, and the current one, in MiB.
    pub(super) fn stop(self) -> Result<(f64, f64, f64)> {
        self.task.abort();
        let after = now(self.pid).context("the service has ended")?;
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        Ok((mib(self.before), mib(self.most.load(Ordering::Relaxed)), mib(after)))
    }
}

fn now(pid: i32) -> Result<u64> {
    let path = format!("/proc/{pid}/statm");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    let pages: u64 = text.split(' ').nth(1).context("no resident pages")?.parse()?;
    Ok(pages * PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_maximum_is_at_least_the_memory_before() {
        let own = i32::try_from(std::process::id()).unwrap();
        let (before, most, after) = Memory::watch(own).unwrap().stop().unwrap();
        assert!(before > 0.0 && most >= before && after > 0.0);
    }
}
