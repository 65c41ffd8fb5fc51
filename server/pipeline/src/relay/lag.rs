//! The lag of a source. Every process can measure it, regardless of which one holds the lease.

use std::collections::BTreeSet;
use std::time::Duration;

use riposte_core::Result;
use riposte_core::ports::{Clock, EventLog, shown_name};

use super::RelayPorts;

/// Measures a source, numbered from 0, and returns the age of its oldest unsequenced commit.
/// `known` has the names of the positions at the last measurement: the lag of a removed position is
/// set to 0.
pub(super) async fn measure(ports: &RelayPorts, source: usize, known: &mut BTreeSet<String>) -> Result<Duration> {
    let RelayPorts { outbox, positions, metrics, .. } = ports;
    let age = oldest_waiting(outbox.as_ref(), ports.clock.as_ref(), source).await?;
    metrics.relay_lag(source, age.as_secs_f64());
    // The positions are read first: a consumer is never ahead of a head that is read later.
    let stored = positions.all(source).await?;
    let head = outbox.head(source).await?;
    let previous = std::mem::replace(known, stored.iter().map(|position| position.name.clone()).collect());
    for name in previous.difference(known) {
        metrics.consumer_lag(source, shown_name(name), 0);
    }
    for position in stored {
        // The counter is exported as 0 first, so that its first increase is visible.
        metrics.consumer_overtaken(source, shown_name(&position.name), 0);
        // A position ahead of the relay counts as 0: its consumer is rebuilt from the rows.
        let number = if position.number > head { 0 } else { position.number };
        metrics.consumer_lag(source, shown_name(&position.name), head - number);
    }
    Ok(age)
}

/// Returns the age of the oldest unsequenced commit of a source, numbered from 0.
///
/// # Errors
/// Those of the outbox.
pub async fn oldest_waiting(outbox: &dyn EventLog, clock: &dyn Clock, source: usize) -> Result<Duration> {
    let oldest = outbox.oldest_waiting(source).await?;
    // The clocks of processes differ a little, so a commit may have a time in the future.
    let age = oldest.map_or(0, |oldest| (clock.now().0 - oldest.0).max(0));
    Ok(Duration::from_millis(age.unsigned_abs()))
}
