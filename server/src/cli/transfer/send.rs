//! The import as a whole: a reader fills several streams, each subject on one of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use riposte_sdk::Connection;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::member_ids;
use super::ordering::{self, Orphans, SubjectBatch};
use super::read::PreparedImport;
use super::record::{Key, Reject};
use super::rejects::Rejects;
use super::sender::ImportSender;
use super::throttle::Throttle;
use super::totals::ImportTotals;
use super::votes::VotePolicy;

/// Subjects that wait for each stream; with the one being sent they bound what JSON lines hold in memory.
const QUEUE: usize = 16;

/// What all streams of one import share.
pub(crate) struct ImportShared {
    pub(crate) tally: Arc<ImportTotals>,
    pub(crate) source: String,
    pub(crate) votes: VotePolicy,
    pub(crate) orphans: Orphans,
    /// Unanswered items that one stream may have.
    pub(crate) window: usize,
    pub(crate) pace: Throttle,
    /// How long the server may be out of reach before the import gives up.
    pub(crate) patience: Duration,
    /// The server is known to be out of reach, so that one stream says so and not all.
    pub(crate) outage: AtomicBool,
    /// Tells the person at the terminal something.
    pub(crate) say: Box<dyn Fn(&str) + Send + Sync>,
    pub(crate) rejects: Mutex<Option<Rejects>>,
}

impl std::fmt::Debug for ImportShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("source", &self.source).field("tally", &self.tally).finish_non_exhaustive()
    }
}

impl ImportShared {
    /// Writes a reject; after the file is finished it is only counted.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn reject(&self, reject: Reject) -> Result<()> {
        let mut rejects = self.rejects.lock().unwrap_or_else(PoisonError::into_inner);
        rejects.as_mut().map_or(Ok(()), |rejects| rejects.add(reject))
    }

    /// Adds the items of a batch to those expected: all, or only those that are no records of their own.
    fn expect(&self, batch: &SubjectBatch, records_counted: bool) {
        let votes: u64 = batch.comments.iter().map(|planned| planned.comment.votes.total()).sum();
        let votes = if self.votes == VotePolicy::Skip { 0 } else { votes };
        let records = batch.comments.len() + batch.likes.len() + batch.rejects.len() + usize::from(batch.described);
        let records = u64::try_from(records).unwrap_or(u64::MAX) + batch.repeated;
        let bare_subject = u64::from(batch.sends_subject && !batch.described);
        self.tally.total.add(votes + bare_subject + if records_counted { 0 } else { records });
    }
}

/// Brings everything in that was prepared, over `streams` streams, until done or `stop` becomes true.
///
/// # Errors
/// The first of: a file that cannot be understood (what was read before it is brought in), a server that cannot be
/// reached or refuses, a rejects file that cannot be written.
pub(crate) async fn run(
    prepared: PreparedImport,
    client: &AdminServiceClient<Connection>,
    streams: usize,
    shared: &Arc<ImportShared>,
    stop: &watch::Receiver<bool>,
) -> Result<()> {
    let mut lanes = JoinSet::new();
    let mut queues = Vec::new();
    for _ in 0..streams.max(1) {
        let (queue, batches) = mpsc::channel(QUEUE);
        queues.push(queue);
        lanes.spawn(ImportSender::new(client.clone(), Arc::clone(shared), stop.clone()).run(batches));
    }
    let (counted, stopped) = (Arc::clone(shared), stop.clone());
    let reader = tokio::task::spawn_blocking(move || {
        let records = prepared.records()?;
        counted.tally.total.add(records.unwrap_or_default());
        counted.tally.total_known.store(records.is_some(), Ordering::Relaxed);
        let read = prepared.read(&mut |group| {
            let batch = ordering::arrange(group, counted.orphans);
            counted.expect(&batch, records.is_some());
            let queue = queues.get(lane_of(&batch.key, queues.len())).context("there is no stream")?;
            // A stream that is gone has failed, and says why itself.
            match *stopped.borrow() || queue.blocking_send(batch).is_err() {
                true => Err(anyhow!(Stopped)),
                false => Ok(()),
            }
        });
        counted.tally.total_known.store(true, Ordering::Relaxed);
        read
    });
    let mut outcome = Ok(());
    while let Some(lane) = lanes.join_next().await {
        let lane = lane.context("a stream broke down").and_then(|lane| lane);
        outcome = outcome.and(lane);
    }
    let read = reader.await.context("the reader broke down")?;
    outcome.and(read.or_else(|error| if error.is::<Stopped>() { Ok(()) } else { Err(error) }))
}

/// The reader was told to stop; not an error of its own.
#[derive(Debug)]
struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stopped")
    }
}

impl std::error::Error for Stopped {}

/// The stream of a subject: always the same, because the lines of one subject may come in several groups.
fn lane_of(key: &Key, lanes: usize) -> usize {
    let digest = member_ids::digest(&format!("{}\0{}", key.object_type, key.object_id), 4);
    let number = usize::from_str_radix(&digest, 16).unwrap_or_default();
    number.checked_rem(lanes).unwrap_or_default()
}

#[cfg(test)]
mod tests;
