//! The service's own tables, read by hand: one of each.

use super::open;
use anyhow::{Context, Result, ensure};
use sqlx::mysql::MySqlConnection;
use sqlx::{Executor, Row};

/// One subject of the service, and the number of loops that read it.
#[derive(Debug, clap::Args)]
pub(super) struct OneSubject {
    /// mysql://user@host:port/database of the service
    #[arg(long)]
    url: String,
    /// Connections, each with a loop of its own
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// The object type of the subject
    #[arg(long, default_value = "bench")]
    object_type: String,
    /// The prefix of the subject's id, the same as in the loads through gRPC
    #[arg(long)]
    prefix: String,
}

/// The key columns of a subject's rows.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) object_type: Vec<u8>,
    pub(super) object_id: Vec<u8>,
    pub(super) id: i64,
    pub(super) part: i16,
}

const FIND: &str = "SELECT id, part FROM comment_subject WHERE object_type = ? AND object_id = ?";

impl OneSubject {
    /// Returns the existing subject, and a connection for each loop at REPEATABLE READ, the
    /// isolation level of the service's reads.
    pub(super) async fn open(&self) -> Result<(Subject, Vec<MySqlConnection>)> {
        ensure!(self.connections > 0, "at least one connection");
        let mut all = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            let mut connection = open(&self.url).await?;
            connection.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").await?;
            all.push(connection);
        }
        let object_type = self.object_type.clone().into_bytes();
        let object_id = format!("{}-0", self.prefix).into_bytes();
        let row = sqlx::query(FIND).bind(&object_type).bind(&object_id).fetch_optional(&mut all[0]).await?;
        let row = row.context("the service knows no such subject")?;
        let subject = Subject { object_type, object_id, id: row.try_get("id")?, part: row.try_get("part")? };
        Ok((subject, all))
    }
}
