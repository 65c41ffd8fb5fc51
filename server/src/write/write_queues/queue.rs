//! What waits, lane by lane. A lane belongs to one committer at a time, so the commands of a subject are committed in the
//! order in which they came.

use std::collections::{HashMap, VecDeque};

use riposte_core::unit_of_work::CommandOutput;
use riposte_core::{Command, Partition, Result};
use tokio::sync::oneshot;

use super::WriteQueueLimits;
use super::size::{MAX_BATCH, quantised};

/// A lane is crowded when so many commands wait in it,
const CROWD: usize = 4;
/// and one in so many of all that a batch could take.
const SHARE: usize = 4;

/// What one caller handed over, and where its answer goes.
#[derive(Debug)]
pub(super) struct QueuedCommands {
    /// Commands of one partition and one kind, in order.
    pub(super) commands: Vec<Command>,
    /// The caller, who may have gone away.
    pub(super) reply: oneshot::Sender<Result<Vec<Result<CommandOutput>>>>,
    /// The span of its wait, which ends when it is dropped.
    pub(super) wait: tracing::Span,
}

/// Why an entry was not taken in: it had no effect.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum QueueRefusal {
    /// Its lane, or all lanes together, can hold no more.
    Full,
    /// The process stops.
    Closed,
}

/// What a committer takes, and the lanes that are its own until it says that it is done.
#[derive(Debug)]
pub(super) struct CommandBatch {
    pub(super) entries: Vec<QueuedCommands>,
    pub(super) write_queues: Vec<Partition>,
}

/// All lanes of one data source and one kind.
#[derive(Debug)]
pub(super) struct QueueSet {
    limits: WriteQueueLimits,
    /// Made when something comes, and gone when nothing waits and nobody works on it.
    write_queues: HashMap<Partition, WriteQueue>,
    /// Lanes with something to do that nobody works on, the one that has waited longest first.
    ready: VecDeque<Partition>,
    /// Commands in all lanes.
    waiting: usize,
    closed: bool,
}

#[derive(Debug, Default)]
struct WriteQueue {
    entries: VecDeque<QueuedCommands>,
    /// Commands in its entries.
    waiting: usize,
    /// Whether a committer works on commands of this lane.
    busy: bool,
}

impl QueueSet {
    pub(super) fn new(limits: WriteQueueLimits) -> Self {
        Self { limits, write_queues: HashMap::new(), ready: VecDeque::new(), waiting: 0, closed: false }
    }

    /// Puts an entry behind its lane; whether that gives a committer something to do. What is larger than a lane may come
    /// into an empty one, or it could never be written.
    pub(super) fn push(
        &mut self,
        partition: Partition,
        entry: QueuedCommands,
    ) -> std::result::Result<bool, QueueRefusal> {
        let size = entry.commands.len();
        let room = |waiting: usize, most: usize| waiting == 0 || waiting + size <= most;
        if self.closed {
            return Err(QueueRefusal::Closed);
        }
        if !room(self.waiting, self.limits.source) {
            return Err(QueueRefusal::Full);
        }
        let write_queue = self.write_queues.entry(partition).or_default();
        if !room(write_queue.waiting, self.limits.write_queue) {
            return Err(QueueRefusal::Full);
        }
        let idle = write_queue.entries.is_empty() && !write_queue.busy;
        write_queue.entries.push_back(entry);
        write_queue.waiting += size;
        self.waiting += size;
        if idle {
            self.ready.push_back(partition);
        }
        Ok(idle)
    }

    /// Takes what waits in the lanes that nobody works on, up to the largest batch; `None` where nothing does.
    pub(super) fn take(&mut self) -> Option<CommandBatch> {
        let write_queues = self.together();
        let free: usize = self.ready.iter().take(write_queues).map(|at| self.free(at)).sum();
        let mut room = quantised(free.min(MAX_BATCH));
        let mut batch = CommandBatch { entries: Vec::new(), write_queues: Vec::new() };
        while room > 0
            && batch.write_queues.len() < write_queues
            && let Some(partition) = self.ready.pop_front()
        {
            let Some(write_queue) = self.write_queues.get_mut(&partition) else { continue };
            let before = batch.entries.len();
            while let Some(entry) =
                write_queue.entries.pop_front_if(|e| e.commands.len() <= room || batch.entries.is_empty())
            {
                let size = entry.commands.len();
                write_queue.waiting -= size;
                self.waiting -= size;
                room = room.saturating_sub(size);
                batch.entries.push(entry);
                if room == 0 {
                    break;
                }
            }
            if batch.entries.len() == before {
                self.ready.push_front(partition);
                break; // its first entry does not fit any more
            }
            write_queue.busy = true;
            batch.write_queues.push(partition);
        }
        (!batch.entries.is_empty()).then_some(batch)
    }

    /// How many of the lanes that nobody works on, from the first on, the next batch takes from. A crowded one is taken by
    /// itself: what it locks other processes wait for too, so that whatever shared its transaction would wait with it, and make
    /// it hold its locks for longer.
    fn together(&self) -> usize {
        let breadth = self.limits.breadth;
        if !self.limits.apart {
            return breadth;
        }
        let near = || self.ready.iter().take(breadth).map(|at| self.free(at));
        let crowd = CROWD.max(near().sum::<usize>().min(MAX_BATCH).div_ceil(SHARE));
        near().position(|free| free >= crowd).map_or(breadth, |place| place.max(1))
    }

    /// Commands that wait in a lane.
    fn free(&self, at: &Partition) -> usize {
        self.write_queues.get(at).map_or(0, |write_queue| write_queue.waiting)
    }

    /// Gives lanes back after their batch; those with more to do become ready again.
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

    /// Whether there is something to take.
    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Takes nothing more.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Commands that wait in all lanes.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether nothing more will ever be to do.
    pub(super) fn is_over(&self) -> bool {
        self.closed && self.waiting == 0
    }
}
