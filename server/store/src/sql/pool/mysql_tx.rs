//! A transaction on a server of the MySQL family. It takes the driver's connection, because SeaORM
//! returns no result sets of a query of several statements. It begins with its first query, so that
//! BEGIN needs no round trip of its own where that query is text.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, TryStreamExt};
use sea_orm::{ConnAcquireErr, DbErr, ExecResult, QueryResult, RuntimeErr, SqlxError, Statement};
use sqlx::mysql::{MySql, MySqlArguments, MySqlConnection, MySqlPool, MySqlQueryResult, MySqlRow};
use sqlx::pool::PoolConnection;
use sqlx::{AssertSqlSafe, Either};
use tokio::sync::{Mutex, MutexGuard};

use super::DEAD_CONNECTIONS_MAX;
use crate::error::is_lost;
use crate::sql::phase::add_argument;

/// One packet of the results of a text query: a row, or the end of the results of a statement.
pub(in crate::sql) type TextResult = Either<MySqlQueryResult, MySqlRow>;

/// A transaction of which the driver does not know.
#[derive(Debug)]
pub(in crate::sql) struct MysqlTx {
    pool: MySqlPool,
    state: Mutex<TxState>,
    /// True for a pool that rolls back what its connections have begun when they are released.
    released_with_rollback: bool,
}

#[derive(Debug)]
struct TxState {
    /// `None` after no connection could be taken in place of a dead one.
    connection: Option<PoolConnection<MySql>>,
    /// True from the BEGIN to the COMMIT or ROLLBACK.
    begun: bool,
    /// True while a query is sent and its results are not all received. A connection that is
    /// dropped in between is closed.
    in_flight: bool,
}

impl MysqlTx {
    /// Takes a connection of a pool. Nothing is sent.
    pub(super) async fn acquire(pool: MySqlPool, released_with_rollback: bool) -> Result<Self, DbErr> {
        let connection = acquire(&pool).await?;
        let state = Mutex::new(TxState { connection: Some(connection), begun: false, in_flight: false });
        Ok(Self { pool, state, released_with_rollback })
    }

    /// Returns true if the transaction has begun, and not yet ended.
    pub(in crate::sql) async fn is_begun(&self) -> bool {
        self.state.lock().await.begun
    }

    /// Begins the transaction if it has not begun. A connection that turns out to be dead is
    /// replaced, because a BEGIN on it has no effect.
    pub(in crate::sql) async fn begin(&self) -> Result<(), DbErr> {
        self.on_live_connection("BEGIN".to_owned(), None, &mut |_| Ok(())).await
    }

    /// Runs a prepared statement that returns no rows.
    pub(super) async fn execute(&self, statement: &Statement) -> Result<ExecResult, DbErr> {
        let mut state = self.begun().await?;
        let query = sqlx::query_with(AssertSqlSafe(statement.sql.as_str()), arguments(statement)?);
        let outcome = query.execute(state.connection()?).await;
        state.note(outcome).map(ExecResult::from)
    }

    /// Runs a prepared statement and returns its rows.
    pub(super) async fn query_all(&self, statement: &Statement) -> Result<Vec<QueryResult>, DbErr> {
        let mut state = self.begun().await?;
        let query = sqlx::query_with(AssertSqlSafe(statement.sql.as_str()), arguments(statement)?);
        let outcome = query.fetch_all(state.connection()?).await;
        Ok(state.note(outcome)?.into_iter().map(QueryResult::from).collect())
    }

    /// Sends a text query and passes each of its results to `receive`. `ends` is true if the query
    /// ends with COMMIT.
    ///
    /// # Errors
    /// The error of the driver, or of `receive`; the connection is then not used again.
    pub(in crate::sql) async fn query_text(
        &self,
        text: String,
        ends: bool,
        receive: &mut (dyn FnMut(TextResult) -> Result<(), DbErr> + Send),
    ) -> Result<(), DbErr> {
        let mut state = self.state.lock().await;
        state.begun = true;
        state.run_text(AssertSqlSafe(text), receive).await?;
        state.begun = !ends;
        Ok(())
    }

    /// Sends a text query that begins the transaction. It is sent again on another connection if
    /// the first one turns out to be dead, so running it twice must have the effect of running it
    /// once. `restart` is called before each attempt.
    pub(in crate::sql) async fn query_first_text(
        &self,
        text: String,
        ends: bool,
        receive: &mut (dyn FnMut(Option<TextResult>) -> Result<(), DbErr> + Send),
    ) -> Result<(), DbErr> {
        self.on_live_connection(text, Some(ends), receive).await
    }

    /// Commits the transaction; nothing if it has not begun.
    pub(super) async fn commit(&self) -> Result<(), DbErr> {
        self.end("COMMIT").await
    }

    /// Rolls the transaction back; nothing if it has not begun.
    pub(super) async fn rollback(&self) -> Result<(), DbErr> {
        self.end("ROLLBACK").await
    }

    async fn end(&self, statement: &'static str) -> Result<(), DbErr> {
        let mut state = self.state.lock().await;
        if state.begun {
            state.run_text(statement, &mut |_| Ok(())).await?;
            state.begun = false;
        }
        Ok(())
    }

    async fn begun(&self) -> Result<MutexGuard<'_, TxState>, DbErr> {
        self.begin().await?;
        Ok(self.state.lock().await)
    }

    async fn on_live_connection(
        &self,
        text: String,
        ends: Option<bool>,
        receive: &mut (dyn FnMut(Option<TextResult>) -> Result<(), DbErr> + Send),
    ) -> Result<(), DbErr> {
        let mut state = self.state.lock().await;
        if state.begun && ends.is_none() {
            return Ok(());
        }
        // Shared with each attempt, because a query may have megabytes.
        let (text, mut dead) = (Arc::new(text), 0);
        loop {
            state.begun = true;
            receive(None)?;
            match state.run_text(AssertSqlSafe(Arc::clone(&text)), &mut |result| receive(Some(result))).await {
                Ok(()) => {
                    state.begun = ends != Some(true);
                    return Ok(());
                }
                Err(error) if is_lost(&error) && dead < DEAD_CONNECTIONS_MAX => {
                    tracing::debug!("a broken connection was dropped");
                    dead += 1;
                    state.close();
                    state.connection = Some(acquire(&self.pool).await?);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl TxState {
    /// Returns the connection for a query whose results are received next.
    fn connection(&mut self) -> Result<&mut MySqlConnection, DbErr> {
        self.in_flight = true;
        let missing = || DbErr::Custom("the transaction has no connection".to_owned());
        Ok(self.connection.as_mut().ok_or_else(missing)?)
    }

    /// Closes the connection instead of returning it to its pool.
    fn close(&mut self) {
        if let Some(mut connection) = self.connection.take() {
            connection.close_on_drop();
        }
        (self.begun, self.in_flight) = (false, false);
    }

    async fn run_text(
        &mut self,
        text: impl sqlx::SqlSafeStr,
        receive: &mut (dyn FnMut(TextResult) -> Result<(), DbErr> + Send),
    ) -> Result<(), DbErr> {
        let mut results = sqlx::raw_sql(text).fetch_many(self.connection()?);
        let outcome = loop {
            match results.try_next().await {
                // After a result that was not expected, others of the query are not received.
                Ok(Some(result)) => receive(result)?,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        drop(results);
        self.note(outcome)
    }

    /// Notes the outcome of a query whose results were all received. An error of the server ends
    /// the remaining statements of the query, so that nothing more is sent for it.
    fn note<T>(&mut self, outcome: Result<T, SqlxError>) -> Result<T, DbErr> {
        self.in_flight = !matches!(outcome, Ok(_) | Err(SqlxError::Database(_)));
        outcome.map_err(driver_error)
    }
}

impl Drop for MysqlTx {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        if state.in_flight || state.begun && !self.released_with_rollback {
            state.close();
        }
    }
}

/// Takes a connection of a pool. Its future is boxed as a trait object, because that of the driver
/// is nested more deeply than the compiler follows inside of the futures of callers.
fn acquire(pool: &MySqlPool) -> BoxFuture<'_, Result<PoolConnection<MySql>, DbErr>> {
    let acquired = async {
        Box::pin(pool.acquire()).await.map_err(|error| {
            if matches!(error, SqlxError::PoolTimedOut) {
                DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)
            } else if matches!(error, SqlxError::PoolClosed) {
                DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)
            } else {
                DbErr::Conn(RuntimeErr::SqlxError(Arc::new(error)))
            }
        })
    };
    acquired.boxed()
}

fn driver_error(error: SqlxError) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(Arc::new(error)))
}

fn arguments(statement: &Statement) -> Result<MySqlArguments, DbErr> {
    let mut arguments = MySqlArguments::default();
    for value in statement.values.iter().flat_map(|values| &values.0) {
        add_argument(&mut arguments, value).map_err(|error| DbErr::Custom(error.to_string()))?;
    }
    Ok(arguments)
}
