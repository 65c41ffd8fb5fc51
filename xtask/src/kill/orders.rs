//! The orders of a load program for its databases: `@kill 1`, `@kill 1 2`, `@start 2`, `@pause 1`,
//! `@resume 1`, `@fail-sync 1`, `@fill-disk 2`.

use anyhow::{Context, Result, bail};

/// An action on a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// SIGKILL.
    Kill,
    /// Starts it on its data and its port.
    Start,
    /// SIGSTOP.
    Pause,
    /// SIGCONT.
    Resume,
    /// Lets each flush of its disk fail until it dies, and starts it.
    FailSync,
    /// Lets its disk be full for a moment, kills it and starts it.
    FillDisk,
}

/// One order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) verb: Verb,
    /// The numbers of the databases, each 1 or 2.
    pub(super) databases: Vec<u8>,
}

impl Order {
    /// Parses the order in a line; returns `None` for a line that is meant for people.
    pub(super) fn read(line: &str) -> Result<Option<Self>> {
        let Some(order) = line.strip_prefix('@') else { return Ok(None) };
        let mut words = order.split_whitespace();
        let verb = match words.next() {
            Some("kill") => Verb::Kill,
            Some("start") => Verb::Start,
            Some("pause") => Verb::Pause,
            Some("resume") => Verb::Resume,
            Some("fail-sync") => Verb::FailSync,
            Some("fill-disk") => Verb::FillDisk,
            other => bail!("no order: {other:?}"),
        };
        let numbers = words.map(|word| word.parse::<u8>().with_context(|| format!("no database: {word}")));
        Ok(Some(Self { verb, databases: numbers.collect::<Result<_>>()? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_told_from_what_people_read() {
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
