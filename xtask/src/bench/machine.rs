//! The machine on which the figures are measured.

use crate::run::output_of;
use anyhow::{Result, ensure};
use std::process::Command;

/// Cores for the server and cores for the load, as taskset lists them. The database is not bound to
/// cores, because it works for both sides of every comparison.
#[derive(Debug)]
pub(super) struct Cores {
    pub(super) server: String,
    pub(super) load: String,
}

impl Cores {
    /// Assigns the lower half to the server and the upper half to the load.
    pub(super) fn split() -> Result<Self> {
        Self::of(std::thread::available_parallelism()?.get())
    }

    fn of(count: usize) -> Result<Self> {
        ensure!(count >= 2, "with one core nothing can be pinned");
        let half = count / 2;
        Ok(Self { server: list(0, half - 1), load: list(half, count - 1) })
    }
}

fn list(first: usize, last: usize) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Returns today's date in UTC.
pub(super) fn today() -> Result<String> {
    Ok(output_of(Command::new("date").args(["-u", "+%Y-%m-%d"]))?.trim().to_owned())
}

/// Returns cores, memory and kernel in one line.
pub(super) fn describe() -> Result<String> {
    let cores = std::thread::available_parallelism()?;
    let cpu = std::fs::read_to_string("/proc/cpuinfo")?;
    let model = field(&cpu, "model name").unwrap_or_else(|| "an unnamed processor".to_owned());
    let memory = field(&std::fs::read_to_string("/proc/meminfo")?, "MemTotal").unwrap_or_default();
    let gib = memory.trim_end_matches(" kB").parse::<f64>().unwrap_or_default() / f64::from(1 << 20);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease")?;
    // The rest of the version names a build, which is not published.
    let kernel: Vec<&str> = kernel.trim().splitn(3, '.').take(2).collect();
    Ok(format!("{cores} cores of {model}, {gib:.0} GiB, Linux {}", kernel.join(".")))
}

/// Returns the value of the first line that begins with a name and a colon.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches([' ', '\t', ':']).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_halved() {
        let two = Cores::of(2).unwrap();
        assert_eq!((two.server.as_str(), two.load.as_str()), ("0", "1"));
        let eight = Cores::of(8).unwrap();
        assert_eq!((eight.server.as_str(), eight.load.as_str()), ("0-3", "4-7"));
        assert!(Cores::of(1).is_err());
    }

    #[test]
    fn a_field_of_proc_is_read() {
        assert_eq!(field("a: 1\nmodel name\t: Fine CPU\n", "model name").as_deref(), Some("Fine CPU"));
    }
}
