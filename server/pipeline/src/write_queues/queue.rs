//! The waiting commands by write queue. A write queue belongs to one committer at a time, so the
//! commands of a subject are committed in the order in which they arrived.

use std::collections::{HashMap, VecDeque};

use riposte_core::CommandOutput;
use riposte_core::{Command, Partition, Result};
use tokio::sync::oneshot;

use super::WriteQueueLimits;
use super::size::{MAX_BATCH, quantised};

/// The minimum number of commands in a crowded write queue, in addition to [`CROWDED_SHARE`].
const MIN_CROWDED: usize = 4;
/// The divisor of the minimum part of a crowded write queue: one in `CROWDED_SHARE` of the commands
/// that the next batch could take.
const CROWDED_SHARE: usize = 4;

/// The commands that one caller submitted, and the channel for their results.
#[derive(Debug)]
pub(super) struct QueuedCommands<K> {
    /// Commands of one partition, in order.
    pub(super) commands: Vec<Command<K>>,
    /// The channel to the caller, which may no longer wait.
    pub(super) reply: oneshot::Sender<Result<Vec<Result<CommandOutput>>>>,
    /// The span of the wait, which ends when it is dropped.
    pub(super) wait_span: tracing::Span,
}

/// The reason why an entry was rejected. A rejected entry had no effect.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum QueueRejection {
    /// The limit of the write queue, or of all of them together, is reached.
    Full,
    /// The process stops.
    Closed,
}

/// The commands that a committer took, and the write queues that it owns until it calls `done`.
#[derive(Debug)]
pub(super) struct CommandBatch<K> {
    pub(super) entries: Vec<QueuedCommands<K>>,
    pub(super) write_queues: Vec<Partition>,
}

/// All write queues of one data source and batch type.
#[derive(Debug)]
pub(super) struct QueueSet<K> {
    limits: WriteQueueLimits,
    /// Created when the first command arrives, and removed when no command waits and no committer
    /// owns the queue.
    write_queues: HashMap<Partition, WriteQueue<K>>,
    /// Write queues with commands and without a committer, the one that has waited longest
    /// first.
    ready: VecDeque<Partition>,
    /// The number of commands in all write queues.
    waiting: usize,
    closed: bool,
}

#[derive(Debug)]
struct WriteQueue<K> {
    entries: VecDeque<QueuedCommands<K>>,
    /// The number of commands in its entries.
    waiting: usize,
    /// True while a committer works on commands of this write queue.
    busy: bool,
}

impl<K> WriteQueue<K> {
    fn new() -> Self {
        Self { entries: VecDeque::new(), waiting: 0, busy: false }
    }
}

impl<K> QueueSet<K> {
    pub(super) fn new(limits: WriteQueueLimits) -> Self {
        Self { limits, write_queues: HashMap::new(), ready: VecDeque::new(), waiting: 0, closed: false }
    }

    /// Appends an entry to its write queue. Returns true if a committer now has work. An entry
    /// larger than a write queue is accepted into an empty one, because it could never be written
    /// otherwise.
    pub(super) fn push(
        &mut self,
        partition: Partition,
        entry: QueuedCommands<K>,
    ) -> std::result::Result<bool, QueueRejection> {
        let size = entry.commands.len();
        let fits = |waiting: usize, max: usize| waiting == 0 || waiting + size <= max;
        if self.closed {
            return Err(QueueRejection::Closed);
        }
        if !fits(self.waiting, self.limits.source) {
            return Err(QueueRejection::Full);
        }
        let write_queue = self.write_queues.entry(partition).or_insert_with(WriteQueue::new);
        if !fits(write_queue.waiting, self.limits.write_queue) {
            return Err(QueueRejection::Full);
        }
        let is_idle = write_queue.entries.is_empty() && !write_queue.busy;
        write_queue.entries.push_back(entry);
        write_queue.waiting += size;
        self.waiting += size;
        if is_idle {
            self.ready.push_back(partition);
        }
        Ok(is_idle)
    }

    /// Takes the commands that wait in write queues without a committer, up to the largest batch;
    /// `None` if no command waits.
    pub(super) fn take(&mut self) -> Option<CommandBatch<K>> {
        let write_queues = self.queues_of_next_batch();
        let waiting: usize = self.ready.iter().take(write_queues).map(|partition| self.waiting_in(partition)).sum();
        let mut capacity = quantised(waiting.min(MAX_BATCH));
        let mut batch = CommandBatch { entries: Vec::new(), write_queues: Vec::new() };
        while capacity > 0
            && batch.write_queues.len() < write_queues
            && let Some(partition) = self.ready.pop_front()
        {
            let Some(write_queue) = self.write_queues.get_mut(&partition) else { continue };
            let before = batch.entries.len();
            while let Some(entry) =
                write_queue.entries.pop_front_if(|entry| entry.commands.len() <= capacity || batch.entries.is_empty())
            {
                let size = entry.commands.len();
                write_queue.waiting -= size;
                self.waiting -= size;
                capacity = capacity.saturating_sub(size);
                batch.entries.push(entry);
                if capacity == 0 {
                    break;
                }
            }
            if batch.entries.len() == before {
                self.ready.push_front(partition);
                break; // the first entry of this queue does not fit
            }
            write_queue.busy = true;
            batch.write_queues.push(partition);
        }
        (!batch.entries.is_empty()).then_some(batch)
    }

    /// Returns the number of ready write queues, from the first on, that the next batch takes from.
    /// A crowded one is taken alone, because other processes wait for the same locks. In a larger
    /// transaction the other commands would wait for these locks too, and the transaction would
    /// hold them for longer.
    fn queues_of_next_batch(&self) -> usize {
        let limit = self.limits.queues_per_batch;
        if !self.limits.isolates_crowded {
            return limit;
        }
        let candidates = || self.ready.iter().take(limit).map(|partition| self.waiting_in(partition));
        let threshold = MIN_CROWDED.max(candidates().sum::<usize>().min(MAX_BATCH).div_ceil(CROWDED_SHARE));
        candidates().position(|waiting| waiting >= threshold).map_or(limit, |index| index.max(1))
    }

    /// Returns the number of commands that wait in a write queue.
    fn waiting_in(&self, partition: &Partition) -> usize {
        self.write_queues.get(partition).map_or(0, |write_queue| write_queue.waiting)
    }

    /// Returns write queues after their batch. Those with more commands become ready again.
    pub(super) fn done(&mut self, write_queues: &[Partition]) {
        for partition in write_queues {
            let Some(write_queue) = self.write_queues.get_mut(partition) else { continue };
            write_queue.busy = false;
            if write_queue.entries.is_empty() {
                self.write_queues.remove(partition);
            } else {
                self.ready.push_back(*partition);
            }
        }
    }

    /// Returns true if a command can be taken.
    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Rejects new commands from now on.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Returns the number of commands that wait in all write queues.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Returns true if no command waits and none can arrive.
    pub(super) fn is_over(&self) -> bool {
        self.closed && self.waiting == 0
    }
}
