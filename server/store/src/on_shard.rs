//! A connection that binds every statement to the tables of one partition.

use async_trait::async_trait;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement};

use crate::shard::TableSlot;

/// A connection or transaction whose statements are bound to a slot. Entities name their tables
/// with a marker (`comment_index_@`) that no server knows, so a statement that bypasses this type
/// fails.
#[derive(Debug)]
pub struct OnShard<C> {
    conn: C,
    slot: TableSlot,
}

impl<C> OnShard<C> {
    /// Binds `conn` to `slot`.
    pub fn new(conn: C, slot: TableSlot) -> Self {
        Self { conn, slot }
    }

    /// Binds the statements that follow to another slot.
    pub fn route(&mut self, slot: TableSlot) {
        self.slot = slot;
    }

    /// Returns the partition number that every WHERE names and every row carries.
    #[must_use]
    pub fn part(&self) -> i16 {
        self.slot.part()
    }
}

impl OnShard<DatabaseTransaction> {
    /// Commits the transaction durably.
    ///
    /// # Errors
    /// The error of the server; after a lost connection the outcome is unknown.
    pub async fn commit(self) -> Result<(), DbErr> {
        self.conn.commit().await
    }
}

impl<C: ConnectionTrait> OnShard<C> {
    fn bind(&self, mut statement: Statement) -> Statement {
        statement.sql = self.slot.bind(statement.sql);
        statement
    }
}

#[async_trait]
impl<C: ConnectionTrait> ConnectionTrait for OnShard<C> {
    fn get_database_backend(&self) -> DbBackend {
        self.conn.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.conn.execute_raw(self.bind(statement)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.conn.query_one_raw(self.bind(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.conn.query_all_raw(self.bind(statement)).await
    }

    async fn execute_unprepared(&self, _: &str) -> Result<ExecResult, DbErr> {
        Err(DbErr::Custom("unprepared SQL cannot be routed".to_owned()))
    }
}
