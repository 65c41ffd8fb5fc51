//! The check of the event consumers: no stored position may be left that no worker uses, and none
//! may be ahead of the relay's.

use super::check_result::CheckResult;
use riposte_core::Millis;
use riposte_core::ports::{StoredPosition, shown_name};
use std::collections::BTreeSet;

/// The consumers of one data source, counted from 0.
#[derive(Debug)]
pub(super) struct SourceConsumers {
    pub(super) source: usize,
    /// The position of the relay.
    pub(super) head: i64,
    pub(super) positions: Vec<StoredPosition>,
}

impl SourceConsumers {
    /// Returns the positions that are ahead of the relay's.
    fn ahead(&self) -> impl Iterator<Item = String> {
        let ahead = self.positions.iter().filter(|position| position.number > self.head);
        ahead.map(|position| {
            format!(
                "{} is at {} in source {}, whose relay is at {}",
                shown_name(&position.name),
                position.number,
                self.source + 1,
                self.head
            )
        })
    }
}

/// Checks the consumers of all data sources at `now`.
pub(super) fn examine(sources: &[SourceConsumers], now: Millis) -> Vec<CheckResult> {
    let positions: Vec<&StoredPosition> = sources.iter().flat_map(|source| &source.positions).collect();
    let ahead: Vec<String> = sources.iter().flat_map(SourceConsumers::ahead).collect();
    let ahead = (!ahead.is_empty()).then(|| {
        CheckResult::warn(
            "positions of event consumers",
            format!("{}: the next worker rebuilds such a consumer from the rows", ahead.join(", ")),
        )
    });
    std::iter::once(registration(&positions, now)).chain(ahead).collect()
}

/// Checks the positions of all data sources at `now`. Running workers register their consumers, so
/// the check has no result while no worker runs, or only workers of an older version.
fn registration(positions: &[&StoredPosition], now: Millis) -> CheckResult {
    let names = |positions: &mut dyn Iterator<Item = &&StoredPosition>| -> BTreeSet<String> {
        positions.map(|position| shown_name(&position.name).to_owned()).collect()
    };
    let list = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(", ");
    let is_registered = |position: &&&StoredPosition| position.is_registered(now);
    let used = names(&mut positions.iter().filter(is_registered));
    let unused: BTreeSet<String> = names(&mut positions.iter()).difference(&used).cloned().collect();
    if positions.is_empty() {
        CheckResult::ok("event consumers", "no position is stored yet")
    } else if used.is_empty() {
        CheckResult::ok("event consumers", format!("{}; no running worker registers its consumers", list(unused)))
    } else if unused.is_empty() {
        CheckResult::ok("event consumers", format!("{}; running workers register all of them", list(used)))
    } else {
        CheckResult::warn(
            "event consumers",
            format!(
                "no running worker registers {}: events are kept for them up to events.retention; if they were retired, \
                 run `riposte consumers remove NAME`",
                list(unused)
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckResult, Millis, SourceConsumers, StoredPosition, examine};
    use crate::cli::doctor::check_result::CheckLevel;

    fn checked(positions: &[(&str, i64)]) -> CheckResult {
        let stored = |(name, until): &(&str, i64)| StoredPosition {
            name: (*name).to_owned(),
            number: 7,
            registered_until: Millis(*until),
        };
        let source = SourceConsumers { source: 0, head: 7, positions: positions.iter().map(stored).collect() };
        examine(&[source], Millis(100)).remove(0)
    }

    #[test]
    fn a_position_ahead_of_the_relay_is_named() {
        let position = StoredPosition { name: "history".to_owned(), number: 8, registered_until: Millis(0) };
        let checked =
            |head| examine(&[SourceConsumers { source: 1, head, positions: vec![position.clone()] }], Millis(100));
        assert_eq!(checked(8).len(), 1);
        let ahead = checked(7).remove(1);
        assert_eq!(ahead.level, CheckLevel::Warn);
        assert!(
            ahead.finding.starts_with("member_history is at 8 in source 2, whose relay is at 7:"),
            "{}",
            ahead.finding
        );
    }

    #[test]
    fn a_position_that_no_running_worker_registers_is_named() {
        let result = checked(&[("history", 200), ("boards", 200), ("topic", 99), ("history", 0)]);
        assert_eq!(result.level, CheckLevel::Warn);
        assert!(result.finding.starts_with("no running worker registers topic:"), "{}", result.finding);
    }

    #[test]
    fn positions_are_not_judged_without_a_worker_that_registers_one() {
        for positions in [&[][..], &[("history", 0), ("topic", 100)], &[("history", 101), ("boards", 101)]] {
            assert_eq!(checked(positions).level, CheckLevel::Ok, "{positions:?}");
        }
        assert!(checked(&[("boards", 101)]).finding.starts_with("rank_index;"));
    }
}
