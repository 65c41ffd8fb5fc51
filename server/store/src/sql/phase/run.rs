//! Runs a phase on a transaction, in the form that its size and its server allow.

use std::sync::Arc;

use riposte_core::Error;
use sea_orm::{ConnectionTrait, QueryResult};
use tokio::time::timeout;

use super::results::{GroupResult, PhaseResults};
use super::text_run::TextPhase;
use super::{BoundStatement, Phase, StatementForm, StatementGroup, StatementKind};
use crate::error::{StoreError, StoreResult, start_of};
use crate::sql::pool::{DataSources, MysqlTx, SourceTx, TextSupport};

/// The number of statement groups from which a phase is sent as text, if there are several tables
/// of each kind. A connection would prepare each statement for each of them, and each is a round
/// trip (docs/decisions/0168-text-from-two-statements-on.md).
const TEXT_GROUPS_MIN: usize = 2;

/// As [`TEXT_GROUPS_MIN`], with one table of each kind: a few prepared statements serve all
/// batches there, and text, which a server parses anew each time, pays only for many statements.
const TEXT_GROUPS_MIN_OF_ONE_TABLE: usize = 8;

/// As [`TEXT_GROUPS_MIN`], for a phase that is a whole snapshot: text also saves its BEGIN and its
/// ROLLBACK.
const TEXT_READS_MIN: usize = 2;

/// The reason why a transaction was not committed, or may not have been.
#[derive(Debug)]
pub(crate) struct CommitFailure {
    /// The fault.
    pub(crate) fault: StoreError,
    /// True if COMMIT was sent: the effects may be durable.
    pub(crate) outcome_unknown: bool,
}

impl From<StoreError> for CommitFailure {
    fn from(fault: StoreError) -> Self {
        Self { fault, outcome_unknown: false }
    }
}

impl From<Error> for CommitFailure {
    fn from(error: Error) -> Self {
        StoreError::from(error).into()
    }
}

/// The ends of a transaction that a phase includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PhaseEnds {
    pub(super) begins: bool,
    pub(super) commits: bool,
}

impl SourceTx {
    /// Runs a phase and returns its results. A transaction that has not begun begins with it, in
    /// the same round trip if the phase is sent as text.
    ///
    /// # Errors
    /// The error of the first statement that failed; the transaction must then be rolled back.
    pub(crate) async fn run(&self, phase: Phase) -> StoreResult<PhaseResults> {
        let Some((tx, support)) = self.text_for(&phase) else { return self.run_prepared(phase).await };
        let ends = PhaseEnds { begins: !tx.is_begun().await, commits: false };
        let mut text = TextPhase::of(phase.groups, support.query_len_max(), ends)?;
        self.guarded(async { text.run(tx).await.map_err(|failure| failure.fault) }).await
    }

    /// Runs the last phase of a writing transaction and commits it durably, in the same round trip
    /// if the phase is sent as text. After an error the transaction is rolled back, unless its
    /// outcome is unknown.
    pub(crate) async fn finish(self, phase: Phase) -> Result<PhaseResults, CommitFailure> {
        if self.text_for(&phase).is_none() {
            let (tx, results) = self.write(async move |tx: &Self| tx.run_prepared(phase).await).await?;
            tx.commit().await.map_err(|fault| CommitFailure { fault, outcome_unknown: true })?;
            return Ok(results);
        }
        let outcome = self.finish_as_text(phase).await;
        if outcome.as_ref().is_err_and(|failure| !failure.outcome_unknown) {
            self.rollback().await;
        }
        outcome
    }

    async fn finish_as_text(&self, phase: Phase) -> Result<PhaseResults, CommitFailure> {
        let Some((tx, support)) = self.text_for(&phase) else { return Ok(PhaseResults::default()) };
        let ends = PhaseEnds { begins: false, commits: true };
        let mut text = TextPhase::of(phase.groups, support.query_len_max(), ends)?;
        // BEGIN is sent ahead: a query with COMMIT must not be repeated on another connection.
        self.guarded(async { Ok(tx.begin().await?) }).await?;
        match timeout(self.limit(), text.run(tx)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(CommitFailure { fault: StoreError::NoResponse, outcome_unknown: text.commit_sent }),
        }
    }

    /// Returns the connection for this phase as text, if it is to be sent as text.
    fn text_for(&self, phase: &Phase) -> Option<(&MysqlTx, &TextSupport)> {
        let auto = if self.tables().index == 1 { TEXT_GROUPS_MIN_OF_ONE_TABLE } else { TEXT_GROUPS_MIN };
        self.text().filter(|(_, support)| phase.groups.len() >= support.groups_min(auto))
    }

    async fn run_prepared(&self, phase: Phase) -> StoreResult<PhaseResults> {
        let mut results = PhaseResults::default();
        for group in phase.groups {
            results.push(self.run_group(group).await?);
        }
        Ok(results)
    }

    async fn run_group(&self, group: StatementGroup) -> StoreResult<GroupResult> {
        let kind = group.kind;
        let statements = group.into_statements(StatementForm::Prepared);
        match kind {
            StatementKind::Read => Ok(GroupResult::Rows(self.read_prepared(statements).await?)),
            StatementKind::Write => {
                for BoundStatement { statement, expected } in statements {
                    let template = statement.sql.clone();
                    let outcome = self.unrouted().execute_raw(statement).await;
                    let matched = outcome.map_err(|error| StoreError::of_statement(error, &template))?.rows_affected();
                    if expected.is_some_and(|expected| expected != matched) {
                        return Err(unmatched(&template));
                    }
                }
                Ok(GroupResult::Written)
            }
        }
    }

    async fn read_prepared(&self, statements: Vec<BoundStatement>) -> StoreResult<Vec<QueryResult>> {
        let mut rows = Vec::new();
        for BoundStatement { statement, .. } in statements {
            let template = statement.sql.clone();
            let outcome = self.unrouted().query_all_raw(statement).await;
            rows.append(&mut outcome.map_err(|error| StoreError::of_statement(error, &template))?);
        }
        Ok(rows)
    }
}

impl DataSources {
    /// Creates a phase without statements.
    pub(crate) fn phase(self: &Arc<Self>) -> Phase {
        let backend = self.all()[0].write_pool().get_database_backend();
        Phase { sources: Arc::clone(self), backend, groups: Vec::new() }
    }

    /// Runs a phase that only reads, on one data source (from 0), in one snapshot: in one round
    /// trip if the phase is sent as text.
    pub(crate) async fn read_phase(self: &Arc<Self>, source: usize, phase: Phase) -> StoreResult<PhaseResults> {
        let groups = phase.groups.len();
        let text = self.text_support(source).filter(|support| groups >= support.groups_min(TEXT_READS_MIN));
        let Some(support) = text else { return self.read_prepared(source, phase).await };
        let tx = self.open_read(source).await?;
        let ends = PhaseEnds { begins: true, commits: true };
        let Some((connection, _)) = tx.text() else { return self.read_prepared(source, phase).await };
        let mut text = TextPhase::of(phase.groups, support.query_len_max(), ends)?;
        let outcome = tx.guarded(async { text.run(connection).await.map_err(|failure| failure.fault) }).await;
        if outcome.is_err() {
            tx.rollback().await;
        }
        outcome
    }

    /// Runs a phase statement by statement. A statement that is alone sees one state by itself and
    /// needs no transaction.
    async fn read_prepared(self: &Arc<Self>, source: usize, phase: Phase) -> StoreResult<PhaseResults> {
        let groups = phase.groups.into_iter().map(|group| group.into_statements(StatementForm::Prepared));
        let mut groups: Vec<Vec<BoundStatement>> = groups.collect();
        let mut results = PhaseResults::default();
        if let [only] = &mut groups[..]
            && only.len() == 1
            && let Some(BoundStatement { statement, .. }) = only.pop()
        {
            results.push(GroupResult::Rows(self.read_alone(source, statement).await?));
            return Ok(results);
        }
        let tx = self.begin_wide_read(source).await?;
        for statements in groups {
            results.push(GroupResult::Rows(tx.read_prepared(statements).await?));
        }
        Ok(results)
    }
}

/// Returns the error of an update that matched another number of rows than were locked: locked rows
/// cannot disappear.
pub(super) fn unmatched(template: &str) -> StoreError {
    Error::internal(format!("an update did not match the rows that are locked: {}", start_of(template))).into()
}
