//! Subjects that other transactions hold.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::{Batch, Command, CommandKind, CommandLog, CommandOutput, Error, Result, SubjectKey, Writer};
use riposte_telemetry::Metrics;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
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
    /// The subjects that batches without a wait found held, once for each batch.
    found_held: watch::Sender<Vec<SubjectKey>>,
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
        let found: BTreeSet<SubjectKey> = commands.iter().map(|command| command.subject.clone()).collect();
        self.found_held.send_modify(|all| all.extend(found.intersection(&held).cloned()));
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
        let held = watch::Sender::new(held);
        let (awaited, found_held) = (watch::Sender::default(), watch::Sender::default());
        let writer = Arc::new(HeldWriter { held, committed: Mutex::default(), awaited, found_held });
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

    /// Waits until this number of batches found an object held.
    async fn until_found_held(&self, object: usize, batches: usize) {
        let subject = command(object, 0).subject;
        let mut found = self.writer.found_held.subscribe();
        let is_enough = |found: &Vec<SubjectKey>| found.iter().filter(|held| **held == subject).count() >= batches;
        let enough = tokio::time::timeout(Duration::from_secs(60), found.wait_for(is_enough)).await;
        enough.expect("no batch tries it").expect("the writer exists");
    }

    fn release(&self) {
        self.writer.held.send_replace(BTreeSet::new());
    }
}

fn push(queue: &mut QueueSet<CommandKind>, object: usize, number: i64, now: Instant) -> Option<CommitterRole> {
    let (reply, _) = oneshot::channel();
    let entry = QueuedCommands { commands: vec![command(object, number)], group: 0, reply, wait_span: Span::none() };
    queue.push(entry, now).expect("accepted")
}

/// Returns the numbers of the commands of a batch.
fn taken(batch: &CommandBatch<CommandKind>) -> Vec<i64> {
    batch.entries.iter().map(|entry| number(&entry.commands[0])).collect()
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
async fn a_contended_subject_without_a_committer_delays_nothing_and_is_committed_when_it_is_free() {
    let (held, second) = (1, object_beside(1, false));
    for neighbour in [object_beside(second, true), object_beside(second, false)] {
        let fixture = Fixture::new(CONTENDED, &[held, second]);
        let first = fixture.submit(held, 0);
        fixture.until_awaited(held).await; // the only committer of contended subjects
        let mut callers: Vec<_> = (100..110).map(|n| fixture.submit(second, n)).collect();
        for attempts in 3..6 {
            fixture.until_found_held(second, attempts).await;
            callers.push(fixture.submit(second, 107 + attempts as i64));
            assert_eq!(numbers(fixture.submit(neighbour, 7)).await, ["7"]);
        }
        fixture.writer.held.send_modify(|subjects| assert!(subjects.remove(&command(second, 0).subject), "held"));
        for (n, caller) in (100..).zip(callers) {
            let results = tokio::time::timeout(Duration::from_secs(60), numbers(caller));
            assert_eq!(results.await.expect("it waits for another subject"), [i64::to_string(&n)]);
        }
        assert!(!first.is_finished());
        let committed = fixture.writer.committed.lock().expect("no test panics with the lock").clone();
        let of_second: Vec<i64> = committed.into_iter().filter(|number| *number >= 100).collect();
        assert!(of_second.is_sorted() && of_second.len() == 13, "{of_second:?}");
        fixture.release();
        assert_eq!(numbers(first).await, ["0"]);
        let write_queues = Arc::clone(&fixture.write_queues);
        tokio::time::timeout(Duration::from_secs(60), write_queues.close()).await.expect("it ends");
    }
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
    let (mut queue, now) = (QueueSet::new(CONTENDED), Instant::now());
    let neighbour = object_beside(1, true);
    assert_eq!(push(&mut queue, 1, 0, now), Some(CommitterRole::Regular));
    let first = queue.take(CommitterRole::Regular, now).expect("a batch");
    assert_eq!(push(&mut queue, neighbour, 1, now), None, "its write queue is busy");
    assert_eq!(push(&mut queue, 1, 2, now), None);
    queue.done(first, now);
    assert!(!queue.has_ready(CommitterRole::Contended, now), "it was held once");

    let mut second = queue.take(CommitterRole::Regular, now).expect("a batch");
    assert_eq!(taken(&second), [0, 1, 2], "in order");
    second.entries.retain(|entry| entry.commands[0].subject == command(1, 0).subject);
    queue.done(second, now);
    assert!(!queue.has_ready(CommitterRole::Regular, now), "its commands have left the queue of the partition");
    assert_eq!(push(&mut queue, 1, 3, now), None, "it joins those that wait");
    assert_eq!(push(&mut queue, neighbour, 4, now), Some(CommitterRole::Regular));
    let mut own = queue.take(CommitterRole::Contended, now).expect("a batch");
    assert_eq!((taken(&own), queue.waiting()), (vec![0, 2, 3], 1));
    own.entries.clear();
    queue.done(own, now);
    assert_eq!(push(&mut queue, 1, 5, now), Some(CommitterRole::Contended), "it counts as contended for a second");
}

#[test]
fn commands_in_the_queue_of_a_subject_whose_holds_have_expired_are_taken_too() {
    let (held, second) = (1, object_beside(1, false));
    let third = object_beside(second, false);
    let (mut queue, start) = (QueueSet::new(CONTENDED), Instant::now());
    let at = |seconds| start + Duration::from_secs(seconds);
    for object in [held, second] {
        for number in 0..7 {
            push(&mut queue, object, number, at(0));
        }
        for _ in 0..2 {
            let batch = queue.take(CommitterRole::Regular, at(0)).expect("a batch of its partition");
            queue.done(batch, at(0));
        }
        if object == held {
            queue.take(CommitterRole::Contended, at(0)).expect("the committer waits for it from now on");
        }
    }
    assert!(queue.take(CommitterRole::Regular, at(0)).is_none(), "its pause is not over");
    push(&mut queue, third, 50, at(0));
    let of_third = queue.take(CommitterRole::Regular, at(0)).expect("a batch");
    let mut first = queue.take(CommitterRole::Regular, at(1)).expect("the pause is over");
    assert_eq!(taken(&first), [0, 1, 2, 3, 4, 5]);
    first.entries.clear();
    queue.done(first, at(1));
    queue.done(of_third, at(3)); // this removes expired holds
    assert!(queue.has_ready(CommitterRole::Regular, at(3)));
    assert_eq!(queue.take(CommitterRole::Regular, at(3)).as_ref().map(taken), Some(vec![6]));
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
