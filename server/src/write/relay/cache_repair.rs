//! Keeps copies right: tells them what was committed. Copies that all processes share are told by whoever leads the source, those
//! of one process by itself. Who reads shared ones looks whether somebody does.

use std::time::Duration;

use riposte_cache::{CacheRepair, StalenessChange, StalenessMonitor};
use riposte_core::Result;
use riposte_core::ports::Epoch;
use tokio::sync::watch;

use super::{RelayPorts, lag};
use crate::write::backoff_log::BackoffLog;
use crate::write::notifier::{CALM, Notified, OTHERS, OURS, QUICK};

/// How often it is looked whether anybody mends.
const LOOK: Duration = Duration::from_secs(1);

/// The same, until it is known for the first time: until then the rows are read.
const FIRST_LOOKS: Duration = Duration::from_millis(100);

/// Mends whenever this process leads, for ever. What is told waits for the boards.
pub(super) async fn shared(
    mut mender: CacheRepair,
    mut term: watch::Receiver<Option<Epoch>>,
    mut boards: Notified,
    source: usize,
) {
    let mut trouble = BackoffLog::of("mending of copies", source);
    loop {
        if term.borrow().is_none() {
            mender.rest();
        }
        // Without a leader that could ever tell a term, all is over.
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

/// Mends for ever, whoever leads.
pub(in crate::write) async fn own(mut mender: CacheRepair, mut numbers: Notified, source: usize) {
    let mut trouble = BackoffLog::of("mending of copies", source);
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

/// Looks for ever whether anybody mends the copies of a source.
pub(in crate::write) async fn watched(mut vigil: StalenessMonitor, ports: RelayPorts, source: usize) {
    let mut trouble = BackoffLog::of("look at the mending of copies", source);
    ports.metrics.unmended(source, false);
    loop {
        match looked(&mut vigil, &ports, source).await {
            Ok(news) => {
                trouble.over();
                if let Some(news) = news {
                    ports.metrics.unmended(source, news == StalenessChange::Missing);
                }
                match news {
                    Some(StalenessChange::Missing) => tracing::warn!(
                        source = source + 1,
                        "nobody brings the copies of this source up to date: no worker with Redis leads it; the rows are read"
                    ),
                    Some(StalenessChange::Again) => {
                        tracing::info!(source = source + 1, "the copies of this source are up to date again")
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
