//! How far a source is behind, as every process sees it, whoever leads.

use std::time::Duration;

use riposte_core::Result;
use riposte_core::ports::Projection;

use super::RelayPorts;

/// Measures a source, from 0 on; the age of the oldest commit without a number.
pub(super) async fn measure(ports: &RelayPorts, source: usize) -> Result<Duration> {
    let RelayPorts { outbox, metrics, .. } = ports;
    let age = oldest(ports, source).await?;
    metrics.relay_lag(source, age.as_secs_f64());
    let head = outbox.head(source).await?;
    for projection in Projection::ALL {
        let position = outbox.position(source, projection).await?;
        metrics.projection_lag(source, projection.name(), (head - position).max(0));
    }
    Ok(age)
}

/// The age of the oldest commit without a number.
pub(super) async fn oldest(ports: &RelayPorts, source: usize) -> Result<Duration> {
    let oldest = ports.outbox.oldest_waiting(source).await?;
    // Clocks of processes differ a little: an event may seem to come from the future.
    let age = oldest.map_or(0, |oldest| (ports.clock.now().0 - oldest.0).max(0));
    Ok(Duration::from_millis(age.unsigned_abs()))
}
