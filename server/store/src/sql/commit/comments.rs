//! Batches of comments: subjects are locked, then comments.

use async_trait::async_trait;
use riposte_core::verbs::CommandKind;
use riposte_core::{Command, CommandOutput, Effect, Result, UnitOfWork};

use super::load::{self, DuplicateCheck};
use super::{BatchOutputs, CommitType, run_commands};
use crate::error::StoreError;
use crate::sql::pool::SourceTx;

#[async_trait]
impl CommitType for CommandKind {
    const TRANSACTION: &'static str = "commit comments";

    /// A repeat returns the result of the earlier request even if the subject has changed since. So
    /// if a create is rejected, the duplicates are read after all.
    async fn decide(
        tx: &SourceTx,
        commands: &[Command],
        duplicate_check: DuplicateCheck,
    ) -> std::result::Result<(UnitOfWork, BatchOutputs), StoreError> {
        let (unit, outputs) =
            run_commands(load::comments(tx, commands, duplicate_check).await?, commands, UnitOfWork::run)?;
        let is_rejected_create = |(command, output): (&Command, &Result<CommandOutput>)| {
            output.is_err() && load::detects_duplicates(&command.verb)
        };
        if duplicate_check == DuplicateCheck::Unlikely && commands.iter().zip(&outputs).any(is_rejected_create) {
            return run_commands(
                load::comments(tx, commands, DuplicateCheck::Possible).await?,
                commands,
                UnitOfWork::run,
            );
        }
        Ok((unit, outputs))
    }

    /// After a commit whose outcome was lost, the retry finds the batch's own comments and takes
    /// them for those of an earlier request. A comment with the id that the command itself brought
    /// is not a repeat for its caller.
    fn mark_own_commit(commands: &[Command], outputs: &mut BatchOutputs) {
        for (command, output) in commands.iter().zip(outputs) {
            if let Ok(CommandOutput { effect: Effect::Comment(view), replayed, .. }) = output
                && command.verb.creates_comment()
                && command.verb.comment_id() == Some(view.comment.reference.id)
            {
                *replayed = false;
            }
        }
    }
}
