mod contended;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestIdentity};
use riposte_core::verbs::UndeleteSubject;
use riposte_core::{Batch, Command, CommandKind, CommandOutput, Error, Millis, Result, SubjectKey};
use riposte_core::{CommandLog, Writer};
use riposte_telemetry::Metrics;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::Span;

use super::queue::{CommandBatch, CommitterRole, QueueSet, QueuedCommands};
use super::ready::GROUP_BATCH_MIN;
use super::{QueueObserver, WriteQueueLimits, WriteQueues, WriteRoute};
use crate::Notifier;

/// A writer that commits nothing until it is released, and stores the commands that it received.
#[derive(Debug, Default)]
struct GatedWriter {
    gate: Option<Semaphore>,
    batches: Mutex<Vec<Vec<Command>>>,
    received: AtomicUsize,
    concurrent: AtomicUsize,
    max_concurrent: AtomicUsize,
}

#[async_trait]
impl Writer for GatedWriter {
    async fn commit(&self, batch: &Batch) -> Result<Vec<Result<CommandOutput>>> {
        let Batch::Comments(batch) = batch else { return Err(Error::internal("no test submits likes")) };
        self.received.fetch_add(batch.len(), Ordering::SeqCst);
        assert!(batch.iter().all(|command| number(command) != PANICS), "a command that the writer cannot decide");
        let concurrent = self.concurrent.fetch_add(1, Ordering::SeqCst) + 1;
        self.max_concurrent.fetch_max(concurrent, Ordering::SeqCst);
        if let Some(gate) = &self.gate {
            drop(gate.acquire().await.map_err(Error::internal)?);
        }
        self.batches.lock().map_err(|_| Error::internal("poisoned"))?.push(batch.clone());
        self.concurrent.fetch_sub(1, Ordering::SeqCst);
        // The error names its command, which distinguishes the results.
        Ok(batch.iter().map(|command| Err(Error::invalid(number(command).to_string(), ""))).collect())
    }
}

/// The number of a command with which the writer panics.
const PANICS: i64 = -1;

fn number(command: &Command) -> i64 {
    command.now.0
}

fn command(object: usize, number: i64) -> Command {
    Command {
        subject: SubjectKey::stored("article".into(), object.to_string()),
        verb: UndeleteSubject.into(),
        request: RequestIdentity { key: IdempotencyKey([0; 16]), fingerprint: Fingerprint(0) },
        now: Millis(number),
        notify_thread: false,
    }
}

/// The route of all partitions.
const ROUTE: WriteRoute = WriteRoute { source: 0, group: 0 };

const LIMITS: WriteQueueLimits = WriteQueueLimits {
    write_queue: 1_024,
    source: 4_096,
    committers: 2,
    queues_per_batch: 512,
    contended_committers: 0,
    isolates_crowded: false,
};

struct Fixture {
    writer: Arc<GatedWriter>,
    write_queues: Arc<WriteQueues>,
}

type Results = Result<Vec<Result<CommandOutput>>>;

impl Fixture {
    fn new(limits: WriteQueueLimits, is_gated: bool) -> Self {
        let writer = Arc::new(GatedWriter { gate: is_gated.then(|| Semaphore::new(0)), ..GatedWriter::default() });
        let port: Arc<dyn Writer> = Arc::clone(&writer) as _;
        let observer = QueueObserver { notifier: Notifier::new(1), metrics: Metrics::new().expect("sound") };
        let write_queues = Arc::new(WriteQueues::start(&port, 1, |_| ROUTE, limits, observer, &Handle::current()));
        Self { writer, write_queues }
    }

    /// Submits commands, and waits until they are in their write queue.
    async fn enqueue(&self, commands: Vec<Command>) -> JoinHandle<Results> {
        let (write_queues, before) = (Arc::clone(&self.write_queues), self.accepted());
        let caller = tokio::spawn(async move { write_queues.submit(commands.into()).await });
        while self.accepted() == before && !caller.is_finished() {
            tokio::task::yield_now().await;
        }
        caller
    }

    /// Returns the number of commands that wait, are being committed, or were committed.
    fn accepted(&self) -> usize {
        let queue = self.write_queues.sources[0].comments.queue();
        queue.waiting() + self.writer.received.load(Ordering::SeqCst)
    }

    /// Releases the writer for all waiting batches.
    fn open_gate(&self) {
        self.writer.gate.as_ref().expect("a gated writer").add_permits(1_000_000);
    }

    /// Waits until `count` committers work.
    async fn until_working(&self, count: usize) {
        while self.writer.concurrent.load(Ordering::SeqCst) != count {
            tokio::task::yield_now().await;
        }
    }

    fn sizes(&self) -> Vec<usize> {
        self.writer.batches.lock().expect("no test panics with the lock").iter().map(Vec::len).collect()
    }
}

/// Returns `count` objects, each in a write queue of its own.
fn objects_in_own_queues(count: usize) -> Vec<usize> {
    let mut partitions = BTreeSet::new();
    (0..).filter(|n| partitions.insert(command(*n, 0).subject.partition())).take(count).collect()
}

/// Returns the numbers that the results name.
async fn numbers(caller: JoinHandle<Results>) -> Vec<String> {
    let results = caller.await.expect("no panic").expect("the commands are accepted");
    let field = |result: Result<CommandOutput>| match result {
        Err(Error::Invalid(violations)) => violations[0].field.clone(),
        other => panic!("{other:?}"),
    };
    results.into_iter().map(field).collect()
}

#[tokio::test]
async fn a_writer_that_panics_fails_its_batch_and_no_other_one() {
    let fixture = Fixture::new(WriteQueueLimits { committers: 1, ..LIMITS }, false);
    let failed = fixture.write_queues.submit(vec![command(1, PANICS)].into()).await;
    assert!(matches!(failed, Err(Error::Internal(_))), "{failed:?}");
    let next = fixture.write_queues.submit(vec![command(1, 7)].into());
    let next =
        tokio::time::timeout(Duration::from_secs(30), next).await.expect("its write queue and its committer work");
    assert_eq!(numbers(tokio::spawn(async { next })).await, ["7"]);
}

#[tokio::test]
async fn commands_that_wait_during_a_commit_are_the_next_batch_and_each_caller_gets_its_own_result() {
    let fixture = Fixture::new(LIMITS, true);
    let mut callers = Vec::new();
    for n in 0..40 {
        callers.push(fixture.enqueue(vec![command(1, n)]).await);
    }
    fixture.open_gate();
    for (n, caller) in callers.into_iter().enumerate() {
        assert_eq!(numbers(caller).await, [n.to_string()]);
    }
    let sizes = fixture.sizes();
    assert_eq!((sizes[0], sizes.iter().sum::<usize>()), (1, 40), "the first batch has one command: {sizes:?}");
    assert!(sizes.len() <= 5, "39 waiting commands are 32, 6 and 1: {sizes:?}");
    let order: Vec<i64> =
        fixture.writer.batches.lock().expect("no test panics with the lock").iter().flatten().map(number).collect();
    assert!(order.is_sorted(), "a write queue keeps its order: {order:?}");
}

#[tokio::test]
async fn a_write_queue_has_one_committer_while_other_queues_have_theirs() {
    let fixture = Fixture::new(LIMITS, true);
    let [a, b] = objects_in_own_queues(2)[..] else { panic!("two objects") };
    let mut callers = Vec::new();
    for n in 0..6 {
        callers.push(fixture.enqueue(vec![command(a, n)]).await);
    }
    fixture.until_working(1).await;
    callers.push(fixture.enqueue(vec![command(b, 9)]).await);
    fixture.until_working(2).await;
    fixture.open_gate();
    for caller in callers {
        numbers(caller).await;
    }
    assert_eq!(fixture.writer.max_concurrent.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn commands_of_one_call_stay_together_whatever_their_number() {
    let fixture = Fixture::new(LIMITS, true);
    let first = fixture.enqueue(vec![command(1, 0)]).await;
    let three = fixture.enqueue((1..4).map(|n| command(1, n)).collect()).await;
    let too_many = fixture.enqueue((4..2_004).map(|n| command(1, n)).collect()).await;
    assert!(
        matches!(too_many.await.expect("no panic"), Err(Error::Overloaded { .. })),
        "more than the capacity of a write queue"
    );
    fixture.open_gate();
    assert_eq!((numbers(first).await.len(), numbers(three).await), (1, vec!["1".into(), "2".into(), "3".into()]));
    let alone = fixture.enqueue((0..2_000).map(|n| command(1, n)).collect()).await;
    assert_eq!(numbers(alone).await.len(), 2_000, "an empty write queue takes an entry that is larger than itself");
}

#[tokio::test]
async fn a_full_write_queue_rejects_without_effect_and_accepted_commands_are_committed_after_their_callers_left() {
    let fixture = Fixture::new(WriteQueueLimits { write_queue: 600, source: 700, committers: 1, ..LIMITS }, true);
    let mut callers = vec![fixture.enqueue(vec![command(1, 0)]).await];
    fixture.until_working(1).await;
    for n in 1..=600 {
        callers.push(fixture.enqueue(vec![command(1, n)]).await);
    }
    let rejected = fixture.write_queues.submit(vec![command(1, 601)].into()).await;
    assert!(matches!(rejected, Err(Error::Overloaded { .. })), "the write queue is full: {rejected:?}");
    let neighbour = (2..).find(|n| command(*n, 0).subject.partition() != command(1, 0).subject.partition());
    for n in 0..100 {
        callers.push(fixture.enqueue(vec![command(neighbour.expect("one"), 1_000 + n)]).await);
    }
    let rejected = fixture.write_queues.submit(vec![command(neighbour.expect("one"), 2_000)].into()).await;
    assert!(matches!(rejected, Err(Error::Overloaded { .. })), "the source is full: {rejected:?}");
    callers.iter().for_each(JoinHandle::abort);
    fixture.open_gate();
    fixture.write_queues.close().await;
    assert_eq!(
        fixture.sizes().iter().sum::<usize>(),
        701,
        "a rejected command had an effect, or an accepted one had none"
    );
}

#[tokio::test]
async fn closed_write_queues_accept_no_command_and_end_after_the_last_batch() {
    let fixture = Fixture::new(LIMITS, false);
    assert_eq!(numbers(fixture.enqueue(vec![command(1, 7)]).await).await, ["7"]);
    fixture.write_queues.close().await;
    assert_eq!(fixture.write_queues.submit(vec![command(1, 8)].into()).await, Err(Error::ServerStopping));
    assert_eq!(fixture.sizes(), [1]);
}

#[tokio::test]
async fn a_crowded_write_queue_gets_batches_of_its_own_if_other_processes_may_hold_its_locks() {
    // The commands that wait in each write queue, in order, while the first command is committed;
    // and the batches that follow.
    let cases: [(bool, usize, &[usize], &[usize]); 7] = [
        (true, 32, &[1, 8, 1], &[1, 1, 8, 1]),
        (false, 32, &[1, 8, 1], &[1, 8, 2]),
        (true, 32, &[1, 4, 1], &[1, 1, 4, 1]),
        (true, 32, &[1, 3, 1], &[1, 4, 1]),
        // 4 of 16 are a quarter, and 4 of 17 are not.
        (true, 32, &[3, 3, 3, 3, 4], &[1, 12, 4]),
        (true, 32, &[3, 3, 3, 4, 4], &[1, 16, 1]),
        // Write queues beyond the limit of a batch do not count towards the commands that it could
        // take.
        (true, 2, &[1, 4, 8, 8], &[1, 1, 4, 8, 8]),
    ];
    let objects = objects_in_own_queues(6);
    for (isolates_crowded, queues_per_batch, waiting, sizes) in cases {
        let fixture =
            Fixture::new(WriteQueueLimits { committers: 1, queues_per_batch, isolates_crowded, ..LIMITS }, true);
        let mut callers = vec![fixture.enqueue(vec![command(objects[0], 0)]).await];
        fixture.until_working(1).await;
        for (object, count) in objects[1..].iter().zip(waiting) {
            for _ in 0..*count {
                callers.push(fixture.enqueue(vec![command(*object, 0)]).await);
            }
        }
        fixture.open_gate();
        for caller in callers {
            numbers(caller).await;
        }
        assert_eq!(fixture.sizes(), sizes, "isolated: {isolates_crowded}, {waiting:?}");
    }
}

/// Executes one command of each of `count` subjects in write queues of their own. All of them wait
/// before the first batch ends.
async fn execute_in_own_queues(fixture: &Fixture, count: usize) {
    let mut callers = Vec::new();
    for (n, object) in (0..).zip(objects_in_own_queues(count)) {
        callers.push(fixture.enqueue(vec![command(object, n)]).await);
    }
    fixture.open_gate();
    for caller in callers {
        numbers(caller).await;
    }
}

#[tokio::test]
async fn a_batch_takes_from_a_limited_number_of_write_queues_and_leaves_the_others_to_the_next() {
    let fixture = Fixture::new(WriteQueueLimits { committers: 1, queues_per_batch: 2, ..LIMITS }, true);
    execute_in_own_queues(&fixture, 5).await;
    assert_eq!(fixture.sizes(), [1, 2, 2], "the first batch has one command");
}

#[tokio::test]
async fn a_batch_is_as_wide_as_what_waits() {
    let fixture = Fixture::new(WriteQueueLimits { committers: 1, ..LIMITS }, true);
    execute_in_own_queues(&fixture, 201).await;
    assert_eq!(fixture.sizes(), [1, 192, 8], "the first batch has one command");
}

#[test]
fn a_batch_under_load_has_commands_of_one_group_of_tables() {
    let (mut queue, now) = (QueueSet::new(LIMITS), Instant::now());
    let groups = |batch: &CommandBatch<CommandKind>| batch.entries.iter().map(|entry| entry.group).collect::<Vec<_>>();
    let push = |queue: &mut QueueSet<CommandKind>, object, group| {
        let (reply, _) = oneshot::channel();
        let entry = QueuedCommands { commands: vec![command(object, 0)], group, reply, wait_span: Span::none() };
        queue.push(entry, now).expect("accepted");
    };
    let objects = objects_in_own_queues(2 * GROUP_BATCH_MIN + 3);
    for (index, object) in objects.iter().enumerate() {
        push(&mut queue, *object, index % 2);
    }
    let batches: Vec<_> = std::iter::from_fn(|| queue.take(CommitterRole::Regular, now)).collect();
    let found: Vec<Vec<usize>> = batches.iter().map(groups).collect();
    assert_eq!(found[..2], [vec![0; GROUP_BATCH_MIN], vec![1; GROUP_BATCH_MIN]], "one group each");
    assert_eq!(found[2..].concat().len(), 3, "the rest: {found:?}");
    batches.into_iter().for_each(|mut batch| {
        batch.entries.clear();
        queue.done(batch, now);
    });
    for (object, group) in objects.iter().zip([0, 1, 0]) {
        push(&mut queue, *object, group);
    }
    let few = queue.take(CommitterRole::Regular, now).expect("a batch");
    assert_eq!(groups(&few), [0, 0, 1], "few commands are one batch");
}
