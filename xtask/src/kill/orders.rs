//! What the load program asks of its databases: `@kill 1`, `@kill 1 2`, `@start 2`.

use anyhow::{Context, Result, bail};

/// One order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Start them; otherwise kill them.
    pub(super) start: bool,
    /// Which of the databases, 1 or 2 each.
    pub(super) databases: Vec<u8>,
}

impl Order {
    /// The order that a line gives; `None` for a line that is meant for people.
    pub(super) fn read(line: &str) -> Result<Option<Self>> {
        let Some(order) = line.strip_prefix('@') else { return Ok(None) };
        let mut words = order.split_whitespace();
        let start = match words.next() {
            Some("start") => true,
            Some("kill") => false,
            other => bail!("no order: {other:?}"),
        };
        let numbers = words.map(|word| word.parse::<u8>().with_context(|| format!("no database: {word}")));
        Ok(Some(Self { start, databases: numbers.collect::<Result<_>>()? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_told_from_what_people_read() {
        let order = |line| Order::read(line).unwrap();
        assert_eq!(order("@kill 1 2"), Some(Order { start: false, databases: vec![1, 2] }));
        assert_eq!(order("@start 2"), Some(Order { start: true, databases: vec![2] }));
        assert_eq!(order("round 1: kill 2"), None);
        assert!(Order::read("@stop 1").is_err() && Order::read("@kill one").is_err());
    }
}
