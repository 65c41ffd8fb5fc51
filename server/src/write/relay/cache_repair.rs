//! Cache repair: applies committed events to the cache. A shared cache is repaired by the process
//! that holds the source's lease, a cache inside a process by that process. Processes that read a
//! shared cache check that it is being repaired.

use std::time::Duration;

use riposte_cache::{CacheRepair, StalenessChange, StalenessMonitor};
use riposte_core::Result;
use riposte_core::ports::Epoch;
use riposte_sync::BackoffLog;
use tokio::sync::watch;

use super::{RelayPorts, lag};
use crate::write::notifier::{CALM, Notified, OTHERS, OURS, QUICK};

/// The interval of the check that the cache is being repaired.
const LOOK: Duration = Duration::from_secs(1);

/// The interval of that check until its first result. Until then reads bypass the cache.
const FIRST_LOOKS: Duration = Duration::from_millis(100);

/// Repairs the shared cache while this process holds the lease; returns when the leader ends. The
/// repair waits for the rank index.
pub(super) async fn shared(
    mut mender: CacheRepair,
    mut term: watch::Receiver<Option<Epoch>>,
    mut boards: Notified,
    source: usize,
) {
    let mut trouble = BackoffLog::of("cache repair", source);
    loop {
        if term.borrow().is_none() {
            mender.rest();
        }
        // The leader has ended, so no epoch can follow.
        if term.wait_for(Option::is_some).await.is_err() {
            return;
        }
        match mender.turn().await {
            Ok(more) => {
                trouble.over();
                if !more {
                    boards.rest(CALM, OURS).await;
                }
            }
            Err(error) => tokio::time::sleep(trouble.met(&error)).await,
        }
    }
}

/// Repairs the cache of this process forever, regardless of which process holds the lease.
pub(in crate::write) async fn own(mut mender: CacheRepair, mut numbers: Notified, source: usize) {
    let mut trouble = BackoffLog::of("cache repair", source);
    loop {
        match mender.turn().await {
            Ok(more) => {
                trouble.over();
                if !more {
                    numbers.rest(QUICK, OTHERS).await;
                }
            }
            Err(error) => tokio::time::sleep(trouble.met(&error)).await,
        }
    }
}

/// Checks forever that the cache of a source is being repaired.
pub(in crate::write) async fn watched(mut vigil: StalenessMonitor, ports: RelayPorts, source: usize) {
    let mut trouble = BackoffLog::of("staleness monitor", source);
    ports.metrics.cache_stale(source, false);
    loop {
        match looked(&mut vigil, &ports, source).await {
            Ok(news) => {
                trouble.over();
                if let Some(news) = news {
                    ports.metrics.cache_stale(source, news == StalenessChange::Missing);
                }
                match news {
                    Some(StalenessChange::Missing) => tracing::warn!(
                        source = source + 1,
                        "the cache of the data source is stale: no worker with this cache holds the relay lease; reads go to the database"
                    ),
                    Some(StalenessChange::Again) => {
                        tracing::info!(source = source + 1, "the cache of the data source is repaired again")
                    }
                    Some(StalenessChange::Found) | None => {}
                }
                tokio::time::sleep(if vigil.is_settled() { LOOK } else { FIRST_LOOKS }).await;
            }
            Err(error) => tokio::time::sleep(trouble.met(&error)).await,
        }
    }
}

async fn looked(vigil: &mut StalenessMonitor, ports: &RelayPorts, source: usize) -> Result<Option<StalenessChange>> {
    let oldest = lag::oldest(ports, source).await.inspect_err(|_| vigil.was_blind())?;
    vigil.look(oldest).await
}
