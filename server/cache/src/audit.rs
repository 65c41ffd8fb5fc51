//! The auditor: takes what copies have just answered with (pages, whatever their list, order and place in it; subjects,
//! comments, like states) and compares what is kept with the rows, a second later and five seconds later. What the relay has
//! not come to yet is no fault of theirs: it is waited for.

use std::time::Duration;

use riposte_core::Result;

use crate::reader::{AuditSample, AuditedAnswer, CachedReader};
use crate::relay_state::{RelayProgress, RelayState};
use crate::stats::CacheEvent;

/// How long a copy may differ from the rows: the relay takes less.
const SPANS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// What has no revision may change to and fro between a look at copies and one at the rows: it is believed to differ when it
/// stands still through so many of both.
const LOOKS: u32 = 5;
/// Between them, about.
const PAUSE: Duration = Duration::from_millis(100);

/// See the module.
#[derive(Debug, Clone)]
pub struct CacheAuditor {
    reader: CachedReader,
}

impl CacheAuditor {
    /// Audits the copies that `reader` answers from.
    #[must_use]
    pub fn new(reader: CachedReader) -> Self {
        Self { reader }
    }

    /// Looks at answers for ever, one of each kind at a time, and judges none before `relayed` has seen that the copies were told of
    /// all that the rows showed. `troubled` hears why one could not be looked at.
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

    /// Compares what copies have answered first since the last audit, one of each kind, with its rows: whether any was
    /// behind them for longer than `span`, and, with `relayed`, though it was told of them. Such copies are forgotten. `None` where
    /// nothing was answered.
    ///
    /// # Errors
    /// Those of the rows.
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
        self.reader.tally().one(CacheEvent::Audited);
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
            RelayProgress::All => self.reader.tally().one(CacheEvent::Drift),
            RelayProgress::Late => {
                self.reader.tally().one(CacheEvent::Late);
                let partition = sample.partition().get();
                tracing::warn!(partition, "copies are late: the relay has not told them for many seconds");
                return Ok(false);
            }
            RelayProgress::Away => return Ok(false),
        }
        let key = sample.forget(&self.reader, &kept).await;
        let (what, revision) = (kept.name(), kept.revision());
        tracing::error!(?key, what, revision, rows, "copies differ from their rows; they are forgotten");
        Ok(true)
    }

    /// The revision of what the rows show, if copies still show what they did and that is not it; `then` is what the rows
    /// showed before.
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
            // Copies of previews may be ahead of the boards that the rows' are chosen from.
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

/// Whether copies show what the rows do, or something newer.
fn agree(kept: &AuditedAnswer, rows: Option<&AuditedAnswer>) -> bool {
    rows.is_some_and(|rows| kept.agrees(rows))
}
