//! Batches of likes: comments are locked, but not their subjects, so likes never wait for new
//! comments.

use async_trait::async_trait;
use riposte_core::{LikeCommand, LikeCommandKind, ModerationGate, UnitOfWork};

use super::held::{LockedTable, RowLock};
use super::load::{self, DuplicateCheck};
use super::{BatchOutputs, CommitType, LockWait, run_commands};
use crate::error::StoreError;
use crate::sql::pool::{DataSources, SourceTx};

#[async_trait]
impl CommitType for LikeCommandKind {
    const TRANSACTION: &'static str = "commit likes";
    const FIRST_LOCK_WAIT: LockWait = LockWait::Bounded;

    /// The row of a like stores its last operation, so every repeat is found.
    async fn decide(
        tx: &SourceTx,
        commands: &[LikeCommand],
        _: DuplicateCheck,
        lock_wait: LockWait,
        _: ModerationGate,
    ) -> std::result::Result<(UnitOfWork, BatchOutputs), StoreError> {
        run_commands(load::likes(tx, commands, lock_wait).await?, commands, UnitOfWork::run_like)
    }

    fn locks(_: &DataSources, commands: &[LikeCommand]) -> Vec<RowLock> {
        let lock = |command: &LikeCommand| {
            let id = command.verb.set().comment_id;
            let lock = RowLock { table: LockedTable::Index, id, subject: command.subject.clone() };
            (id.partition() == command.subject.partition()).then_some(lock)
        };
        commands.iter().filter_map(lock).collect()
    }
}
