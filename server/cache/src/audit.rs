//! The auditor of the cache. It takes requests that the cache has just served (pages of any list,
//! order and position, subjects, comments, like states), and compares the cached data with the rows
//! one second and five seconds later. Data that the relay has not processed yet is not an error of
//! the cache; the auditor waits for it.

use std::time::Duration;

use riposte_core::Result;

use crate::reader::{AuditSample, AuditedAnswer, CachedReader};
use crate::relay_state::{RelayProgress, RelayState};
use crate::stats::CacheEvent;

/// The times for which the cache may differ from the rows; the relay takes less.
const SPANS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// The number of comparisons for values without a revision. Such a value may change back and forth
/// between the reads of the cache and of the rows, so it counts as different only if both stay
/// unchanged through all comparisons.
const LOOKS: u32 = 5;
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

    /// Audits responses without end, one of each kind at a time. It reports no difference before
    /// `relayed` has confirmed that the cache received everything that the rows showed. `troubled`
    /// is called with the error when a comparison fails.
    pub async fn run(self, relayed: RelayState, troubled: impl Fn(riposte_core::Error)) {
        loop {
            tokio::time::sleep(SPANS[0]).await;
            for sample in self.reader.seen().take() {
                for span in SPANS {
                    if let Err(error) = self.compare(&sample, span, Some(&relayed)).await {
                        troubled(error);
                    }
                }
            }
        }
    }

    /// Compares the first response of each kind since the last audit with the rows. Returns whether
    /// one of them was outdated for longer than `span` and, with `relayed`, although the relay had
    /// reported the change. Such cached data is invalidated. Returns `None` if the cache served
    /// nothing.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn audit(&self, span: Duration, relayed: Option<&RelayState>) -> Result<Option<bool>> {
        let mut found = None;
        for sample in self.reader.seen().take() {
            let differs = self.compare(&sample, span, relayed).await?;
            found = Some(differs || found == Some(true));
        }
        Ok(found)
    }

    async fn compare(&self, sample: &AuditSample, span: Duration, relayed: Option<&RelayState>) -> Result<bool> {
        let Some(kept) = sample.kept(&self.reader).await else { return Ok(false) };
        self.reader.stats().one(CacheEvent::Audited);
        let rows = sample.rows(&**self.reader.inner()).await?;
        if agree(&kept, rows.as_ref()) {
            return Ok(false);
        }
        let seen = relayed.map(|relayed| (relayed, relayed.now()));
        tokio::time::sleep(span).await;
        let heard = match seen {
            Some((relayed, then)) => relayed.all_before(then, sample.partition()).await?,
            None => RelayProgress::All,
        };
        let Some(rows) = self.still_differs(sample, &kept, rows).await? else { return Ok(false) };
        match heard {
            RelayProgress::All => self.reader.stats().one(CacheEvent::Drift),
            RelayProgress::Late => {
                self.reader.stats().one(CacheEvent::Late);
                let partition = sample.partition().get();
                tracing::warn!(
                    partition,
                    "a cache entry is late: the relay has not applied its events for many seconds"
                );
                return Ok(false);
            }
            RelayProgress::Away => return Ok(false),
        }
        let key = sample.forget(&self.reader, &kept).await;
        let (entry, revision) = (kept.name(), kept.revision());
        tracing::error!(?key, entry, revision, rows, "a cache entry differs from its rows and is invalidated");
        Ok(true)
    }

    /// Returns the revision of the rows if the cache still returns `kept` and the rows differ from
    /// it. `then` is what the rows showed before.
    async fn still_differs(
        &self,
        sample: &AuditSample,
        kept: &AuditedAnswer,
        then: Option<AuditedAnswer>,
    ) -> Result<Option<i64>> {
        let looks = if sample.has_revision() { 1 } else { LOOKS };
        let mut last = then;
        for look in 0..looks {
            if look > 0 {
                tokio::time::sleep(PAUSE.mul_f64(rand::random_range(0.5..1.5))).await;
            }
            // Cached previews may be ahead of the rank index from which previews of the rows are
            // chosen.
            if sample.kept(&self.reader).await.as_ref() != Some(kept) {
                return Ok(None);
            }
            let rows = sample.rows(&**self.reader.inner()).await?;
            let moved = looks > 1 && rows != last;
            if moved || agree(kept, rows.as_ref()) {
                return Ok(None);
            }
            last = rows;
        }
        Ok(Some(last.map_or(0, |rows| rows.revision())))
    }
}

/// Returns whether the cached data equals the rows or is newer.
fn agree(kept: &AuditedAnswer, rows: Option<&AuditedAnswer>) -> bool {
    rows.is_some_and(|rows| kept.agrees(rows))
}
