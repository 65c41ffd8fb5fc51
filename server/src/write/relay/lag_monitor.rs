//! A process that is no worker has no part in the relay of a source. It measures how far the source is behind, so that a service
//! whose workers are missing shows on every process that is there.

use std::time::Duration;

use super::{RelayPorts, lag};
use crate::write::backoff_log::BackoffLog;

/// How often it looks.
const LOOK: Duration = Duration::from_secs(1);
/// How long commits wait before the log says so: a leader that died is followed in less.
const LATE: Duration = Duration::from_secs(10);

/// Measures a source, from 0 on, for ever.
pub(in crate::write) async fn follow(ports: RelayPorts, source: usize) {
    let mut trouble = BackoffLog::of("look at the relay", source);
    let mut late = LagState::default();
    loop {
        match lag::measure(&ports, source).await {
            Ok(age) => {
                trouble.over();
                match late.seen(age) {
                    Some(LagChange::Waits) => tracing::warn!(
                        source = source + 1,
                        "commits of this source wait for their numbers: no process with the role worker leads it, or its database is slow"
                    ),
                    Some(LagChange::Goes) => {
                        tracing::info!(source = source + 1, "commits of this source get their numbers again")
                    }
                    None => {}
                }
                tokio::time::sleep(LOOK).await;
            }
            Err(error) => tokio::time::sleep(trouble.met(&error)).await,
        }
    }
}

/// Whether commits wait, as it was last told.
#[derive(Debug, Default)]
struct LagState(bool);

/// What has changed.
#[derive(Debug, PartialEq, Eq)]
enum LagChange {
    Waits,
    Goes,
}

impl LagState {
    /// The oldest commit without a number has this age; what is new.
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
    fn that_nobody_gives_numbers_is_told_once_and_so_is_its_end() {
        let mut late = LagState::default();
        let moment = Duration::from_millis(1);
        let told =
            [Duration::ZERO, LATE - moment, LATE, 2 * LATE, LATE - moment, Duration::ZERO].map(|age| late.seen(age));
        assert_eq!(told, [None, None, Some(LagChange::Waits), None, Some(LagChange::Goes), None]);
    }
}
