//! Databases on a server of the MySQL family.

use anyhow::{Context, Result, ensure};
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Executor, Row};

/// The database to create.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// mysql://user@host:port/database; all data in that database is lost
    #[arg(long)]
    url: String,
}

/// Creates the database again, empty, and returns the server's version.
pub(crate) async fn run(args: &Args) -> Result<String> {
    let (mut server, name) = server(&args.url).await?;
    server.execute(AssertSqlSafe(format!("DROP DATABASE IF EXISTS `{name}`"))).await?;
    server.execute(AssertSqlSafe(format!("CREATE DATABASE `{name}`"))).await?;
    let version: String = sqlx::query_scalar("SELECT VERSION()").fetch_one(&mut server).await?;
    Ok(serde_json::json!({ "database": name, "version": version }).to_string())
}

/// Creates the database of `url` unless it exists.
pub(crate) async fn ensure(url: &str) -> Result<()> {
    let (mut server, name) = server(url).await?;
    server.execute(AssertSqlSafe(format!("CREATE DATABASE IF NOT EXISTS `{name}`"))).await?;
    Ok(())
}

/// Returns the number of statements that the server of a connection received, this one included.
pub(crate) async fn questions(connection: &mut MySqlConnection) -> Result<u64> {
    let row = sqlx::raw_sql("SHOW GLOBAL STATUS LIKE 'Questions'").fetch_one(connection).await?;
    Ok(row.try_get::<String, _>(1)?.parse()?)
}

/// Returns a connection to the server without a database, and the name of the database in the URL.
async fn server(url: &str) -> Result<(MySqlConnection, String)> {
    let named: MySqlConnectOptions = url.parse()?;
    let name = named.get_database().context("the URL names no database")?.to_owned();
    ensure!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "`{name}` is not a plain name");
    let bare: MySqlConnectOptions = url.replacen(&format!("/{name}"), "/", 1).parse()?;
    Ok((bare.disable_statement_logging().connect().await?, name))
}
