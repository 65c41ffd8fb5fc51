//! The lag monitor of a process that is not a worker. Such a process takes no part in the relay,
//! but it measures the lag of a source. Therefore the metrics of every running process show if
//! workers are missing.

use std::collections::BTreeSet;
use std::time::Duration;

use riposte_sync::BackoffLog;

use super::{RelayPorts, lag};

/// The interval of the measurements.
const INTERVAL: Duration = Duration::from_secs(1);
/// The age of an unsequenced commit at which a warning is logged. When a leader dies, a new one
/// takes over in less time.
const LAG_WARNING: Duration = Duration::from_secs(10);

/// Measures a source, numbered from 0, forever.
pub(crate) async fn run(ports: RelayPorts, source: usize) {
    let mut backoff = BackoffLog::new("lag monitor", source);
    let (mut lag_state, mut known) = (LagState::default(), BTreeSet::new());
    loop {
        match lag::measure(&ports, source, &mut known).await {
            Ok(age) => {
                backoff.succeeded();
                match lag_state.record(age) {
                    Some(LagChange::Late) => tracing::warn!(
                        source = source + 1,
                        "commits of the data source wait for sequence numbers: no process with the role worker holds the relay lease, or the database is slow"
                    ),
                    Some(LagChange::Recovered) => {
                        tracing::info!(source = source + 1, "commits of the data source receive sequence numbers again")
                    }
                    None => {}
                }
                tokio::time::sleep(INTERVAL).await;
            }
            Err(error) => tokio::time::sleep(backoff.failed(&error)).await,
        }
    }
}

/// True if commits were waiting too long at the last measurement.
#[derive(Debug, Default)]
struct LagState(bool);

/// A change of the lag state.
#[derive(Debug, PartialEq, Eq)]
enum LagChange {
    Late,
    Recovered,
}

impl LagState {
    /// Records the age of the oldest unsequenced commit and returns the state change, if any.
    fn record(&mut self, age: Duration) -> Option<LagChange> {
        let is_late = age >= LAG_WARNING;
        let changed = std::mem::replace(&mut self.0, is_late) != is_late;
        changed.then_some(if is_late { LagChange::Late } else { LagChange::Recovered })
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, LAG_WARNING, LagChange, LagState};

    #[test]
    fn the_lag_monitor_reports_once_that_events_wait_for_numbers_and_once_that_the_wait_ended() {
        let mut lag_state = LagState::default();
        let millisecond = Duration::from_millis(1);
        let changes = [
            Duration::ZERO,
            LAG_WARNING - millisecond,
            LAG_WARNING,
            2 * LAG_WARNING,
            LAG_WARNING - millisecond,
            Duration::ZERO,
        ]
        .map(|age| lag_state.record(age));
        assert_eq!(changes, [None, None, Some(LagChange::Late), None, Some(LagChange::Recovered), None]);
    }
}
