//! Batches of comments: subjects are locked, then comments.

use async_trait::async_trait;
use riposte_core::verbs::CommandKind;
use riposte_core::{Command, CommandOutput, Effect, ModerationGate, Result, UnitOfWork};

use super::held::{LockedTable, RowLock};
use super::load::{self, DuplicateCheck};
use super::{BatchOutputs, CommitType, LockWait, run_commands};
use crate::error::StoreError;
use crate::sql::pool::{DataSources, SourceTx};

#[async_trait]
impl CommitType for CommandKind {
    const TRANSACTION: &'static str = "commit comments";
    const FIRST_LOCK_WAIT: LockWait = LockWait::None;

    /// A repeat returns the result of the earlier request even if the subject has changed since. So
    /// if a create is rejected, the duplicates are read after all.
    async fn decide(
        tx: &SourceTx,
        commands: &[Command],
        duplicate_check: DuplicateCheck,
        lock_wait: LockWait,
        gate: ModerationGate,
    ) -> std::result::Result<(UnitOfWork, BatchOutputs), StoreError> {
        let mut unit = load::comments(tx, commands, duplicate_check, lock_wait).await?;
        unit.set_gate(gate);
        let (unit, outputs) = run_commands(unit, commands, UnitOfWork::run)?;
        if unit.lacks_gate() {
            return Err(StoreError::GateUnknown);
        }
        let is_rejected_create = |(command, output): (&Command, &Result<CommandOutput>)| {
            output.is_err() && load::detects_duplicates(&command.verb)
        };
        if duplicate_check == DuplicateCheck::Unlikely && commands.iter().zip(&outputs).any(is_rejected_create) {
            let mut unit = load::comments(tx, commands, DuplicateCheck::Possible, lock_wait).await?;
            unit.set_gate(gate);
            return run_commands(unit, commands, UnitOfWork::run);
        }
        Ok((unit, outputs))
    }

    fn may_need_gate(commands: &[Command]) -> bool {
        commands.iter().any(|command| command.verb.may_need_gate())
    }

    fn locks(sources: &DataSources, commands: &[Command]) -> Vec<RowLock> {
        let mut locks = Vec::with_capacity(commands.len());
        for Command { subject, verb, .. } in commands {
            let lock = |table, id| RowLock { table, id, subject: subject.clone() };
            let subject_id = sources.subject_id_cache().id(subject);
            locks.extend(subject_id.map(|id| lock(LockedTable::Subject, id.into())));
            let comments = verb.lock_set().comments.into_iter().filter(|id| id.partition() == subject.partition());
            locks.extend(comments.map(|id| lock(LockedTable::Index, id)));
        }
        locks
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
