//! The distribution of an import over streams: one reader fills several streams, and each subject
//! stays on one of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, anyhow};
use riposte_sdk::Connection;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::member_ids;
use super::ordering::{self};
use super::read::PreparedImport;
use super::record::Key;
use super::sender::ImportSender;
use super::shared::ImportShared;

/// The number of subjects that wait for each stream. With the subject that is being sent, it bounds
/// the memory for JSON lines.
const QUEUE_CAPACITY: usize = 16;

/// Imports the prepared files over `streams` streams, until all is done or `stop` becomes true.
///
/// # Errors
/// The first of these: a file that cannot be parsed (everything read before it is imported), a
/// server that cannot be reached or rejects the import, a rejects file that cannot be written.
pub(crate) async fn run(
    prepared: PreparedImport,
    client: &AdminServiceClient<Connection>,
    streams: usize,
    shared: &Arc<ImportShared>,
    stop: &watch::Receiver<bool>,
) -> Result<()> {
    let mut senders = JoinSet::new();
    let mut queues = Vec::new();
    for _ in 0..streams.max(1) {
        let (queue, batches) = mpsc::channel(QUEUE_CAPACITY);
        queues.push(queue);
        senders.spawn(ImportSender::new(client.clone(), Arc::clone(shared), stop.clone()).run(batches));
    }
    let (shared, stopped) = (Arc::clone(shared), stop.clone());
    let reader = tokio::task::spawn_blocking(move || {
        let records = prepared.records()?;
        shared.totals.total.add(records.unwrap_or_default());
        shared.totals.total_known.store(records.is_some(), Ordering::Relaxed);
        let read = prepared.read(&mut |group| {
            let batch = ordering::prepare_batch(group, shared.orphans);
            shared.add_expected(&batch, records.is_some());
            let queue = queues.get(sender_of(&batch.key, queues.len())).context("there is no stream")?;
            // A stream that has ended has failed, and reports the error itself.
            match *stopped.borrow() || queue.blocking_send(batch).is_err() {
                true => Err(anyhow!(Stopped)),
                false => Ok(()),
            }
        });
        shared.totals.total_known.store(true, Ordering::Relaxed);
        read
    });
    let mut outcome = Ok(());
    while let Some(sender) = senders.join_next().await {
        let sender = sender.context("a stream broke down").and_then(|sender| sender);
        outcome = outcome.and(sender);
    }
    let read = reader.await.context("the reader broke down")?;
    outcome.and(read.or_else(|error| if error.is::<Stopped>() { Ok(()) } else { Err(error) }))
}

/// The reader was stopped on request; this is not an error of its own.
#[derive(Debug)]
struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stopped")
    }
}

impl std::error::Error for Stopped {}

/// Returns the stream of a subject: always the same one, because the lines of one subject may form
/// several groups.
fn sender_of(key: &Key, senders: usize) -> usize {
    let digest = member_ids::digest(&format!("{}\0{}", key.object_type, key.object_id), 4);
    let number = usize::from_str_radix(&digest, 16).unwrap_or_default();
    number.checked_rem(senders).unwrap_or_default()
}

#[cfg(test)]
mod tests;
