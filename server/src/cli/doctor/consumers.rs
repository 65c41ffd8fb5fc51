//! The check of the event consumers: no stored position may be left that no worker uses.

use super::check_result::CheckResult;
use riposte_core::Millis;
use riposte_core::ports::{StoredPosition, shown_name};
use std::collections::BTreeSet;

/// Checks the positions of all data sources at `now`. Running workers register their consumers, so
/// the check has no result while no worker runs, or only workers of an older version.
pub(super) fn examine(positions: &[StoredPosition], now: Millis) -> CheckResult {
    let names = |positions: &mut dyn Iterator<Item = &StoredPosition>| -> BTreeSet<String> {
        positions.map(|position| shown_name(&position.name).to_owned()).collect()
    };
    let list = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(", ");
    let is_registered = |position: &&StoredPosition| position.registered_until > now;
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
    use super::{CheckResult, Millis, StoredPosition, examine};
    use crate::cli::doctor::check_result::CheckLevel;

    fn checked(positions: &[(&str, i64)]) -> CheckResult {
        let stored = |(name, until): &(&str, i64)| StoredPosition {
            name: (*name).to_owned(),
            number: 7,
            registered_until: Millis(*until),
        };
        examine(&positions.iter().map(stored).collect::<Vec<_>>(), Millis(100))
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
