//! The write path: the log that takes commands, and the writer that commits them in batches.

use async_trait::async_trait;

use crate::domain::error::Result;
use crate::write::command_output::CommandOutput;
use crate::write::verbs::Batch;

/// The write path. Handlers have a `CommandLog` and no [`Writer`], so no handler can bypass it.
#[async_trait]
pub trait CommandLog: Send + Sync + std::fmt::Debug {
    /// Submits commands of one subject, and returns their results in order when their effects are
    /// durable.
    ///
    /// Dropping the returned future never cancels the work. The commands may share a transaction
    /// with those of other callers.
    async fn submit(&self, batch: Batch) -> Result<Vec<Result<CommandOutput>>>;
}

/// Commits batches. `commit` runs in a task that no client can cancel.
///
/// All commands of a batch belong to one data source. The batch is one transaction. It first
/// locks its subjects, unless it is a batch of likes, and then its comments, each in the order of
/// their ids. Then every command is decided on the locked rows, in order. Effects, counts and
/// idempotency records become durable together, or none of them does. When `commit` returns `Ok`,
/// the effects are durable. The inner results are those of the commands, in order: a rejected
/// command leaves no trace and does not affect the others.
///
/// A conflict with another transaction is retried inside. A commit of unknown outcome is resolved
/// by the idempotency records, never guessed.
///
/// # Errors
/// The outer error means that the batch as a whole has no known effect. With
/// [`Error::ShardUnavailable`](crate::domain::error::Error) it may have been committed, and only a
/// repeat of the same commands shows the outcome.
#[async_trait]
pub trait Writer: Send + Sync + std::fmt::Debug {
    /// Commits one batch.
    async fn commit(&self, batch: &Batch) -> Result<Vec<Result<CommandOutput>>>;

    /// Commits one batch as `commit` does, except the commands of subjects whose rows another
    /// transaction holds: `None` stands for the result of a command that was not executed. Either
    /// all commands of a subject are executed, or none of them. A writer without locks executes
    /// every command.
    async fn commit_without_wait(&self, batch: &Batch) -> Result<Vec<Option<Result<CommandOutput>>>> {
        Ok(self.commit(batch).await?.into_iter().map(Some).collect())
    }
}
