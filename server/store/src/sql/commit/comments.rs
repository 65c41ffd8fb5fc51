//! Batches of comments: subjects are locked, then comments.

use async_trait::async_trait;
use riposte_core::verbs::CommandKind;
use riposte_core::{Command, CommandOutput, Effect, Result, UnitOfWork};

use super::load::{self, DuplicateCheck};
use super::{BatchOutputs, CommitType, decided};
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
        repeats: DuplicateCheck,
    ) -> std::result::Result<(UnitOfWork, BatchOutputs), StoreError> {
        let (unit, answers) = decided(load::comments(tx, commands, repeats).await?, commands, UnitOfWork::run)?;
        let refused = |(command, answer): (&Command, &Result<CommandOutput>)| {
            answer.is_err() && load::tells_itself(&command.verb)
        };
        if repeats == DuplicateCheck::Unlikely && commands.iter().zip(&answers).any(refused) {
            return decided(load::comments(tx, commands, DuplicateCheck::Possible).await?, commands, UnitOfWork::run);
        }
        Ok((unit, answers))
    }

    /// After a commit whose outcome was lost, the retry finds the batch's own comments and takes
    /// them for those of an earlier request. A comment with the id that the command itself brought
    /// is not a repeat for its caller.
    fn claim(commands: &[Command], answers: &mut BatchOutputs) {
        for (command, answer) in commands.iter().zip(answers) {
            if let Ok(CommandOutput { effect: Effect::Comment(view), replayed, .. }) = answer
                && command.verb.creates_comment()
                && command.verb.comment_id() == Some(view.comment.reference.id)
            {
                *replayed = false;
            }
        }
    }
}
