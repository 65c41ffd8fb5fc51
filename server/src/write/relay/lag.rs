//! The lag of a source. Every process can measure it, regardless of which one holds the lease.

use std::time::Duration;

use riposte_core::Result;
use riposte_core::ports::shown_name;

use super::RelayPorts;

/// Measures a source, counted from 0, and returns the age of its oldest unsequenced commit.
pub(super) async fn measure(ports: &RelayPorts, source: usize) -> Result<Duration> {
    let RelayPorts { outbox, positions, metrics, .. } = ports;
    let age = oldest(ports, source).await?;
    metrics.relay_lag(source, age.as_secs_f64());
    let head = outbox.head(source).await?;
    for position in positions.all(source).await? {
        // A counter that begins at 0 shows its first increase.
        metrics.consumer_overtaken(source, shown_name(&position.name), 0);
        metrics.consumer_lag(source, shown_name(&position.name), (head - position.number).max(0));
    }
    Ok(age)
}

/// Returns the age of the oldest unsequenced commit.
async fn oldest(ports: &RelayPorts, source: usize) -> Result<Duration> {
    let oldest = ports.outbox.oldest_waiting(source).await?;
    // The clocks of processes differ a little, so an event may seem to come from the future.
    let age = oldest.map_or(0, |oldest| (ports.clock.now().0 - oldest.0).max(0));
    Ok(Duration::from_millis(age.unsigned_abs()))
}
