//! The lag of a source. Every process reports it, whichever one holds the lease: so the metrics of
//! every running process show if workers are missing.

use std::collections::BTreeSet;
use std::time::Duration;

use riposte_core::ports::{OutboxState, shown_name};
use riposte_telemetry::Metrics;
use tokio::time::Instant;

/// The interval of the reports.
const INTERVAL: Duration = Duration::from_secs(1);
/// The age of an unsequenced commit at which a warning is logged. When a leader dies, a new one
/// takes over in less time.
const LAG_WARNING: Duration = Duration::from_secs(10);

/// Reports the lag of one source, numbered from 0.
#[derive(Debug)]
pub(super) struct LagReport {
    metrics: Metrics,
    source: usize,
    last: Option<Instant>,
    /// The names of the positions at the last report.
    known: BTreeSet<String>,
    /// The lag of a process that is not a worker; such a process logs that workers are missing.
    state: Option<LagState>,
}

impl LagReport {
    pub(super) fn new(metrics: Metrics, source: usize, is_worker: bool) -> Self {
        let state = (!is_worker).then(LagState::default);
        Self { metrics, source, last: None, known: BTreeSet::new(), state }
    }

    /// Reports a state, once a second. `oldest` is the age of its oldest unsequenced commit. The
    /// lag of a position that was removed is set to 0.
    pub(super) fn report(&mut self, outbox: &OutboxState, oldest: Duration) {
        if self.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        let (source, metrics) = (self.source, &self.metrics);
        metrics.relay_lag(source, oldest.as_secs_f64());
        let names = outbox.positions.iter().map(|position| position.name.clone()).collect();
        let previous = std::mem::replace(&mut self.known, names);
        for name in previous.difference(&self.known) {
            metrics.consumer_lag(source, shown_name(name), 0);
        }
        for position in &outbox.positions {
            // The counter is exported as 0 first, so that its first increase is visible.
            metrics.consumer_overtaken(source, shown_name(&position.name), 0);
            // A position ahead of the relay counts as 0: its consumer is rebuilt from the rows.
            let number = if position.number > outbox.head { 0 } else { position.number };
            metrics.consumer_lag(source, shown_name(&position.name), outbox.head - number);
        }
        match self.state.as_mut().and_then(|state| state.record(oldest)) {
            Some(LagChange::Late) => tracing::warn!(
                source = source + 1,
                "commits of the data source wait for sequence numbers: no process with the role worker holds the relay lease, or the database is slow"
            ),
            Some(LagChange::Recovered) => {
                tracing::info!(source = source + 1, "commits of the data source receive sequence numbers again")
            }
            None => {}
        }
    }
}

/// True if commits were waiting too long at the last report.
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
    fn the_log_says_once_that_commits_wait_for_numbers_and_once_that_the_wait_ended() {
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
