//! Subjects that other transactions hold.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use riposte_core::{Batch, Command, CommandKind, CommandLog, CommandOutput, Error, Result, SubjectKey, Writer};
use riposte_telemetry::Metrics;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tracing::Span;

use super::{LIMITS, ROUTE, Results, command, number, numbers};
use crate::Notifier;
use crate::write_queues::queue::{CommandBatch, CommitterRole, QueueSet, QueuedCommands};
use crate::write_queues::{QueueObserver, WriteQueueLimits, WriteQueues};

/// A writer of rows of which other transactions hold some.
#[derive(Debug)]
struct HeldWriter {
    held: watch::Sender<BTreeSet<SubjectKey>>,
    /// The numbers of the committed commands, in order.
    committed: Mutex<Vec<i64>>,
    /// The subjects that batches waited for.
    awaited: watch::Sender<Vec<SubjectKey>>,
}

impl HeldWriter {
    fn record(&self, command: &Command) -> Result<CommandOutput> {
        self.committed.lock().expect("no test panics with the lock").push(number(command));
        Err(Error::invalid(number(command).to_string(), ""))
    }
}

#[async_trait]
impl Writer for HeldWriter {
    async fn commit(&self, batch: &Batch) -> Result<Vec<Result<CommandOutput>>> {
        let Batch::Comments(commands) = batch else { return Err(Error::internal("no test submits likes")) };
        let subjects: BTreeSet<SubjectKey> = commands.iter().map(|command| command.subject.clone()).collect();
        self.awaited.send_modify(|awaited| awaited.extend(subjects.clone()));
        let released = self.held.subscribe().wait_for(|held| held.is_disjoint(&subjects)).await.map(drop);
        released.map_err(Error::internal)?;
        Ok(commands.iter().map(|command| self.record(command)).collect())
    }

    async fn commit_without_wait(&self, batch: &Batch) -> Result<Vec<Option<Result<CommandOutput>>>> {
        let Batch::Comments(commands) = batch else { return Err(Error::internal("no test submits likes")) };
        let held = self.held.borrow().clone();
        let is_free = |command: &Command| !held.contains(&command.subject);
        Ok(commands.iter().map(|command| is_free(command).then(|| self.record(command))).collect())
    }
}

struct Fixture {
    writer: Arc<HeldWriter>,
    write_queues: Arc<WriteQueues>,
}

impl Fixture {
    /// Starts write queues while other transactions hold these objects.
    fn new(limits: WriteQueueLimits, held: &[usize]) -> Self {
        let held = held.iter().map(|object| command(*object, 0).subject).collect();
        let (held, awaited) = (watch::Sender::new(held), watch::Sender::new(Vec::new()));
        let writer = Arc::new(HeldWriter { held, committed: Mutex::default(), awaited });
        let port: Arc<dyn Writer> = Arc::clone(&writer) as _;
        let observer = QueueObserver { notifier: Notifier::new(1), metrics: Metrics::new().expect("sound") };
        let write_queues = Arc::new(WriteQueues::start(&port, 1, |_| ROUTE, limits, observer, &Handle::current()));
        Self { writer, write_queues }
    }

    fn submit(&self, object: usize, number: i64) -> JoinHandle<Results> {
        let write_queues = Arc::clone(&self.write_queues);
        tokio::spawn(async move { write_queues.submit(vec![command(object, number)].into()).await })
    }

    /// Waits until a batch waits for an object.
    async fn until_awaited(&self, object: usize) {
        let subject = command(object, 0).subject;
        let mut awaited = self.writer.awaited.subscribe();
        awaited.wait_for(|awaited| awaited.contains(&subject)).await.expect("the writer exists");
    }

    fn release(&self) {
        self.writer.held.send_replace(BTreeSet::new());
    }
}

const CONTENDED: WriteQueueLimits = WriteQueueLimits { committers: 1, contended_committers: 1, ..LIMITS };

/// Returns an object whose partition equals that of `object`, or differs from it.
fn object_beside(object: usize, in_its_partition: bool) -> usize {
    let partition = |object| command(object, 0).subject.partition();
    let is_wanted = |other: &usize| (partition(*other) == partition(object)) == in_its_partition;
    (object + 1..).find(is_wanted).expect("one")
}

#[tokio::test]
async fn a_held_subject_delays_only_its_own_commands_and_keeps_their_order() {
    let fixture = Fixture::new(CONTENDED, &[1]);
    let (neighbour, other) = (object_beside(1, true), object_beside(1, false));
    let first = fixture.submit(1, 0);
    fixture.until_awaited(1).await;
    // Its later commands wait in its own queue; those of its partition do not.
    let mut later = Vec::new();
    for n in 1..20 {
        later.push(fixture.submit(1, n));
        assert_eq!(numbers(fixture.submit(neighbour, 100 + n)).await, [(100 + n).to_string()]);
        assert_eq!(numbers(fixture.submit(other, 200 + n)).await, [(200 + n).to_string()]);
    }
    assert!(!first.is_finished() && later.iter().all(|caller| !caller.is_finished()));
    fixture.release();
    for (n, caller) in std::iter::once(first).chain(later).enumerate() {
        assert_eq!(numbers(caller).await, [n.to_string()]);
    }
    let committed = fixture.writer.committed.lock().expect("no test panics with the lock").clone();
    let of_held: Vec<i64> = committed.into_iter().filter(|number| *number < 100).collect();
    assert!(of_held.is_sorted(), "{of_held:?}");
}

#[tokio::test]
async fn commands_of_one_batch_are_committed_without_the_held_subjects_among_them() {
    let fixture = Fixture::new(CONTENDED, &[1]);
    let neighbour = object_beside(1, true);
    // All of them wait before the committer runs.
    let callers: Vec<_> = (0..10).map(|n| fixture.submit(if n % 2 == 0 { 1 } else { neighbour }, n)).collect();
    fixture.until_awaited(1).await;
    let (held, free): (Vec<_>, Vec<_>) = (0..).zip(callers).partition(|(n, _)| n % 2 == 0);
    for (n, caller) in free {
        assert_eq!(numbers(caller).await, [i64::to_string(&n)]);
    }
    fixture.release();
    for (n, caller) in held {
        assert_eq!(numbers(caller).await, [i64::to_string(&n)]);
    }
    assert_eq!(fixture.writer.committed.lock().expect("no test panics with the lock").len(), 10);
}

#[test]
fn a_subject_has_a_queue_of_its_own_after_it_was_held_twice() {
    let mut queue = QueueSet::new(CONTENDED);
    let neighbour = object_beside(1, true);
    let push = |queue: &mut QueueSet<CommandKind>, object, number| {
        let (reply, _) = oneshot::channel();
        let entry =
            QueuedCommands { commands: vec![command(object, number)], group: 0, reply, wait_span: Span::none() };
        queue.push(entry).expect("accepted")
    };
    let numbers =
        |batch: &CommandBatch<CommandKind>| batch.entries.iter().map(|e| number(&e.commands[0])).collect::<Vec<_>>();
    assert_eq!(push(&mut queue, 1, 0), Some(CommitterRole::Regular));
    let first = queue.take(CommitterRole::Regular).expect("a batch");
    assert_eq!(push(&mut queue, neighbour, 1), None, "its write queue is busy");
    assert_eq!(push(&mut queue, 1, 2), None);
    queue.done(first);
    assert!(!queue.has_ready(CommitterRole::Contended), "it was held once");

    let mut second = queue.take(CommitterRole::Regular).expect("a batch");
    assert_eq!(numbers(&second), [0, 1, 2], "in order");
    second.entries.retain(|entry| entry.commands[0].subject == command(1, 0).subject);
    queue.done(second);
    assert!(!queue.has_ready(CommitterRole::Regular), "its commands have left the queue of the partition");
    assert_eq!(push(&mut queue, 1, 3), None, "it joins those that wait");
    assert_eq!(push(&mut queue, neighbour, 4), Some(CommitterRole::Regular));
    let mut own = queue.take(CommitterRole::Contended).expect("a batch");
    assert_eq!((numbers(&own), queue.waiting()), (vec![0, 2, 3], 1));
    own.entries.clear();
    queue.done(own);
    assert_eq!(push(&mut queue, 1, 5), Some(CommitterRole::Contended), "it counts as contended for a second");
}

#[tokio::test]
async fn queues_that_close_commit_deferred_commands() {
    let fixture = Fixture::new(CONTENDED, &[1]);
    let caller = fixture.submit(1, 7);
    fixture.until_awaited(1).await;
    let write_queues = Arc::clone(&fixture.write_queues);
    let closed = tokio::spawn(async move { write_queues.close().await });
    tokio::task::yield_now().await;
    fixture.release();
    closed.await.expect("closed");
    assert_eq!(numbers(caller).await, ["7"]);
}

#[tokio::test]
async fn without_committers_for_contended_subjects_every_batch_waits() {
    let fixture = Fixture::new(WriteQueueLimits { contended_committers: 0, ..CONTENDED }, &[1]);
    let caller = fixture.submit(1, 7);
    fixture.until_awaited(1).await;
    fixture.release();
    assert_eq!(numbers(caller).await, ["7"]);
}
