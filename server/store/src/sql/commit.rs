//! Commits: one batch, one transaction, retried inside, and divided only where one command spoils it for the others.

mod flush;
mod load;
mod retry;

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::ports::Writer;
use riposte_core::world::Effect;
use riposte_core::{Command, Error, Partition, Receipt, Result};

use super::pool::{Sources, Tx};
use super::task;
use crate::error::{Fault, Meaning};
use retry::Patience;

/// What each command of a batch answers, in order.
type Answers = Vec<Result<Receipt>>;

/// Commits batches to the tables of their partition.
#[derive(Debug)]
pub(crate) struct SqlWriter {
    sources: Arc<Sources>,
}

impl SqlWriter {
    pub(crate) fn new(sources: Arc<Sources>) -> Self {
        Self { sources }
    }
}

#[async_trait]
impl Writer for SqlWriter {
    async fn commit(&self, batch: &[Command]) -> Result<Answers> {
        let Some(partition) = batch.first().map(|command| command.subject.partition()) else { return Ok(Vec::new()) };
        if batch.iter().any(|command| command.subject.partition() != partition) {
            return Err(Error::internal("a batch spans partitions"));
        }
        let kind = if only_likes(batch) { "commit likes" } else { "commit comments" };
        let batch = Batch { sources: Arc::clone(&self.sources), partition, commands: batch.to_vec() };
        task::run(kind, async move { batch.run().await }).await
    }
}

/// Likes lock comments but not their subject, so that they never wait for new comments.
fn only_likes(commands: &[Command]) -> bool {
    commands.iter().all(|command| command.verb.as_like().is_some())
}

/// Commands of one partition on their way into it.
struct Batch {
    sources: Arc<Sources>,
    partition: Partition,
    commands: Vec<Command>,
}

/// Why a transaction ended without an answer.
struct Failure {
    fault: Fault,
    /// Whether COMMIT was sent: the effects may stand all the same.
    outcome_unknown: bool,
}

impl<F: Into<Fault>> From<F> for Failure {
    fn from(fault: F) -> Self {
        Self { fault: fault.into(), outcome_unknown: false }
    }
}

impl Batch {
    /// Commits all commands, in one transaction if possible. When one of them makes the transaction fail in a way that
    /// no repeat cures, the batch is halved until that one is alone.
    async fn run(&self) -> std::result::Result<Answers, Fault> {
        let mut answers = Vec::with_capacity(self.commands.len());
        let mut waiting = vec![self.commands.as_slice()];
        while let Some(part) = waiting.pop() {
            match self.settle(part).await {
                Ok(some) => answers.extend(some),
                Err(fault) if part.len() > 1 && matches!(fault.meaning(), Meaning::Fatal | Meaning::Duplicate) => {
                    tracing::warn!(?fault, commands = part.len(), "a batch failed and is divided");
                    let (first, second) = part.split_at(part.len() / 2);
                    waiting.extend([second, first]);
                }
                Err(fault) if part.len() == self.commands.len() => return Err(fault),
                Err(fault) => {
                    let error = Error::from(fault);
                    answers.extend(part.iter().map(|_| Err(error.clone())));
                }
            }
        }
        Ok(answers)
    }

    /// Commits some commands in one transaction, again and again where that helps.
    async fn settle(&self, commands: &[Command]) -> std::result::Result<Answers, Fault> {
        let mut patience = Patience::default();
        let mut outcome_unknown = false;
        loop {
            match self.transact(commands).await {
                Ok(mut answers) => {
                    if outcome_unknown {
                        claim(commands, &mut answers);
                    }
                    return Ok(answers);
                }
                Err(failure) => {
                    outcome_unknown |= failure.outcome_unknown;
                    if !patience.again(failure.fault.meaning(), outcome_unknown).await {
                        return Err(failure.fault);
                    }
                    tracing::debug!(fault = ?failure.fault, outcome_unknown, "a transaction is tried again");
                }
            }
        }
    }

    /// One transaction: lock and load, decide, write.
    async fn transact(&self, commands: &[Command]) -> std::result::Result<Answers, Failure> {
        let tx = self.sources.begin(self.partition).await?;
        match decide(&tx, commands).await {
            Ok(answers) => match tx.commit().await {
                Ok(()) => Ok(answers),
                Err(error) => Err(Failure { fault: error.into(), outcome_unknown: true }),
            },
            Err(fault) => {
                if let Err(error) = tx.rollback().await {
                    tracing::debug!(%error, "a rollback failed; the connection's end does the same");
                }
                Err(fault.into())
            }
        }
    }
}

async fn decide(tx: &Tx, commands: &[Command]) -> std::result::Result<Answers, Fault> {
    let mut world = load::world(tx, commands).await?;
    let mut answers = Vec::with_capacity(commands.len());
    for command in commands {
        let answer = world.run(command);
        if let Err(fault @ Error::Internal(_)) = answer {
            return Err(fault.into()); // the world may be half-changed: nothing of it may be written
        }
        answers.push(answer);
    }
    flush::journal(tx, &world, only_likes(commands)).await?;
    Ok(answers)
}

/// After a commit whose outcome was lost, the repeat finds the batch's own comments and takes them for an earlier
/// request's. A comment that bears the very id that a command brought is no repeat to its caller.
fn claim(commands: &[Command], answers: &mut Answers) {
    for (command, answer) in commands.iter().zip(answers) {
        if let Ok(Receipt { effect: Effect::Comment(view), replayed, .. }) = answer
            && command.verb.creates_comment()
            && command.verb.comment_id() == Some(view.comment.id)
        {
            *replayed = false;
        }
    }
}
