//! Runs a phase on a transaction.

use riposte_core::Error;
use sea_orm::{ConnectionTrait, Statement};

use super::results::{GroupResult, PhaseResults};
use super::{Phase, StatementForm, StatementGroup, StatementKind};
use crate::error::{StoreError, StoreResult};
use crate::sql::pool::SourceTx;

/// The reason why a transaction was not committed, or may not have been.
#[derive(Debug)]
pub(crate) struct CommitFailure {
    /// The fault.
    pub(crate) fault: StoreError,
    /// True if COMMIT was sent: the effects may be durable.
    pub(crate) outcome_unknown: bool,
}

impl SourceTx {
    /// Runs a phase and returns its results. The transaction begins with its first phase or
    /// statement, in the same round trip if the form of the phase allows it.
    ///
    /// # Errors
    /// The error of the first statement that failed; the transaction must then be rolled back.
    pub(crate) async fn run(&self, phase: Phase) -> StoreResult<PhaseResults> {
        let mut results = PhaseResults::default();
        for group in phase.groups {
            results.push(self.run_prepared(group).await?);
        }
        Ok(results)
    }

    /// Runs the last phase of a writing transaction and commits it durably, in the same round trip
    /// if the form of the phase allows it. After an error the transaction is rolled back, unless
    /// its outcome is unknown.
    pub(crate) async fn finish(self, phase: Phase) -> Result<PhaseResults, CommitFailure> {
        let failed = |fault| CommitFailure { fault, outcome_unknown: false };
        let (tx, results) = self.write(async move |tx: &Self| tx.run(phase).await).await.map_err(failed)?;
        tx.commit().await.map_err(|fault| CommitFailure { fault, outcome_unknown: true })?;
        Ok(results)
    }

    async fn run_prepared(&self, group: StatementGroup) -> StoreResult<GroupResult> {
        let kind = group.kind;
        let statements = group.into_statements(StatementForm::Prepared);
        match kind {
            StatementKind::Read => Ok(GroupResult::Rows(self.read_prepared(statements).await?)),
            StatementKind::Write { expected } => {
                let mut count = 0;
                for statement in statements {
                    count += self.unrouted().execute_raw(statement).await?.rows_affected();
                }
                check_matched(count, expected)?;
                Ok(GroupResult::Count(count))
            }
        }
    }

    async fn read_prepared(&self, statements: Vec<Statement>) -> StoreResult<Vec<sea_orm::QueryResult>> {
        let mut rows = Vec::new();
        for statement in statements {
            rows.append(&mut self.unrouted().query_all_raw(statement).await?);
        }
        Ok(rows)
    }
}

/// Returns an error if statements matched another number of rows than were locked: locked rows
/// cannot disappear.
fn check_matched(matched: u64, expected: Option<u64>) -> StoreResult<()> {
    match expected {
        Some(expected) if matched != expected => {
            Err(Error::internal(format!("an update of {expected} rows matched {matched}")).into())
        }
        Some(_) | None => Ok(()),
    }
}
