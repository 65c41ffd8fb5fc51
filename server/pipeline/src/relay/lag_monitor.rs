//! The lag monitor of a process that is no worker, and so takes no part in the relay. The monitor
//! measures how far a source is behind. So the metrics of every running process show that workers
//! are missing.

use std::collections::BTreeSet;
use std::time::Duration;

use riposte_sync::BackoffLog;

use super::{RelayPorts, lag};

/// The interval of the measurements.
const INTERVAL: Duration = Duration::from_secs(1);
/// The age of an unsequenced commit at which a warning is logged. When a leader dies, a new one
/// takes over in less time.
const LATE: Duration = Duration::from_secs(10);

/// Measures a source, counted from 0, forever.
pub(crate) async fn follow(ports: RelayPorts, source: usize) {
    let mut backoff = BackoffLog::of("lag monitor", source);
    let (mut late, mut known) = (LagState::default(), BTreeSet::new());
    loop {
        match lag::measure(&ports, source, &mut known).await {
            Ok(age) => {
                backoff.over();
                match late.seen(age) {
                    Some(LagChange::Waits) => tracing::warn!(
                        source = source + 1,
                        "commits of the data source wait for sequence numbers: no process with the role worker holds the relay lease, or the database is slow"
                    ),
                    Some(LagChange::Goes) => {
                        tracing::info!(source = source + 1, "commits of the data source receive sequence numbers again")
                    }
                    None => {}
                }
                tokio::time::sleep(INTERVAL).await;
            }
            Err(error) => tokio::time::sleep(backoff.met(&error)).await,
        }
    }
}

/// True if commits were waiting too long at the last measurement.
#[derive(Debug, Default)]
struct LagState(bool);

/// A change of the lag state.
#[derive(Debug, PartialEq, Eq)]
enum LagChange {
    Waits,
    Goes,
}

impl LagState {
    /// Records the age of the oldest unsequenced commit and returns the state change, if any.
    fn seen(&mut self, age: Duration) -> Option<LagChange> {
        let late = age >= LATE;
        let changed = std::mem::replace(&mut self.0, late) != late;
        changed.then_some(if late { LagChange::Waits } else { LagChange::Goes })
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, LATE, LagChange, LagState};

    #[test]
    fn the_lag_monitor_reports_once_that_events_wait_for_numbers_and_once_that_the_wait_ended() {
        let mut late = LagState::default();
        let millisecond = Duration::from_millis(1);
        let changes = [Duration::ZERO, LATE - millisecond, LATE, 2 * LATE, LATE - millisecond, Duration::ZERO]
            .map(|age| late.seen(age));
        assert_eq!(changes, [None, None, Some(LagChange::Waits), None, Some(LagChange::Goes), None]);
    }
}
