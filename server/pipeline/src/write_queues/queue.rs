//! The waiting commands by write queue. A write queue belongs to one committer at a time, so the
//! commands of a subject are committed in the order in which they arrived.
//!
//! All subjects of a partition share a write queue. A contended subject, whose rows other
//! transactions hold again and again, has a write queue of its own.

use std::collections::{BTreeMap, HashMap, VecDeque};

use riposte_core::CommandOutput;
use riposte_core::{Command, Partition, Result, SubjectKey};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::WriteQueueLimits;
use super::contention::Contention;
use super::ready::ReadyQueues;
use super::size::{MAX_BATCH, quantised};

/// The minimum number of commands in a crowded write queue, in addition to [`CROWDED_SHARE`].
const MIN_CROWDED: usize = 4;
/// The divisor of the minimum part of a crowded write queue: one in `CROWDED_SHARE` of the commands
/// that the next batch could take.
const CROWDED_SHARE: usize = 4;

/// The commands that one caller submitted, and the channel for their results.
#[derive(Debug)]
pub(super) struct QueuedCommands<K> {
    /// Commands of one subject, in order; at least one.
    pub(super) commands: Vec<Command<K>>,
    /// The group of tables of their subject.
    pub(super) group: usize,
    /// The channel to the caller, which may no longer wait.
    pub(super) reply: oneshot::Sender<Result<Vec<Result<CommandOutput>>>>,
    /// The span of the wait, which ends when it is dropped.
    pub(super) wait_span: tracing::Span,
}

impl<K> QueuedCommands<K> {
    fn subject(&self) -> &SubjectKey {
        &self.commands[0].subject
    }
}

/// The commands that a committer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitterRole {
    /// Those of the partitions, from many write queues in one batch. While every committer of
    /// contended subjects has a batch, also those of a further contended subject, alone in a batch
    /// that does not wait for locks.
    Regular,
    /// Those of contended subjects, one subject in a batch.
    Contended,
}

/// The lists of write queues with commands and without a committer.
#[derive(Debug, Clone, Copy)]
enum ReadyList {
    /// Those of partitions.
    Partitions,
    /// Those of contended subjects.
    Contended,
}

/// The commands that share a write queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum QueueKey {
    /// Those of the subjects of a partition, except contended ones.
    Partition(Partition),
    /// Those of a contended subject.
    Subject(SubjectKey),
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
    pub(super) write_queues: Vec<QueueKey>,
    pub(super) taken: Instant,
    /// The role of the committer that took them.
    pub(super) taken_by: CommitterRole,
}

/// All write queues of one data source and batch type.
#[derive(Debug)]
pub(super) struct QueueSet<K> {
    limits: WriteQueueLimits,
    /// Created when the first command arrives, and removed when no command waits and no committer
    /// owns the queue.
    write_queues: HashMap<QueueKey, WriteQueue<K>>,
    /// Write queues of partitions with commands and without a committer.
    ready: ReadyQueues,
    /// As `ready`, for the write queues of contended subjects, the one that has waited longest
    /// first.
    ready_contended: VecDeque<QueueKey>,
    contention: Contention,
    /// The number of committers of contended subjects that have no batch.
    idle_contended_committers: usize,
    /// True if the last batch of a regular committer was one of a contended subject. The next one
    /// is of the partitions, if commands wait there.
    took_contended: bool,
    /// The number of commands in all write queues.
    waiting: usize,
    closed: bool,
}

#[derive(Debug)]
struct WriteQueue<K> {
    /// The group of tables of its subjects.
    group: usize,
    entries: VecDeque<QueuedCommands<K>>,
    /// The number of commands in its entries.
    waiting: usize,
    /// True while a committer works on commands of this write queue.
    busy: bool,
}

impl<K> WriteQueue<K> {
    fn new(group: usize) -> Self {
        Self { group, entries: VecDeque::new(), waiting: 0, busy: false }
    }

    /// Removes the entries of a subject and returns them in order.
    fn split_off(&mut self, subject: &SubjectKey) -> VecDeque<QueuedCommands<K>> {
        let entries = std::mem::take(&mut self.entries).into_iter();
        let (of_subject, others): (VecDeque<_>, VecDeque<_>) = entries.partition(|entry| entry.subject() == subject);
        self.entries = others;
        self.waiting -= commands_in(&of_subject);
        of_subject
    }

    /// Inserts entries before those that wait.
    fn prepend(&mut self, mut entries: VecDeque<QueuedCommands<K>>) {
        self.waiting += commands_in(&entries);
        entries.append(&mut self.entries);
        self.entries = entries;
    }
}

fn commands_in<K>(entries: &VecDeque<QueuedCommands<K>>) -> usize {
    entries.iter().map(|entry| entry.commands.len()).sum()
}

impl<K> QueueSet<K> {
    pub(super) fn new(limits: WriteQueueLimits) -> Self {
        Self {
            limits,
            write_queues: HashMap::new(),
            ready: ReadyQueues::default(),
            ready_contended: VecDeque::new(),
            contention: Contention::default(),
            idle_contended_committers: limits.contended_committers,
            took_contended: false,
            waiting: 0,
            closed: false,
        }
    }

    /// Appends an entry to its write queue. Returns the role of a committer that now has work. An
    /// entry larger than a write queue is accepted into an empty one, because it could never be
    /// written otherwise.
    pub(super) fn push(
        &mut self,
        entry: QueuedCommands<K>,
        now: Instant,
    ) -> std::result::Result<Option<CommitterRole>, QueueRejection> {
        let size = entry.commands.len();
        let fits = |waiting: usize, max: usize| waiting == 0 || waiting + size <= max;
        if self.closed {
            return Err(QueueRejection::Closed);
        }
        if !fits(self.waiting, self.limits.source) {
            return Err(QueueRejection::Full);
        }
        let (key, group) = (self.key_of(entry.subject(), now), entry.group);
        let write_queue = self.write_queues.entry(key.clone()).or_insert_with(|| WriteQueue::new(group));
        if !fits(write_queue.waiting, self.limits.write_queue) {
            return Err(QueueRejection::Full);
        }
        let is_idle = write_queue.entries.is_empty() && !write_queue.busy;
        write_queue.entries.push_back(entry);
        write_queue.waiting += size;
        self.waiting += size;
        Ok(is_idle.then(|| self.make_ready(group, key)))
    }

    /// Returns the write queue of a subject. A subject has one of its own while it is contended,
    /// and afterwards until that queue is empty, so that its commands stay in order.
    fn key_of(&self, subject: &SubjectKey, now: Instant) -> QueueKey {
        let partition = QueueKey::Partition(subject.partition());
        if self.contention.is_empty() {
            return partition;
        }
        let own = QueueKey::Subject(subject.clone());
        let is_own = self.write_queues.contains_key(&own) || self.contention.is_contended(subject, now);
        if is_own { own } else { partition }
    }

    fn make_ready(&mut self, group: usize, key: QueueKey) -> CommitterRole {
        match key {
            QueueKey::Partition(_) => {
                self.ready.push_back(group, key);
                CommitterRole::Regular
            }
            QueueKey::Subject(_) => {
                self.ready_contended.push_back(key);
                if self.idle_contended_committers > 0 { CommitterRole::Contended } else { CommitterRole::Regular }
            }
        }
    }

    /// Takes the commands that wait in write queues without a committer, up to the largest batch;
    /// `None` if no command waits for a committer of this role.
    pub(super) fn take(&mut self, role: CommitterRole, now: Instant) -> Option<CommandBatch<K>> {
        let batch = match role {
            CommitterRole::Contended => self.take_from(ReadyList::Contended, role, now),
            CommitterRole::Regular => {
                let contended = (self.ready.is_empty() || !self.took_contended) && self.move_due_to_front(now);
                self.took_contended = contended;
                self.take_from(if contended { ReadyList::Contended } else { ReadyList::Partitions }, role, now)
            }
        };
        if batch.is_some() && role == CommitterRole::Contended {
            self.idle_contended_committers = self.idle_contended_committers.saturating_sub(1);
        }
        batch
    }

    fn take_from(&mut self, list: ReadyList, taken_by: CommitterRole, taken: Instant) -> Option<CommandBatch<K>> {
        let write_queues = match list {
            ReadyList::Partitions => self.queues_of_next_batch(),
            ReadyList::Contended => 1,
        };
        let waiting: usize = self.candidates(list).take(write_queues).map(|key| self.waiting_in(key)).sum();
        let mut capacity = quantised(waiting.min(MAX_BATCH));
        let mut last_group = None;
        let mut batch = CommandBatch { entries: Vec::new(), write_queues: Vec::new(), taken, taken_by };
        while capacity > 0
            && batch.write_queues.len() < write_queues
            && let Some((group, key)) = self.pop_ready(list)
        {
            let Some(write_queue) = self.write_queues.get_mut(&key) else { continue };
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
                // The first entry of this queue does not fit.
                match list {
                    ReadyList::Partitions => self.ready.push_front(group, key),
                    ReadyList::Contended => self.ready_contended.push_front(key),
                }
                break;
            }
            last_group = Some(group);
            write_queue.busy = true;
            batch.write_queues.push(key);
        }
        if let (ReadyList::Partitions, Some(group)) = (list, last_group) {
            self.ready.rotate(group);
        }
        (!batch.entries.is_empty()).then_some(batch)
    }

    /// Returns the write queues of a list that the next batch may take from, in order.
    fn candidates(&self, list: ReadyList) -> Box<dyn Iterator<Item = &QueueKey> + '_> {
        match list {
            ReadyList::Partitions => Box::new(self.ready.candidates(|key| self.waiting_in(key))),
            ReadyList::Contended => Box::new(self.ready_contended.iter()),
        }
    }

    /// Removes the first write queue of a list, and returns it with its group.
    fn pop_ready(&mut self, list: ReadyList) -> Option<(usize, QueueKey)> {
        match list {
            ReadyList::Partitions => self.ready.pop_front(),
            ReadyList::Contended => self.ready_contended.pop_front().map(|key| (0, key)),
        }
    }

    /// Returns the time from which a regular committer may take the commands of the next contended
    /// subject, `now` for at once; `None` if no subject waits, or a committer of contended subjects
    /// is idle.
    pub(super) fn next_attempt(&self, now: Instant) -> Option<Instant> {
        self.next_contended().map(|(attempt, _)| attempt.unwrap_or(now))
    }

    /// Returns when the next contended subject may be tried without a wait, `None` for at once, and
    /// its position in the list.
    fn next_contended(&self) -> Option<(Option<Instant>, usize)> {
        if self.idle_contended_committers > 0 {
            return None;
        }
        let attempt = |key: &QueueKey| match key {
            QueueKey::Subject(subject) => self.contention.next_attempt(subject),
            QueueKey::Partition(_) => None,
        };
        self.ready_contended.iter().enumerate().map(|(position, key)| (attempt(key), position)).min()
    }

    /// Moves the contended subject that may be tried next to the front; false if none is due.
    fn move_due_to_front(&mut self, now: Instant) -> bool {
        let Some((_, position)) = self.next_contended().filter(|(attempt, _)| attempt.is_none_or(|at| at <= now))
        else {
            return false;
        };
        if let Some(key) = self.ready_contended.remove(position) {
            self.ready_contended.push_front(key);
        }
        true
    }

    /// Returns the number of candidates, from the first on, that the next batch takes from.
    /// A crowded one is taken alone, because other processes wait for the same locks. In a larger
    /// transaction the other commands would wait for these locks too, and the transaction would
    /// hold them for longer.
    fn queues_of_next_batch(&self) -> usize {
        let candidates = self.candidates(ReadyList::Partitions).take(self.limits.queues_per_batch);
        let waiting: Vec<usize> = candidates.map(|key| self.waiting_in(key)).collect();
        if !self.limits.isolates_crowded {
            return waiting.len();
        }
        let threshold = MIN_CROWDED.max(waiting.iter().sum::<usize>().min(MAX_BATCH).div_ceil(CROWDED_SHARE));
        waiting.iter().position(|waiting| *waiting >= threshold).map_or(waiting.len(), |index| index.max(1))
    }

    /// Returns the number of commands that wait in a write queue.
    fn waiting_in(&self, key: &QueueKey) -> usize {
        self.write_queues.get(key).map_or(0, |write_queue| write_queue.waiting)
    }

    /// Returns write queues after their batch. Those with more commands become ready again. The
    /// entries of the batch are now those that were not executed, because another transaction held
    /// their subjects; they wait again, before later commands of their subjects.
    pub(super) fn done(&mut self, batch: CommandBatch<K>, now: Instant) {
        let CommandBatch { entries, write_queues, taken, taken_by } = batch;
        if taken_by == CommitterRole::Contended {
            self.idle_contended_committers += 1;
        }
        self.defer(entries, taken, now);
        for key in write_queues {
            let Some(write_queue) = self.write_queues.get_mut(&key) else { continue };
            write_queue.busy = false;
            let group = write_queue.group;
            if write_queue.entries.is_empty() {
                self.write_queues.remove(&key);
            } else {
                self.make_ready(group, key);
            }
        }
    }

    /// Puts entries of a batch back. A subject that was held once returns to the queue of its
    /// partition, since most transactions are short. A contended subject gets a queue of its own,
    /// and stays there until that queue is empty.
    fn defer(&mut self, deferred: Vec<QueuedCommands<K>>, taken: Instant, now: Instant) {
        let mut by_subject: BTreeMap<SubjectKey, VecDeque<QueuedCommands<K>>> = BTreeMap::new();
        for entry in deferred {
            by_subject.entry(entry.subject().clone()).or_default().push_back(entry);
        }
        for (subject, mut entries) in by_subject {
            self.waiting += commands_in(&entries);
            let group = entries.front().map_or(0, |entry| entry.group);
            let is_contended = self.contention.record_hold(&subject, taken, now);
            let (partition, own) = (QueueKey::Partition(subject.partition()), QueueKey::Subject(subject.clone()));
            if !self.write_queues.contains_key(&own) {
                let write_queue = self.write_queues.entry(partition).or_insert_with(|| WriteQueue::new(group));
                if !is_contended {
                    write_queue.prepend(entries);
                    continue;
                }
                entries.append(&mut write_queue.split_off(&subject));
            }
            let write_queue = self.write_queues.entry(own.clone()).or_insert_with(|| WriteQueue::new(group));
            let is_idle = write_queue.entries.is_empty() && !write_queue.busy;
            write_queue.prepend(entries);
            if is_idle {
                self.make_ready(group, own);
            }
        }
    }

    /// Returns true if a committer of this role can take a command.
    pub(super) fn has_ready(&self, role: CommitterRole, now: Instant) -> bool {
        match role {
            CommitterRole::Regular => !self.ready.is_empty() || self.next_attempt(now).is_some_and(|next| next <= now),
            CommitterRole::Contended => !self.ready_contended.is_empty(),
        }
    }

    /// Rejects new commands from now on.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Returns the number of commands that wait in all write queues.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Returns true if no command waits or is being committed, and none can arrive.
    pub(super) fn is_over(&self) -> bool {
        self.closed && self.write_queues.is_empty()
    }
}
