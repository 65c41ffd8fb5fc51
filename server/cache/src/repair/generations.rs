//! New generations of partitions whose cached data cannot be repaired event by event.

use std::collections::BTreeMap;

use futures::future::join_all;
use riposte_core::event::SequencedEvent;
use riposte_core::{CommentId, Error, Partition, Result, SubjectId};

use super::{CONCURRENT_PARTITIONS, CacheRepair, MAX_CURSOR_LAG, MAX_FAILURES};
use crate::port::{CommittedState, ConcealedComment, RelayCursor};
use crate::stats::CacheEvent;

/// The number of events that are read at a time to conceal comments again.
const EVENTS_PER_READ: usize = 1_000;
/// The number of comments that are concealed at a time.
const COMMENTS_PER_CALL: usize = 500;
/// The maximum number of events that are read to conceal comments again. The contents of comments
/// that were hidden earlier expire with their keys.
const MAX_EVENTS: i64 = 1_000_000;
/// The number of consecutive failures after which a partition begins a new generation although its
/// comments could not be concealed. Otherwise it would delay all other partitions of its source.
const MAX_CONCEAL_FAILURES: u32 = 2 * MAX_FAILURES;

impl CacheRepair {
    /// Begins new generations of partitions at `last`. `lost` has the position of each, after which
    /// events were not reported or the server has lost what they changed.
    ///
    /// Comments that ceased to be visible after this position are concealed, because the keys of
    /// earlier generations contain their texts until they expire. Meanwhile the cursors are at
    /// these positions, so that another relay conceals them if this one ends. As the other events
    /// are not reported, the partitions then begin another generation.
    pub(super) async fn begin_generations(&mut self, lost: &BTreeMap<Partition, i64>, last: i64) -> Result<()> {
        let lost: Vec<(Partition, i64)> = lost.iter().map(|(partition, from)| (*partition, *from)).collect();
        let behind: Vec<(Partition, i64)> = lost.iter().copied().filter(|(_, from)| *from < last).collect();
        for partitions in behind.chunks(CONCURRENT_PARTITIONS) {
            let this = &*self;
            let renewals = partitions.iter().map(|(partition, from)| this.renew(*partition, *from));
            let results = join_all(renewals).await;
            self.record_failures(partitions, results)?;
        }
        let concealed = self.concealed_since(&behind, last).await?;
        for partitions in lost.chunks(CONCURRENT_PARTITIONS) {
            let (this, none) = (&*self, Vec::new());
            let renewals = partitions.iter().map(|(partition, from)| {
                let concealed = concealed.get(partition).unwrap_or(&none);
                this.begin_generation(*partition, *from, last, concealed)
            });
            let results = join_all(renewals).await;
            for ((partition, _), result) in partitions.iter().zip(&results) {
                if matches!(result, Ok(true)) {
                    self.stuck.remove(partition);
                }
            }
            self.record_failures(partitions, results.into_iter().map(|result| result.map(drop)).collect())?;
        }
        Ok(())
    }

    /// Returns `true` if the comments were concealed, and `false` if the partition was passed over.
    async fn begin_generation(
        &self,
        partition: Partition,
        from: i64,
        last: i64,
        concealed: &[ConcealedComment],
    ) -> Result<bool> {
        let outcome = self.conceal(partition, from, concealed).await;
        if let Err(error) = &outcome {
            if self.can_conceal(partition) {
                return outcome.map(|()| false);
            }
            tracing::warn!(
                partition = partition.get(),
                comments = concealed.len(),
                %error,
                "hidden texts stay in the cache until they expire, because they cannot be removed"
            );
        }
        self.renew(partition, last).await?;
        self.stats.increment(CacheEvent::GenerationStarted);
        Ok(outcome.is_ok())
    }

    /// Conceals comments of a partition whose cursor is at `from`.
    async fn conceal(&self, partition: Partition, from: i64, concealed: &[ConcealedComment]) -> Result<()> {
        for comments in concealed.chunks(COMMENTS_PER_CALL) {
            let committed = CommittedState { concealed: comments.to_vec(), ..CommittedState::default() };
            let at = RelayCursor(from);
            if !self.cache.advance(partition, at, at, &committed).await? {
                return Err(Error::internal("a cursor moved while comments were concealed"));
            }
        }
        Ok(())
    }

    /// Returns `false` if a partition has failed [`MAX_CONCEAL_FAILURES`] times in a row: a further
    /// failure to conceal its comments is then passed over.
    pub(super) fn can_conceal(&self, partition: Partition) -> bool {
        self.stuck.get(&partition).is_none_or(|failures| *failures < MAX_CONCEAL_FAILURES)
    }

    async fn renew(&self, partition: Partition, position: i64) -> Result<()> {
        Ok(self.cache.renew(partition, RelayCursor(position), rand::random()).await?)
    }

    /// Counts the failures, and returns one of them.
    fn record_failures(&mut self, partitions: &[(Partition, i64)], results: Vec<Result<()>>) -> Result<()> {
        let mut outcome = Ok(());
        for ((partition, _), result) in partitions.iter().zip(results) {
            if result.is_err() {
                *self.stuck.entry(*partition).or_default() += 1;
                outcome = result;
            }
        }
        outcome
    }

    /// Returns the comments of partitions that ceased to be visible after the position of their
    /// partition and up to `last`, and some that did earlier.
    async fn concealed_since(
        &self,
        behind: &[(Partition, i64)],
        last: i64,
    ) -> Result<BTreeMap<Partition, Vec<ConcealedComment>>> {
        let mut found: BTreeMap<Partition, Vec<ConcealedComment>> =
            behind.iter().map(|(partition, _)| (*partition, Vec::new())).collect();
        let first = behind.iter().map(|(_, from)| *from).min();
        let mut read = first.unwrap_or(last).max(last - MAX_EVENTS);
        while read < last {
            let events = self.outbox.read(self.source, read, EVENTS_PER_READ).await?;
            let Some(end) = events.last() else { break };
            read = end.number;
            for concealed in concealed(&events) {
                if let Some(comments) = found.get_mut(&concealed.comment.partition()) {
                    comments.push(concealed);
                }
            }
        }
        Ok(found)
    }
}

/// Returns the position after which events may not have been reported to a partition whose cursor
/// is not used.
pub(super) fn unreported_since(cursor: Option<i64>, head: i64) -> i64 {
    // Without a cursor, or with that of a database that was replaced by an older copy, nothing is
    // known.
    cursor.filter(|position| *position <= head).unwrap_or_else(|| (head - MAX_CURSOR_LAG).max(0))
}

/// Returns the comments that these events leave invisible, each with the last revision that did. An
/// event of another version may not record the state that a comment reached.
pub(super) fn concealed(events: &[SequencedEvent]) -> Vec<ConcealedComment> {
    let mut concealed: BTreeMap<(SubjectId, CommentId), i64> = BTreeMap::new();
    for SequencedEvent { event, .. } in events {
        let Some(revision) = event.revision else { continue };
        for change in event.changes.comments.iter().filter(|change| change.kind.moves_version()) {
            if event.changes.outcome(change.id).is_none_or(|outcome| !outcome.after.is_visible()) {
                concealed.insert((event.subject, change.id), revision);
            }
        }
    }
    concealed
        .into_iter()
        .map(|((subject, comment), revision)| ConcealedComment { subject, comment, revision })
        .collect()
}
