//! The orders of the load program for its databases: `@kill 1`, `@kill 1 2`, `@start 2`, `@pause
//! 1`, `@resume 1`, `@fail-sync 1`, `@fill-disk 2`. The load program writes each order to a line of
//! its standard output, and reads the completion from its standard input.

use crate::live::Live;
use crate::servers::{DiskFault, Pair};
use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Runs a load program to its end and executes its orders on the databases. Returns `true` if it
/// succeeded.
pub(super) fn run_load(live: &Arc<Live>, load: &mut Command, databases: &mut Pair) -> Result<bool> {
    // The load program's temporary files are in this folder, which is removed even if the program
    // is killed.
    let scratch = live.folder()?;
    load.stdin(Stdio::piped()).stdout(Stdio::piped()).env("TMPDIR", scratch.path());
    // The load program's servers are in its process group and end with it.
    let mut load = live.spawn(load)?;
    let mut completions = load.child().stdin.take().context("no standard input")?;
    let lines = load.child().stdout.take().context("no standard output")?;
    for line in BufReader::new(lines).lines() {
        let line = line?;
        let Some(order) = Order::read(&line)? else {
            println!("{line}");
            continue;
        };
        for number in order.databases {
            match order.verb {
                Verb::Kill => databases.kill(number)?,
                Verb::Start => databases.start_again(live, number)?,
                Verb::Pause => databases.signal(number, Signal::SIGSTOP)?,
                Verb::Resume => databases.signal(number, Signal::SIGCONT)?,
                Verb::FailSync => databases.fail_disk(live, number, DiskFault::Sync)?,
                Verb::FillDisk => databases.fail_disk(live, number, DiskFault::Full)?,
            }
        }
        writeln!(completions, "done")?;
    }
    Ok(load.wait()?.success())
}

/// An action on a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// SIGKILL.
    Kill,
    /// Starts it on its data and its port.
    Start,
    /// SIGSTOP.
    Pause,
    /// SIGCONT.
    Resume,
    /// Makes each flush of its disk fail until it exits, and starts it.
    FailSync,
    /// Fills its disk for a moment, kills it and starts it.
    FillDisk,
}

/// One order.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    verb: Verb,
    /// The numbers of the databases, each 1 or 2.
    databases: Vec<u8>,
}

impl Order {
    /// Parses the order in a line; returns `None` for a line that is meant for people.
    fn read(line: &str) -> Result<Option<Self>> {
        let Some(order) = line.strip_prefix('@') else { return Ok(None) };
        let mut words = order.split_whitespace();
        let verb = match words.next() {
            Some("kill") => Verb::Kill,
            Some("start") => Verb::Start,
            Some("pause") => Verb::Pause,
            Some("resume") => Verb::Resume,
            Some("fail-sync") => Verb::FailSync,
            Some("fill-disk") => Verb::FillDisk,
            other => bail!("not an order: {other:?}"),
        };
        let numbers =
            words.map(|word| word.parse::<u8>().with_context(|| format!("not a number of a database: {word}")));
        Ok(Some(Self { verb, databases: numbers.collect::<Result<_>>()? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_distinguished_from_text_for_people() {
        let order = |line| Order::read(line).unwrap();
        assert_eq!(order("@kill 1 2"), Some(Order { verb: Verb::Kill, databases: vec![1, 2] }));
        assert_eq!(order("@start 2"), Some(Order { verb: Verb::Start, databases: vec![2] }));
        assert_eq!(order("@pause 1"), Some(Order { verb: Verb::Pause, databases: vec![1] }));
        assert_eq!(order("@resume 1"), Some(Order { verb: Verb::Resume, databases: vec![1] }));
        assert_eq!(order("@fill-disk 2"), Some(Order { verb: Verb::FillDisk, databases: vec![2] }));
        assert_eq!(order("round 1: kill 2"), None);
        assert!(Order::read("@stop 1").is_err() && Order::read("@kill one").is_err());
    }
}
