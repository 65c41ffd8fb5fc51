//! Commits batches. One batch is one transaction, which is retried here, and is divided only if one
//! command makes the others fail.

mod bisect;
mod comments;
mod confined;
mod count_differences;
mod flush;
mod held;
mod likes;
mod load;
mod lock_wait;

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::{Changes, Event};
use riposte_core::verbs::BatchType;
use riposte_core::{
    Batch, Command, CommandOutput, CommentId, CommitObserver, Error, Millis, ModerationGate, Result, Subject,
    UnitOfWork, Writer,
};

use super::ids::SqlIds;
use super::moderation_gate::ModerationGates;
use super::outbox::record;
use super::phase::CommitFailure;
use super::pool::{DataSources, SourceTx};
use super::retry::RetryPolicy;
use super::task;
use crate::error::StoreError;
use held::RowLock;
use load::DuplicateCheck;
use lock_wait::LockWait;

/// The results of the commands of a batch, in order.
type BatchOutputs = Vec<Result<CommandOutput>>;

/// As [`BatchOutputs`]; `None` for a command whose subject another transaction holds.
type UnheldOutputs = Vec<Option<Result<CommandOutput>>>;

/// Commits batches to the tables of one data source.
#[derive(Debug)]
pub(crate) struct SqlWriter {
    sources: Arc<DataSources>,
    ids: Arc<SqlIds>,
    gates: Arc<ModerationGates>,
    observer: Option<Arc<dyn CommitObserver>>,
}

impl SqlWriter {
    pub(crate) fn new(
        sources: Arc<DataSources>,
        ids: Arc<SqlIds>,
        gates: Arc<ModerationGates>,
        observer: Option<Arc<dyn CommitObserver>>,
    ) -> Self {
        Self { sources, ids, gates, observer }
    }
}

#[async_trait]
impl Writer for SqlWriter {
    async fn commit(&self, batch: &Batch) -> Result<BatchOutputs> {
        match batch {
            Batch::Comments(commands) => self.commit_partitions(commands).await,
            Batch::Likes(commands) => self.commit_partitions(commands).await,
        }
    }

    async fn commit_without_wait(&self, batch: &Batch) -> Result<UnheldOutputs> {
        match batch {
            Batch::Comments(commands) => self.commit_unheld_partitions(commands).await,
            Batch::Likes(commands) => self.commit_unheld_partitions(commands).await,
        }
    }
}

impl SqlWriter {
    async fn commit_all<K: CommitType>(&self, commands: &[Command<K>]) -> Result<BatchOutputs> {
        let Some(batch) = self.batch(commands)? else { return Ok(Vec::new()) };
        let transaction = (batch.source, K::TRANSACTION);
        task::run_here(self.sources.runner(), transaction, Box::pin(batch.run(false))).await
    }

    async fn commit_unheld<K: CommitType>(&self, commands: &[Command<K>]) -> Result<UnheldOutputs> {
        let Some(batch) = self.batch(commands)? else { return Ok(Vec::new()) };
        let transaction = (batch.source, K::TRANSACTION);
        task::run_here(self.sources.runner(), transaction, Box::pin(batch.run_without_wait())).await
    }

    /// Returns the batch of these commands; `None` if there are none.
    fn batch<'c, K: CommitType>(&self, commands: &'c [Command<K>]) -> Result<Option<CommitBatch<'c, K>>> {
        let Some(first) = commands.first() else { return Ok(None) };
        let source = |command: &Command<K>| self.sources.map().source(command.subject.partition());
        if commands.iter().any(|command| source(command) != source(first)) {
            return Err(Error::internal("a batch spans data sources"));
        }
        let (sources, ids, observer) = (Arc::clone(&self.sources), Arc::clone(&self.ids), self.observer.clone());
        let (gates, commands) = (Arc::clone(&self.gates), Cow::Borrowed(commands));
        Ok(Some(CommitBatch { sources, ids, gates, observer, source: source(first), commands }))
    }
}

/// The steps of a commit that differ between the types of batches.
#[async_trait]
trait CommitType: BatchType {
    /// The name of the transaction.
    const TRANSACTION: &'static str;

    /// The wait of the first locking reads of a batch that leaves out held subjects. Where they
    /// wait, a subject counts as held after the lock wait limit.
    const FIRST_LOCK_WAIT: LockWait;

    /// Loads the rows that the commands need, under lock, and decides the commands.
    async fn decide(
        tx: &SourceTx,
        commands: &[Command<Self>],
        duplicate_check: DuplicateCheck,
        lock_wait: LockWait,
        gate: ModerationGate,
    ) -> std::result::Result<(UnitOfWork, BatchOutputs), StoreError>;

    /// Returns true if the commands alone show that one may need an open gate of moderation.
    fn may_need_gate(_commands: &[Command<Self>]) -> bool {
        false
    }

    /// Returns the rows that the commands lock, each with the subject of its command, as far as
    /// their ids are known without a database call.
    fn locks(sources: &DataSources, commands: &[Command<Self>]) -> Vec<RowLock>;

    /// Corrects the results of a commit whose outcome was lost before.
    fn mark_own_commit(_commands: &[Command<Self>], _outputs: &mut BatchOutputs) {}
}

/// The commands of one data source that are to be committed.
struct CommitBatch<'c, K: CommitType> {
    sources: Arc<DataSources>,
    ids: Arc<SqlIds>,
    gates: Arc<ModerationGates>,
    observer: Option<Arc<dyn CommitObserver>>,
    source: usize,
    commands: Cow<'c, [Command<K>]>,
}

/// The reason why a transaction ended without a result.
struct BatchFailure {
    fault: StoreError,
    /// True if COMMIT was sent: the effects may be durable.
    outcome_unknown: bool,
}

impl<F: Into<StoreError>> From<F> for BatchFailure {
    fn from(fault: F) -> Self {
        Self { fault: fault.into(), outcome_unknown: false }
    }
}

impl<K: CommitType> CommitBatch<'_, K> {
    /// Commits some commands in one transaction, with retries where they help. `outcome_unknown` is
    /// true if an earlier COMMIT of these commands was sent without a response.
    async fn commit_with_retry(
        &self,
        commands: &[Command<K>],
        mut outcome_unknown: bool,
        lock_wait: LockWait,
    ) -> std::result::Result<BatchOutputs, BatchFailure> {
        let mut retry = RetryPolicy::default();
        // The id is generated before a connection is taken, because the generator may need one
        // itself.
        let Some(first) = commands.first() else { return Ok(Vec::new()) };
        let id = self.ids.commit(first.subject.partition()).await;
        let id = id.map_err(|error| BatchFailure { fault: error.into(), outcome_unknown })?;
        let mut gate = self.gates.last(self.source);
        if gate == ModerationGate::Unknown && K::may_need_gate(commands) {
            gate = self.gates.state(self.source).await;
        }
        let mut duplicate_check = if outcome_unknown { DuplicateCheck::Possible } else { DuplicateCheck::Unlikely };
        loop {
            let check = std::mem::replace(&mut duplicate_check, DuplicateCheck::Possible);
            match self.transact(commands, id, (check, lock_wait, gate), outcome_unknown).await {
                Ok(mut outputs) => {
                    if outcome_unknown {
                        K::mark_own_commit(commands, &mut outputs);
                    }
                    return Ok(outputs);
                }
                Err(BatchFailure { fault: StoreError::GateUnknown, .. }) if gate == ModerationGate::Unknown => {
                    gate = self.gates.state(self.source).await;
                    duplicate_check = check;
                }
                Err(failure) => {
                    outcome_unknown |= failure.outcome_unknown;
                    if !retry.wait_before_retry(failure.fault.class(), outcome_unknown).await {
                        return Err(BatchFailure { outcome_unknown, ..failure });
                    }
                    tracing::debug!(error = %failure.fault, outcome_unknown, "a transaction is retried");
                }
            }
        }
    }

    /// Runs one transaction in phases: lock and load, decide, then write, record the events under
    /// the id reserved for them, and commit.
    async fn transact(
        &self,
        commands: &[Command<K>],
        id: CommentId,
        (duplicate_check, lock_wait, gate): (DuplicateCheck, LockWait, ModerationGate),
        outcome_unknown: bool,
    ) -> std::result::Result<BatchOutputs, BatchFailure> {
        let tx = self.sources.open_write(self.source, outcome_unknown).await?;
        let work = async |tx: &SourceTx| {
            let (unit, outputs) = K::decide(tx, commands, duplicate_check, lock_wait, gate).await?;
            let mut phase = tx.phase();
            flush::write_set(&mut phase, tx.tables(), &unit)?;
            record(&mut phase, id, &events_of(&unit, commands)?);
            let changed = if self.observer.is_some() { unit.changed() } else { Vec::new() };
            Ok((phase, outputs, changed))
        };
        let (tx, (phase, outputs, changed)) = tx.write(work).await?;
        let finished = tx.finish(phase).await;
        finished.map_err(|CommitFailure { fault, outcome_unknown }| BatchFailure { fault, outcome_unknown })?;
        if let Some(observer) = &self.observer {
            observer.committed(changed).await;
        }
        Ok(outputs)
    }
}

/// Decides the commands in order.
fn run_commands<K>(
    mut unit: UnitOfWork,
    commands: &[Command<K>],
    run: fn(&mut UnitOfWork, &Command<K>) -> Result<CommandOutput>,
) -> std::result::Result<(UnitOfWork, BatchOutputs), StoreError> {
    let mut outputs = Vec::with_capacity(commands.len());
    for command in commands {
        // A sum that overflows on a damaged row panics. Only that command fails: the batch is
        // divided until it is alone.
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| run(&mut unit, command)));
        let output = result.unwrap_or_else(|_| Err(Error::internal("a command panicked")));
        if let Err(fault @ Error::Internal(_)) = output {
            return Err(fault.into()); // a half-changed unit of work must not be written
        }
        outputs.push(output);
    }
    Ok((unit, outputs))
}

/// Returns the events of a batch for the outbox.
fn events_of<K>(unit: &UnitOfWork, commands: &[Command<K>]) -> Result<Vec<Event>> {
    let now = commands.first().map_or(Millis(0), |command| command.now);
    let event = |(subject, revision, changes): (&Subject, Option<i64>, Changes)| Event {
        partition: subject.key.partition(),
        subject: subject.id,
        revision,
        changes,
        time: now,
    };
    Ok(unit.events()?.into_iter().map(event).collect())
}
