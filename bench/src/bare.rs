//! The bare loops: the same rows in the same kind of tables, written by hand with one transaction
//! per operation, and the service's own rows read by hand, without the service in between. They are
//! the baseline of the service, so they are as fast as a correct implementation can be.

pub(crate) mod batch;
pub(crate) mod create;
pub(crate) mod like;
pub(crate) mod page;
pub(crate) mod redis;
mod rows;
mod schema;
pub(crate) mod states;
mod tables;

use crate::database;
use anyhow::Result;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{ConnectOptions, Executor};
use std::time::{SystemTime, UNIX_EPOCH};

/// The address of the bare tables, and the number of loops that write to them.
#[derive(Debug, clap::Args)]
pub(crate) struct BareTables {
    /// mysql://user@host:port/database; the database and its tables are created unless they exist
    #[arg(long)]
    url: String,
    /// Connections, each with a loop of its own
    #[arg(long, default_value_t = 16)]
    connections: usize,
}

impl BareTables {
    /// Returns a connection to the bare tables, after creating them.
    async fn prepare(&self) -> Result<MySqlConnection> {
        database::ensure(&self.url).await?;
        let mut connection = self.connect().await?;
        for table in schema::TABLES {
            connection.execute(table).await?;
        }
        Ok(connection)
    }

    /// Returns one connection for each loop.
    async fn loops(&self) -> Result<Vec<MySqlConnection>> {
        let mut all = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            all.push(self.connect().await?);
        }
        Ok(all)
    }

    /// Connects at READ COMMITTED, the isolation level of the service's writes: the default level
    /// locks more rows and gaps.
    async fn connect(&self) -> Result<MySqlConnection> {
        let mut connection = open(&self.url).await?;
        connection.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED").await?;
        Ok(connection)
    }
}

/// Opens a connection that logs nothing.
pub(crate) async fn open(url: &str) -> Result<MySqlConnection> {
    let options: MySqlConnectOptions = url.parse()?;
    Ok(options.disable_statement_logging().connect().await?)
}

/// Returns the current time, in milliseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the rows carry times, as those of the service do")]
fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
