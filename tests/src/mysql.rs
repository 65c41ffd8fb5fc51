//! The database servers of the test run, and databases for single tests on them.

use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

use crate::{command, settings};

/// Databases of one name with the tables of the binary under test.
#[derive(Debug, Clone)]
pub struct Databases {
    /// The addresses of their servers.
    pub servers: Vec<String>,
    /// Their name.
    pub name: String,
    /// The arguments of a process of Riposte on them.
    pub arguments: Vec<String>,
}

impl Databases {
    /// Creates databases of a fresh name on these servers and migrates them. `more` are arguments
    /// in addition to those of [`settings::on_databases`].
    ///
    /// # Errors
    /// If the migration fails.
    pub async fn on<S: Into<String>>(servers: &[String], more: impl IntoIterator<Item = S>) -> Result<Self> {
        Self::named(servers, &fresh_name(), more).await
    }

    /// Does the same with databases of this name.
    ///
    /// # Errors
    /// If the migration fails.
    pub async fn named<S: Into<String>>(
        servers: &[String],
        name: &str,
        more: impl IntoIterator<Item = S>,
    ) -> Result<Self> {
        create(servers, name).await?;
        let mut arguments = settings::on_databases(servers, name);
        arguments.extend(more.into_iter().map(S::into));
        command::finish(command::riposte(&arguments)?.args(["migrate", "up"])).await?.ended(0)?;
        Ok(Self { servers: servers.to_owned(), name: name.to_owned(), arguments })
    }
}

/// Returns the addresses of the two servers that `cargo xtask test` (or `cargo xtask servers`)
/// started, without a database; `None`, with a notice on standard error, if they are not running.
#[must_use]
pub fn servers() -> Option<[String; 2]> {
    let of = |name| std::env::var_os(name)?.into_string().ok().filter(|url| !url.is_empty());
    let servers = of("RIPOSTE_TEST_MYSQL_1").zip(of("RIPOSTE_TEST_MYSQL_2"));
    if servers.is_none() {
        eprintln!("SKIPPED everything on MariaDB: RIPOSTE_TEST_MYSQL_1 and RIPOSTE_TEST_MYSQL_2 name no servers");
    }
    servers.map(|(one, two)| [one, two])
}

/// Returns the address of the Vitess keyspace that `cargo xtask test --vitess` (or `cargo xtask
/// servers --vitess`) started; `None` if it is not running.
#[must_use]
pub fn vitess() -> Option<String> {
    keyspace("RIPOSTE_TEST_VITESS")
}

/// Returns the address of a second keyspace there, which one test at a time has for itself; `None`
/// if it is not running.
#[must_use]
pub fn vitess_alone() -> Option<String> {
    keyspace("RIPOSTE_TEST_VITESS_ALONE")
}

fn keyspace(variable: &str) -> Option<String> {
    std::env::var_os(variable)?.into_string().ok().filter(|url| !url.is_empty())
}

/// Returns a database name that no other run uses.
#[must_use]
pub fn fresh_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Two processes may begin in one millisecond, so their times may be equal.
    let run = uuid::Uuid::new_v4().simple().to_string();
    format!("riposte_{}_{}", &run[..12], NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Creates a database with this name on each server.
///
/// # Errors
/// If the `mariadb` client is not installed, or a server rejects the statement.
pub async fn create(servers: &[String], name: &str) -> Result<()> {
    for url in servers {
        query(url, "", &format!("CREATE DATABASE IF NOT EXISTS {name}")).await?;
    }
    Ok(())
}

/// Returns the output of a statement: a line per row, with tabs between the values. `database` may
/// be empty.
///
/// # Errors
/// If the `mariadb` client is not installed, or the server rejects the statement.
pub async fn query(url: &str, database: &str, statement: &str) -> Result<String> {
    let (user, address) = url.strip_prefix("mysql://").and_then(|rest| rest.split_once('@')).context("no mysql://")?;
    let (host, port) = address.split_once(':').context("no port")?;
    let mut client = Command::new("mariadb");
    client.args(["--no-defaults", "--protocol=tcp", "--host", host, "--port", port, "--user", user]);
    client.args(["--database", database, "--batch", "--skip-column-names", "--execute", statement]);
    let output = client.output().await.context("the mariadb client cannot be run")?;
    ensure!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
