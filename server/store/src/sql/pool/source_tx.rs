//! A transaction on one data source.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::Partition;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement};
use tokio::time::timeout;

use super::{DataSources, MysqlTx, TextSupport};
use crate::error::StoreError;
use crate::on_shard::OnShard;
use crate::shard::TableCounts;
use crate::sql::subject_id_cache::SubjectIdCache;

/// A transaction on one data source, for the tables of all partitions in it.
#[derive(Debug)]
pub(crate) struct SourceTx {
    pub(super) connection: SourceConnection,
    pub(super) sources: Arc<DataSources>,
    pub(super) source: usize,
    /// True if the source is called even if its circuit breaker is open.
    pub(super) past_breaker: bool,
}

/// The connection of a transaction.
#[derive(Debug)]
pub(super) enum SourceConnection {
    /// A snapshot, or a transaction on a file. It has begun.
    Begun(DatabaseTransaction),
    /// A transaction that begins with its first query.
    Mysql(MysqlTx),
    /// No transaction: each statement reads by itself.
    Pool,
}

/// The statements of a transaction, each sent by itself and prepared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceExecutor<'t>(&'t SourceTx);

impl SourceTx {
    /// Returns the transaction, bound to the tables of a partition.
    pub(crate) fn on(&self, partition: Partition) -> OnShard<SourceExecutor<'_>> {
        OnShard::new(SourceExecutor(self), self.sources.slot(partition))
    }

    /// Returns the transaction, for the tables that exist once in each data source.
    pub(crate) fn unrouted(&self) -> SourceExecutor<'_> {
        SourceExecutor(self)
    }

    /// Returns true if the transaction is confined to one partition.
    pub(crate) fn is_confined(&self) -> bool {
        self.sources.is_confined()
    }

    /// Returns the data sources.
    pub(crate) fn sources(&self) -> &Arc<DataSources> {
        &self.sources
    }

    /// Returns the table counts.
    pub(crate) fn tables(&self) -> TableCounts {
        self.sources.map().tables()
    }

    /// Returns the cache of subject ids.
    pub(crate) fn subject_id_cache(&self) -> &SubjectIdCache {
        self.sources.subject_id_cache()
    }

    /// Returns the connection for text queries, if the server takes them.
    pub(in crate::sql) fn text(&self) -> Option<(&MysqlTx, &TextSupport)> {
        match &self.connection {
            SourceConnection::Begun(_) | SourceConnection::Pool => None,
            SourceConnection::Mysql(tx) => self.sources.text_support(self.source).map(|support| (tx, support)),
        }
    }

    /// Begins the transaction if it has not begun.
    pub(super) async fn begin(&self) -> Result<(), DbErr> {
        match &self.connection {
            SourceConnection::Begun(_) | SourceConnection::Pool => Ok(()),
            SourceConnection::Mysql(tx) => tx.begin().await,
        }
    }

    /// Returns the time limit of a writing transaction, and of its last phase.
    pub(in crate::sql) fn limit(&self) -> Duration {
        self.sources.transaction_limit
    }

    /// Sends the first query of the transaction by `call`, unless the circuit breaker is open. A
    /// later query is sent in any case.
    pub(in crate::sql) async fn guarded<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let is_begun = match &self.connection {
            SourceConnection::Begun(_) | SourceConnection::Pool => true,
            SourceConnection::Mysql(tx) => tx.is_begun().await,
        };
        if is_begun || self.past_breaker { call.await } else { self.sources.call_guarded(self.source, call).await }
    }

    /// Does the work of a writing transaction, and rolls it back if the work fails. A connection
    /// whose server does not respond is closed, or left to its pool, which rolls it back once the
    /// server responds again.
    pub(crate) async fn write<T>(
        self,
        work: impl AsyncFnOnce(&Self) -> Result<T, StoreError>,
    ) -> Result<(Self, T), StoreError> {
        match timeout(self.limit(), work(&self)).await {
            Ok(Ok(value)) => Ok((self, value)),
            Ok(Err(fault)) => {
                self.rollback().await;
                Err(fault)
            }
            Err(_) => Err(StoreError::NoResponse),
        }
    }

    /// Commits the transaction durably. After an error the outcome is unknown.
    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        let limit = self.limit();
        let commit = async {
            match self.connection {
                SourceConnection::Begun(tx) => tx.commit().await,
                SourceConnection::Mysql(tx) => tx.commit().await,
                SourceConnection::Pool => Ok(()),
            }
        };
        timeout(limit, commit).await.map_err(|_| StoreError::NoResponse)?.map_err(StoreError::from)
    }

    /// Rolls the transaction back. An error is not reported: the end of the connection has the same
    /// effect.
    pub(crate) async fn rollback(self) {
        let outcome = match self.connection {
            SourceConnection::Begun(tx) => tx.rollback().await,
            SourceConnection::Mysql(tx) => tx.rollback().await,
            SourceConnection::Pool => Ok(()),
        };
        if let Err(error) = outcome {
            tracing::debug!(%error, "a rollback failed; closing the connection rolls back");
        }
    }
}

impl SourceExecutor<'_> {
    async fn query_alone(&self, statement: &Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.0.sources.all()[self.0.source].query_alone(statement).await
    }
}

#[async_trait]
impl ConnectionTrait for SourceExecutor<'_> {
    fn get_database_backend(&self) -> DbBackend {
        match &self.0.connection {
            SourceConnection::Begun(tx) => tx.get_database_backend(),
            SourceConnection::Mysql(_) => DbBackend::MySql,
            SourceConnection::Pool => DbBackend::MySql,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match &self.0.connection {
            SourceConnection::Begun(tx) => tx.execute_raw(statement).await,
            SourceConnection::Mysql(tx) => tx.execute(&statement).await,
            SourceConnection::Pool => Err(DbErr::Custom("a statement that writes needs a transaction".to_owned())),
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match &self.0.connection {
            SourceConnection::Begun(tx) => tx.query_one_raw(statement).await,
            SourceConnection::Mysql(tx) => Ok(tx.query_all(&statement).await?.into_iter().next()),
            SourceConnection::Pool => Ok(self.query_alone(&statement).await?.into_iter().next()),
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match &self.0.connection {
            SourceConnection::Begun(tx) => tx.query_all_raw(statement).await,
            SourceConnection::Mysql(tx) => tx.query_all(&statement).await,
            SourceConnection::Pool => self.query_alone(&statement).await,
        }
    }

    async fn execute_unprepared(&self, _: &str) -> Result<ExecResult, DbErr> {
        Err(DbErr::Custom("a transaction sends no unprepared SQL of its callers".to_owned()))
    }
}
