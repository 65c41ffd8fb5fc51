//! The write queues that a regular committer may take commands from, by group of tables.
//!
//! A statement names one table, so a batch has statements for each table of its commands. A batch
//! of the same commands over fewer tables has fewer statements. Under load a batch therefore takes
//! commands of one group only (docs/decisions/0123-batches-of-few-tables.md).

use std::collections::VecDeque;

use super::queue::QueueKey;

/// The number of commands from which on a batch takes from no further group. With fewer, the fixed
/// costs of a transaction weigh more than those of its statements.
pub(super) const GROUP_BATCH_MIN: usize = 32;

/// The write queues of partitions that have commands and no committer.
#[derive(Debug, Default)]
pub(super) struct ReadyQueues {
    /// The queues of each group, the one that has waited longest first. A group without queues is
    /// empty or missing.
    groups: Vec<VecDeque<QueueKey>>,
    /// The groups that have queues, in the order in which batches take from them.
    order: VecDeque<usize>,
}

impl ReadyQueues {
    /// Appends a queue to its group.
    pub(super) fn push_back(&mut self, group: usize, key: QueueKey) {
        if self.groups.len() <= group {
            self.groups.resize_with(group + 1, VecDeque::new);
        }
        if self.groups[group].is_empty() {
            self.order.push_back(group);
        }
        self.groups[group].push_back(key);
    }

    /// Removes the first queue of the first group, and returns it with its group.
    pub(super) fn pop_front(&mut self) -> Option<(usize, QueueKey)> {
        let group = *self.order.front()?;
        let key = self.groups[group].pop_front()?;
        if self.groups[group].is_empty() {
            self.order.pop_front();
        }
        Some((group, key))
    }

    /// Puts back a queue that was removed from the front.
    pub(super) fn push_front(&mut self, group: usize, key: QueueKey) {
        if self.groups[group].is_empty() {
            self.order.push_front(group);
        }
        self.groups[group].push_front(key);
    }

    /// Moves a group behind the others, so that one with many commands does not keep the others
    /// waiting. `group` is the last one that a batch took from; nothing happens if it is no longer
    /// the first one.
    pub(super) fn rotate(&mut self, group: usize) {
        if self.order.front() == Some(&group) {
            self.order.rotate_left(1);
        }
    }

    /// Returns the queues that the next batch may take from, in order: those of the first groups
    /// that together have [`GROUP_BATCH_MIN`] commands. `waiting` returns the commands of a queue.
    pub(super) fn candidates(&self, waiting: impl Fn(&QueueKey) -> usize) -> impl Iterator<Item = &QueueKey> {
        let mut commands = 0;
        let groups = self.order.iter().map_while(move |group| {
            if commands >= GROUP_BATCH_MIN {
                return None;
            }
            let group = &self.groups[*group];
            commands += group.iter().map(&waiting).sum::<usize>();
            Some(group)
        });
        groups.flatten()
    }

    /// Returns true if no queue is ready.
    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::Partition;

    use super::{GROUP_BATCH_MIN, QueueKey, ReadyQueues};

    fn key(number: u16) -> QueueKey {
        QueueKey::Partition(Partition::number(number))
    }

    fn candidates(ready: &ReadyQueues, commands: usize) -> Vec<QueueKey> {
        ready.candidates(|_| commands).cloned().collect()
    }

    #[test]
    fn a_batch_takes_from_the_groups_that_have_waited_longest_until_it_has_enough() {
        let mut ready = ReadyQueues::default();
        for (group, number) in [(2, 20), (0, 0), (2, 21), (1, 10)] {
            ready.push_back(group, key(number));
        }
        let all = [20, 21, 0, 10].map(key);
        assert_eq!(candidates(&ready, 1), all);
        assert_eq!(candidates(&ready, GROUP_BATCH_MIN / 2), all[..2], "one group is enough");
        assert_eq!(candidates(&ready, GROUP_BATCH_MIN / 3 + 1), all[..3]);
        let removed: Vec<_> = std::iter::from_fn(|| ready.pop_front()).collect();
        assert_eq!(removed, [(2, key(20)), (2, key(21)), (0, key(0)), (1, key(10))]);
        assert!(ready.is_empty());
    }

    #[test]
    fn a_group_that_keeps_queues_lets_the_others_pass() {
        let mut ready = ReadyQueues::default();
        for (group, number) in [(0, 0), (0, 1), (1, 10)] {
            ready.push_back(group, key(number));
        }
        assert_eq!(ready.pop_front(), Some((0, key(0))));
        ready.rotate(0);
        assert_eq!(candidates(&ready, 1), [10, 1].map(key));
        assert_eq!(ready.pop_front(), Some((1, key(10))));
        ready.push_front(1, key(10));
        assert_eq!(candidates(&ready, 1), [10, 1].map(key));
        ready.rotate(0);
        assert_eq!(candidates(&ready, 1), [10, 1].map(key), "another group is the first one");
    }
}
