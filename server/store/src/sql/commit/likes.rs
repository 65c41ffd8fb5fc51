//! Batches of likes: comments are locked, but not their subjects, so likes never wait for new
//! comments.

use async_trait::async_trait;
use riposte_core::{LikeCommand, LikeCommandKind, UnitOfWork};

use super::load::{self, DuplicateCheck};
use super::{BatchOutputs, CommitType, run_commands};
use crate::error::StoreError;
use crate::sql::pool::SourceTx;

#[async_trait]
impl CommitType for LikeCommandKind {
    const TRANSACTION: &'static str = "commit likes";

    /// The row of a like stores its last operation, so every repeat is found.
    async fn decide(
        tx: &SourceTx,
        commands: &[LikeCommand],
        _: DuplicateCheck,
    ) -> std::result::Result<(UnitOfWork, BatchOutputs), StoreError> {
        run_commands(load::likes(tx, commands).await?, commands, UnitOfWork::run_like)
    }
}
