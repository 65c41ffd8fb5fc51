//! The distribution of an import over streams: one reader fills several streams, and each subject
//! stays on one of them.

use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use riposte_sdk::Connection;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::batch::SubjectBatch;
use super::member_ids;
use super::read::PreparedImport;
use super::read_notes::ReadNotes;
use super::record::Key;
use super::sender::ImportSender;
use super::shared::ImportShared;

/// The number of subjects that wait for each stream. With the subject that is being sent, it bounds
/// the memory for JSON lines.
const QUEUE_CAPACITY: usize = 16;

/// Imports the prepared files over `streams` streams, until all is done or `stop` becomes true.
///
/// # Errors
/// The first of these: a file that cannot be parsed (nothing is imported), a server that cannot be
/// reached or rejects the import, a rejects file that cannot be written.
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
    let reader = spawn_reader({
        let (shared, stopped) = (Arc::clone(shared), stop.clone());
        move || read(&prepared, &shared, &queues, &stopped)
    })?;
    let mut outcome = Ok(());
    while let Some(sender) = senders.join_next().await {
        let sender = sender.context("a stream broke down").and_then(|sender| sender);
        outcome = outcome.and(sender);
    }
    let mut stop = stop.clone();
    let read = tokio::select! {
        biased;
        read = reader => read.context("the reader broke down")?,
        // A reader that waits for a pipe does not notice a stop; the process ends without it.
        _ = stop.wait_for(|stop| *stop) => Ok(()),
    };
    outcome.and(read.or_else(|error| if error.is::<Stopped>() { Ok(()) } else { Err(error) }))
}

/// Runs `read` on a thread that does not keep the process from ending, and returns its result when
/// it is there.
pub(crate) fn spawn_reader<T: Send + 'static>(
    read: impl FnOnce() -> T + Send + 'static,
) -> Result<oneshot::Receiver<T>> {
    let (done, result) = oneshot::channel();
    let run = move || {
        // Without a receiver the import was stopped.
        let _unwanted = done.send(read());
    };
    std::thread::Builder::new().name("import reader".to_owned()).spawn(run).context("cannot start the reader")?;
    Ok(result)
}

fn read(
    prepared: &PreparedImport,
    shared: &ImportShared,
    queues: &[mpsc::Sender<SubjectBatch>],
    stopped: &watch::Receiver<bool>,
) -> Result<()> {
    let mut notes = ReadNotes::default();
    let read = prepared.read(shared.orphans, &shared.totals, &mut notes, &mut |batch| {
        shared.add_expected(&batch);
        let queue = queues.get(sender_of(&batch.key, queues.len())).context("there is no stream")?;
        // A stream that has ended has failed, and reports the error itself.
        match *stopped.borrow() || queue.blocking_send(batch).is_err() {
            true => Err(anyhow!(Stopped)),
            false => Ok(()),
        }
    });
    notes.lines().iter().for_each(|line| (shared.report)(line));
    read
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
