//! The auditor of the cache. It samples requests that the cache has just served (pages of any list,
//! order and position, subjects, comments, like states), and compares the cached data with the
//! rows. A difference is an error of the cache only if it lasts, and if the relay has reported the
//! change to the cache; the auditor waits for the relay.

use std::time::Duration;

use riposte_core::Result;

use crate::reader::{AuditSample, AuditedResponse, CachedReader};
use crate::relay_state::{RelayProgress, RelayState};
use crate::stats::CacheEvent;

/// The times for which the cache may differ from the rows; the relay takes less.
const GRACE_PERIODS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// The number of comparisons for values without a revision. Such a value may change back and forth
/// between the reads of the cache and of the rows. It counts as different only if both stay
/// unchanged through all comparisons.
const COMPARISONS: u32 = 5;
/// The approximate pause between comparisons.
const PAUSE: Duration = Duration::from_millis(100);

/// Compares cached data with the rows. See the module.
#[derive(Debug, Clone)]
pub struct CacheAuditor {
    reader: CachedReader,
}

impl CacheAuditor {
    /// Audits the cache that `reader` uses.
    #[must_use]
    pub fn new(reader: CachedReader) -> Self {
        Self { reader }
    }

    /// Audits responses until the caller drops the future: in each round one of each kind, after
    /// each grace period. A difference is reported only after `relay` has confirmed that the cache
    /// received the commits that the rows showed.
    /// `on_error` is called with the error when a comparison fails.
    pub async fn run(self, relay: RelayState, on_error: impl Fn(riposte_core::Error)) {
        loop {
            tokio::time::sleep(GRACE_PERIODS[0]).await;
            for sample in self.reader.samples().take() {
                for grace in GRACE_PERIODS {
                    if let Err(error) = self.compare(&sample, grace, Some(&relay)).await {
                        on_error(error);
                    }
                }
            }
        }
    }

    /// Compares the first response of each kind since the last audit with the rows. Returns whether
    /// one of them was outdated for longer than `grace` and, if `relay` is given, although the
    /// relay had reported the change. Such cached data is invalidated. Returns `None` if the cache
    /// served nothing.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn audit(&self, grace: Duration, relay: Option<&RelayState>) -> Result<Option<bool>> {
        let mut outdated = None;
        for sample in self.reader.samples().take() {
            let differs = self.compare(&sample, grace, relay).await?;
            outdated = Some(differs || outdated == Some(true));
        }
        Ok(outdated)
    }

    async fn compare(&self, sample: &AuditSample, grace: Duration, relay: Option<&RelayState>) -> Result<bool> {
        let Some(cached) = sample.cached(&self.reader).await else { return Ok(false) };
        self.reader.stats().increment(CacheEvent::Audited);
        let rows = sample.rows(&**self.reader.inner()).await?;
        if agree(&cached, rows.as_ref()) {
            return Ok(false);
        }
        let read_time = relay.map(|relay| (relay, relay.now()));
        tokio::time::sleep(grace).await;
        let progress = match read_time {
            Some((relay, time)) => relay.wait_for_commits_before(time, sample.partition()).await?,
            None => RelayProgress::All,
        };
        let Some(rows) = self.still_differs(sample, &cached, rows).await? else { return Ok(false) };
        match progress {
            RelayProgress::All => self.reader.stats().increment(CacheEvent::Drift),
            RelayProgress::Late => {
                self.reader.stats().increment(CacheEvent::Late);
                let partition = sample.partition().get();
                tracing::warn!(
                    partition,
                    "a cache entry is late: the relay has not applied its events for many seconds"
                );
                return Ok(false);
            }
            RelayProgress::Unavailable => return Ok(false),
        }
        let key = sample.invalidate(&self.reader, &cached).await;
        let (entry, revision) = (cached.name(), cached.revision());
        tracing::error!(?key, entry, revision, rows, "a cache entry differs from its rows and is invalidated");
        Ok(true)
    }

    /// Returns the revision of the rows if the cache still returns `cached` and the rows still
    /// differ from it. `earlier_rows` is the earlier response of the rows.
    async fn still_differs(
        &self,
        sample: &AuditSample,
        cached: &AuditedResponse,
        earlier_rows: Option<AuditedResponse>,
    ) -> Result<Option<i64>> {
        let comparisons = if sample.has_revision() { 1 } else { COMPARISONS };
        let mut last = earlier_rows;
        for comparison in 0..comparisons {
            if comparison > 0 {
                tokio::time::sleep(PAUSE.mul_f64(rand::random_range(0.5..1.5))).await;
            }
            if sample.cached(&self.reader).await.as_ref() != Some(cached) {
                return Ok(None);
            }
            // The rows are read again: cached previews may have been ahead of the rank index from
            // which previews of the rows are chosen.
            let rows = sample.rows(&**self.reader.inner()).await?;
            let changed = comparisons > 1 && rows != last;
            if changed || agree(cached, rows.as_ref()) {
                return Ok(None);
            }
            last = rows;
        }
        Ok(Some(last.map_or(0, |rows| rows.revision())))
    }
}

/// Returns whether the cached data equals the rows or is newer.
fn agree(cached: &AuditedResponse, rows: Option<&AuditedResponse>) -> bool {
    rows.is_some_and(|rows| cached.agrees(rows))
}
