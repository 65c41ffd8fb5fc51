//! Processor time, as the system counts it for whole processes.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::str::FromStr;

/// The unit of /proc/PID/stat in microseconds: USER_HZ is 100 on every Linux of x86 and ARM.
const TICK_US: u64 = 10_000;

/// Other processes whose CPU counts.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Watch {
    /// A process whose CPU time is reported under this name; processes of one name are added up
    #[arg(long = "watch", value_name = "NAME=PID")]
    processes: Vec<WatchedProcess>,
}

#[derive(Debug, Clone)]
struct WatchedProcess {
    name: String,
    pid: u32,
}

impl FromStr for WatchedProcess {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, pid) = text.split_once('=').ok_or("not of the form NAME=PID")?;
        let pid = pid.parse().map_err(|_| format!("`{pid}` is no process id"))?;
        Ok(Self { name: name.to_owned(), pid })
    }
}

/// The CPU time used in a period, in microseconds.
#[derive(Debug)]
pub(crate) struct Meter {
    watch: Watch,
    own_us: u64,
    watched_us: BTreeMap<String, u64>,
}

impl Meter {
    /// Begins to count.
    pub(crate) fn start(watch: &Watch) -> Result<Self> {
        Ok(Self { watch: watch.clone(), own_us: used("self")?, watched_us: watch.used()? })
    }

    /// Returns the CPU time since the start.
    pub(crate) fn stop(self) -> Result<Self> {
        let mut watched_us = self.watch.used()?;
        for (name, us) in &mut watched_us {
            *us -= self.watched_us.get(name).copied().unwrap_or_default().min(*us);
        }
        Ok(Self { own_us: used("self")? - self.own_us, watched_us, watch: self.watch })
    }

    /// Returns this process's CPU time for each of `operations`.
    pub(crate) fn own(&self, operations: u64) -> f64 {
        per(self.own_us, operations)
    }

    /// Returns the CPU time of the watched processes for each of `operations`, by name.
    pub(crate) fn watched(&self, operations: u64) -> BTreeMap<String, f64> {
        self.watched_us.iter().map(|(name, us)| (name.clone(), per(*us, operations))).collect()
    }
}

impl Watch {
    fn used(&self) -> Result<BTreeMap<String, u64>> {
        let mut sums = BTreeMap::new();
        for WatchedProcess { name, pid } in &self.processes {
            *sums.entry(name.clone()).or_default() += used(&pid.to_string())?;
        }
        Ok(sums)
    }
}

/// Returns the CPU time of a process with all its threads since its start, in microseconds.
fn used(process: &str) -> Result<u64> {
    let path = format!("/proc/{process}/stat");
    let stat = std::fs::read_to_string(&path).with_context(|| format!("no {path}"))?;
    Ok(ticks(&stat).with_context(|| format!("{path} is not as proc(5) says"))? * TICK_US)
}

/// Returns utime + stime: the 14th and 15th field. The second one, the name in brackets, may
/// contain anything.
fn ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

fn per(us: u64, operations: u64) -> f64 {
    us as f64 / operations.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_process_cannot_mislead() {
        let stat = "7 (a) b (c 1 2) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20";
        assert_eq!(ticks(stat), Some(300));
        assert_eq!(ticks("7 (a) S 1"), None);
    }

    #[test]
    fn a_watched_process_has_a_name_and_a_number() {
        assert!("server=12".parse::<WatchedProcess>().is_ok_and(|watched| watched.pid == 12));
        assert!("server".parse::<WatchedProcess>().is_err() && "server=x".parse::<WatchedProcess>().is_err());
    }

    #[test]
    fn the_watched_process_is_charged_per_operation() {
        let pid = std::process::id();
        let watch = Watch {
            processes: vec![WatchedProcess { name: "us".into(), pid }, WatchedProcess { name: "us".into(), pid }],
        };
        let meter = Meter { own_us: 400, watched_us: BTreeMap::from([("us".into(), 800)]), watch };
        assert_eq!((meter.own(4), meter.watched(4)["us"]), (100.0, 200.0));
    }
}
